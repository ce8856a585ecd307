/* solver_adjoint.h - the backward pass of one sample: the exact gradient of the steps on its tape, in reverse order.
 *
 *     solver_back_load    gradient = grad_y, x          serve: evaluate what depends on x only; row weights of the first iterate
 *     solver_back_to      the step before, its eps and kind   serve: evaluate at its iterate, weigh, one adjoint step
 *     solver_back_finish  gradients of starts, fixed outputs and bounds
 *
 * The tape has the iterates, their eps and the kinds of the steps; everything else is recomputed, with the same bits. Executors:
 * layer/backward.c for SIMD lanes, solver_run_adjoint.h for one sample.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_ADJOINT_H
#define HN_CORE_SOLVER_ADJOINT_H

#include "base/real.h"
#include "core/point_back.h"
#include "core/solver.h"

/* What is differentiated, and where gradients go; NULL: not wanted. */
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

/* Goes back to the step before, which the tape describes. */
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

SHARED_FUNCTION void solver_back_clear(real *values, size_t count) {
    SHARED_LOOP
    for (size_t i = 0; values && i < count; i++) {
        values[i] = 0;
        LOOP_STAYS;
    }
}

/* After the first step, with y where the attempt began if it was a restart. A gradient that is not finite must not reach an optimiser:
 * all become 0, and the result is false. */
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
    solver_back_clear(back->grad_weights, plan->outputs);
    solver_back_clear(back->grad_x, plan->inputs);
    solver_back_clear(back->grad_raw, plan->outputs);
    solver_back_clear(back->grad_lower, plan->rows);
    solver_back_clear(back->grad_upper, plan->rows);
    return false;
}

#endif
