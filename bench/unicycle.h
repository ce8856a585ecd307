/* unicycle.h - the unicycle MPC of the paper built through the public API, for any horizon.
 *
 * Inputs: the state z0 = (px, py, heading). Outputs: states z[1..N] and controls u[0..N-1] = (speed, turn rate). Rows: the
 * dynamics with step dt, the ellipse to stay out of, the limits of the controls. Objective: squared distance to the target
 * with the heading error wrapped, terminal weights added to the last stage's own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_UNICYCLE_H
#define HN_BENCH_UNICYCLE_H

#include "hardnet/model.h"

#include <math.h>
#include <stdio.h>

static hn_expr unicycle_output(hn_model *m, const char *family, int k, int i) {
    char name[48];
    snprintf(name, sizeof name, "%s[%d,%d]", family, k, i);
    return hn_output(m, name);
}

static void unicycle_row(hn_model *m, const char *group, int k, int i, hn_real lower, hn_expr body, hn_real upper) {
    char name[48];
    if (i > 0)
        snprintf(name, sizeof name, "%s[%d,%d]", group, k, i);
    else
        snprintf(name, sizeof name, "%s[%d]", group, k);
    hn_constrain(m, name, lower, body, upper);
}

/* next = before + dt f(before, u), as rows next - before - dt f = 0 */
static void unicycle_dynamics(hn_model *m, int k, const hn_expr *next, const hn_expr *before, const hn_expr *u) {
    const double dt = 0.2;
    hn_expr advance = hn_scale(dt, u[0]);
    hn_expr step[3] = {hn_mul(advance, hn_cos(before[2])), hn_mul(advance, hn_sin(before[2])), hn_scale(dt, u[1])};
    for (int i = 0; i < 3; i++)
        unicycle_row(m, "dynamics", k, i + 1, 0, hn_sub(next[i], hn_add(before[i], step[i])), 0);
}

static hn_expr unicycle_stage(const hn_expr *z, const double *weights) {
    hn_expr dx = hn_shift(z[0], -3.5), error = hn_atan2(hn_sin(z[2]), hn_cos(z[2]));
    return hn_add(hn_add(hn_scale(weights[0], hn_mul(dx, dx)), hn_scale(weights[1], hn_mul(z[1], z[1]))),
                  hn_scale(weights[2], hn_mul(error, error)));
}

/* Leaves the model finished, or with an error that sticks. */
static void unicycle_build(hn_model *m, int horizon) {
    static const double stage[3] = {1, 1, 1}, last[3] = {11, 11, 2};
    static const double low[3] = {-4, -2.4, -0.45}, high[3] = {-2.2, 2.4, 0.45};
    hn_expr before[3], z[3], u[2], cost = hn_constant(m, 0);
    static const char *const input_names[3] = {"z0[1]", "z0[2]", "z0[3]"};
    for (int i = 0; i < 3; i++) {
        before[i] = hn_input(m, input_names[i]);
        hn_input_range(before[i], low[i], high[i]);
    }
    for (int k = 1; k <= horizon; k++) { /* columns by stage: what belongs together lies together */
        for (int i = 0; i < 3; i++)
            z[i] = unicycle_output(m, "z", k, i + 1);
        for (int i = 0; i < 2; i++)
            u[i] = unicycle_output(m, "u", k - 1, i + 1);
        hn_output_bounds(u[0], 0, 2);
        hn_output_bounds(u[1], -1.5, 1.5);
        unicycle_dynamics(m, k, z, before, u);
        hn_expr ellipse = hn_add(hn_scale(0.51020408, hn_mul(z[0], z[0])), hn_scale(0.90702948, hn_mul(z[1], z[1])));
        unicycle_row(m, "obstacle", k, 0, 1, ellipse, INFINITY);
        cost = hn_add(cost, unicycle_stage(z, k < horizon ? stage : last));
        cost = hn_add(cost, hn_scale(0.1, hn_add(hn_mul(u[0], u[0]), hn_mul(u[1], u[1]))));
        for (int i = 0; i < 3; i++)
            before[i] = z[i];
    }
    hn_minimize(m, "cost", cost);
    hn_model_finish(m, NULL);
}

#endif
