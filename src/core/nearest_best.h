/* nearest_best.h - of the goal optimal: the point with the lowest objective that satisfies the rows, and why a search has no
 * certificate. A text for the processor and for a device, as search.h.
 *
 * A search that does not converge returns this point, so that it must be worth returning: rows are judged in the user's units, as the layer
 * judges them, with half the tolerance, because the layer's own evaluation may round differently.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_BEST_H
#define HN_CORE_NEAREST_BEST_H

#include "base/real.h"
#include "core/nearest_rows.h"
#include "core/nearest_samples.h"
#include "core/nearest_state.h"

SHARED_CONSTANT double BEST_SHARE = 0.5; /* of the tolerance */
SHARED_CONSTANT double BEST_KINK = 1e-6; /* of max(1, |a|): a kink where a and b are equal is this close */

/* What own row i of the model is beyond its bounds, and what it may be, in the user's units. */
static double best_violation(const struct nearest_view *v, size_t i, double *most) {
    const struct nearest_plan *p = v->plan;
    double value = *view_slot(v, p->own_value[i]);
    double below = *view_slot(v, p->lower[i]) - value, above = value - *view_slot(v, p->upper[i]);
    double bound = below > above ? *view_slot(v, p->lower[i]) : *view_slot(v, p->upper[i]);
    *most = BEST_SHARE * p->tolerance * (p->relative && fabs(bound) <= REAL_MAX ? larger(1, fabs(bound)) : 1);
    return value != value ? REAL_INFINITY : larger(below, above);
}

static bool best_is_feasible(const struct nearest_view *v) {
    for (size_t i = 0; i < v->plan->own_rows; i++) {
        double most, violation = best_violation(v, i, &most);
        if (!(violation <= most))
            return false;
    }
    return true;
}

static double best_size(const struct nearest_view *v, size_t which) {
    double size = 1;
    for (size_t j = 0; j < v->plan->own_outputs; j++)
        size = larger(size, fabs(*view_column(v, which, j)));
    return size;
}

/* Keeps the program's y, where c and f were evaluated. */
static void best_keep(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double cost = p->optimal ? *view_slot(v, p->own_cost) : 0;
    if (!p->optimal || !(cost < s->best_cost && cost >= -REAL_MAX) || !best_is_feasible(v))
        return;
    s->best_cost = cost;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, COLUMN_BEST, j) = *view_slot(v, p->y + j * p->stride);
    s->led = s->phase == NEAREST_DESCENDS && s->iterations > 0;
    for (size_t j = 0; s->led && j < p->outputs; j++)
        *view_column(v, COLUMN_RAY, j) = *view_unknown(v, UNKNOWN_STEP + s->way, j);
}

/* Whether the program's y, where it was evaluated, is at a kink. */
static bool best_is_at_kink(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t k = 0; k < p->kinks; k++) {
        double a = *view_slot(v, p->kink[2 * k]), b = *view_slot(v, p->kink[2 * k + 1]);
        if (fabs(a - b) <= BEST_KINK * larger(1, fabs(a)))
            return true;
    }
    return false;
}

#endif
