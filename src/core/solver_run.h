/* solver_run.h - serves the requests of solver.h for one sample by the generated functions entry_*: in an emitted file, or in a CUDA
 * thread whose slots are in global memory (element i of a vector at i * point.width).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_RUN_H
#define HN_CORE_SOLVER_RUN_H

#include "base/real.h"
#include "core/solver.h"

#ifndef SOLVER_UNROLL
#define SOLVER_UNROLL SHARED_LOOP /* unrolls a loop to have several loads in flight */
#endif

enum { SOLVER_TAKES, SOLVER_HOLDS, SOLVER_LEADS, SOLVER_HOLD }; /* slots after the plan's; see cpu/lanes_executor.h */

/* ---- copies ---- */

/* A copy that compilers do not replace by a library call. */
static void solver_copy(const real *from, real *to, size_t count) {
    SHARED_LOOP
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        LOOP_STAYS;
    }
}

struct solver_block {
    real numbers[4];
};

/* Copies a vector over the outputs. */
static void solver_copy_slots(const struct solver *d, uint32_t from, uint32_t to) {
    const real *source = point_at(&d->point, from);
    real *target = point_at(&d->point, to);
    size_t width = POINT_WIDTH(&d->point), count = POINT_PLAN(&d->point)->outputs, blocks = count / 4;
    if (width > 1) {
        point_move(source, width, target, width, count);
        return;
    }
    SHARED_LOOP
    for (size_t i = 0; i < blocks; i++) {
        *(struct solver_block *)(void *)(target + 4 * i) = *(const struct solver_block *)(const void *)(source + 4 * i);
        LOOP_STAYS;
    }
    SHARED_LOOP
    for (size_t i = 4 * blocks; i < count; i++) {
        target[i] = source[i];
        LOOP_STAYS;
    }
}

/* ---- evaluate ---- */

static void solver_evaluate(const struct solver *d) {
    real *slots = d->point.slots;
    entry_evaluate(slots);
    if (SOLVER_OPTIONS(d)->weighted && sample_is_fresh(&d->state)) {
        solver_flag(d, POINT_PLAN(&d->point)->slots + SOLVER_TAKES, true);
        entry_rescale(slots);
    }
    entry_residual(slots);
}

/* ---- record, commit ---- */

/* Writes the step that led to the iterate. Returns the memory of the iterate, or NULL if the tape is full. */
SIMD_INLINE real *solver_record_step(const struct solver_tape *tape, const struct sample *s, enum sample_step led,
                                     size_t outputs) {
    size_t steps = (size_t)s->steps;
    if (steps > 0 && steps <= tape->room) {
        tape->eps[(steps - 1) * tape->width] = s->used;
        tape->kind[(steps - 1) * tape->width] = (int32_t)led;
    }
    return steps < tape->room ? tape->iterate + steps * outputs * tape->width : 0;
}

static void solver_record(const struct solver *d) {
    size_t outputs = POINT_PLAN(&d->point)->outputs;
    real *to = solver_record_step(d->tape, &d->state, d->led, outputs);
    if (to)
        point_move(point_at(&d->point, POINT_PLAN(&d->point)->y), POINT_WIDTH(&d->point), to, d->tape->width, outputs);
}

/* row = A' W r */
static void solver_pull(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const real *a = point_at(&d->point, plan->matrix), *right = point_at(&d->point, plan->right);
    point_zero(d->row, plan->outputs);
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        SHARED_LOOP
        for (size_t e = first[i]; e < first[i + 1]; e++)
            d->row[column[e]] += a[e * POINT_WIDTH(&d->point)] * right[i * POINT_WIDTH(&d->point)];
    }
}

/* Outputs on a bound that A' W r would push beyond it: their rows become active. */
static void solver_hold_bounds(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *entry = plan_words(plan, plan->jacobian.slot);
    solver_pull(d);
    SHARED_LOOP
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        uint32_t i = row[k], e = first[i];
        real y = *point_at(p, plan_words(plan, plan->value)[i]), down = d->row[output[k]];
        bool below = y <= *point_at(p, plan_words(plan, plan->lower)[i]) && down > 0;
        bool above = *point_at(p, plan_words(plan, plan->upper)[i]) <= y && down < 0;
        if (point_mask(p, plan->active + i) || !(below || above))
            continue;
        *point_at(p, plan->matrix + e) = *point_at(p, plan->scale + i) * *point_at(p, entry[e]);
        point_set_mask(p, plan->active + i, true);
    }
}

/* A and W r at the evaluated iterate. */
static void solver_weigh(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const struct sample *s = &d->state;
    *point_at(p, plan->slots + SOLVER_HOLD) =
        sample_hold(s, SOLVER_OPTIONS(d), *point_at(p, plan->summary + SUMMARY_SQUARES));
    solver_flag(d, plan->slots + SOLVER_LEADS, s->kind == SAMPLE_LEADING);
    entry_weigh_all(p->slots);
    if (sample_holds_bounds(s))
        solver_hold_bounds(d);
}

