/* lanes_executor.h - data of the executor over SIMD lanes: the tasks of its kernels, with offsets instead of slots.
 *
 * An offset is a slot times the number of lanes. For a single sample both are equal, and the plan's lists are used.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_LANES_EXECUTOR_H
#define HN_CPU_LANES_EXECUTOR_H

#include "base/arena.h"
#include "cpu/backend.h"
#include "cpu/executor.h"

/* Slots of the executor, after those of the plan. */
enum {
    LANES_FLAGS, /* a mask of lanes */
    LANES_HOLDS,
    LANES_LEADS,
    LANES_HOLD,
    LANES_OWN
};

/* Values and the vector entries that they are read from. */
struct lanes_entries {
    size_t count;
    const uint32_t *value, *entry;
};

struct lanes {
    struct backend kernels;
    uint32_t width;
    struct program program;
    struct damped system;
    struct tiled tiled; /* if the system is blocked */
    struct rows_task rows;
    struct clip_task clip;
    struct adjoint_task adjoint;
    struct lanes_entries bracket_y, bracket_x, pull_x;
    uint32_t flags, holds; /* offsets of masks */
    struct arena arena;    /* lists that are not in the plan */
    bool failed;           /* out of memory */
};

/* False when out of memory. The kernels must be chosen before. */
bool lanes_bind(struct lanes *lanes, const struct plan *plan);

void lanes_step_back(const struct executor *x, double *slots, const struct executor_back *step);

/* Memory for count elements and one more; NULL when out of memory, and sets `failed`. */
void *lanes_take(struct lanes *lanes, struct arena *arena, size_t count, size_t size);

/* Part of lanes_bind for blocked systems, after the rows and the program. */
void lanes_bind_tiled(struct lanes *lanes, const struct plan *plan);

/* ---- parts of the entries, for executors that replace the rest ---- */

/* Clips y to its bounds for the flagged lanes (NULL: none) and repeats the check for finite values. */
void lanes_clip(const struct executor *x, double *slots, const bool *clipped);

/* The adjoint of the clipping for the flagged lanes; needs v and s. After the shift. */
void lanes_unclip(const struct executor *x, double *slots, const bool *clipped);

/* The contribution of eps to r: (q' v) d(eps)/dr if eps depends on |W r|, from q' v. On the outputs' side v is scaled
 * by eps. */
void lanes_weigh_damping(const struct executor *x, double *slots, const double *slope);

/* c and J at y. */
void lanes_values(const struct executor *x, double *slots);

/* to = A from; to = A' from, or to - A' from */
void lanes_rows(const struct executor *x, double *slots, uint32_t from, uint32_t to);
void lanes_columns(const struct executor *x, double *slots, uint32_t from, uint32_t to, bool subtract);

/* Solves the system for every sample. */
void lanes_solve(const struct executor *x, double *slots, const struct damped_sides *sides);

/* One number per lane, or one flag as a mask; true if any is set. */
void lanes_put(const struct executor *x, double *slots, uint32_t slot, const double *numbers);
bool lanes_flag(const struct executor *x, double *slots, uint32_t mask, const bool *flags);

/* Offset of the blocks of a sample. They and all their parts are aligned to cache lines, to avoid false sharing. */
static inline size_t lanes_tiles_at(const struct plan *plan) {
    return ((size_t)plan->slots + LANES_OWN + 7) / 8 * 8;
}

static inline const struct lanes *lanes_of(const struct executor *x) {
    return (const struct lanes *)x->own;
}

static inline uint32_t lanes_at(const struct executor *x, uint32_t slot) {
    return slot * x->width;
}

#endif
