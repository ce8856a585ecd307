/* solver.h - the flow of one sample, from its raw output to the end: every decision, on every target.
 *
 * The solver decides, an executor computes (reverse communication). In turn, the executor serves the requests of a
 * decision, and calls the next one:
 *
 *     solver_load          a new sample                             serve: evaluate what depends on x only
 *     solver_open          check x, y_raw and bounds; y = y_raw     serve: evaluate c, J and r at y
 *     solver_warm          first evaluation: y = its warm start     serve: evaluate again
 *     solver_decide        accept, reject, rewind, restart or end   serve: enum solver_request, in its order
 *     solver_prepare_step  eps; the next system of an elastic QP    serve: y = base - A' (A A' + eps I)^-1 W r
 *     solver_stepped       judge the step, restart or return        serve: y = best; evaluate
 *
 * sample.h defines the decisions. Three executors serve the requests: layer/forward.c for SIMD lanes, with equal
 * requests of all lanes under one mask; solver_run.h for one sample, in emitted files and in CUDA kernels with slots in
 * global memory; cuda/kernels/kernel_registers.h, whose fused iteration keeps slots in registers. solver_adjoint.h is
 * the backward pass.
 *
 * Each iteration evaluates once. Steps count towards the iteration limit; iterations without a step are bounded: one warm start, one
 * rewind per stage, one restart per attempt, one return.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SOLVER_H
#define HN_CORE_SOLVER_H

#include "base/real.h"
#include "core/point.h"
#include "core/point_elastic.h"

#ifndef SOLVER_OPTIONS
#define SOLVER_OPTIONS(d) ((d)->options)
#endif

/* A tape in memory: eps and kind of each accepted step, and y before it. Elements of one sample are `width` apart. */
struct solver_tape {
    real *eps;     /* capacity */
    int32_t *kind; /* room: enum sample_step */
    real *iterate; /* room x outputs */
    size_t room;   /* a layer's tape has plan.tape_steps */
    size_t width;
    struct tape_head head;
};

struct solver {
    const struct plan *plan;
    const struct sample_options *options;
    struct point point;
    const real *x;
    const real *raw;          /* outputs, or NULL: the model's start values */
    const real *fallback;     /* outputs, or NULL: start values within their bounds */
    real *warm;               /* outputs, or NULL: y - raw, in of the previous call, out of this one */
    real *row;                /* outputs: scratch */
    struct solver_tape *tape; /* or NULL: no gradient */
#ifdef SOLVER_SEARCHES
    struct solver_search *search; /* nearest and optimal, or NULL; solver_search.h */
#endif
    struct sample state;
    struct sample_numbers numbers; /* of the last evaluation */
    enum sample_step led;          /* the kind of the step that led to the iterate */
    size_t culprit;                /* index of the invalid input, output or row; SIZE_MAX: none */
};

enum solver_request {
    SOLVER_RECORD = 1,  /* y is iterate number state.steps: write it to the tape, with the step that led to it */
    SOLVER_KEEP = 2,    /* best = y */
    SOLVER_COMMIT = 4,  /* A, W r and base = y; methods with row weights */
    SOLVER_LARGEST = 8, /* the largest squared row of A */
    SOLVER_FINISH = 16  /* the sample ends at y */
};

SHARED_FUNCTION void solver_flag(const struct solver *d, uint32_t slot, bool flag) {
    point_set_mask(&d->point, slot, flag);
}

/* Entry j of the raw output. */
SHARED_FUNCTION real solver_raw(const struct solver *d, size_t j) {
    const struct plan *plan = POINT_PLAN(&d->point);
    return d->raw ? d->raw[j] : *point_at(&d->point, plan_words(plan, plan->start)[j]);
}

/* ---- loading ---- */

SHARED_FUNCTION void solver_load(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    struct sample_numbers *n = &d->numbers;
    d->culprit = SIZE_MAX;
    n->squares = n->joint = n->gain = n->step_squares = n->least_pivot = n->most_pivot = 0;
    n->moved = n->usable = false;
    sample_open(&d->state, SOLVER_OPTIONS(d));
    point_write(&d->point, plan->x, plan->inputs, d->x);
}

/* The sample returns its fallback, with this outcome. */
SHARED_FUNCTION void solver_fall_back(struct solver *d, hn_outcome outcome, size_t culprit) {
    const struct plan *plan = POINT_PLAN(&d->point);
    d->culprit = culprit;
    sample_fall_back(&d->state, outcome);
    if (d->fallback)
        point_write(&d->point, plan->y, plan->outputs, d->fallback);
    else
        point_fall_back(&d->point);
}

