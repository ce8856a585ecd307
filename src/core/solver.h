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

#ifndef DRIVE_OPTIONS
#define DRIVE_OPTIONS(d) ((d)->options)
#endif
/* Methods of a fixed number of steps take the same time, whatever is decided. */
#ifndef DRIVE_UNROLL
#define DRIVE_UNROLL /* a loop whose reads are many at once where memory answers late */
#endif
#ifndef DRIVE_EVEN
#define DRIVE_EVEN 1
#endif

enum { DRIVE_TAKES, DRIVE_HOLDS, DRIVE_LEADS, DRIVE_HOLD }; /* slots behind the plan's; see cpu/lanes_executor.h */

/* What the way back needs of the way forward: of each accepted step eps, its kind and y before it. Numbers of one tape are `width`
 * apart. */
struct drive_tape {
    double *eps;     /* room */
    int32_t *kind;   /* room: enum sample_step */
    double *iterate; /* room x outputs */
    size_t room;     /* a layer's own tape holds plan.tape_steps */
    size_t width;
    struct tape_head head;
};

struct drive {
    const struct plan *plan;
    const struct sample_options *options;
    struct point point;
    const double *x;
    const double *raw;
    double *warm;            /* outputs, or NULL: y - raw of the call before, and of this one afterwards */
    double *row;             /* outputs: scratch */
    struct drive_tape *tape; /* or NULL: nobody goes back */
    struct sample state;
    size_t culprit;
};

struct drive_report {
    hn_outcome outcome;
    int iterations, steps;
    double violation_before, violation, moved, damping;
    size_t worst, culprit; /* SIZE_MAX: none */
};

/* A copy that no compiler makes a call of. */
static void drive_copy(const double *from, double *to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        LOOP_STAYS;
    }
}

/* Numbers that are moved at once; where they lie apart. */
struct drive_block {
    double numbers[4];
};
#ifndef DRIVE_AT_ONCE
#define DRIVE_AT_ONCE 4
#endif

/* The same where they lie apart: several are read before the first is written, for memory that answers late. */
static void drive_spread(const double *from, size_t from_width, double *to, size_t to_width, size_t count) {
    double block[DRIVE_AT_ONCE];
    size_t blocks = count / DRIVE_AT_ONCE;
    for (size_t i = 0; i < blocks * DRIVE_AT_ONCE; i += DRIVE_AT_ONCE) {
        for (size_t k = 0; k < DRIVE_AT_ONCE; k++)
            block[k] = from[(i + k) * from_width];
        for (size_t k = 0; k < DRIVE_AT_ONCE; k++)
            to[(i + k) * to_width] = block[k];
    }
    for (size_t i = blocks * DRIVE_AT_ONCE; i < count; i++) {
        to[i * to_width] = from[i * from_width];
        LOOP_STAYS;
    }
}

/* A vector over outputs onto another one. */
static void drive_take_slots(const struct drive *d, uint32_t from, uint32_t to) {
    const double *source = point_at(&d->point, from);
    double *target = point_at(&d->point, to);
    size_t width = POINT_WIDTH(&d->point), count = POINT_PLAN(&d->point)->outputs, blocks = count / 4;
    if (width > 1) {
        drive_spread(source, width, target, width, count);
        return;
    }
    for (size_t i = 0; i < blocks; i++) {
        *(struct drive_block *)(void *)(target + 4 * i) = *(const struct drive_block *)(const void *)(source + 4 * i);
        LOOP_STAYS;
    }
    for (size_t i = 4 * blocks; i < count; i++) {
        target[i] = source[i];
        LOOP_STAYS;
    }
}

static void drive_flag(const struct drive *d, uint32_t slot, bool flag) {
    point_set_mask(&d->point, slot, flag);
}

/* ---- the sample comes in ---- */

static void drive_fall_back(struct drive *d, hn_outcome outcome, size_t culprit) {
    d->culprit = culprit;
    sample_fall_back(&d->state, outcome);
    point_fall_back(&d->point);
}

