/* refine_qp.h - a refinement step for several samples: compiled by nn/nn_lanes.c for lanes, for one sample per CUDA thread, and in
 * emitted files.
 *
 * A target defines REFINE_AT_ONCE, the number of samples, REFINE_STRIDE, the distance between slots, REFINE_SLOT, the number at an offset,
 * and struct backend, whose kernels are called by name, or REFINE_CALL without such a struct.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_REFINE_QP_H
#define HN_CORE_REFINE_QP_H

#include "base/real.h"
#include "core/barrier.h"

#ifndef REFINE_CALL
#define REFINE_CALL(k, name) ((k)->name)
#endif

#define LEAST_SHARE REAL(1e-3)  /* least curvature of every output, relative to f's largest */
#define OWN_SHARE   REAL(0.3)   /* least curvature of a step, relative to f's own */
enum { REFINE_PROGRAMME = 20 }; /* iterations of the interior-point method; 12 are usual */

/* One sample of a group. */
struct refine_sample {
    const real *x, *y;
    real *y_new, *multipliers;
    bool known;
    real length;
};

static uint32_t refine_row(const struct refine_places *p, size_t which) {
    return (uint32_t)(p->task.by_rows + which * p->task.rows * REFINE_STRIDE);
}

static uint32_t refine_column(const struct refine_places *p, size_t which) {
    return (uint32_t)(p->task.by_columns + which * p->task.columns * REFINE_STRIDE);
}

/* The larger number; if one is NaN, the other. */
static real refine_greater(real a, real b) {
    return a < b || a != a ? b : a;
}

static bool refine_is_finite(real a) {
    return a - a == 0;
}

/* ---- curvature; from here on `slots` are those of one sample, `all` those of all samples ---- */

static void refine_evaluate(const struct backend *k, const struct refine_places *p, real *all,
                            const struct refine_sample *samples, size_t count) {
    const real *x[REFINE_AT_ONCE] = {0}, *y[REFINE_AT_ONCE] = {0};
    for (size_t s = 0; s < count; s++) {
        x[s] = samples[s].x;
        y[s] = samples[s].y;
    }
    REFINE_CALL(k, load)(all, p->x, p->inputs, x);
    REFINE_CALL(k, load)(all, p->y, p->task.columns, y);
    for (size_t lane = 0; lane < REFINE_AT_ONCE; lane++) {
        REFINE_SLOT(all + lane, p->sigma) = 1;
        for (size_t i = 0; i < p->task.rows; i++)
            REFINE_SLOT(all + lane, p->lambda + i * REFINE_STRIDE) = 0;
    }
    for (int phase = 0; phase < 3; phase++)
        REFINE_CALL(k, run)(p->program, phase, all);
}

/* The least curvature of an output: a share of the largest; if all are 0, such that a step is about as long as y. */
static real refine_least_curvature(const struct refine_places *p, const real *slots) {
    real largest = 0, slopes = 0, squares = 0;
    for (size_t j = 0; j < p->task.columns; j++) {
        real y = REFINE_SLOT(slots, p->y + j * REFINE_STRIDE), slope = REFINE_SLOT(slots, p->task.gradient[j]);
        real own = REFINE_SLOT(slots, p->curvature[j]);
        largest = refine_greater(largest, own < 0 ? -own : own);
        slopes += slope * slope;
        squares += y * y;
    }
    if (largest > 0)
        return LEAST_SHARE * largest;
    real least = real_sqrt(slopes) / (1 + real_sqrt(squares));
    return least > 0 ? least : 1;
}

/* f's own curvature, bounded below, while the multipliers are 0. */
static void refine_keep_own(const struct refine_places *p, real *slots) {
    real least = refine_least_curvature(p, slots);
    for (size_t j = 0; j < p->task.columns; j++)
        REFINE_SLOT(slots, p->own + j * REFINE_STRIDE) = refine_greater(least, REFINE_SLOT(slots, p->curvature[j]));
}

/* H of the QP from the curvature that the program computed. */
static void refine_set_curvature(const struct refine_places *p, real *slots, real length) {
    size_t h = refine_column(p, BARRIER_CURVATURE);
    for (size_t j = 0; j < p->task.columns; j++) {
        real own = REFINE_SLOT(slots, p->own + j * REFINE_STRIDE);
        real wanted = refine_greater(OWN_SHARE * own, REFINE_SLOT(slots, p->curvature[j]));
        REFINE_SLOT(slots, h + j * REFINE_STRIDE) = p->fixed[j] ? REAL_INFINITY : wanted / length;
    }
}

/* ---- the QP ---- */

static bool refine_all_done(const struct refine_places *p, const real *all, size_t count) {
    size_t done = p->task.summary + (size_t)BARRIER_DONE * REFINE_STRIDE;
    for (size_t lane = 0; lane < count; lane++)
        if (REFINE_SLOT(all + lane, done) == 0)
            return false;
    return true;
}