/* y = raw or the start values, unless raw, x or the bounds are invalid. */
SHARED_FUNCTION void solver_take_raw(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    size_t culprit = 0;
    if (!point_all_finite(d->x, 1, plan->inputs, &culprit))
        solver_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, culprit);
    else if (d->raw && !point_all_finite(d->raw, 1, plan->outputs, &culprit))
        solver_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    else if (point_bad_bounds(&d->point, &culprit))
        solver_fall_back(d, HN_OUTCOME_BAD_BOUNDS, culprit);
    else if (d->raw)
        point_write(&d->point, plan->y, plan->outputs, d->raw);
    else
        point_start(&d->point);
}

/* After the evaluation of the quantities that depend on x only. */
SHARED_FUNCTION void solver_open(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    size_t culprit = 0;
    solver_take_raw(d);
    if (!point_set_fixed(&d->point) && d->state.phase == PHASE_NEW) {
        solver_fall_back(d, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    if (d->state.phase == PHASE_NEW && !d->raw && !point_finite(&d->point, plan->y, plan->outputs, &culprit))
        solver_fall_back(d, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit); /* a start value depends on x */
    if (SOLVER_OPTIONS(d)->usual > 0 && d->state.phase == PHASE_NEW && point_is_start(&d->point))
        d->state.homed = true;
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
}

/* ---- after an evaluation ---- */

/* The numbers of an evaluation that decisions read. */
SAMPLE_FUNCTION void solver_read_numbers(const struct point *p, const struct sample *s, const struct sample_options *o,
                                         struct sample_numbers *n) {
    const struct plan *plan = POINT_PLAN(p);
    const real *summary = point_at(p, plan->summary);
    size_t unused;
    n->measure = summary[SUMMARY_WORST * POINT_WIDTH(p)];
    n->violation = 0;
    n->finite = point_mask(p, plan->summary + SUMMARY_USABLE) && point_mask(p, plan->summary + SUMMARY_FINITE);
    if (sample_asks_violation(s, o))
        n->violation = point_violation(p, &unused);
    if (!o->weighted)
        return;
    n->moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n->squares = summary[SUMMARY_SQUARES * POINT_WIDTH(p)];
    n->gain = *point_at(p, plan->step_gain);
    n->step_squares = *point_at(p, plan->step_squares);
    n->joint = sample_asks_joint(s, o, n) ? point_joint(p) : 0;
}

SHARED_FUNCTION void solver_numbers(struct solver *d) {
    solver_read_numbers(&d->point, &d->state, SOLVER_OPTIONS(d), &d->numbers);
}

/* y = y_raw + the displacement of the previous call; false when that is not a valid start. */
SHARED_FUNCTION bool solver_move_warm(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    size_t unused;
    point_read(&d->point, plan->y, plan->outputs, d->row);
    SHARED_LOOP
    for (size_t j = 0; j < plan->outputs; j++)
        d->row[j] += d->warm[j];
    if (!point_all_finite(d->row, 1, plan->outputs, &unused))
        return false;
    point_copy(&d->point, plan->y, plan->best, plan->outputs);
    point_write(&d->point, plan->y, plan->outputs, d->row);
    point_set_fixed(&d->point);
    return true;
}

/* After the first evaluation: whether y is now a warm start that must be evaluated. */
SHARED_FUNCTION bool solver_warm(struct solver *d) {
    if (!d->warm || d->state.phase != PHASE_NEW)
        return false;
    solver_numbers(d);
    if (!sample_starts_warm(&d->state, SOLVER_OPTIONS(d), &d->numbers) || !solver_move_warm(d))
        return false;
    sample_start_warm(&d->state, SOLVER_OPTIONS(d), &d->numbers);
    return true;
}

#ifdef SOLVER_SEARCHES
SHARED_FUNCTION void solver_search_stalled(struct solver *d, const struct sample_slope *slope);
#endif

/* Further information for an outcome: sums over A and W r of the last committed iterate, or whether J is finite. */
SHARED_FUNCTION void solver_answer(struct solver *d) {
    struct sample *s = &d->state;
    struct sample_slope slope = {0, 0, 0, 0, 0, false};
    if (s->asks == SAMPLE_ASKS_SLOPE) {
        point_slope(&d->point, d->row, &slope);
#ifdef SOLVER_SEARCHES
        solver_search_stalled(d, &slope);
#endif
    }
    sample_answer(s, &slope, s->asks == SAMPLE_ASKS_SLOPE || point_entries_finite(&d->point));
}

/* The requests for the iterate; led: the kind of the step that led to it. `best` always receives the first iterate. */
SAMPLE_FUNCTION unsigned solver_choose(struct sample *s, const struct sample_options *o, const struct sample_numbers *n,
                                       bool cancelled, enum sample_step *led) {
    bool opens = s->phase == PHASE_NEW;
    const struct sample_choice choice = sample_decide(s, o, n, cancelled);
    unsigned requests = choice.recorded ? (unsigned)SOLVER_RECORD : 0U;
    *led = choice.led;
    if (choice.finished)
        return requests | SOLVER_FINISH;
    requests |= choice.improved || opens ? (unsigned)SOLVER_KEEP : 0U;
    if (choice.accepted && o->weighted)
        requests |= (unsigned)SOLVER_COMMIT | (s->chooses ? (unsigned)SOLVER_LARGEST : 0U);
    return requests;
}

/* After solver_numbers. */
SHARED_FUNCTION unsigned solver_decide(struct solver *d, bool cancelled) {
    unsigned requests = solver_choose(&d->state, SOLVER_OPTIONS(d), &d->numbers, cancelled, &d->led);
    if (d->state.asks != SAMPLE_ASKS_NOTHING)
        solver_answer(d);
    return requests;
}

/* ---- the step ---- */

/* After the commit; whether a step is to be computed. */
SHARED_FUNCTION bool solver_prepare_step(struct solver *d, unsigned requests) {
    struct sample *s = &d->state;
    if (requests & SOLVER_LARGEST)
        sample_choose_eps(s, *point_at(&d->point, POINT_PLAN(&d->point)->largest));
    if (SOLVER_OPTIONS(d)->method == HN_METHOD_AUTO && sample_in_elastic(s))
        point_elastic_qp_prepare(&d->point, s);
    if (!sample_takes_step(s) && s->phase != PHASE_ELASTIC)
        return false;
    s->used = s->eps;
    return true;
}

/* y = the start of the next attempt. It may be non-finite, which is treated like a non-finite evaluation. */
SHARED_FUNCTION void solver_restart(struct solver *d) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct point *p = &d->point;
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    size_t unused;
    sample_begin_attempt(&d->state, SOLVER_OPTIONS(d));
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++)
        *point_at(p, plan->raw + j) = solver_raw(d, j);
    SHARED_LOOP
    for (uint32_t f = 0; f < plan->fixed.slot.count; f++)
        *point_at(p, plan->raw + output[f]) = *point_at(p, fixed[f]);
    point_restart(p, d->state.attempt);
    solver_flag(d, plan->summary + SUMMARY_USABLE, point_finite(p, plan->y, plan->outputs, &unused));
}

