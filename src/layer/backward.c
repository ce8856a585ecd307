/* backward.c - the exact gradient of a correction: the steps of a tape in reverse, over all lanes of a worker.
 *
 * The tape (tape.h) has the iterates, their eps and the kinds of the steps; everything else is recomputed, with the
 * same bits. The executor computes the adjoint of one step (cpu/lanes_back.c).
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

/* The backward pass of one call. */
struct backward {
    struct worker *worker;
    const hn_gradient *gradient;
    bool inputs, bounds; /* gradients with respect to inputs or bounds are requested */
};

static double *row_of(double *values, size_t sample, size_t count) {
    return values ? values + sample * count : NULL;
}

/* Where the gradient with respect to all inputs is written; with shared inputs a row of the worker, which
 * separate_inputs reads. */
static double *inputs_of(const struct backward *back, size_t sample) {
    const struct worker *worker = back->worker;
    if (back->inputs && worker->batch->shared_count)
        return worker_inputs(worker, worker->layer->lanes.width);
    return row_of(back->gradient->grad_x, sample, worker->plan->inputs);
}

/* Copies the gradient with respect to shared and to other inputs to where they are requested. */
static void separate_inputs(const struct backward *back, size_t sample, const double *all) {
    const hn_batch *batch = back->worker->batch;
    size_t inputs = back->worker->plan->inputs, shared = batch->shared_count, next = 0;
    double *each = row_of(back->gradient->shared_each, sample, shared);
    double *others = row_of(back->gradient->grad_x, sample, inputs - shared);
    for (size_t j = 0; j < inputs; j++) {
        bool is_shared = batch_shares(batch, next, j);
        if (is_shared && each)
            each[next] = all[j];
        if (!is_shared && others)
            others[j - next] = all[j];
        next += is_shared;
    }
}

/* Inputs and destinations of the gradients of a sample. */
static struct solver_back gradients_of(const struct backward *back, size_t sample) {
    const struct plan *plan = back->worker->plan;
    const hn_gradient *g = back->gradient;
    return (struct solver_back){.grad_y = g->grad_y + sample * plan->outputs,
                                .grad_raw = row_of(g->grad_y_raw, sample, plan->outputs),
                                .grad_x = inputs_of(back, sample),
                                .grad_lower = row_of(g->grad_lower, sample, plan->rows),
                                .grad_upper = row_of(g->grad_upper, sample, plan->rows),
                                .grad_weights = row_of(g->grad_weights, sample, plan->outputs),
                                .from_start = !back->worker->batch->y_raw};
}

/* ---- finishing ---- */

static void load_iterate(const struct worker *worker, uint32_t lane, int step) {
    const struct tape tape = worker_tape(worker, lane);
    point_write(&worker->lane[lane].solver.point, worker->plan->y, worker->plan->outputs, tape_iterate(&tape, step));
}

/* No gradient: the forward run has none, or (nearest) no certificate or a degenerate solution. */
static bool is_lost(const struct worker *worker, uint32_t lane) {
    const struct tape tape = worker_tape(worker, lane);
    if (worker->plan->tape_numbers > 0)
        return !worker->lane[lane].search.searched || !worker->lane[lane].regular;
    return tape_head_read(tape.head, tape.room).way == TAPE_TOO_LONG;
}

static void finish_gradient(const struct backward *back, uint32_t lane) {
    struct worker *worker = back->worker;
    struct lane *own = &worker->lane[lane];
    const struct solver_back gradients = gradients_of(back, own->sample);
    if (own->solver.state.attempt > 0)
        load_iterate(worker, lane, 0);
    bool finite = solver_back_finish(&own->solver, &gradients);
    if (back->inputs && worker->batch->shared_count)
        separate_inputs(back, own->sample, gradients.grad_x);
    if (back->gradient->flagged)
        back->gradient->flagged[own->sample] =
            !finite || is_lost(worker, lane) || report_outcome(worker->batch, own->sample) != HN_OUTCOME_OK;
    own->solver.state.phase = PHASE_IDLE;
}

/* Finishes the samples without a step left. */
static void finish_ended(const struct backward *back) {
    for (uint32_t k = 0; k < back->worker->width; k++)
        if (!lane_is_idle(&back->worker->lane[k]) && worker_state(back->worker, k)->steps == 0)
            finish_gradient(back, k);
}

/* ---- loading ---- */

static void open_gradient(const struct backward *back, uint32_t lane) {
    struct worker *worker = back->worker;
    struct lane *own = &worker->lane[lane];
    const struct solver_back gradients = gradients_of(back, own->sample);
    const struct tape tape = worker_tape(worker, lane);
    struct tape_head head = tape_head_read(tape.head, tape.room);
    double way = worker->plan->tape_numbers > 0 ? tape.numbers[0] : TAPE_BY_STEPS;
    own->search.searched = way == TAPE_CERTIFIED;
    if (own->search.searched || way == TAPE_ELSEWHERE)
        head.steps = head.attempt = 0;
    own->solver.x = batch_inputs(worker, lane);
    solver_back_load(&own->solver, &gradients, &head, way != TAPE_ELSEWHERE);
    point_zero(gradients.grad_weights, worker->plan->outputs);
}

