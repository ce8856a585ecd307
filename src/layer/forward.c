/* forward.c - corrects samples: rounds of evaluate, decide, step over all seats of a worker.
 *
 *     load     a free seat takes the next sample; what depends on x only is evaluated
 *     evaluate c, J and r at the present iterate of every sample; twice for a new sample with a warm start
 *     decide   per sample (core/sample.h): go on, reject the step, rewind, restart, or end
 *     step     eps, factor, solve, y = base - A' (A A' + eps I)^-1 W r; an elastic programme takes the solution and goes on
 *
 * A seat that has no sample goes on computing with old numbers, which nobody reads.
 *
 * SPDX-License-Identifier: MIT */
#include "core/point_elastic.h"
#include "layer/driver.h"

/* ---- evaluation ---- */

static void evaluate(struct worker *worker) {
    bool fresh[EXECUTOR_WIDEST], weighted = worker->plan->options.weighted;
    for (uint32_t k = 0; weighted && k < worker->width; k++)
        fresh[k] = sample_is_fresh(&worker->seat[k].state);
    worker->executor->evaluate(worker->executor, worker->slots, weighted ? fresh : NULL, false);
}

static void watch(struct worker *worker, uint32_t seat, const struct sample_numbers *n) {
    const struct seat *own = &worker->seat[seat];
    const struct point p = worker_point(worker, seat);
    if (!worker->batch->watch || sample_is_last(&own->state) || own->state.doing == SAMPLE_SOLVES)
        return;
    point_read(&p, worker->plan->y, worker->plan->outputs, worker->row);
    worker->batch->watch(worker->batch->watch_context, own->sample, own->state.iteration, worker->row, n->measure,
                         own->state.iteration ? own->state.used : NAN);
}

/* ---- decisions ---- */

/* What was decided about the iterates of all seats. */
struct decisions {
    bool accepted[EXECUTOR_WIDEST], improved[EXECUTOR_WIDEST], any;
    double *tape[EXECUTOR_WIDEST]; /* where an accepted iterate is written to */
};

static void answer(struct worker *worker, uint32_t seat) {
    struct sample *s = &worker->seat[seat].state;
    const struct point p = worker_point(worker, seat);
    struct sample_slope slope = {.entries = 0};
    if (s->asks == SAMPLE_ASKS_NOTHING)
        return;
    if (s->asks == SAMPLE_ASKS_SLOPE) {
        point_slope(&p, worker->row, &slope);
        worker_keep_stand(worker, seat, &slope);
    }
    sample_answer(s, &slope, s->asks == SAMPLE_ASKS_SLOPE || point_entries_finite(&p));
}

static double *record(const struct worker *worker, uint32_t seat, enum sample_step led) {
    const struct sample *s = &worker->seat[seat].state;
    if (!worker->batch->tape)
        return NULL;
    struct tape tape = worker_tape(worker, seat);
    tape_write_step(&tape, s->steps, s->used, led);
    tape_prefetch(&tape, s->steps + 1, true);
    return tape_iterate(&tape, s->steps);
}

static void decide_seat(struct worker *worker, uint32_t seat, struct decisions *all) {
    struct sample *s = &worker->seat[seat].state;
    struct sample_numbers n = worker_numbers(worker, seat);
    bool opens = s->doing == SAMPLE_OPENS; /* y is what came in: it is returned if nothing better comes */
    watch(worker, seat, &n);
    if (opens && worker_answer(worker, seat, &n)) {
        all->tape[seat] = record(worker, seat, SAMPLE_PLAIN);
        return;
    }
    struct sample_choice choice = sample_decide(s, &worker->plan->options, &n, worker->cancelled);
    answer(worker, seat);
    all->accepted[seat] = choice.accepted;
    all->improved[seat] = choice.improved || opens;
    all->any = all->any || choice.accepted;
    if (choice.recorded)
        all->tape[seat] = record(worker, seat, choice.led);
    if (choice.finished)
        worker_finish(worker, seat, &n, worker->plan->y);
    if (s->doing == SAMPLE_FALLS_BACK) /* `best` holds what replaces y */
        all->improved[seat] = false;
}

/* eps of the samples that have none yet at their base. */
static void choose_eps(struct worker *worker) {
    const struct executor *x = worker->executor;
    bool any = false;
    for (uint32_t k = 0; k < worker->width; k++)
        any = any || (worker->seat[k].state.doing != SAMPLE_IDLE && worker->seat[k].state.chooses);
    if (any)
        x->largest(x, worker->slots);
    for (uint32_t k = 0; any && k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (worker->seat[k].state.doing != SAMPLE_IDLE && worker->seat[k].state.chooses)
            sample_choose_eps(&worker->seat[k].state, *point_at(&p, worker->plan->largest));
    }
}

/* What is said about the rows of all seats. */
struct said {
    bool leads[EXECUTOR_WIDEST], holds[EXECUTOR_WIDEST];
    double hold[EXECUTOR_WIDEST];
};

static struct executor_rows say(const struct worker *worker, const bool *accepted, struct said *said) {
    const struct plan *plan = worker->plan;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = &worker->seat[k].state;
        const struct point p = worker_point(worker, k);
        said->hold[k] = sample_hold(s, &plan->options, *point_at(&p, plan->summary + SUMMARY_SQUARES));
        said->leads[k] = s->kind == SAMPLE_LEADING;
        said->holds[k] = accepted[k] && s->doing != SAMPLE_IDLE && sample_holds_bounds(s);
    }
    return (struct executor_rows){accepted, said->hold, said->leads, said->holds};
}

