/* refine_lanes.c - steps of refine_step.h, LANES samples side by side.
 *
 * SPDX-License-Identifier: MIT */
#include "backends/backend.h"
#include "base/lanes.h"
#include "refinement/refine_step.h"

#include <math.h>
#include <string.h>

static const double LEAST_SHARE = 1e-3; /* of f's largest curvature, for every output */
static const double OWN_SHARE = 0.3;    /* of f's own curvature that a step has at least */
enum { ITERATIONS = 20 };               /* of the interior-point method; 12 are usual */

static uint32_t row_vector(const struct refine_stepper *r, size_t which) {
    return (uint32_t)(r->plan.task.by_rows + which * r->plan.rows * LANES);
}

static uint32_t column_vector(const struct refine_stepper *r, size_t which) {
    return (uint32_t)(r->plan.task.by_columns + which * r->plan.outputs * LANES);
}

/* One sample of a group. */
struct refine_sample {
    const double *x, *y;
    double *y_new, *multipliers;
    bool known;
    double length;
};

/* ---- curvature ---- */

static void evaluate(const struct refine_stepper *r, double *memory, const struct refine_sample *samples,
                     size_t count) {
    const double *x[LANES] = {NULL}, *y[LANES] = {NULL};
    for (size_t s = 0; s < count; s++) {
        x[s] = samples[s].x;
        y[s] = samples[s].y;
    }
    r->backend.load(memory, r->plan.x, r->plan.inputs, x);
    r->backend.load(memory, r->plan.y, r->plan.outputs, y);
    for (size_t lane = 0; lane < LANES; lane++)
        memory[r->plan.sigma + lane] = 1;
    memset(memory + r->plan.lambda, 0, r->plan.rows * LANES * sizeof *memory);
    for (int phase = 0; phase < 3; phase++)
        r->backend.run(r->plan.program, phase, memory);
}

/* What every output gets at least: a share of the largest; without any, what makes a step about as long as y. */
static double least_curvature(const struct refine_stepper *r, const double *memory, size_t lane) {
    double largest = 0, slopes = 0, squares = 0;
    for (size_t j = 0; j < r->plan.outputs; j++) {
        double y = memory[r->plan.y + j * LANES + lane], slope = memory[r->plan.gradient[j] + lane];
        largest = fmax(largest, fabs(memory[r->plan.curvature[j] + lane]));
        slopes += slope * slope;
        squares += y * y;
    }
    if (largest > 0)
        return LEAST_SHARE * largest;
    double least = sqrt(slopes) / (1 + sqrt(squares));
    return least > 0 ? least : 1;
}

/* f's own curvature, lifted, while the multipliers are 0. */
static void keep_own(const struct refine_stepper *r, double *memory, size_t lane) {
    double least = least_curvature(r, memory, lane);
    for (size_t j = 0; j < r->plan.outputs; j++)
        memory[r->plan.own + j * LANES + lane] = fmax(least, memory[r->plan.curvature[j] + lane]);
}

/* H for the programme, of the curvature that the program holds now. */
static void set_curvature(const struct refine_stepper *r, double *memory, const struct refine_sample *samples,
                          size_t count) {
    double *h = memory + column_vector(r, BARRIER_CURVATURE);
    for (size_t j = 0; j < r->plan.outputs; j++)
        for (size_t lane = 0; lane < LANES; lane++) {
            double own = memory[r->plan.own + j * LANES + lane];
            double wanted = fmax(OWN_SHARE * own, memory[r->plan.curvature[j] + lane]);
            double length = lane < count ? samples[lane].length : 1;
            h[j * LANES + lane] = r->plan.fixed[j] ? HUGE_VAL : wanted / length;
        }
}

/* ---- the programme ---- */

static bool all_done(const struct refine_stepper *r, const double *memory, size_t count) {
    const double *done = memory + r->plan.task.summary + (size_t)BARRIER_DONE * LANES;
    for (size_t lane = 0; lane < count; lane++)
        if (done[lane] == 0)
            return false;
    return true;
}

