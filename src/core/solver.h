/* solver.h - one sample from x and a raw output to a corrected one and its report: what layer/forward.c, layer/load_samples.c and
 * layer/finish_sample.c do for batches, for whoever runs one sample at a time: an emitted file, or a thread of many whose slots lie
 * side by side (point.width). solver_adjoint.h goes back.
 *
 *     evaluate  c, J and r at the present iterate
 *     decide    sample.h: go on, reject the step, rewind, restart, or end
 *     step      eps, factor, solve, y = base - A' (A A' + eps I)^-1 W r; an elastic programme takes the solution and goes on
 *
 * Every round evaluates once; a step counts towards the limit of iterations, and rounds without one are bounded: a warm start, one
 * rewind for each stage, one restart for each attempt, one return.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_H
#define HN_CORE_SOLVER_H

#include "base/real.h"

#ifndef SOLVER_OPTIONS
#define SOLVER_OPTIONS(d) ((d)->options)
#endif
/* Methods of a fixed number of steps take the same time, whatever is decided. */
#ifndef SOLVER_UNROLL
#define SOLVER_UNROLL SHARED_LOOP /* a loop whose reads are many at once where memory answers late */
#endif
#ifndef SOLVER_EVEN
#define SOLVER_EVEN 1
#endif

enum { SOLVER_TAKES, SOLVER_HOLDS, SOLVER_LEADS, SOLVER_HOLD }; /* slots behind the plan's; see cpu/lanes_executor.h */

/* What the way back needs of the way forward: of each accepted step eps, its kind and y before it. Numbers of one tape are `width`
 * apart. */
struct solver_tape {
    real *eps;     /* room */
    int32_t *kind; /* room: enum sample_step */
    real *iterate; /* room x outputs */
    size_t room;   /* a layer's own tape holds plan.tape_steps */
    size_t width;
    struct tape_head head;
};

struct solver {
    const struct plan *plan;
    const struct sample_options *options;
    struct point point;
    const real *x;
    const real *raw;
    real *warm;               /* outputs, or NULL: y - raw of the call before, and of this one afterwards */
    real *row;                /* outputs: scratch */
    struct solver_tape *tape; /* or NULL: nobody goes back */
    struct sample state;
    size_t culprit;
};

struct solver_report {
    hn_outcome outcome;
    int iterations, steps;
    real violation_before, violation, moved, damping;
    size_t worst, culprit; /* SIZE_MAX: none */
};

/* A copy that no compiler makes a call of. */
static void solver_copy(const real *from, real *to, size_t count) {
    SHARED_LOOP
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        LOOP_STAYS;
    }
}

/* Numbers that are moved at once; where they lie apart. */
struct solver_block {
    real numbers[4];
};
#ifndef SOLVER_AT_ONCE
#define SOLVER_AT_ONCE 4
#endif

/* The same where they lie apart: several are read before the first is written, for memory that answers late. */
static void solver_spread(const real *from, size_t from_width, real *to, size_t to_width, size_t count) {
    real block[SOLVER_AT_ONCE];
    size_t blocks = count / SOLVER_AT_ONCE;
    SHARED_LOOP
    for (size_t i = 0; i < blocks * SOLVER_AT_ONCE; i += SOLVER_AT_ONCE) {
        SHARED_LOOP
        for (size_t k = 0; k < SOLVER_AT_ONCE; k++)
            block[k] = from[(i + k) * from_width];
        SHARED_LOOP
        for (size_t k = 0; k < SOLVER_AT_ONCE; k++)
            to[(i + k) * to_width] = block[k];
    }
    SHARED_LOOP
    for (size_t i = blocks * SOLVER_AT_ONCE; i < count; i++) {
        to[i * to_width] = from[i * from_width];
        LOOP_STAYS;
    }
}

