/* solver_adjoint.h - the exact gradient of one sample's correction, over the tape that solver.h has written: what
 * layer/backward.c does for batches.
 *
 *     load      gradient = grad_y; what depends on x only is evaluated again, and the weights of the first iterate
 *     step      from the last to the first: c, J, r and A at the iterate, then one step of the adjoint (cpu/lanes_back.c)
 *     finish    what fixed outputs, bounds and the start of an attempt owe
 *
 * From the way forward come the iterates, their eps and the kinds of the steps; all else is computed again, to the same bits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_ADJOINT_H
#define HN_CORE_SOLVER_ADJOINT_H

#include "base/real.h"

/* What is asked, and where the answers go; NULL: nobody wants it. */
struct solver_back {
    const real *grad_y;            /* outputs: of the loss by the returned y */
    real *grad_raw;                /* outputs */
    real *grad_x;                  /* inputs; the raw output held fixed, unless it follows x: */
    real *grad_lower, *grad_upper; /* rows */
    bool from_start;               /* the raw output was the model's start values */
};

/* ---- loading ---- */

static void solver_back_iterate(const struct solver *d, size_t step) {
    const struct solver_tape *tape = d->tape;
    const real *from = tape->iterate + step * POINT_PLAN(&d->point)->outputs * tape->width;
    solver_spread(from, tape->width, point_at(&d->point, POINT_PLAN(&d->point)->y), POINT_WIDTH(&d->point),
                  POINT_PLAN(&d->point)->outputs);
}

static void solver_back_open(struct solver *d, const struct solver_back *back, const struct tape_head *head) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    sample_open(&d->state, SOLVER_OPTIONS(d));
    d->state.steps = head->steps;
    d->state.attempt = head->attempt;
    if (head->way == TAPE_WHOLE)
        solver_spread(back->grad_y, 1, point_at(p, plan->gradient), POINT_WIDTH(p), plan->outputs);
    else /* a fallback does not depend on the raw output, and a way that is lost has no gradient */
        point_clear(p, plan->gradient, plan->outputs);
    point_clear(p, plan->grad_x, plan->inputs);
    point_clear(p, plan->grad_lower, plan->rows);
    point_clear(p, plan->grad_upper, plan->rows);
    point_write(p, plan->x, plan->inputs, d->x);
    entry_prepare(p->slots);
    if (!SOLVER_OPTIONS(d)->weighted || d->state.steps == 0)
        return;
    solver_back_iterate(d, 0); /* which row weights belong to */
    entry_evaluate(p->slots);
    solver_flag(d, plan->slots + SOLVER_TAKES, true);
    entry_rescale(p->slots);
}

/* ---- one step ---- */

/* The step once more; where it is. Where there is no text for it the way back has it, which solves for it, too: SOLVER_BACK_STEP. */
#ifdef SOLVER_BACK_STEP
static uint32_t solver_step_again(const struct solver *d) {
    entry_back_begin(d->point.slots);
    return SOLVER_BACK_STEP;
}
#else
static uint32_t solver_step_again(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    point_read(p, plan->gradient, plan->outputs, d->row); /* in whose place A' W r may go */
    solver_take_slots(d, plan->y, plan->base);
    entry_step_begin(p->slots);
    entry_step_end(p->slots);
    solver_take_slots(d, plan->base, plan->y);
    point_write(p, plan->gradient, plan->outputs, d->row);
    return plan->step;
}
#endif

/* Back through the clipping of the step: where y was clipped its gradient goes to the bound. */
static void solver_unclip(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const uint32_t step = solver_step_again(d);
    SHARED_LOOP
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        real y = *point_at(p, plan->y + output[k]) - *point_at(p, step + output[k]);
        real *gradient = point_at(p, plan->gradient + output[k]);
        bool below = y < *point_at(p, lower[row[k]]), above = *point_at(p, upper[row[k]]) < y;
        *point_at(p, plan->grad_lower + row[k]) += below ? *gradient : 0;
        *point_at(p, plan->grad_upper + row[k]) += above ? *gradient : 0;
        if (below || above)
            *gradient = 0;
    }
}