static void iterate(const struct refine_stepper *r, double *memory) {
    const uint32_t dual[2] = {row_vector(r, BARRIER_DUAL), row_vector(r, BARRIER_DUAL2)};
    const uint32_t along[2] = {column_vector(r, BARRIER_ALONG), column_vector(r, BARRIER_ALONG2)};
    const uint32_t change[2] = {row_vector(r, BARRIER_CHANGE), row_vector(r, BARRIER_CHANGE2)};
    const struct damped_sides sides = {
        2, {row_vector(r, BARRIER_RIGHT), row_vector(r, BARRIER_RIGHT2)}, {dual[0], dual[1]}};
    uint32_t rest = column_vector(r, BARRIER_REST);
    r->backend.multiply(&r->plan.system.by_rows, memory, rest, sides.from[0]);
    r->backend.barrier_rows(&r->plan.task, memory);
    r->backend.solve(&r->plan.system, memory, &sides);
    r->backend.multiply_two(&r->plan.system.by_columns, memory, dual, along);
    r->backend.subtract(memory, along[0], rest, along[0], r->plan.outputs);
    r->backend.multiply_two(&r->plan.system.by_rows, memory, along, change);
    r->backend.barrier_advance(&r->plan.task, memory);
}

static void solve(const struct refine_stepper *r, double *memory, size_t count) {
    r->backend.barrier_scale(&r->plan.task, memory);
    r->backend.barrier_begin(&r->plan.task, memory);
    r->backend.multiply_subtract(&r->plan.system.by_columns, memory, row_vector(r, BARRIER_DUAL),
                                 column_vector(r, BARRIER_REST));
    for (int i = 0; i < ITERATIONS && !all_done(r, memory, count); i++)
        iterate(r, memory);
    r->backend.barrier_multipliers(&r->plan.task, memory);
}

/* ---- a step ---- */

/* Multipliers of lane into the program: those of the sample, or of the programme just solved. */
static void set_multipliers(const struct refine_stepper *r, double *memory, size_t lane,
                            const struct refine_sample *sample) {
    const double *solved = memory + row_vector(r, BARRIER_DUAL);
    for (size_t i = 0; i < r->plan.rows; i++) {
        double mu = sample->known ? sample->multipliers[i] : solved[i * LANES + lane];
        memory[r->plan.lambda + i * LANES + lane] = isfinite(mu) ? -mu : 0;
    }
}

static void write_step(const struct refine_stepper *r, const double *memory, size_t lane,
                       const struct refine_sample *sample) {
    const double *step = memory + column_vector(r, BARRIER_STEP), *scale = memory + column_vector(r, BARRIER_SCALE);
    const double *solved = memory + row_vector(r, BARRIER_DUAL);
    bool finite = true;
    for (size_t j = 0; j < r->plan.outputs; j++) {
        sample->y_new[j] = sample->y[j] + scale[j * LANES + lane] * step[j * LANES + lane];
        finite = finite && isfinite(sample->y_new[j]);
    }
    if (!finite)
        memcpy(sample->y_new, sample->y, r->plan.outputs * sizeof *sample->y);
    for (size_t i = 0; i < r->plan.rows; i++)
        sample->multipliers[i] = finite ? solved[i * LANES + lane] : 0;
}

static void step_group(const struct refine_stepper *r, double *memory, const struct refine_sample *samples,
                       size_t count) {
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
    r->backend.run(r->plan.program, 2, memory);
    set_curvature(r, memory, samples, count);
    solve(r, memory, count);
    for (size_t lane = 0; lane < count; lane++)
        write_step(r, memory, lane, &samples[lane]);
}

static struct refine_sample sample_of(const struct refine_stepper *r, const struct refine_batch *b, size_t s) {
    return (struct refine_sample){.x = b->x + s * r->plan.inputs,
                                  .y = b->y + s * r->plan.outputs,
                                  .y_new = b->y_new + s * r->plan.outputs,
                                  .multipliers = b->multipliers + s * r->plan.rows,
                                  .known = b->known,
                                  .length = b->length[s]};
}

void refine_stepper_run(const struct refine_stepper *r, double *memory, const struct refine_batch *batch) {
    for (size_t first = 0; first < batch->count; first += LANES) {
        struct refine_sample samples[LANES] = {{.known = false}};
        size_t left = batch->count - first, count = left < LANES ? left : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = sample_of(r, batch, first + i);
        step_group(r, memory, samples, count);
    }
}

/* ---- life ---- */

hn_status refine_stepper_create(struct refine_stepper *r, const hn_model *model, hn_instructions instructions,
                                hn_error *error) {
    *r = (struct refine_stepper){.plan = {.stride = LANES}};
    hn_status status = backend_choose(&r->backend, instructions, error);
    return status == HN_OK ? refine_plan_create(&r->plan, model, LANES, error) : status;
}

void refine_stepper_release(struct refine_stepper *r) {
    refine_plan_release(&r->plan);
}

void refine_stepper_begin(const struct refine_stepper *r, double *memory) {
    refine_plan_prepare(&r->plan, memory);
}