static bool drive_finite(const double *values, size_t count, size_t *culprit) {
    for (size_t i = 0; i < count; i++)
        if (!sample_is_finite(values[i])) {
            *culprit = i;
            return false;
        }
    return true;
}

/* y = raw, unless raw or x or the bounds are of no use. */
static void drive_take(struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    size_t culprit = 0;
    if (!drive_finite(d->x, plan->inputs, &culprit))
        drive_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (!drive_finite(d->raw, plan->outputs, &culprit))
        drive_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (point_bad_bounds(&d->point, &culprit))
        drive_fall_back(d, HN_OUTCOME_BAD_BOUNDS, culprit);
    else
        point_write(&d->point, plan->y, plan->outputs, d->raw);
}

static void drive_open(struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    d->culprit = SIZE_MAX;
    sample_open(&d->state, DRIVE_OPTIONS(d));
    point_write(&d->point, plan->x, plan->inputs, d->x);
    entry_prepare(d->point.slots);
    drive_take(d);
    if (!point_set_fixed(&d->point) && d->state.doing == SAMPLE_OPENS) {
        drive_fall_back(d, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    if (DRIVE_OPTIONS(d)->usual > 0 && d->state.doing == SAMPLE_OPENS && point_is_start(&d->point))
        sample_is_home(&d->state);
    drive_take_slots(d, plan->y, plan->best);
    if (plan->raw != plan->best)
        drive_take_slots(d, plan->y, plan->raw);
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
}

/* ---- evaluation ---- */

static void drive_evaluate(const struct drive *d) {
    double *slots = d->point.slots;
    entry_evaluate(slots);
    if (DRIVE_OPTIONS(d)->weighted && sample_is_fresh(&d->state)) {
        drive_flag(d, POINT_PLAN(&d->point)->slots + DRIVE_TAKES, true);
        entry_rescale(slots);
    }
    entry_residual(slots);
}

static void drive_numbers(const struct drive *d, struct sample_numbers *n) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const double *summary = point_at(p, plan->summary);
    size_t unused;
    n->measure = summary[SUMMARY_WORST * POINT_WIDTH(p)];
    n->squares = n->joint = n->violation = n->gain = n->step_squares = n->least_pivot = n->most_pivot = 0;
    n->moved = n->usable = false;
    n->finite = point_mask(p, plan->summary + SUMMARY_USABLE) && point_mask(p, plan->summary + SUMMARY_FINITE);
    if (sample_asks_violation(&d->state, DRIVE_OPTIONS(d)))
        n->violation = point_violation(p, &unused);
    if (!DRIVE_OPTIONS(d)->weighted)
        return;
    n->moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n->squares = summary[SUMMARY_SQUARES * POINT_WIDTH(p)];
    n->gain = *point_at(p, plan->step_gain);
    n->step_squares = *point_at(p, plan->step_squares);
    if (sample_asks_joint(&d->state, DRIVE_OPTIONS(d), n))
        n->joint = point_joint(p);
}

/* ---- warm starts ---- */

/* y goes where the call before ended, relative to its raw output. */
static bool drive_warm(struct drive *d) {
    struct sample_numbers n;
    size_t unused;
    if (!d->warm || d->state.doing != SAMPLE_OPENS)
        return false;
    drive_numbers(d, &n);
    if (!sample_starts_warm(&d->state, DRIVE_OPTIONS(d), &n))
        return false;
    point_read(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, d->row);
    for (size_t j = 0; j < POINT_PLAN(&d->point)->outputs; j++)
        d->row[j] += d->warm[j];
    if (!drive_finite(d->row, POINT_PLAN(&d->point)->outputs, &unused))
        return false;
    point_write(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, d->row);
    point_set_fixed(&d->point);
    sample_start_warm(&d->state, DRIVE_OPTIONS(d), &n);
    return true;
}

/* ---- decisions ---- */

static void drive_answer(struct drive *d) {
    struct sample *s = &d->state;
    struct sample_slope slope = {.entries = 0};
    if (s->asks == SAMPLE_ASKS_NOTHING)
        return;
    if (s->asks == SAMPLE_ASKS_SLOPE)
        point_slope(&d->point, d->row, &slope);
    sample_answer(s, &slope, s->asks == SAMPLE_ASKS_SLOPE || point_entries_finite(&d->point));
}

/* row = A' W r. */
static void drive_pull(const struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const double *a = point_at(&d->point, plan->matrix), *right = point_at(&d->point, plan->right);
    for (size_t j = 0; j < plan->outputs; j++) {
        d->row[j] = 0;
        LOOP_STAYS;
    }
    for (size_t i = 0; i < plan->rows; i++)
        for (size_t e = first[i]; e < first[i + 1]; e++)
            d->row[column[e]] += a[e * POINT_WIDTH(&d->point)] * right[i * POINT_WIDTH(&d->point)];
}

/* Outputs that lie on a bound of theirs and that go beyond it down the slope A' W r: their rows become active. */
static void drive_hold_bounds(const struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *entry = plan_words(plan, plan->jacobian.slot);
    drive_pull(d);
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        uint32_t i = row[k], e = first[i];
        double y = *point_at(p, plan_words(plan, plan->value)[i]), down = d->row[output[k]];
        bool below = y <= *point_at(p, plan_words(plan, plan->lower)[i]) && down > 0;
        bool above = *point_at(p, plan_words(plan, plan->upper)[i]) <= y && down < 0;
        if (point_mask(p, plan->active + i) || !(below || above))
            continue;
        *point_at(p, plan->matrix + e) = *point_at(p, plan->scale + i) * *point_at(p, entry[e]);
        point_set_mask(p, plan->active + i, true);
    }
}