/* A vector over outputs onto another one. */
static void solver_take_slots(const struct solver *d, uint32_t from, uint32_t to) {
    const real *source = point_at(&d->point, from);
    real *target = point_at(&d->point, to);
    size_t width = POINT_WIDTH(&d->point), count = POINT_PLAN(&d->point)->outputs, blocks = count / 4;
    if (width > 1) {
        solver_spread(source, width, target, width, count);
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

static void solver_flag(const struct solver *d, uint32_t slot, bool flag) {
    point_set_mask(&d->point, slot, flag);
}

/* ---- the sample comes in ---- */

static void solver_fall_back(struct solver *d, hn_outcome outcome, size_t culprit) {
    d->culprit = culprit;
    sample_fall_back(&d->state, outcome);
    point_fall_back(&d->point);
}

static bool solver_finite(const real *values, size_t count, size_t *culprit) {
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        if (!sample_is_finite(values[i])) {
            *culprit = i;
            return false;
        }
    return true;
}

/* y = raw, unless raw or x or the bounds are of no use. */
static void solver_take(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    size_t culprit = 0;
    if (!solver_finite(d->x, plan->inputs, &culprit))
        solver_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (!solver_finite(d->raw, plan->outputs, &culprit))
        solver_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (point_bad_bounds(&d->point, &culprit))
        solver_fall_back(d, HN_OUTCOME_BAD_BOUNDS, culprit);
    else
        point_write(&d->point, plan->y, plan->outputs, d->raw);
}

static void solver_open(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    d->culprit = SIZE_MAX;
    sample_open(&d->state, SOLVER_OPTIONS(d));
    point_write(&d->point, plan->x, plan->inputs, d->x);
    entry_prepare(d->point.slots);
    solver_take(d);
    if (!point_set_fixed(&d->point) && d->state.phase == PHASE_NEW) {
        solver_fall_back(d, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    if (SOLVER_OPTIONS(d)->usual > 0 && d->state.phase == PHASE_NEW && point_is_start(&d->point))
        sample_is_home(&d->state);
    solver_take_slots(d, plan->y, plan->best);
    if (plan->raw != plan->best)
        solver_take_slots(d, plan->y, plan->raw);
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
}

/* ---- evaluation ---- */

static void solver_evaluate(const struct solver *d) {
    real *slots = d->point.slots;
    entry_evaluate(slots);
    if (SOLVER_OPTIONS(d)->weighted && sample_is_fresh(&d->state)) {
        solver_flag(d, POINT_PLAN(&d->point)->slots + SOLVER_TAKES, true);
        entry_rescale(slots);
    }
    entry_residual(slots);
}

static void solver_numbers(const struct solver *d, struct sample_numbers *n) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const real *summary = point_at(p, plan->summary);
    size_t unused;
    n->measure = summary[SUMMARY_WORST * POINT_WIDTH(p)];
    n->squares = n->joint = n->violation = n->gain = n->step_squares = n->least_pivot = n->most_pivot = 0;
    n->moved = n->usable = false;
    n->finite = point_mask(p, plan->summary + SUMMARY_USABLE) && point_mask(p, plan->summary + SUMMARY_FINITE);
    if (sample_asks_violation(&d->state, SOLVER_OPTIONS(d)))
        n->violation = point_violation(p, &unused);
    if (!SOLVER_OPTIONS(d)->weighted)
        return;
    n->moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n->squares = summary[SUMMARY_SQUARES * POINT_WIDTH(p)];
    n->gain = *point_at(p, plan->step_gain);
    n->step_squares = *point_at(p, plan->step_squares);
    if (sample_asks_joint(&d->state, SOLVER_OPTIONS(d), n))
        n->joint = point_joint(p);
}

/* ---- warm starts ---- */

/* y goes where the call before ended, relative to its raw output. */
static bool solver_warm(struct solver *d) {
    struct sample_numbers n;
    size_t unused;
    if (!d->warm || d->state.phase != PHASE_NEW)
        return false;
    solver_numbers(d, &n);
    if (!sample_starts_warm(&d->state, SOLVER_OPTIONS(d), &n))
        return false;
    point_read(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, d->row);
    SHARED_LOOP
    for (size_t j = 0; j < POINT_PLAN(&d->point)->outputs; j++)
        d->row[j] += d->warm[j];
    if (!solver_finite(d->row, POINT_PLAN(&d->point)->outputs, &unused))
        return false;
    point_write(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, d->row);
    point_set_fixed(&d->point);
    sample_start_warm(&d->state, SOLVER_OPTIONS(d), &n);
    return true;
}

/* ---- decisions ---- */

static void solver_answer(struct solver *d) {
    struct sample *s = &d->state;
    struct sample_slope slope = {.entries = 0};
    if (s->asks == SAMPLE_ASKS_NOTHING)
        return;
    if (s->asks == SAMPLE_ASKS_SLOPE)
        point_slope(&d->point, d->row, &slope);
    sample_answer(s, &slope, s->asks == SAMPLE_ASKS_SLOPE || point_entries_finite(&d->point));
}

/* row = A' W r. */
static void solver_pull(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const real *a = point_at(&d->point, plan->matrix), *right = point_at(&d->point, plan->right);
    SHARED_LOOP
    for (size_t j = 0; j < plan->outputs; j++) {
        d->row[j] = 0;
        LOOP_STAYS;
    }
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        SHARED_LOOP
        for (size_t e = first[i]; e < first[i + 1]; e++)
            d->row[column[e]] += a[e * POINT_WIDTH(&d->point)] * right[i * POINT_WIDTH(&d->point)];
    }
}

/* Outputs that lie on a bound of theirs and that go beyond it down the slope A' W r: their rows become active. */
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

/* A and W r of the present iterate. */
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

/* It becomes the base of the next step. */
static void solver_commit_iterate(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample *s = &d->state;
    solver_weigh(d);
    solver_take_slots(d, plan->y, plan->base);
    if (s->chooses) {
        entry_largest(p->slots);
        sample_choose_eps(s, *point_at(p, plan->largest));
    }
}

/* The accepted iterate, and the step that led to it, onto the tape. */
static void solver_record(const struct solver *d, enum sample_step led) {
    const struct solver_tape *tape = d->tape;
    size_t steps = (size_t)d->state.steps, outputs = POINT_PLAN(&d->point)->outputs, width = POINT_WIDTH(&d->point);
    const real *y = point_at(&d->point, POINT_PLAN(&d->point)->y);
    if (steps > 0 && steps <= tape->room) {
        tape->eps[(steps - 1) * tape->width] = d->state.used;
        tape->kind[(steps - 1) * tape->width] = (int32_t)led;
    }
    if (steps >= tape->room)
        return;
    solver_spread(y, width, tape->iterate + steps * outputs * tape->width, tape->width, outputs);
}

/* Whether the sample ends here; n is what the evaluation left. */
static bool solver_decide(struct solver *d, struct sample_numbers *n) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    solver_numbers(d, n);
    struct sample_choice choice = sample_decide(&d->state, SOLVER_OPTIONS(d), n, false);
    solver_answer(d);
    if (d->tape && choice.recorded)
        solver_record(d, choice.led);
    if (choice.finished)
        return true;
    if (choice.improved || (SOLVER_EVEN && !SOLVER_OPTIONS(d)->weighted))
        solver_take_slots(d, choice.improved ? plan->y : plan->best, plan->best);
    if (choice.accepted && SOLVER_OPTIONS(d)->weighted)
        solver_commit_iterate(d);
    if (SOLVER_OPTIONS(d)->method == HN_METHOD_AUTO && sample_in_elastic(&d->state))
        point_elastic_qp_prepare(p, &d->state);
    return false;
}

/* ---- the step ---- */

/* y into its bounds, which may make a y finite that was not. */
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
/* a' b of vectors in slots, the first product first. */
static real solver_inner(const struct solver *d, uint32_t a, uint32_t b, size_t count) {
    const real *first = point_at(&d->point, a), *second = point_at(&d->point, b);
    real sum = 0;
    SOLVER_UNROLL
    for (size_t i = 0; i < count; i++)
        sum += first[i * POINT_WIDTH(&d->point)] * second[i * POINT_WIDTH(&d->point)];
    return sum;
}

/* What a step is judged by; auto asks for it in its later stages only. */
static void solver_judge(const struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    if (d->state.stage == SAMPLE_NEAR)
        return;
    *point_at(&d->point, plan->step_gain) = SOLVER_OPTIONS(d)->outputs_side
                                                ? solver_inner(d, plan->step, plan->gradient, plan->outputs)
                                                : solver_inner(d, plan->unknown, plan->right, plan->rows);
    *point_at(&d->point, plan->step_squares) = solver_inner(d, plan->step, plan->step, plan->outputs);
}
#endif

static void solver_solve(struct solver *d) {
    const struct point *p = &d->point;
    d->state.used = d->state.eps;
    if (SOLVER_OPTIONS(d)->weighted)
        *point_at(p, POINT_PLAN(&d->point)->eps) = d->state.eps;
    entry_step_begin(p->slots);
    entry_step_end(p->slots);
}

static void solver_step(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample_numbers n = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false};
    solver_solve(d);
#ifdef SOLVER_JUDGES
    solver_judge(d);
#endif
    if (SOLVER_OPTIONS(d)->method == HN_METHOD_AUTO && d->state.kind == SAMPLE_CLIPPED)
        solver_clip(d);
    n.moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n.usable = point_mask(p, plan->summary + SUMMARY_USABLE);
    n.least_pivot = *point_at(p, plan->system.pivot_range);
    n.most_pivot = *point_at(p, plan->system.pivot_range + 1);
    sample_stepped(&d->state, SOLVER_OPTIONS(d), &n);
    solver_answer(d);
}

