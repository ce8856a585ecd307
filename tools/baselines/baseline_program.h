/* baseline_program.h - what the baselines evaluate of a model: rows, their Jacobian, and its products with second derivatives.
 *
 *     once per sample   bl, bu, start values, fixed values
 *     once per step     c, J = dc/dy
 *     on the way back   d/dy of v' J t, v and t held fixed
 *
 * In comes a model; out goes one program over slots of `stride` doubles, and the offsets of everything in it. It is constant.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_BASELINE_PROGRAM_H
#define HN_BASELINES_BASELINE_PROGRAM_H

#include "autodiff/program.h"
#include "base/arena.h"
#include "hardnet/model.h"

/* Offsets of values, and for each the number that says which entry of a vector it belongs to. */
struct baseline_list {
    size_t count;
    uint32_t *at, *entry;
};

struct baseline_program {
    uint32_t stride;
    struct program *program;
    struct arena arena;
    size_t inputs, outputs, rows, entries;
    uint32_t x, y, t, v;             /* offsets of leaves */
    uint32_t *value, *lower, *upper; /* by row */
    uint32_t *start;                 /* by output */
    bool *equality;                  /* rows whose bounds are one expression */
    size_t *first;                   /* rows + 1: J by rows */
    uint32_t *column, *entry;        /* columns and offsets of J's entries */
    struct baseline_list fixed;      /* fixed outputs: values, columns */
    struct baseline_list bracket;    /* d/dy of v' J t: values, offsets in a vector over outputs */
};

hn_status baseline_program_create(struct baseline_program *b, const hn_model *model, uint32_t stride, hn_error *error);
void baseline_program_release(struct baseline_program *b);

#endif