static void solver_commit(const struct solver *d) {
    solver_weigh(d);
    solver_copy_slots(d, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->base);
}

/* ---- step ---- */

/* Clips y to its bounds, which may make a non-finite y finite. */
static void solver_clip(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    size_t unused;
    SHARED_LOOP
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        real *y = point_at(p, plan->y + output[k]);
        real lower = *point_at(p, plan_words(plan, plan->lower)[row[k]]);
        real upper = *point_at(p, plan_words(plan, plan->upper)[row[k]]);
        *y = *y < lower ? lower : *y;
        *y = upper < *y ? upper : *y;
    }
    if (!point_mask(p, plan->summary + SUMMARY_USABLE))
        solver_flag(d, plan->summary + SUMMARY_USABLE, point_finite(p, plan->y, plan->outputs, &unused));
}

#ifdef SOLVER_JUDGES
/* a' b, summed in order. */
static real solver_inner(const struct solver *d, uint32_t a, uint32_t b, size_t count) {
    const real *first = point_at(&d->point, a), *second = point_at(&d->point, b);
    real sum = 0;
    SOLVER_UNROLL
    for (size_t i = 0; i < count; i++)
        sum += first[i * POINT_WIDTH(&d->point)] * second[i * POINT_WIDTH(&d->point)];
    return sum;
}

/* The numbers that accept or reject a step; auto's near stage takes every step. */
static void solver_measure_step(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    if (d->state.stage == SAMPLE_NEAR)
        return;
    *point_at(&d->point, plan->step_gain) = SOLVER_OPTIONS(d)->outputs_side
                                                ? solver_inner(d, plan->step, plan->gradient, plan->outputs)
                                                : solver_inner(d, plan->unknown, plan->right, plan->rows);
    *point_at(&d->point, plan->step_squares) = solver_inner(d, plan->step, plan->step, plan->outputs);
}
#endif

static void solver_step(const struct solver *d) {
    const struct point *p = &d->point;
    if (SOLVER_OPTIONS(d)->weighted)
        *point_at(p, POINT_PLAN(p)->eps) = d->state.eps;
    entry_step_begin(p->slots);
    entry_step_end(p->slots);
    if (!sample_takes_step(&d->state))
        return;
#ifdef SOLVER_JUDGES
    solver_measure_step(d);
#endif
    if (SOLVER_OPTIONS(d)->method == HN_METHOD_AUTO && d->state.kind == SAMPLE_CLIPPED)
        solver_clip(d);
}

/* ---- one sample ---- */

static void solver_begin(struct solver *d) {
    solver_load(d);
    entry_prepare(d->point.slots);
    solver_open(d);
}

/* Decides on the evaluated iterate and writes it to the tape. */
static unsigned solver_judge(struct solver *d) {
    solver_numbers(d);
    unsigned requests = solver_decide(d, false);
    if (d->tape && (requests & SOLVER_RECORD))
        solver_record(d);
    return requests;
}

/* Serves the other requests, up to the next evaluation. */
static void solver_serve(struct solver *d, unsigned requests) {
    const struct plan *plan = POINT_PLAN(&d->point);
    bool keeps = (requests & SOLVER_KEEP) != 0;
    if (keeps || (SOLVER_EVEN && !SOLVER_OPTIONS(d)->weighted))
        solver_copy_slots(d, keeps ? plan->y : plan->best, plan->best);
    if (requests & SOLVER_COMMIT)
        solver_commit(d);
    if (requests & SOLVER_LARGEST)
        entry_largest(d->point.slots);
    if (solver_prepare_step(d, requests))
        solver_step(d);
    if (solver_stepped(d))
        solver_copy_slots(d, plan->best, plan->y);
}

/* Methods with a fixed number of steps: takes the same time as a return to the best iterate. */
static void solver_even_out(const struct solver *d) {
    SHARED_LOOP
    for (int i = 0; i < 2; i++)
        solver_copy_slots(d, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->y);
    solver_evaluate(d);
}

static void solver_finish(struct solver *d, SOLVER_REPORT *report) {
    const uint32_t y = POINT_PLAN(&d->point)->y;
    d->state.outcome = solver_verdict(d);
    solver_fill_report(d, y, report);
    solver_keep_warm(d, y);
    if (d->tape)
        d->tape->head = tape_head_of(&d->state, d->tape->room);
}

/* Afterwards y is in its slots. */
static void solver_run(struct solver *d, SOLVER_REPORT *report) {
    solver_begin(d);
    SHARED_LOOP
    for (;;) {
        bool returned = sample_is_last(&d->state);
        solver_evaluate(d);
        if (solver_warm(d))
            solver_evaluate(d);
        unsigned requests = solver_judge(d);
        if (requests & SOLVER_FINISH) {
            if (SOLVER_EVEN && !SOLVER_OPTIONS(d)->weighted && !returned)
                solver_even_out(d);
            break;
        }
        solver_serve(d, requests);
    }
    solver_finish(d, report);
}

#endif
