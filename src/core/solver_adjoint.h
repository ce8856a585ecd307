/* solver_adjoint.h - the backward pass of one sample: the exact gradient of the steps on its tape, in reverse order.
 *
 *     solver_back_load    gradient = grad_y, x          serve: evaluate what depends on x only; row weights of the first iterate
 *     solver_back_to      the previous step, its eps and kind   serve: evaluate at its iterate, weigh, one adjoint step
 *     solver_back_finish  gradients of starts, fixed outputs and bounds
 *
 * The tape has the iterates, their eps and the kinds of the steps; everything else is recomputed, with the same bits. Executors:
 * layer/backward.c for SIMD lanes, solver_run_adjoint.h for one sample.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_ADJOINT_H
#define HN_CORE_SOLVER_ADJOINT_H

#include "base/real.h"
#include "core/solver.h"

/* ---- adjoints of point.h: gradients with respect to x, of fixed outputs, through a restart ---- */

/* grad_x += (d row / dx)' weights; weights: one slot per row of the matrix. */
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

/* ---- the backward pass ---- */

/* Inputs and destinations of the gradients; NULL: not requested. */
struct solver_back {
    const real *grad_y;            /* outputs: of the loss with respect to the returned y */
    real *grad_raw;                /* outputs */
    real *grad_x;                  /* inputs; the raw output is held constant unless from_start */
    real *grad_lower, *grad_upper; /* rows */
    real *grad_weights; /* outputs: written before, by the method nearest; checked and cleared with the others */
    bool from_start;    /* the raw output was the model's start values */
};

/* depends: the result depends on y_raw through the steps of the tape. */
SHARED_FUNCTION void solver_back_load(struct solver *d, const struct solver_back *back, const struct tape_head *head,
                                      bool depends) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    sample_open(&d->state, SOLVER_OPTIONS(d));
    d->state.steps = head->steps;
    d->state.attempt = head->attempt;
    if (depends && head->way == TAPE_WHOLE)
        point_write(p, plan->gradient, plan->outputs, back->grad_y);
    else
        point_clear(p, plan->gradient, plan->outputs);
    point_clear(p, plan->grad_x, plan->inputs);
    point_clear(p, plan->grad_lower, plan->rows);
    point_clear(p, plan->grad_upper, plan->rows);
    point_write(p, plan->x, plan->inputs, d->x);
}

/* Moves to the previous step, which the tape describes. */
SHARED_FUNCTION void solver_back_to(struct sample *s, real eps, int32_t kind) {
    s->eps = eps;
    s->kind = (enum sample_step)kind;
    s->stage = sample_stage_of(s->attempt, s->kind);
}

/* After the residual: d(eps) / d|W r| / |W r|. On the outputs' side v is eps times its value. */
SHARED_FUNCTION real solver_eps_slope(const struct solver *d) {
    real squares = *point_at(&d->point, POINT_PLAN(&d->point)->summary + SUMMARY_SQUARES);
    real slope = sample_eps_slope(&d->state, SOLVER_OPTIONS(d), squares);
    return slope != 0 && SOLVER_OPTIONS(d)->outputs_side ? slope / d->state.eps : slope;
}

SHARED_FUNCTION bool solver_back_read(const struct point *p, uint32_t slot, size_t count, real *to) {
    size_t unused;
    if (!to)
        return true;
    point_read(p, slot, count, to);
    return point_all_finite(to, 1, count, &unused);
}

/* After the first step, with y at the start of the attempt if it was a restart. A non-finite gradient must not reach an
 * optimiser: all become 0, and the result is false. */
SHARED_FUNCTION bool solver_back_finish(const struct solver *d, const struct solver_back *back) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    size_t unused;
    if (back->grad_x)
        point_read(p, plan->grad_x, plan->inputs, back->grad_x);
    point_pull_start(p, d->state.attempt, back->from_start, back->grad_x);
    bool finite = !back->grad_x || point_all_finite(back->grad_x, 1, plan->inputs, &unused);
    finite = solver_back_read(p, plan->gradient, plan->outputs, back->grad_raw) && finite;
    finite = solver_back_read(p, plan->grad_lower, plan->rows, back->grad_lower) && finite;
    finite = solver_back_read(p, plan->grad_upper, plan->rows, back->grad_upper) && finite;
    finite = (!back->grad_weights || point_all_finite(back->grad_weights, 1, plan->outputs, &unused)) && finite;
    if (finite)
        return true;
    point_zero(back->grad_weights, plan->outputs);
    point_zero(back->grad_x, plan->inputs);
    point_zero(back->grad_raw, plan->outputs);
    point_zero(back->grad_lower, plan->rows);
    point_zero(back->grad_upper, plan->rows);
    return false;
}

#endif
