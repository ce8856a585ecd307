/* forward.c - the correction: iterations of evaluate, decide, step over all lanes of a worker.
 *
 *     load     assign the next sample to a free lane; evaluate what depends on x only
 *     evaluate c, J and r at the current iterate of every sample; twice for a new sample with a warm start
 *     decide   per sample (core/sample.h): continue, reject the step, rewind, restart, or end
 *     step     eps, factor, solve, y = base - A' (A A' + eps I)^-1 W r; an elastic QP updates its iterate
 *
 * Idle lanes keep computing on stale values; the results are ignored.
 *
 * SPDX-License-Identifier: MIT */
#include "core/point_elastic.h"
#include "layer/driver.h"

/* ---- evaluation ---- */

static void forward_evaluate(struct worker *worker) {
    bool fresh[MAX_LANES], weighted = worker->plan->options.weighted;
    for (uint32_t k = 0; weighted && k < worker->width; k++)
        fresh[k] = sample_is_fresh(&worker->lane[k].state);
    worker->executor->evaluate(worker->executor, worker->slots, weighted ? fresh : NULL, false);
}

static void watch(struct worker *worker, uint32_t lane, const struct sample_numbers *n) {
    const struct lane *own = &worker->lane[lane];
    const struct point p = worker_point(worker, lane);
    if (!worker->batch->watch || sample_is_last(&own->state) || own->state.phase == PHASE_ELASTIC)
        return;
    point_read(&p, worker->plan->y, worker->plan->outputs, worker->row);
    worker->batch->watch(worker->batch->watch_context, own->sample, own->state.iteration, worker->row, n->measure,
                         own->state.iteration ? own->state.used : NAN);
}

/* ---- decisions ---- */

/* Decisions about the iterates of all lanes. */
struct decisions {
    bool accepted[MAX_LANES], improved[MAX_LANES], any;
    double *tape[MAX_LANES]; /* destination of an accepted iterate */
};

static void answer(struct worker *worker, uint32_t lane) {
    struct sample *s = &worker->lane[lane].state;
    const struct point p = worker_point(worker, lane);
    struct sample_slope slope = {.entries = 0};
    if (s->asks == SAMPLE_ASKS_NOTHING)
        return;
    if (s->asks == SAMPLE_ASKS_SLOPE) {
        point_slope(&p, worker->row, &slope);
        worker_record_stationary(worker, lane, &slope);
    }
    sample_answer(s, &slope, s->asks == SAMPLE_ASKS_SLOPE || point_entries_finite(&p));
}

static double *record(const struct worker *worker, uint32_t lane, enum sample_step led) {
    const struct sample *s = &worker->lane[lane].state;
    if (!worker->batch->tape)
        return NULL;
    struct tape tape = worker_tape(worker, lane);
    tape_write_step(&tape, s->steps, s->used, led);
    tape_prefetch(&tape, s->steps + 1, true);
    return tape_iterate(&tape, s->steps);
}

static void decide_seat(struct worker *worker, uint32_t lane, struct decisions *all) {
    struct sample *s = &worker->lane[lane].state;
    struct sample_numbers n = worker_numbers(worker, lane);
    bool opens = s->phase == PHASE_NEW; /* y is the input: it is returned if no better iterate is found */
    watch(worker, lane, &n);
    if (opens && worker_try_active_set(worker, lane, &n)) {
        all->tape[lane] = record(worker, lane, SAMPLE_PLAIN);
        return;
    }
    struct sample_choice choice = sample_decide(s, &worker->plan->options, &n, worker->cancelled);
    answer(worker, lane);
    all->accepted[lane] = choice.accepted;
    all->improved[lane] = choice.improved || opens;
    all->any = all->any || choice.accepted;
    if (choice.recorded)
        all->tape[lane] = record(worker, lane, choice.led);
    if (choice.finished)
        worker_finish(worker, lane, &n, worker->plan->y);
    if (s->phase == PHASE_FALLBACK) /* `best` holds the replacement of y */
        all->improved[lane] = false;
}

/* Chooses eps for samples that have none at their base. */
static void choose_eps(struct worker *worker) {
    const struct executor *x = worker->executor;
    bool any = false;
    for (uint32_t k = 0; k < worker->width; k++)
        any = any || (worker->lane[k].state.phase != PHASE_IDLE && worker->lane[k].state.chooses);
    if (any)
        x->largest(x, worker->slots);
    for (uint32_t k = 0; any && k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (worker->lane[k].state.phase != PHASE_IDLE && worker->lane[k].state.chooses)
            sample_choose_eps(&worker->lane[k].state, *point_at(&p, worker->plan->largest));
    }
}

/* Flags per lane that select the rows of the next step. */
struct row_masks {
    bool leads[MAX_LANES], holds[MAX_LANES];
    double hold[MAX_LANES];
};

static struct executor_rows forward_say(const struct worker *worker, const bool *accepted, struct row_masks *said) {
    const struct plan *plan = worker->plan;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = &worker->lane[k].state;
        const struct point p = worker_point(worker, k);
        said->hold[k] = sample_hold(s, &plan->options, *point_at(&p, plan->summary + SUMMARY_SQUARES));
        said->leads[k] = s->kind == SAMPLE_LEADING;
        said->holds[k] = accepted[k] && s->phase != PHASE_IDLE && sample_holds_bounds(s);
    }
    return (struct executor_rows){accepted, said->hold, said->leads, said->holds};
}