static bool take_samples(const struct backward *back) {
    struct worker *worker = back->worker;
    bool taken = false;
    for (uint32_t k = 0; k < worker->width; k++)
        if (lane_is_idle(&worker->lane[k]) &&
            queue_take(worker->queue, worker->batch->count, &worker->lane[k].sample)) {
            open_gradient(back, k);
            taken = true;
        }
    return taken;
}

/* Row weights belong to the first iterate. */
static void weigh_fresh(struct worker *worker) {
    bool fresh[MAX_LANES] = {false}, any = false;
    for (uint32_t k = 0; k < worker->width; k++) {
        fresh[k] = worker_state(worker, k)->phase == PHASE_NEW;
        any = any || fresh[k];
        if (fresh[k])
            load_iterate(worker, k, 0);
    }
    if (any)
        worker->executor->evaluate(worker->executor, worker->slots, fresh, true);
}

/* Fills free lanes until each has a step left or the batch is exhausted; false when all lanes are idle. */
static bool load_gradient(const struct backward *back) {
    struct worker *worker = back->worker;
    bool busy = false;
    while (take_samples(back)) {
        worker->executor->prepare(worker->executor, worker->slots);
        if (worker->plan->tape_numbers > 0)
            worker_pull_nearest(worker, back->gradient);
        finish_ended(back);
    }
    if (worker->plan->options.weighted)
        weigh_fresh(worker);
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k])) {
            worker_state(worker, k)->phase = PHASE_STEP;
            busy = true;
        }
    return busy;
}

/* ---- one step back ---- */

/* The previous step: its base, eps and kind. */
static const double *step_before(struct worker *worker, uint32_t lane) {
    struct sample *s = worker_state(worker, lane);
    struct tape tape = worker_tape(worker, lane);
    s->steps--;
    if (worker->plan->options.weighted) /* else all steps are of the same kind */
        solver_back_to(s, tape.step[s->steps].eps, tape.step[s->steps].kind);
    tape_prefetch(&tape, s->steps - 1, false);
    return tape_iterate(&tape, s->steps);
}

/* Numbers and flags of one step, per lane. */
struct steps {
    double eps[MAX_LANES], slope[MAX_LANES];
    bool accepted[MAX_LANES], clipped[MAX_LANES];
};

static void weigh(struct worker *worker, struct steps *all) {
    struct row_masks masks;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct solver *d = &worker->lane[k].solver;
        bool busy = d->state.phase != PHASE_IDLE;
        all->eps[k] = d->state.eps;
        all->slope[k] = busy ? solver_eps_slope(d) : 0;
        all->accepted[k] = true;
        all->clipped[k] = busy && d->state.kind == SAMPLE_CLIPPED;
    }
    const struct executor_rows rows = worker_rows(worker, all->accepted, &masks);
    worker->executor->weigh(worker->executor, worker->slots, &rows);
}

static void step_back(const struct backward *back) {
    struct worker *worker = back->worker;
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    const double *from[MAX_LANES] = {NULL};
    struct steps all;
    const struct executor_back step = {all.eps, all.clipped, all.slope, back->bounds};
    for (uint32_t k = 0; k < worker->width; k++)
        if (!lane_is_idle(&worker->lane[k]))
            from[k] = step_before(worker, k);
    x->load(x, worker->slots, plan->y, plan->outputs, from);
    x->evaluate(x, worker->slots, NULL, !plan->options.weighted);
    if (plan->options.weighted)
        weigh(worker, &all);
    x->back(x, worker->slots, &step);
}

/* Fused adjoint steps of all lanes; false when the executor does not support it here. */
static bool go_back(const struct backward *back) {
    struct worker *worker = back->worker;
    const struct executor *x = worker->executor;
    struct fused_adjoint steps = {.count = INT32_MAX};
    if (!x->go_back || back->bounds || worker->plan->options.weighted)
        return false;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = worker_state(worker, k);
        if (s->phase == PHASE_IDLE)
            continue;
        const struct tape tape = worker_tape(worker, k);
        steps.tape[k] = tape_iterate(&tape, s->steps - 1);
        steps.count = s->steps < steps.count ? s->steps : steps.count;
    }
    if (!x->go_back(x, worker->slots, &steps))
        return false;
    for (uint32_t k = 0; k < worker->width; k++)
        if (steps.tape[k])
            worker_state(worker, k)->steps -= steps.count;
    return true;
}

static bool wants_inputs(const hn_gradient *gradient) {
    return gradient->grad_x || gradient->shared_each;
}

/* Whether the gradient of a bound is needed. */
static bool wants_bounds(const struct plan *plan, const hn_gradient *gradient) {
    bool through = plan->lower_x.slot.count > 0 || plan->upper_x.slot.count > 0;
    return gradient->grad_lower || gradient->grad_upper || (wants_inputs(gradient) && through);
}

void worker_gradient(struct worker *worker, const hn_gradient *gradient) {
    const struct backward back = {worker, gradient, wants_inputs(gradient), wants_bounds(worker->plan, gradient)};
    while (load_gradient(&back)) {
        if (!go_back(&back))
            step_back(&back);
        finish_ended(&back);
    }
}