/* A and W r of the present iterate. */
static void drive_weigh(const struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const struct sample *s = &d->state;
    *point_at(p, plan->slots + DRIVE_HOLD) =
        sample_hold(s, DRIVE_OPTIONS(d), *point_at(p, plan->summary + SUMMARY_SQUARES));
    drive_flag(d, plan->slots + DRIVE_LEADS, s->kind == SAMPLE_LEADING);
    entry_weigh_all(p->slots);
    if (sample_holds_bounds(s))
        drive_hold_bounds(d);
}

/* It becomes the base of the next step. */
static void drive_take_over(struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample *s = &d->state;
    drive_weigh(d);
    drive_take_slots(d, plan->y, plan->base);
    if (s->chooses) {
        entry_largest(p->slots);
        sample_choose_eps(s, *point_at(p, plan->largest));
    }
}

/* The accepted iterate, and the step that led to it, onto the tape. */
static void drive_record(const struct drive *d, enum sample_step led) {
    const struct drive_tape *tape = d->tape;
    size_t steps = (size_t)d->state.steps, outputs = POINT_PLAN(&d->point)->outputs, width = POINT_WIDTH(&d->point);
    const double *y = point_at(&d->point, POINT_PLAN(&d->point)->y);
    if (steps > 0 && steps <= tape->room) {
        tape->eps[(steps - 1) * tape->width] = d->state.used;
        tape->kind[(steps - 1) * tape->width] = (int32_t)led;
    }
    if (steps >= tape->room)
        return;
    drive_spread(y, width, tape->iterate + steps * outputs * tape->width, tape->width, outputs);
}