SAMPLE_FUNCTION void solver_count_step(const struct point *p, struct sample *s, const struct sample_options *o) {
    const struct plan *plan = POINT_PLAN(p);
    struct sample_numbers n = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false};
    n.moved = point_mask(p, plan->summary + SUMMARY_MOVED);
    n.usable = point_mask(p, plan->summary + SUMMARY_USABLE);
    n.least_pivot = *point_at(p, plan->system.pivot_range);
    n.most_pivot = *point_at(p, plan->system.pivot_range + 1);
    sample_stepped(s, o, &n);
}

/* Whether y must be set to the best iterate. */
SAMPLE_FUNCTION bool solver_goes_back(const struct point *p, struct sample *s) {
    if (s->phase != PHASE_RETURN && s->phase != PHASE_REWIND && s->phase != PHASE_FALLBACK)
        return false;
    point_set_mask(p, POINT_PLAN(p)->summary + SUMMARY_USABLE, true);
    if (s->phase == PHASE_REWIND)
        sample_rewound(s);
    return true;
}

/* After the step, if one was computed: whether y = best comes before the next evaluation. */
SHARED_FUNCTION bool solver_stepped(struct solver *d) {
    struct sample *s = &d->state;
    if (sample_in_elastic(s)) {
        point_elastic_qp_advance(&d->point, s);
        return false;
    }
    if (sample_takes_step(s)) {
        solver_count_step(&d->point, s, SOLVER_OPTIONS(d));
        if (s->asks != SAMPLE_ASKS_NOTHING)
            solver_answer(d);
    } else if (s->phase == PHASE_RESTART)
        solver_restart(d);
    return solver_goes_back(&d->point, s);
}

/* ---- result: the verdict, from the evaluation at the returned y, and the report ---- */