static void refine_iterate(const struct backend *k, const struct refine_places *p, real *all) {
    const uint32_t dual[2] = {refine_row(p, BARRIER_DUAL), refine_row(p, BARRIER_DUAL2)};
    const uint32_t along[2] = {refine_column(p, BARRIER_ALONG), refine_column(p, BARRIER_ALONG2)};
    const uint32_t change[2] = {refine_row(p, BARRIER_CHANGE), refine_row(p, BARRIER_CHANGE2)};
    const struct damped_sides sides = {
        2, {refine_row(p, BARRIER_RIGHT), refine_row(p, BARRIER_RIGHT2)}, {dual[0], dual[1]}};
    uint32_t rest = refine_column(p, BARRIER_REST);
    REFINE_CALL(k, multiply)(&p->system.by_rows, all, rest, sides.from[0]);
    REFINE_CALL(k, barrier_rows)(&p->task, all);
    REFINE_CALL(k, solve)(&p->system, all, &sides);
    REFINE_CALL(k, multiply_two)(&p->system.by_columns, all, dual, along);
    REFINE_CALL(k, subtract)(all, along[0], rest, along[0], p->task.columns);
    REFINE_CALL(k, multiply_two)(&p->system.by_rows, all, along, change);
    REFINE_CALL(k, barrier_advance)(&p->task, all);
}

static void refine_solve(const struct backend *k, const struct refine_places *p, real *all,
                         const struct refine_sample *samples, size_t count) {
    for (size_t lane = 0; lane < REFINE_AT_ONCE; lane++)
        refine_set_curvature(p, all + lane, lane < count ? samples[lane].length : 1);
    REFINE_CALL(k, barrier_scale)(&p->task, all);
    REFINE_CALL(k, barrier_begin)(&p->task, all);
    REFINE_CALL(k, multiply_subtract)
    (&p->system.by_columns, all, refine_row(p, BARRIER_DUAL), refine_column(p, BARRIER_REST));
    for (int i = 0; i < REFINE_PROGRAMME && !refine_all_done(p, all, count); i++)
        refine_iterate(k, p, all);
    REFINE_CALL(k, barrier_multipliers)(&p->task, all);
}

/* ---- a step ---- */

/* Writes multipliers to the program: those of the sample, or of the QP just solved. */
static void refine_set_multipliers(const struct refine_places *p, real *slots, const struct refine_sample *sample) {
    size_t solved = refine_row(p, BARRIER_DUAL);
    for (size_t i = 0; i < p->task.rows; i++) {
        real mu = sample->known ? sample->multipliers[i] : REFINE_SLOT(slots, solved + i * REFINE_STRIDE);
        REFINE_SLOT(slots, p->lambda + i * REFINE_STRIDE) = refine_is_finite(mu) ? -mu : 0;
    }
}

static void refine_write(const struct refine_places *p, const real *slots, const struct refine_sample *sample) {
    size_t steps = refine_column(p, BARRIER_STEP), scales = refine_column(p, BARRIER_SCALE);
    size_t solved = refine_row(p, BARRIER_DUAL);
    bool finite = true;
    for (size_t j = 0; j < p->task.columns; j++) {
        real scale = REFINE_SLOT(slots, scales + j * REFINE_STRIDE);
        sample->y_new[j] = sample->y[j] + scale * REFINE_SLOT(slots, steps + j * REFINE_STRIDE);
        finite = finite && refine_is_finite(sample->y_new[j]);
    }
    for (size_t j = 0; j < p->task.columns && !finite; j++)
        sample->y_new[j] = sample->y[j];
    for (size_t i = 0; i < p->task.rows; i++)
        sample->multipliers[i] = finite ? REFINE_SLOT(slots, solved + i * REFINE_STRIDE) : 0;
}

static void refine_group(const struct backend *k, const struct refine_places *p, real *all,
                         const struct refine_sample *samples, size_t count) {
    bool all_known = true;
    refine_evaluate(k, p, all, samples, count);
    for (size_t lane = 0; lane < count; lane++) {
        refine_keep_own(p, all + lane);
        all_known = all_known && samples[lane].known;
    }
    if (!all_known)
        refine_solve(k, p, all, samples, count);
    for (size_t lane = 0; lane < count; lane++)
        refine_set_multipliers(p, all + lane, &samples[lane]);
    REFINE_CALL(k, run)(p->program, 2, all);
    refine_solve(k, p, all, samples, count);
    for (size_t lane = 0; lane < count; lane++)
        refine_write(p, all + lane, &samples[lane]);
}

#undef LEAST_SHARE
#undef OWN_SHARE

#endif