/* Whether the sample ends here; n is what the evaluation left. */
static bool drive_decide(struct drive *d, struct sample_numbers *n) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    drive_numbers(d, n);
    struct sample_choice choice = sample_decide(&d->state, DRIVE_OPTIONS(d), n, false);
    drive_answer(d);
    if (d->tape && choice.recorded)
        drive_record(d, choice.led);
    if (choice.finished)
        return true;
    if (choice.improved || (DRIVE_EVEN && !DRIVE_OPTIONS(d)->weighted))
        drive_take_slots(d, choice.improved ? plan->y : plan->best, plan->best);
    if (choice.accepted && DRIVE_OPTIONS(d)->weighted)
        drive_take_over(d);
    if (DRIVE_OPTIONS(d)->method == HN_METHOD_AUTO && sample_has_programme(&d->state))
        point_programme_prepare(p, &d->state);
    return false;
}

/* ---- the step ---- */

/* y into its bounds, which may make a y finite that was not. */
static void drive_clip(const struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *row = plan_words(plan, plan->clip.slot), *output = plan_words(plan, plan->clip.entry);
    size_t unused;
    for (size_t k = 0; k < plan->clip.slot.count; k++) {
        double *y = point_at(p, plan->y + output[k]);
        double lower = *point_at(p, plan_words(plan, plan->lower)[row[k]]);
        double upper = *point_at(p, plan_words(plan, plan->upper)[row[k]]);
        *y = *y < lower ? lower : *y;
        *y = upper < *y ? upper : *y;
    }
    if (!point_mask(p, plan->summary + SUMMARY_USABLE))
        drive_flag(d, plan->summary + SUMMARY_USABLE, point_finite(p, plan->y, plan->outputs, &unused));
}

#ifdef DRIVE_JUDGES
/* a' b of vectors in slots, the first product first. */
static double drive_inner(const struct drive *d, uint32_t a, uint32_t b, size_t count) {
    const double *first = point_at(&d->point, a), *second = point_at(&d->point, b);
    double sum = 0;
    DRIVE_UNROLL
    for (size_t i = 0; i < count; i++)
        sum += first[i * POINT_WIDTH(&d->point)] * second[i * POINT_WIDTH(&d->point)];
    return sum;
}

/* What a step is judged by; auto asks for it in its later stages only. */
static void drive_judge(const struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    if (d->state.stage == SAMPLE_NEAR)
        return;
    *point_at(&d->point, plan->step_gain) = DRIVE_OPTIONS(d)->outputs_side
                                                ? drive_inner(d, plan->step, plan->gradient, plan->outputs)
                                                : drive_inner(d, plan->unknown, plan->right, plan->rows);
    *point_at(&d->point, plan->step_squares) = drive_inner(d, plan->step, plan->step, plan->outputs);
}
#endif

static void drive_solve(struct drive *d) {
    const struct point *p = &d->point;
    d->state.used = d->state.eps;
    if (DRIVE_OPTIONS(d)->weighted)
        *point_at(p, POINT_PLAN(&d->point)->eps) = d->state.eps;
    entry_step_begin(p->slots);
    entry_step_end(p->slots);
}

static void drive_step(struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    struct sample_numbers n = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false};
    drive_solve(d);
#ifdef DRIVE_JUDGES
    drive_judge(d);
#endif
    if (DRIVE_OPTIONS(d)->method == HN_METHOD_AUTO && d->state.kind == SAMPLE_CLIPPED)
        drive_clip(d);
    n.moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n.usable = point_mask(p, plan->summary + SUMMARY_USABLE);
    n.least_pivot = *point_at(p, plan->system.pivot_range);
    n.most_pivot = *point_at(p, plan->system.pivot_range + 1);
    sample_stepped(&d->state, DRIVE_OPTIONS(d), &n);
    drive_answer(d);
}

/* Where an attempt begins need not be finite: that is decided like an evaluation that is not. */
static void drive_restart(struct drive *d) {
    size_t unused;
    sample_begin_attempt(&d->state, DRIVE_OPTIONS(d));
    point_restart(&d->point, d->state.attempt);
    drive_flag(d, POINT_PLAN(&d->point)->summary + SUMMARY_USABLE,
               point_finite(&d->point, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->outputs, &unused));
}