/* Where an attempt begins need not be finite: that is decided like an evaluation that is not. */
static void solver_restart(struct solver *d) {
    size_t unused;
    sample_begin_attempt(&d->state, SOLVER_OPTIONS(d));
    point_restart(&d->point, d->state.attempt);
    solver_flag(d, POINT_PLAN(&d->point)->summary + SUMMARY_USABLE,
                point_finite(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, &unused));
}

/* y moves on: by a step, to another start, or back to the best iterate. */
static void solver_move(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    if (sample_in_elastic(&d->state)) {
        if (d->state.phase == PHASE_ELASTIC)
            solver_solve(d);
        point_elastic_qp_advance(&d->point, &d->state);
        return;
    }
    if (sample_takes_step(&d->state))
        solver_step(d);
    else if (d->state.phase == PHASE_RESTART)
        solver_restart(d);
    if (d->state.phase != PHASE_RETURN && d->state.phase != PHASE_REWIND)
        return;
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
    if (d->state.phase == PHASE_REWIND)
        sample_rewound(&d->state);
    solver_take_slots(d, plan->best, plan->y);
}

/* ---- the end ---- */

static real solver_moved(const struct solver *d) {
    const real *y = point_at(&d->point, POINT_PLAN(&d->point)->y);
    size_t width = POINT_WIDTH(&d->point);
    real scale = 0, sum = 0;
    size_t unused;
    if (!solver_finite(d->raw, POINT_PLAN(&d->point)->outputs, &unused))
        return REAL_INFINITY;
    SHARED_LOOP
    for (size_t i = 0; i < POINT_PLAN(&d->point)->outputs; i++)
        scale = sample_greater(scale, point_abs(d->raw[i] - y[i * width]));
    if (!sample_is_finite(scale))
        return REAL_INFINITY;
    SHARED_LOOP
    for (size_t i = 0; i < POINT_PLAN(&d->point)->outputs && scale > 0; i++) {
        real part = (d->raw[i] - y[i * width]) / scale;
        sum += part * part;
    }
    return scale * real_sqrt(sum);
}

