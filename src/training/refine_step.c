/* refine_step.c - one step of refine.h for LANES samples.
 *
 * SPDX-License-Identifier: MIT */
#include "training/refine.h"

#include <math.h>
#include <string.h>

static const double NEAR_BOUND = 1e-7; /* a row this close to a bound is active */
static const double DELTA = 0x1p-33;
static const double LEAST_CURVATURE = 1e-3; /* of the largest */
enum { PASSES = 6, RELEASES = 3 };

static void evaluate(const struct refiner *r, double *memory, const struct refine_sample *samples, size_t count) {
    const double *x[LANES] = {NULL}, *y[LANES] = {NULL};
    for (size_t s = 0; s < count; s++) {
        x[s] = samples[s].x;
        y[s] = samples[s].y;
    }
    r->backend.load(memory, r->x, r->inputs, x);
    r->backend.load(memory, r->y, r->outputs, y);
    r->backend.run(r->program, 0, memory);
    r->backend.run(r->program, 1, memory);
}

/* B^-1/2 of each output into `scale`, and B^-1/2 g into `scaled`. Curvature that is tiny or negative is lifted. */
static void scale_columns(const struct refiner *r, double *memory, size_t lane) {
    double largest = 0;
    for (size_t j = 0; j < r->outputs; j++)
        largest = fmax(largest, fabs(memory[r->curvature[j] + lane]));
    double least = largest > 0 && isfinite(largest) ? LEAST_CURVATURE * largest : 1;
    for (size_t j = 0; j < r->outputs; j++) {
        double scale = r->fixed[j] ? 0 : 1 / sqrt(fmax(least, memory[r->curvature[j] + lane]));
        memory[r->scale + j * LANES + lane] = scale;
        memory[r->scaled + j * LANES + lane] = scale * memory[r->gradient[j] + lane];
    }
}

/* ---- which rows are active: state 1 at the lower bound, -1 at the upper, 2 on an equality, 0 not ---- */

static double state_of(const struct refiner *r, const double *memory, size_t i, size_t lane) {
    double c = memory[r->value[i] + lane], lower = memory[r->lower[i] + lane], upper = memory[r->upper[i] + lane];
    if (lower == upper)
        return 2;
    if (!(c - lower > NEAR_BOUND))
        return 1;
    return upper - c > NEAR_BOUND ? 0 : -1;
}

/* An active row's entries in scaled columns; what its value is to change by. */
static void set_row(const struct refiner *r, double *memory, size_t i, size_t lane, double state) {
    memory[r->state + i * LANES + lane] = state;
    for (size_t e = r->first[i]; e < r->first[i + 1]; e++) {
        double scale = memory[r->scale + r->column[e] * (size_t)LANES + lane];
        memory[r->matrix + e * LANES + lane] = state != 0 ? scale * memory[r->entry[e] + lane] : 0;
    }
    memory[r->shift + i * LANES + lane] = state != 0 ? DELTA : 1;
    double c = memory[r->value[i] + lane];
    double bound = state < 0 ? memory[r->upper[i] + lane] : memory[r->lower[i] + lane];
    memory[r->target + i * LANES + lane] = state != 0 ? bound - c : 0;
}

/* Multipliers mu of A B^-1 A' mu = A B^-1 g + target, then d = -B^-1 (g - A' mu) into `step`. */
static void solve(const struct refiner *r, double *memory) {
    const struct damped_sides sides = {1, {r->right}, {r->unknown}};
    r->backend.multiply(&r->system.by_rows, memory, r->scaled, r->right);
    r->backend.add(memory, r->target, r->right, r->rows);
    r->backend.solve(&r->system, memory, &sides);
    memcpy(memory + r->step, memory + r->scaled, r->outputs * LANES * sizeof *memory);
    r->backend.multiply_subtract(&r->system.by_columns, memory, r->unknown, r->step);
    for (size_t j = 0; j < r->outputs * LANES; j++)
        memory[r->step + j] *= -memory[r->scale + j];
}

/* What row i changes by along the step, to first order. */
static double change_of(const struct refiner *r, const double *memory, size_t i, size_t lane) {
    double sum = 0;
    for (size_t e = r->first[i]; e < r->first[i + 1]; e++)
        sum += memory[r->entry[e] + lane] * memory[r->step + r->column[e] * (size_t)LANES + lane];
    return sum;
}

/* Lets rows go whose multiplier pulls the wrong way, and takes in rows that the step would cross. Whether any changed. */
static bool revise(const struct refiner *r, double *memory, size_t lane, bool may_release) {
    bool any = false;
    for (size_t i = 0; i < r->rows; i++) {
        double state = memory[r->state + i * LANES + lane], mu = memory[r->unknown + i * LANES + lane];
        if (state == 2)
            continue;
        if (state != 0) {
            if (may_release && state * mu < 0) {
                set_row(r, memory, i, lane, 0);
                any = true;
            }
            continue;
        }
        double c = memory[r->value[i] + lane] + change_of(r, memory, i, lane);
        double now = c < memory[r->lower[i] + lane] ? 1 : c > memory[r->upper[i] + lane] ? -1 : 0;
        if (now != 0) {
            set_row(r, memory, i, lane, now);
            any = true;
        }
    }
    return any;
}

static void write_step(const struct refiner *r, const double *memory, size_t lane, const struct refine_sample *sample) {
    for (size_t j = 0; j < r->outputs; j++) {
        double d = memory[r->step + j * LANES + lane];
        sample->y_new[j] = isfinite(d) ? sample->y[j] + sample->length * d : sample->y[j];
    }
}

void refiner_step(const struct refiner *r, double *memory, const struct refine_sample *samples, size_t count) {
    evaluate(r, memory, samples, count);
    for (size_t lane = 0; lane < count; lane++) {
        scale_columns(r, memory, lane);
        for (size_t i = 0; i < r->rows; i++)
            set_row(r, memory, i, lane, state_of(r, memory, i, lane));
    }
    solve(r, memory);
    for (int pass = 0; pass < PASSES; pass++) {
        bool again = false;
        for (size_t lane = 0; lane < count; lane++)
            again = revise(r, memory, lane, pass < RELEASES) || again;
        if (!again)
            break;
        solve(r, memory);
    }
    for (size_t lane = 0; lane < count; lane++)
        write_step(r, memory, lane, &samples[lane]);
}