/* y moves on: by a step, to another start, or back to the best iterate. */
static void drive_move(struct drive *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    if (sample_has_programme(&d->state)) {
        if (d->state.doing == SAMPLE_SOLVES)
            drive_solve(d);
        point_programme_advance(&d->point, &d->state);
        return;
    }
    if (sample_takes_step(&d->state))
        drive_step(d);
    else if (d->state.doing == SAMPLE_RESTARTS)
        drive_restart(d);
    if (d->state.doing != SAMPLE_RETURNS && d->state.doing != SAMPLE_REWINDS)
        return;
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
    if (d->state.doing == SAMPLE_REWINDS)
        sample_rewound(&d->state);
    drive_take_slots(d, plan->best, plan->y);
}

/* ---- the end ---- */

static double drive_moved(const struct drive *d) {
    const double *y = point_at(&d->point, POINT_PLAN(&d->point)->y);
    size_t width = POINT_WIDTH(&d->point);
    double scale = 0, sum = 0;
    size_t unused;
    if (!drive_finite(d->raw, POINT_PLAN(&d->point)->outputs, &unused))
        return HUGE_VAL;
    for (size_t i = 0; i < POINT_PLAN(&d->point)->outputs; i++)
        scale = sample_greater(scale, point_abs(d->raw[i] - y[i * width]));
    if (!sample_is_finite(scale))
        return HUGE_VAL;
    for (size_t i = 0; i < POINT_PLAN(&d->point)->outputs && scale > 0; i++) {
        double part = (d->raw[i] - y[i * width]) / scale;
        sum += part * part;
    }
    return scale * sqrt(sum);
}

static void drive_finish(struct drive *d, const struct sample_numbers *n, struct drive_report *out) {
    double bound = sample_asks_stationarity(&d->state, DRIVE_OPTIONS(d), n);
    bool asks = bound > 0 || !DRIVE_OPTIONS(d)->weighted; /* the same time for every outcome, as above */
    bool stationary = asks && point_stationarity(&d->point, d->row) <= bound * bound && bound > 0;
    out->outcome = d->state.outcome = sample_verdict(&d->state, DRIVE_OPTIONS(d), n, stationary);
    out->iterations = d->state.iteration;
    out->steps = d->state.best_step;
    out->violation_before = d->state.before;
    out->damping = d->state.used;
    out->culprit = d->culprit;
    out->violation = point_violation(&d->point, &out->worst);
    if (out->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out->violation = HUGE_VAL;
        out->worst = d->culprit;
    }
    out->moved = drive_moved(d);
    if (d->tape)
        d->tape->head = tape_head_of(&d->state, d->tape->room);
    for (size_t j = 0; d->warm && j < POINT_PLAN(&d->point)->outputs; j++)
        d->warm[j] = out->outcome == HN_OUTCOME_OK
                         ? *point_at(&d->point, POINT_PLAN(&d->point)->y + (uint32_t)j) - d->raw[j]
                         : 0;
}

/* Whether the sample ends at its last iterate, or went back to a better one and was evaluated there: either takes the same time in
 * methods of a fixed number of steps. */
static void drive_even_out(const struct drive *d, bool went_back) {
    if (DRIVE_OPTIONS(d)->weighted || went_back)
        return;
    for (int i = 0; i < 2; i++)
        drive_take_slots(d, POINT_PLAN(&d->point)->y, POINT_PLAN(&d->point)->y);
    drive_evaluate(d);
}

/* y lies in its slots afterwards. */
static void drive_run(struct drive *d, struct drive_report *report) {
    struct sample_numbers n;
    bool last = false;
    drive_open(d);
    for (;;) {
        drive_evaluate(d);
        if (drive_warm(d))
            drive_evaluate(d);
        last = sample_is_last(&d->state);
        if (drive_decide(d, &n))
            break;
        drive_move(d);
    }
    drive_even_out(d, last);
    drive_finish(d, &n, report);
}

#endif
