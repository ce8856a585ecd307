/* backend.h - the kernels of one instruction set as a table of functions, selected at run time.
 *
 * Every table computes the same bits. Instruction sets appear in this module only. Slots are a worker's memory, 64-byte
 * aligned; numbers of type uint32_t are offsets in it (linalg/damped_system.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_BACKEND_H
#define HN_CPU_BACKEND_H

#include "autodiff/program.h"
#include "base/lanes.h"
#include "cpu/rows.h"
#include "linalg/blocked_ldl.h"
#include "linalg/damped_system.h"
#include "linalg/signed_system.h"

/* Tasks of later modules that provide kernels; see kernels.h. */
struct barrier_task;
struct matrix_product;
struct activation_task;
struct normalize_task;

struct backend {
    const char *name;
    void (*run)(const struct program *program, int phase, double *slots);
    /* the linear system of a step */
    void (*solve)(const struct damped *system, double *slots, const struct damped_sides *sides);
    /* the same for blocked systems; helper threads may join */
    void (*solve_tiled)(const struct tiled *task, double *slots, const struct damped_sides *sides,
                        struct helpers *helpers);
    void (*begin_tiled)(const struct tiled *task, double *slots);
    void (*values_tiled)(const struct tiled *task, double *slots, uint32_t y, struct helpers *helpers);
    void (*rows_tiled)(const struct tiled *task, double *slots, uint32_t from, uint32_t to,
                       struct helpers *helpers); /* A times a vector */
    void (*columns_tiled)(const struct tiled *task, double *slots, uint32_t from, uint32_t to, bool subtract,
                          struct helpers *helpers);
    void (*gram_tiled)(const struct tiled_gram *task);
    void (*turn_tiled)(const struct tiled_turn *task);
    void (*multiply)(const struct product *product, double *slots, uint32_t from, uint32_t to);
    void (*multiply_subtract)(const struct product *product, double *slots, uint32_t from, uint32_t to);
    void (*multiply_two)(const struct product *product, double *slots, const uint32_t from[2], const uint32_t to[2]);
    /* rows */
    void (*residual)(const struct rows_task *task, double *slots);
    void (*residual_only)(const struct rows_task *task, double *slots);
    void (*rescale)(const struct rows_task *task, double *slots, uint32_t mask);
    void (*weigh)(const struct rows_task *task, double *slots, uint32_t mask);
    void (*shift)(const struct rows_task *task, double *slots);
    void (*largest)(const struct rows_task *task, double *slots, uint32_t to);
    void (*step)(const struct rows_task *task, double *slots, uint32_t base, uint32_t step, uint32_t y);
    void (*clip)(const struct clip_task *task, double *slots, uint32_t y, uint32_t mask);
    void (*hold_bounds)(const struct rows_task *task, const struct clip_task *clip, double *slots, uint32_t slope,
                        uint32_t mask);
    void (*unclip)(const struct clip_task *task, double *slots, const struct unclip_places *at, uint32_t mask);
    void (*adjoint_rows)(const struct rows_task *task, const struct adjoint_task *adjoint, double *slots, bool bounds);
    /* vectors */
    void (*load)(double *slots, uint32_t offset, size_t count, const double *const *from);
    void (*unload)(const double *slots, uint32_t offset, size_t count, double *const *to);
    void (*copy)(double *slots, uint32_t from, uint32_t to, size_t count, uint32_t mask);
    void (*inner)(double *slots, uint32_t a, uint32_t b, size_t count, uint32_t to);
    void (*add)(double *slots, uint32_t a, uint32_t to, size_t count);
    void (*subtract)(double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count);
    void (*scatter_subtract)(double *slots, const uint32_t *from, const uint32_t *offset, size_t count, uint32_t to);
    /* symmetric indefinite systems */
    void (*signed_factor)(const struct signed_system *system, double *slots);
    void (*signed_solve)(const struct signed_system *system, double *slots, uint32_t from, uint32_t to);
    void (*signed_residual)(const struct signed_system *system, double *slots, uint32_t right, uint32_t x, uint32_t to);
    /* QPs: the work between the solves */
    void (*barrier_scale)(const struct barrier_task *task, double *slots);
    void (*barrier_begin)(const struct barrier_task *task, double *slots);
    void (*barrier_rows)(const struct barrier_task *task, double *slots);
    void (*barrier_advance)(const struct barrier_task *task, double *slots);
    void (*barrier_multipliers)(const struct barrier_task *task, double *slots);
    /* networks: plain arrays, not slots */
    void (*multiply_matrix)(const struct matrix_product *product);
    void (*activate)(const struct activation_task *task);
    void (*activate_back)(const struct activation_task *task);
    void (*normalize)(const struct normalize_task *task);
    void (*normalize_back)(const struct normalize_task *task);
};

/* One function per file of kernels. Tables are returned by value, so that the library needs no relocated data. */
struct backend backend_portable(void);
struct backend backend_avx2(void);
struct backend backend_avx512(void);

/* For a single sample, where offsets equal slots. The same bits. */
struct backend backend_single(void);

/* The table of this name ("portable", "avx2", "avx512"), or the fastest one for NULL. Fails when the name is unknown or
 * the processor lacks the instructions. */
hn_status backend_choose(struct backend *out, hn_instructions instructions, hn_error *error);

/* The tables that this processor supports, fastest first; false beyond the last. */
bool backend_at(size_t index, struct backend *out);

#endif
