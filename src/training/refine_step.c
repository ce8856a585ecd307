/* refine_step.c - one step of refine.h for LANES samples.
 *
 * SPDX-License-Identifier: MIT */
#include "training/refine.h"

#include <math.h>
#include <string.h>

static const double LEAST_SHARE = 1e-3; /* of f's largest curvature, for every output */
static const double OWN_SHARE = 0.3;    /* of f's own curvature that a step has at least */
enum { ITERATIONS = 20 };               /* of the interior-point method; 12 are usual */

static uint32_t row_vector(const struct refiner *r, size_t which) {
    return (uint32_t)(r->task.by_rows + which * r->rows * LANES);
}

static uint32_t column_vector(const struct refiner *r, size_t which) {
    return (uint32_t)(r->task.by_columns + which * r->outputs * LANES);
}

/* ---- curvature ---- */

static void evaluate(const struct refiner *r, double *memory, const struct refine_sample *samples, size_t count) {
    const double *x[LANES] = {NULL}, *y[LANES] = {NULL};
    for (size_t s = 0; s < count; s++) {
        x[s] = samples[s].x;
        y[s] = samples[s].y;
    }
    r->backend.load(memory, r->x, r->inputs, x);
    r->backend.load(memory, r->y, r->outputs, y);
    for (size_t lane = 0; lane < LANES; lane++)
        memory[r->sigma + lane] = 1;
    memset(memory + r->lambda, 0, r->rows * LANES * sizeof *memory);
    for (int phase = 0; phase < 3; phase++)
        r->backend.run(r->program, phase, memory);
}

/* What every output gets at least: a share of the largest; without any, what makes a step about as long as y. */
static double least_curvature(const struct refiner *r, const double *memory, size_t lane) {
    double largest = 0, slopes = 0, squares = 0;
    for (size_t j = 0; j < r->outputs; j++) {
        double y = memory[r->y + j * LANES + lane], slope = memory[r->gradient[j] + lane];
        largest = fmax(largest, fabs(memory[r->curvature[j] + lane]));
        slopes += slope * slope;
        squares += y * y;
    }
    if (largest > 0)
        return LEAST_SHARE * largest;
    double least = sqrt(slopes) / (1 + sqrt(squares));
    return least > 0 ? least : 1;
}

/* f's own curvature, lifted, while the multipliers are 0. */
static void keep_own(const struct refiner *r, double *memory, size_t lane) {
    double least = least_curvature(r, memory, lane);
    for (size_t j = 0; j < r->outputs; j++)
        memory[r->own + j * LANES + lane] = fmax(least, memory[r->curvature[j] + lane]);
}

/* H for the programme, of the curvature that the program holds now. */
static void set_curvature(const struct refiner *r, double *memory, const struct refine_sample *samples, size_t count) {
    double *h = memory + column_vector(r, BARRIER_CURVATURE);
    for (size_t j = 0; j < r->outputs; j++)
        for (size_t lane = 0; lane < LANES; lane++) {
            double own = memory[r->own + j * LANES + lane];
            double wanted = fmax(OWN_SHARE * own, memory[r->curvature[j] + lane]);
            double length = lane < count ? samples[lane].length : 1;
            h[j * LANES + lane] = r->fixed[j] ? HUGE_VAL : wanted / length;
        }
}

/* ---- the programme ---- */

static bool all_done(const struct refiner *r, const double *memory, size_t count) {
    const double *done = memory + r->task.summary + (size_t)BARRIER_DONE * LANES;
    for (size_t lane = 0; lane < count; lane++)
        if (done[lane] == 0)
            return false;
    return true;
}

static void iterate(const struct refiner *r, double *memory) {
    const uint32_t dual[2] = {row_vector(r, BARRIER_DUAL), row_vector(r, BARRIER_DUAL2)};
    const uint32_t along[2] = {column_vector(r, BARRIER_ALONG), column_vector(r, BARRIER_ALONG2)};
    const uint32_t change[2] = {row_vector(r, BARRIER_CHANGE), row_vector(r, BARRIER_CHANGE2)};
    const struct damped_sides sides = {
        2, {row_vector(r, BARRIER_RIGHT), row_vector(r, BARRIER_RIGHT2)}, {dual[0], dual[1]}};
    uint32_t rest = column_vector(r, BARRIER_REST);
    r->backend.multiply(&r->system.by_rows, memory, rest, sides.from[0]);
    r->backend.barrier_rows(&r->task, memory);
    r->backend.solve(&r->system, memory, &sides);
    r->backend.multiply_two(&r->system.by_columns, memory, dual, along);
    r->backend.subtract(memory, along[0], rest, along[0], r->outputs);
    r->backend.multiply_two(&r->system.by_rows, memory, along, change);
    r->backend.barrier_advance(&r->task, memory);
}

static void solve(const struct refiner *r, double *memory, size_t count) {
    r->backend.barrier_scale(&r->task, memory);
    r->backend.barrier_begin(&r->task, memory);
    r->backend.multiply_subtract(&r->system.by_columns, memory, row_vector(r, BARRIER_DUAL),
                                 column_vector(r, BARRIER_REST));
    for (int i = 0; i < ITERATIONS && !all_done(r, memory, count); i++)
        iterate(r, memory);
    r->backend.barrier_multipliers(&r->task, memory);
}

/* ---- a step ---- */

/* Multipliers of lane into the program: those of the sample, or of the programme just solved. */
static void set_multipliers(const struct refiner *r, double *memory, size_t lane, const struct refine_sample *sample) {
    const double *solved = memory + row_vector(r, BARRIER_DUAL);
    for (size_t i = 0; i < r->rows; i++) {
        double mu = sample->known ? sample->multipliers[i] : solved[i * LANES + lane];
        memory[r->lambda + i * LANES + lane] = isfinite(mu) ? -mu : 0;
    }
}

static void write_step(const struct refiner *r, const double *memory, size_t lane, const struct refine_sample *sample) {
    const double *step = memory + column_vector(r, BARRIER_STEP), *scale = memory + column_vector(r, BARRIER_SCALE);
    const double *solved = memory + row_vector(r, BARRIER_DUAL);
    bool finite = true;
    for (size_t j = 0; j < r->outputs; j++) {
        sample->y_new[j] = sample->y[j] + scale[j * LANES + lane] * step[j * LANES + lane];
        finite = finite && isfinite(sample->y_new[j]);
    }
    if (!finite)
        memcpy(sample->y_new, sample->y, r->outputs * sizeof *sample->y);
    for (size_t i = 0; i < r->rows; i++)
        sample->multipliers[i] = finite ? solved[i * LANES + lane] : 0;
}

void refiner_step(const struct refiner *r, double *memory, const struct refine_sample *samples, size_t count) {
    bool all_known = true;
    evaluate(r, memory, samples, count);
    for (size_t lane = 0; lane < count; lane++) {
        keep_own(r, memory, lane);
        all_known = all_known && samples[lane].known;
    }
    if (!all_known) {
        set_curvature(r, memory, samples, count);
        solve(r, memory, count);
    }
    for (size_t lane = 0; lane < count; lane++)
        set_multipliers(r, memory, lane, &samples[lane]);
    r->backend.run(r->program, 2, memory);
    set_curvature(r, memory, samples, count);
    solve(r, memory, count);
    for (size_t lane = 0; lane < count; lane++)
        write_step(r, memory, lane, &samples[lane]);
}
