/* solver_run_adjoint.h - serves the requests of solver_adjoint.h for one sample by the generated functions entry_*.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_RUN_ADJOINT_H
#define HN_CORE_SOLVER_RUN_ADJOINT_H

#include "base/real.h"
#include "core/solver_adjoint.h"
#include "core/solver_run.h"

/* y = an iterate of the tape. */
static void solver_back_iterate(const struct solver *d, size_t step) {
    const struct solver_tape *tape = d->tape;
    const size_t outputs = POINT_PLAN(&d->point)->outputs;
    point_move(tape->iterate + step * outputs * tape->width, tape->width, point_at(&d->point, POINT_PLAN(&d->point)->y),
               POINT_WIDTH(&d->point), outputs);
}

static void solver_back_open(struct solver *d, const struct solver_back *back, const struct tape_head *head) {
    const struct point *p = &d->point;
    solver_back_load(d, back, head, true);
    entry_prepare(p->slots);
    if (!SOLVER_OPTIONS(d)->weighted || d->state.steps == 0)
        return;
    solver_back_iterate(d, 0); /* row weights belong to it */
    entry_evaluate(p->slots);
    solver_flag(d, POINT_PLAN(p)->slots + SOLVER_TAKES, true);
    entry_rescale(p->slots);
}

/* The slots of the step s, recomputed. A device omits the entries of steps: SOLVER_BACK_STEP is the vector in which
 * entry_back_begin stores s. */
#ifdef SOLVER_BACK_STEP
static uint32_t solver_step_again(const struct solver *d) {
    entry_back_begin(d->point.slots);
    return SOLVER_BACK_STEP;
}
#else
static uint32_t solver_step_again(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    point_read(p, plan->gradient, plan->outputs, d->row); /* shares its slots with A' W r */
    solver_copy_slots(d, plan->y, plan->base);
    entry_step_begin(p->slots);
    entry_step_end(p->slots);
    solver_copy_slots(d, plan->base, plan->y);
    point_write(p, plan->gradient, plan->outputs, d->row);
    return plan->step;
}
#endif

/* The adjoint of clipping: the gradient of a clipped y goes to the bound. */
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

static void solver_back_step(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample *s = &d->state;
    bool weighted = SOLVER_OPTIONS(d)->weighted;
    size_t step = (size_t)--s->steps;
    solver_back_to(s, d->tape->eps[step * d->tape->width], d->tape->kind[step * d->tape->width]);
    solver_back_iterate(d, step);
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
        real slope = solver_eps_slope(d), *damped = point_at(p, plan->damped);
        *damped = slope != 0 ? *damped * slope : 0;
    }
    entry_back_rows_bounds(p->slots);
    entry_back_program(p->slots);
    entry_back_end(p->slots);
}

static bool solver_back_end(const struct solver *d, const struct solver_back *back) {
    if (d->state.attempt > 0)
        solver_back_iterate(d, 0);
    return solver_back_finish(d, back);
}

/* After solver_run with this tape and x. False: the gradient was not finite and is 0, or the tape is not complete. */
static bool solver_gradient(struct solver *d, const struct solver_back *back) {
    const struct tape_head head = tape_head_read(&d->tape->head, d->tape->room);
    solver_back_open(d, back, &head);
    while (d->state.steps > 0)
        solver_back_step(d);
    return solver_back_end(d, back) && head.way != TAPE_TOO_LONG;
}

#endif