/* Methods with a fixed number of steps take the same time for every outcome. */
#ifndef SOLVER_EVEN
#define SOLVER_EVEN 0
#endif

#ifndef SOLVER_REPORT /* the type of reports: these fields, and with SOLVER_SEARCHES the others of hn_report */
#define SOLVER_REPORT struct solver_report
#endif

struct solver_report {
    hn_outcome outcome;
    int iterations, steps;
    real violation_before, violation, moved, damping, slope;
    size_t worst, culprit; /* SIZE_MAX: none */
};

SHARED_FUNCTION hn_outcome solver_verdict(const struct solver *d) {
    const struct sample_options *o = SOLVER_OPTIONS(d);
    real bound = sample_asks_stationarity(&d->state, o, &d->numbers);
    bool asks = bound > 0 || (SOLVER_EVEN && !o->weighted);
    bool stationary = asks && point_stationarity(&d->point, d->row) <= bound * bound && bound > 0;
    return sample_verdict(&d->state, o, &d->numbers, stationary);
}

/* max |r| and its row. With finite numbers and valid bounds the evaluation has computed it. */
SHARED_FUNCTION real solver_violation(const struct solver *d, size_t *row) {
    const struct plan *plan = POINT_PLAN(&d->point);
    const struct sample_numbers *n = &d->numbers;
    const real *r = point_at(&d->point, plan->residual);
    bool known =
        n->finite && sample_is_finite(n->measure) && !SOLVER_OPTIONS(d)->relative && d->state.phase != PHASE_FALLBACK;
    bool even = SOLVER_EVEN && !SOLVER_OPTIONS(d)->weighted; /* all rows, for the same run time */
    if (!known)
        return point_violation(&d->point, row);
    *row = SIZE_MAX;
    SHARED_LOOP
    for (size_t i = 0; n->measure > 0 && (even || *row == SIZE_MAX) && i < plan->rows; i++) {
        bool first = (point_abs(r[i * POINT_WIDTH(&d->point)]) == n->measure) & (*row == SIZE_MAX);
        *row = first ? i : *row;
    }
    (void)point_block_violation(&d->point, *row == SIZE_MAX ? 0 : n->measure, row);
    return n->measure;
}

/* |S (y - raw)|_2, y in these slots; S = I if weights is NULL. Scaled against overflow; infinite when a term is not
 * finite. */
SHARED_FUNCTION real solver_distance(const struct solver *d, uint32_t y, const real *weights) {
    const size_t outputs = POINT_PLAN(&d->point)->outputs, width = POINT_WIDTH(&d->point);
    const real *at = point_at(&d->point, y);
    real scale = 0, sum = 0;
    bool finite = true;
    SHARED_LOOP
    for (size_t first = 0; first < outputs; first += POINT_AT_ONCE) {
        real part[POINT_AT_ONCE];
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            size_t j = point_index(first + k, outputs);
            part[k] = solver_raw(d, j) - at[j * width];
            part[k] *= weights ? weights[j] : 1;
        }
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            size_t j = point_index(first + k, outputs);
            finite = finite && sample_is_finite(part[k]);
            scale = sample_greater(scale, point_abs(part[k]));
            d->row[j] = part[k];
        }
    }
    if (!finite)
        return REAL_INFINITY;
    SHARED_LOOP
    for (size_t j = 0; j < outputs && scale > 0; j++) {
        real part = d->row[j] / scale;
        sum += part * part;
    }
    return scale * real_sqrt(sum);
}

/* After the verdict; y: the slots of the returned point. */
SHARED_FUNCTION void solver_fill_report(const struct solver *d, uint32_t y, SOLVER_REPORT *out) {
    const struct sample *s = &d->state;
    out->outcome = s->outcome;
    out->iterations = s->iteration;
    out->steps = s->best_step;
    out->violation_before = s->before;
    out->damping = s->used;
    out->slope = real_sqrt(s->slope);
    out->culprit = d->culprit;
    out->violation = solver_violation(d, &out->worst);
    if (s->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out->violation = REAL_INFINITY;
        out->worst = d->culprit;
    }
    out->moved = solver_distance(d, y, 0);
}

/* y - raw, the warm start of the next call. */
SHARED_FUNCTION void solver_keep_warm(const struct solver *d, uint32_t y) {
    const real *at = point_at(&d->point, y);
    SHARED_LOOP
    for (size_t j = 0; d->warm && j < POINT_PLAN(&d->point)->outputs; j++)
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? at[j * POINT_WIDTH(&d->point)] - solver_raw(d, j) : 0;
}

#endif