static void solver_finish(struct solver *d, const struct sample_numbers *n, struct solver_report *out) {
    real bound = sample_asks_stationarity(&d->state, SOLVER_OPTIONS(d), n);
    bool asks = bound > 0 || !SOLVER_OPTIONS(d)->weighted; /* the same time for every outcome, as above */
    bool stationary = asks && point_stationarity(&d->point, d->row) <= bound * bound && bound > 0;
    out->outcome = d->state.outcome = sample_verdict(&d->state, SOLVER_OPTIONS(d), n, stationary);
    out->iterations = d->state.iteration;
    out->steps = d->state.best_step;
    out->violation_before = d->state.before;
    out->damping = d->state.used;
    out->culprit = d->culprit;
    out->violation = point_violation(&d->point, &out->worst);
    if (out->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out->violation = REAL_INFINITY;
        out->worst = d->culprit;
    }
    out->moved = solver_moved(d);
    if (d->tape)
        d->tape->head = tape_head_of(&d->state, d->tape->room);
    SHARED_LOOP
    for (size_t j = 0; d->warm && j < POINT_PLAN(&d->point)->outputs; j++)
        d->warm[j] = out->outcome == HN_OUTCOME_OK
                         ? *point_at(&d->point, POINT_PLAN(&d->point)->y + (uint32_t)j) - d->raw[j]
                         : 0;
}

/* Whether the sample ends at its last iterate, or went back to a better one and was evaluated there: either takes the same time in
 * methods of a fixed number of steps. */
static void solver_even_out(const struct solver *d, bool went_back) {
    if (SOLVER_OPTIONS(d)->weighted || went_back)
        return;
    SHARED_LOOP
    for (int i = 0; i < 2; i++)
        solver_take_slots(d, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->y);
    solver_evaluate(d);
}

/* y lies in its slots afterwards. */
static void solver_run(struct solver *d, struct solver_report *report) {
    struct sample_numbers n;
    bool last = false;
    solver_open(d);
    SHARED_LOOP
    for (;;) {
        solver_evaluate(d);
        if (solver_warm(d))
            solver_evaluate(d);
        last = sample_is_last(&d->state);
        if (solver_decide(d, &n))
            break;
        solver_move(d);
    }
    solver_even_out(d, last);
    solver_finish(d, &n, report);
}

#endif
