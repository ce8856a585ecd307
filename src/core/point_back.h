/* point_back.h - adjoints of point.h: gradients with respect to x, of fixed outputs, through a restart. Common subset of C99 and C++.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_POINT_BACK_H
#define HN_CORE_POINT_BACK_H

#include "base/real.h"
#include "core/point.h"

/* grad_x += (d of each row by x)' weights; weights: one slot per row of the matrix. */
SHARED_FUNCTION void point_pull_rows(const struct point *p, const struct plan_matrix *matrix, uint32_t weights,
                                     real *grad_x) {
    const uint32_t *first = plan_words(POINT_PLAN(p), matrix->first),
                   *column = plan_words(POINT_PLAN(p), matrix->column);
    const uint32_t *slot = plan_words(POINT_PLAN(p), matrix->slot);
    SHARED_LOOP
    for (uint32_t i = 0; i + 1 < matrix->first.count; i++) {
        real weight = *point_at(p, weights + i);
        SHARED_LOOP
        for (size_t e = first[i]; weight != 0 && e < first[i + 1]; e++)
            grad_x[column[e]] += weight * *point_at(p, slot[e]);
    }
}

/* Moves the gradient of fixed outputs to grad_x, unless that is NULL. */
SHARED_FUNCTION void point_pull_fixed(const struct point *p, real *grad_x) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->fixed_x.first), *column = plan_words(plan, plan->fixed_x.column);
    const uint32_t *slot = plan_words(plan, plan->fixed_x.slot), *output = plan_words(plan, plan->fixed.entry);
    SHARED_LOOP
    for (size_t f = 0; f < plan->fixed.entry.count; f++) {
        real *weight = point_at(p, plan->gradient + output[f]);
        SHARED_LOOP
        for (size_t e = first[f]; grad_x && e < first[f + 1]; e++)
            grad_x[column[e]] += *weight * *point_at(p, slot[e]);
        *weight = 0;
    }
}

/* The row that bounds the current output. */
SHARED_FUNCTION uint32_t point_clip_row(const struct point *p, const struct point_outputs *all) {
    return plan_words(POINT_PLAN(p), POINT_PLAN(p)->clip.slot)[all->next];
}

/* Adjoint of point_restart, except for fixed outputs, whose gradient stays; y is the start of the attempt. Gradients of start values go
 * to `starts` (a vector over outputs), gradients of bounds are added to the sums over rows. */
SHARED_FUNCTION void point_pull_restart(const struct point *p, int attempt, uint32_t starts) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *fixed = plan_words(plan, plan->fixed.entry);
    struct point_outputs all = point_first_output(attempt);
    size_t next_fixed = 0;
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++) {
        struct restart_output own = point_next_output(p, &all, j);
        struct restart_shares shares = restart_follows(attempt, &own, *point_at(p, plan->y + j));
        real *gradient = point_at(p, plan->gradient + j);
        *point_at(p, starts + j) = 0;
        if (next_fixed < plan->fixed.entry.count && fixed[next_fixed] == j) {
            next_fixed++;
            continue;
        }
        if (shares.start != 0)
            *point_at(p, starts + j) = *gradient;
        if (shares.upper != 0)
            *point_at(p, plan->grad_upper + point_clip_row(p, &all)) += shares.upper * *gradient;
        if (shares.lower != 0)
            *point_at(p, plan->grad_lower + point_clip_row(p, &all)) += shares.lower * *gradient;
        if (shares.raw == 0)
            *gradient = 0;
    }
}

/* At the end of the backward pass, with y at the start of the attempt: adds the gradients of bounds, fixed outputs and start values to
 * grad_x, unless that is NULL. */
SHARED_FUNCTION void point_pull_start(const struct point *p, int attempt, bool from_start, real *grad_x) {
    const struct plan *plan = POINT_PLAN(p);
    uint32_t starts = plan->step; /* no longer needed */
    bool restarted = attempt > 0;
    if (restarted)
        point_pull_restart(p, attempt, starts);
    if (grad_x) {
        point_pull_rows(p, &plan->lower_x, plan->grad_lower, grad_x);
        point_pull_rows(p, &plan->upper_x, plan->grad_upper, grad_x);
    }
    point_pull_fixed(p, grad_x);
    if (grad_x && restarted)
        point_pull_rows(p, &plan->start_x, starts, grad_x);
    if (grad_x && from_start)
        point_pull_rows(p, &plan->start_x, plan->gradient, grad_x);
}

#endif
