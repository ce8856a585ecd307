/* lanes_executor.h - what the executor over SIMD lanes makes of a plan: the tasks of its kernels, with offsets instead of slots.
 *
 * An offset is a slot times the number of samples side by side. For a single sample the two are the same, and the lists are the
 * plan's own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_LANES_EXECUTOR_H
#define HN_CPU_LANES_EXECUTOR_H

#include "base/arena.h"
#include "cpu/backend.h"
#include "cpu/executor.h"

/* Slots of the executor's own, behind the plan's. */
enum {
    LANES_FLAGS, /* a mask of samples */
    LANES_HOLDS,
    LANES_LEADS,
    LANES_HOLD,
    LANES_OWN
};

/* Values and the entries of a vector that they are taken from. */
struct lanes_entries {
    size_t count;
    const uint32_t *value, *entry;
};

struct lanes {
    struct backend kernels;
    uint32_t width;
    struct program program;
    struct damped system;
    struct tiled tiled; /* where the system is of that kind */
    struct rows_task rows;
    struct clip_task clip;
    struct adjoint_task adjoint;
    struct lanes_entries bracket_y, bracket_x, pull_x;
    uint32_t flags, holds; /* offsets of masks */
    struct arena arena;    /* lists that are not the plan's own */
    bool failed;           /* memory is out */
};

/* False when memory is out. The kernels are chosen already. */
bool lanes_bind(struct lanes *lanes, const struct plan *plan);

void lanes_step_back(const struct executor *x, double *slots, const struct executor_back *step);

/* Part of lanes_bind, where the system is tiled: after the rows and the program. */
void lanes_bind_tiled(struct lanes *lanes, const struct plan *plan);

/* ---- parts of the entries, for executors that compute the rest otherwise ---- */

/* y into its bounds for the samples that are flagged (NULL: for none), with another look at whether it is finite. */
void lanes_clip(const struct executor *x, double *slots, const bool *clipped);

/* The gradient back through that, for the samples that are flagged: v and s are solved for. After the shift. */
void lanes_unclip(const struct executor *x, double *slots, const bool *clipped);

/* What eps owes to r: (q' v) d(eps)/dr, where eps follows |W r|, from q' v. On the outputs' side v is eps times what it should be. */
void lanes_weigh_damping(const struct executor *x, double *slots, const double *slope);

/* c and J at y. */
void lanes_values(const struct executor *x, double *slots);

/* to = A from, to = A' from */
void lanes_rows(const struct executor *x, double *slots, uint32_t from, uint32_t to);
void lanes_columns(const struct executor *x, double *slots, uint32_t from, uint32_t to);

/* Solves the system for every sample. */
void lanes_solve(const struct executor *x, double *slots, const struct damped_sides *sides);

/* One number per sample, or one flag as a mask; true if any is set. */
void lanes_put(const struct executor *x, double *slots, uint32_t slot, const double *numbers);
bool lanes_flag(const struct executor *x, double *slots, uint32_t mask, const bool *flags);

/* Where the tiles of one sample begin: on a line of the cache, like all their parts, so that threads share none. */
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
