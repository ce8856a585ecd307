/* completion_lanes.c - see completion_lanes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/completion_lanes.h"
#include "core/residual.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 50 };             /* as DC3 has them */
static const double SHARE = 0.01;       /* of the tolerance that Newton's method aims at */
static const double LEAST_GOAL = 1e-12; /* whatever the tolerance: what rounding leaves */

/* ---- values ---- */

void completion_load(const struct completion *c, double *slots, const double *const x[LANES]) {
    const struct baseline_program *p = &c->program;
    c->backend.load(slots, p->x, p->inputs, x);
    c->backend.run(p->program, 0, slots);
    for (size_t j = 0; j < p->outputs; j++)
        if (c->dependent[j])
            memcpy(slots + p->y + j * LANES, slots + p->start[j], LANES * sizeof *slots);
    for (size_t f = 0; f < p->fixed.count; f++)
        memcpy(slots + p->y + (size_t)p->fixed.entry[f] * LANES, slots + p->fixed.at[f], LANES * sizeof *slots);
}

void completion_evaluate(const struct completion *c, double *slots) {
    const struct baseline_program *p = &c->program;
    c->backend.run(p->program, 1, slots);
    for (size_t i = 0; i < p->rows; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            slots[c->residual + i * LANES + lane] =
                residual_of(slots[p->value[i] + lane], slots[p->lower[i] + lane], slots[p->upper[i] + lane]);
}

double completion_violation(const struct completion *c, const double *slots, size_t lane, bool solved, bool relative) {
    double worst = 0;
    for (size_t i = 0; i < c->program.rows; i++) {
        double r = slots[c->residual + i * LANES + lane], size = fabs(r);
        if (c->solved[i] != solved)
            continue;
        if (relative && r != 0)
            size /= fmax(1, fabs(slots[(r > 0 ? c->program.upper[i] : c->program.lower[i]) + lane]));
        if (!isfinite(size) || !isfinite(slots[c->program.value[i] + lane]))
            return NAN;
        worst = size > worst ? size : worst;
    }
    return worst;
}

/* ---- Newton ---- */

struct newton {
    bool open[LANES]; /* lanes that still move */
    double last[LANES];
    double goal, enough;
};

/* Whether the lane goes on. What is within the tolerance and no longer shrinks is as good as it gets. */
static bool completion_lanes_goes_on(struct newton *newton, size_t lane, double violation, bool *found) {
    bool stands = violation <= newton->enough && violation >= 0.5 * newton->last[lane];
    *found = violation <= newton->goal || stands;
    newton->last[lane] = violation;
    return !*found && isfinite(violation);
}

static void completion_lanes_take_step(const struct completion *c, double *slots, const struct newton *newton) {
    const struct backend *backend = &c->backend;
    const struct damped_sides sides = {1, {c->residual}, {c->unknown[0]}};
    size_t outputs = c->program.outputs;
    backend->solve(&c->system, slots, &sides);
    backend->multiply(&c->system.by_columns, slots, c->unknown[0], c->step);
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t j = 0; !newton->open[lane] && j < outputs; j++)
            slots[c->step + j * LANES + lane] = 0;
    backend->subtract(slots, c->program.y, c->step, c->program.y, outputs);
}

void completion_solve(const struct completion *c, double *slots, const struct held *held, const bool wanted[LANES],
                      bool found[LANES]) {
    double tolerance = fmax(held->tolerance, LEAST_GOAL);
    struct newton newton = {.goal = fmax(SHARE * tolerance, LEAST_GOAL), .enough = tolerance};
    for (size_t lane = 0; lane < LANES; lane++) {
        newton.open[lane] = wanted[lane];
        newton.last[lane] = INFINITY;
    }
    for (int k = 0;; k++) {
        bool any = false;
        completion_evaluate(c, slots);
        for (size_t lane = 0; lane < LANES; lane++) {
            double violation = newton.open[lane] ? completion_violation(c, slots, lane, true, held->relative) : 0;
            if (newton.open[lane])
                newton.open[lane] = completion_lanes_goes_on(&newton, lane, violation, &found[lane]);
            any = any || newton.open[lane];
        }
        if (!any || k == NEWTON_STEPS)
            return;
        completion_lanes_take_step(c, slots, &newton);
    }
}

void completion_fold(const struct completion *c, double *slots, uint32_t gradient) {
    const struct backend *backend = &c->backend;
    const struct damped_sides sides = {1, {c->right[0]}, {c->unknown[0]}};
    backend->multiply(&c->system.by_rows, slots, gradient, c->right[0]);        /* h_w f_w */
    backend->solve(&c->system, slots, &sides);                                  /* mu = (h_w h_w')^-1 h_w f_w */
    backend->multiply_subtract(&c->by_columns, slots, c->unknown[0], gradient); /* f_y - h_y' mu */
}

/* ---- the Jacobian at given points ---- */

uint32_t completion_stride(void) {
    return LANES;
}

static void evaluate_group(const struct completion *c, double *slots, const struct jacobian_batch *batch,
                           size_t first) {
    const struct baseline_program *p = &c->program;
    const double *x[LANES] = {NULL}, *y[LANES] = {NULL};
    size_t left = batch->count - first, count = left < LANES ? left : LANES;
    for (size_t lane = 0; lane < count; lane++) {
        x[lane] = batch->x + (first + lane) * p->inputs;
        y[lane] = batch->y + (first + lane) * p->outputs;
    }
    c->backend.load(slots, p->x, p->inputs, x);
    c->backend.load(slots, p->y, p->outputs, y);
    c->backend.run(p->program, 0, slots);
    c->backend.run(p->program, 1, slots);
    for (size_t lane = 0; lane < count; lane++)
        for (size_t e = 0; e < p->entries; e++)
            batch->entries[(first + lane) * p->entries + e] = slots[p->entry[e] + lane];
}

void completion_jacobians(const struct completion *c, double *slots, const struct jacobian_batch *batch) {
    program_prepare(c->program.program, slots);
    for (size_t first = 0; first < batch->count; first += LANES)
        evaluate_group(c, slots, batch, first);
}