/* Updates A, W r and the base from the accepted iterates. */
static void commit_iterate(struct worker *worker, const bool *accepted) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    struct row_masks said;
    const struct executor_rows rows = forward_say(worker, accepted, &said);
    x->weigh(x, worker->slots, &rows);
    x->copy(x, worker->slots, plan->y, plan->base, plan->outputs, accepted);
    choose_eps(worker);
}

/* Whether all samples take a step of auto's near stage. */
static bool steps_near(const struct worker *worker, const bool *accepted) {
    bool all = worker->executor->step_near && worker->plan->options.method == HN_METHOD_AUTO;
    for (uint32_t k = 0; all && k < worker->width; k++) {
        const struct sample *s = &worker->lane[k].state;
        all = s->phase == PHASE_IDLE || (accepted[k] && sample_steps_near(s));
    }
    return all;
}

/* Writes the next systems of elastic QPs in place of A and W r. */
static void prepare_programmes(const struct worker *worker, struct lane *lanes) {
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (sample_in_elastic(&lanes[k].state))
            point_elastic_qp_prepare(&p, &lanes[k].state);
    }
}

static void decide(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    struct decisions all = {.any = false};
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].state.phase != PHASE_IDLE)
            decide_seat(worker, k, &all);
    if (worker->batch->tape)
        x->unload(x, worker->slots, plan->y, plan->outputs, all.tape);
    x->copy(x, worker->slots, plan->y, plan->best, plan->outputs, all.improved);
    worker->at_once = all.any && steps_near(worker, all.accepted);
    if (all.any && plan->options.weighted && !worker->at_once)
        commit_iterate(worker, all.accepted);
    if (plan->options.method == HN_METHOD_AUTO)
        prepare_programmes(worker, worker->lane);
}

/* ---- the step ---- */

/* Weights and step fused if the executor supports it for the present weights; else commits the iterates first. */
static bool step_near(struct worker *worker, const double *eps) {
    const struct executor *x = worker->executor;
    bool busy[MAX_LANES];
    struct row_masks said;
    for (uint32_t k = 0; k < worker->width; k++)
        busy[k] = worker->lane[k].state.phase != PHASE_IDLE;
    const struct executor_rows rows = forward_say(worker, busy, &said);
    if (x->step_near(x, worker->slots, &rows, eps))
        return true;
    commit_iterate(worker, busy);
    return false;
}

/* Steps all lanes, also those whose result is not used. */
static void compute_step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct sample_options *o = &worker->plan->options;
    double eps[MAX_LANES];
    bool clipped[MAX_LANES];
    for (uint32_t k = 0; o->weighted && k < worker->width; k++) {
        struct sample *s = &worker->lane[k].state;
        eps[k] = s->eps;
        clipped[k] = s->phase != PHASE_IDLE && s->kind == SAMPLE_CLIPPED;
        if (sample_takes_step(s) || s->phase == PHASE_ELASTIC)
            s->used = s->eps;
    }
    if (worker->at_once && step_near(worker, eps))
        return;
    x->step(x, worker->slots, o->weighted ? eps : NULL, o->method == HN_METHOD_AUTO ? clipped : NULL);
}

/* The start of an attempt may be non-finite; this is treated like a non-finite evaluation. */
static void restart(struct worker *worker, uint32_t lane) {
    const struct point p = worker_point(worker, lane);
    struct sample *s = &worker->lane[lane].state;
    size_t unused;
    sample_begin_attempt(s, &worker->plan->options);
    worker_bring_raw(worker, lane);
    point_restart(&p, s->attempt);
    point_set_mask(&p, worker->plan->summary + SUMMARY_USABLE,
                   point_finite(&p, worker->plan->y, worker->plan->outputs, &unused));
}

/* Whether y must be reset to the best iterate after the step. */
static bool goes_back(struct worker *worker, uint32_t lane) {
    struct sample *s = &worker->lane[lane].state;
    const struct point p = worker_point(worker, lane);
    if (sample_takes_step(s)) {
        struct sample_numbers n = worker_step_numbers(worker, lane);
        sample_stepped(s, &worker->plan->options, &n);
        answer(worker, lane);
    } else if (s->phase == PHASE_RESTART)
        restart(worker, lane);
    if (s->phase != PHASE_RETURN && s->phase != PHASE_REWIND && s->phase != PHASE_FALLBACK)
        return false;
    point_set_mask(&p, worker->plan->summary + SUMMARY_USABLE, true);
    if (s->phase == PHASE_REWIND)
        sample_rewound(s);
    return true;
}

static void step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    bool back[MAX_LANES] = {false};
    compute_step(worker);
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (sample_in_elastic(&worker->lane[k].state))
            point_elastic_qp_advance(&p, &worker->lane[k].state);
        else if (worker->lane[k].state.phase != PHASE_IDLE)
            back[k] = goes_back(worker, k);
    }
    x->copy(x, worker->slots, plan->best, plan->y, plan->outputs, back);
}

/* ---- the loop ---- */

static bool any_busy(const struct worker *worker) {
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].state.phase != PHASE_IDLE)
            return true;
    return false;
}

void worker_run(struct worker *worker) {
    while (worker_load(worker) || worker_search(worker)) {
        if (!any_busy(worker))
            continue;
        worker_poll(worker);
        if (worker_fused_auto(worker))
            continue;
        if (!worker->evaluated)
            forward_evaluate(worker);
        worker->evaluated = false;
        if (worker_start_warm(worker))
            forward_evaluate(worker);
        decide(worker);
        if (any_busy(worker))
            step(worker);
        worker_fused_fixed(worker);
    }
}