/* d(eps) / d|W r| / |W r|; on the outputs' side v is eps times what it should be. */
static real solver_slope(const struct solver *d) {
    real squares = *point_at(&d->point, POINT_PLAN(&d->point)->summary + SUMMARY_SQUARES);
    real slope = sample_eps_slope(&d->state, SOLVER_OPTIONS(d), squares);
    return slope != 0 && SOLVER_OPTIONS(d)->outputs_side ? slope / d->state.eps : slope;
}

static void solver_back_step(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample *s = &d->state;
    bool weighted = SOLVER_OPTIONS(d)->weighted;
    s->steps--;
    s->eps = d->tape->eps[(size_t)s->steps * d->tape->width];
    s->kind = (enum sample_step)d->tape->kind[(size_t)s->steps * d->tape->width];
    s->stage = sample_stage_of(s->attempt, s->kind);
    solver_back_iterate(d, (size_t)s->steps);
    entry_evaluate(p->slots);
    entry_residual(p->slots);
    if (weighted) {
        solver_weigh(d);
        *point_at(p, plan->eps) = s->eps;
    }
    if (weighted && s->kind == SAMPLE_CLIPPED)
        solver_unclip(d);
    entry_back_begin(p->slots);
    if (weighted) {
        real slope = solver_slope(d), *damped = point_at(p, plan->damped);
        *damped = slope != 0 ? *damped * slope : 0;
    }
    entry_back_rows_bounds(p->slots);
    entry_back_program(p->slots);
    entry_back_end(p->slots);
}

/* ---- the end ---- */

static bool solver_back_read(const struct point *p, uint32_t slot, size_t count, real *to) {
    size_t unused;
    if (!to)
        return true;
    solver_spread(point_at(p, slot), POINT_WIDTH(p), to, 1, count);
    return point_finite(p, slot, count, &unused);
}

static void solver_back_clear(real *values, size_t count) {
    SHARED_LOOP
    for (size_t i = 0; values && i < count; i++) {
        values[i] = 0;
        LOOP_STAYS;
    }
}

/* A gradient that is not finite must not reach an optimiser: it becomes 0. */
static bool solver_back_finish(const struct solver *d, const struct solver_back *back) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    size_t unused;
    if (d->state.attempt > 0)
        solver_back_iterate(d, 0);
    if (back->grad_x)
        point_read(p, plan->grad_x, plan->inputs, back->grad_x);
    point_pull_start(p, d->state.attempt, back->from_start, back->grad_x);
    bool finite = !back->grad_x || solver_finite(back->grad_x, plan->inputs, &unused);
    finite = solver_back_read(p, plan->gradient, plan->outputs, back->grad_raw) && finite;
    finite = solver_back_read(p, plan->grad_lower, plan->rows, back->grad_lower) && finite;
    finite = solver_back_read(p, plan->grad_upper, plan->rows, back->grad_upper) && finite;
    if (finite)
        return true;
    solver_back_clear(back->grad_x, plan->inputs);
    solver_back_clear(back->grad_raw, plan->outputs);
    solver_back_clear(back->grad_lower, plan->rows);
    solver_back_clear(back->grad_upper, plan->rows);
    return false;
}

/* After solver_run with this tape and x; plan, options, point, x, row and tape of the drive count. False where the gradient is 0 because it
 * was not finite, because the way was longer than the tape, or because a programme was on it. */
static bool solver_gradient(struct solver *d, const struct solver_back *back) {
    const struct tape_head head = tape_head_read(&d->tape->head, d->tape->room);
    solver_back_open(d, back, &head);
    while (d->state.steps > 0)
        solver_back_step(d);
    return solver_back_finish(d, back) && head.way != TAPE_TOO_LONG;
}

#endif