/* A, W r and y of the accepted iterates. */
static void take_over(struct worker *worker, const bool *accepted) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    struct said said;
    const struct executor_rows rows = say(worker, accepted, &said);
    x->weigh(x, worker->slots, &rows);
    x->copy(x, worker->slots, plan->y, plan->base, plan->outputs, accepted);
    choose_eps(worker);
}

/* Whether all samples take near's steps from where they are. */
static bool steps_near(const struct worker *worker, const bool *accepted) {
    bool all = worker->executor->step_near && worker->plan->options.method == HN_METHOD_AUTO;
    for (uint32_t k = 0; all && k < worker->width; k++) {
        const struct sample *s = &worker->seat[k].state;
        all = s->doing == SAMPLE_IDLE || (accepted[k] && sample_steps_near(s));
    }
    return all;
}

/* The next systems of elastic programmes, in place of A and W r. */
static void prepare_programmes(const struct worker *worker, struct seat *seats) {
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (sample_has_programme(&seats[k].state))
            point_programme_prepare(&p, &seats[k].state);
    }
}

static void decide(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    struct decisions all = {.any = false};
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->seat[k].state.doing != SAMPLE_IDLE)
            decide_seat(worker, k, &all);
    if (worker->batch->tape)
        x->unload(x, worker->slots, plan->y, plan->outputs, all.tape);
    x->copy(x, worker->slots, plan->y, plan->best, plan->outputs, all.improved);
    worker->at_once = all.any && steps_near(worker, all.accepted);
    if (all.any && plan->options.weighted && !worker->at_once)
        take_over(worker, all.accepted);
    if (plan->options.method == HN_METHOD_AUTO)
        prepare_programmes(worker, worker->seat);
}

/* ---- the step ---- */

/* Weights and step at once where the executor has that for the present weights; else iterates are taken over first. */
static bool step_near(struct worker *worker, const double *eps) {
    const struct executor *x = worker->executor;
    bool busy[EXECUTOR_WIDEST];
    struct said said;
    for (uint32_t k = 0; k < worker->width; k++)
        busy[k] = worker->seat[k].state.doing != SAMPLE_IDLE;
    const struct executor_rows rows = say(worker, busy, &said);
    if (x->step_near(x, worker->slots, &rows, eps))
        return true;
    take_over(worker, busy);
    return false;
}

/* The step of all samples; those that go elsewhere afterwards are computed with the others. */
static void compute_step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct sample_options *o = &worker->plan->options;
    double eps[EXECUTOR_WIDEST];
    bool clipped[EXECUTOR_WIDEST];
    for (uint32_t k = 0; o->weighted && k < worker->width; k++) {
        struct sample *s = &worker->seat[k].state;
        eps[k] = s->eps;
        clipped[k] = s->doing != SAMPLE_IDLE && s->kind == SAMPLE_CLIPPED;
        if (sample_takes_step(s) || s->doing == SAMPLE_SOLVES)
            s->used = s->eps;
    }
    if (worker->at_once && step_near(worker, eps))
        return;
    x->step(x, worker->slots, o->weighted ? eps : NULL, o->method == HN_METHOD_AUTO ? clipped : NULL);
}

/* Where an attempt begins need not be finite: that is decided like an evaluation that is not. */
static void restart(struct worker *worker, uint32_t seat) {
    const struct point p = worker_point(worker, seat);
    struct sample *s = &worker->seat[seat].state;
    size_t unused;
    sample_begin_attempt(s, &worker->plan->options);
    worker_bring_raw(worker, seat);
    point_restart(&p, s->attempt);
    point_set_mask(&p, worker->plan->summary + SUMMARY_USABLE,
                   point_finite(&p, worker->plan->y, worker->plan->outputs, &unused));
}

/* Whether y is to hold the best iterate instead of what the step led to. */
static bool goes_back(struct worker *worker, uint32_t seat) {
    struct sample *s = &worker->seat[seat].state;
    const struct point p = worker_point(worker, seat);
    if (sample_takes_step(s)) {
        struct sample_numbers n = worker_step_numbers(worker, seat);
        sample_stepped(s, &worker->plan->options, &n);
        answer(worker, seat);
    } else if (s->doing == SAMPLE_RESTARTS)
        restart(worker, seat);
    if (s->doing != SAMPLE_RETURNS && s->doing != SAMPLE_REWINDS && s->doing != SAMPLE_FALLS_BACK)
        return false;
    point_set_mask(&p, worker->plan->summary + SUMMARY_USABLE, true);
    if (s->doing == SAMPLE_REWINDS)
        sample_rewound(s);
    return true;
}

static void step(struct worker *worker) {
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    bool back[EXECUTOR_WIDEST] = {false};
    compute_step(worker);
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct point p = worker_point(worker, k);
        if (sample_has_programme(&worker->seat[k].state))
            point_programme_advance(&p, &worker->seat[k].state);
        else if (worker->seat[k].state.doing != SAMPLE_IDLE)
            back[k] = goes_back(worker, k);
    }
    x->copy(x, worker->slots, plan->best, plan->y, plan->outputs, back);
}

/* ---- all of it ---- */

static bool any_busy(const struct worker *worker) {
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->seat[k].state.doing != SAMPLE_IDLE)
            return true;
    return false;
}

void worker_run(struct worker *worker) {
    while (worker_load(worker) || worker_search(worker)) {
        if (!any_busy(worker))
            continue;
        worker_poll(worker);
        if (worker_go_near(worker))
            continue;
        if (!worker->evaluated)
            evaluate(worker);
        worker->evaluated = false;
        if (worker_start_warm(worker))
            evaluate(worker);
        decide(worker);
        if (any_busy(worker))
            step(worker);
        worker_go_on(worker);
    }
}
