/* backward.c - the exact gradient of a correction: the steps of a tape in reverse, over all lanes of a worker.
 *
 * The tape (tape.h) has the iterates, their eps and the kinds of the steps; all else is recomputed with the same bits.
 * The executor computes the adjoint of one step (cpu/lanes_back.c).
 *
 * SPDX-License-Identifier: MIT */
#include "core/point_back.h"
#include "layer/driver.h"

#include <string.h>

/* The backward pass of one call. */
struct way {
    struct worker *worker;
    const hn_gradient *gradient;
    bool bounds; /* gradients of bounds are requested */
};

/* One gradient of a sample; values is NULL if it was not requested. */
struct part {
    double *values;
    size_t count;
};

enum { PART_RAW, PART_X, PART_LOWER, PART_UPPER, PART_WEIGHTS, PARTS };

/* ---- finishing ---- */

static struct part part_of(double *values, size_t sample, size_t count) {
    return values ? (struct part){values + sample * count, count} : (struct part){NULL, 0};
}

static void parts_of(const struct way *way, size_t sample, struct part parts[PARTS]) {
    const struct plan *plan = way->worker->plan;
    parts[PART_RAW] = part_of(way->gradient->grad_y_raw, sample, plan->outputs);
    parts[PART_X] = part_of(way->gradient->grad_x, sample, plan->inputs);
    parts[PART_LOWER] = part_of(way->gradient->grad_lower, sample, plan->rows);
    parts[PART_UPPER] = part_of(way->gradient->grad_upper, sample, plan->rows);
    parts[PART_WEIGHTS] = part_of(way->gradient->grad_weights, sample, plan->outputs); /* only a search writes it */
}

static void load_iterate(const struct worker *worker, uint32_t lane, int step) {
    const struct point p = worker_point(worker, lane);
    struct tape tape = worker_tape(worker, lane);
    point_write(&p, worker->plan->y, worker->plan->outputs, tape_iterate(&tape, step));
}

static void write_parts(const struct way *way, uint32_t lane, const struct part parts[PARTS]) {
    const struct plan *plan = way->worker->plan;
    const struct point p = worker_point(way->worker, lane);
    if (way->worker->lane[lane].state.attempt > 0)
        load_iterate(way->worker, lane, 0);
    point_read(&p, plan->grad_x, parts[PART_X].count, parts[PART_X].values);
    point_pull_start(&p, way->worker->lane[lane].state.attempt, !way->worker->batch->y_raw, parts[PART_X].values);
    point_read(&p, plan->gradient, parts[PART_RAW].count, parts[PART_RAW].values);
    point_read(&p, plan->grad_lower, parts[PART_LOWER].count, parts[PART_LOWER].values);
    point_read(&p, plan->grad_upper, parts[PART_UPPER].count, parts[PART_UPPER].values);
}

/* The forward run has no gradient; nearest: nor has a sample without certificate or with a degenerate solution. */
static bool is_lost(const struct worker *worker, uint32_t lane) {
    const struct tape tape = worker_tape(worker, lane);
    if (worker->plan->tape_numbers > 0)
        return !worker->lane[lane].searched || !worker->lane[lane].regular;
    return tape_open(&tape).way == TAPE_TOO_LONG;
}

/* A gradient that is not finite must not reach an optimiser: it becomes 0 and the sample is flagged. */
static void finish_gradient(const struct way *way, uint32_t lane) {
    struct lane *own = &way->worker->lane[lane];
    struct part parts[PARTS];
    size_t unused;
    bool finite = true;
    parts_of(way, own->sample, parts);
    write_parts(way, lane, parts);
    for (int i = 0; i < PARTS; i++)
        finite = finite && all_finite(parts[i].values, parts[i].count, &unused);
    for (int i = 0; i < PARTS && !finite; i++)
        for (size_t k = 0; k < parts[i].count; k++)
            parts[i].values[k] = 0;
    if (way->gradient->flagged)
        way->gradient->flagged[own->sample] =
            !finite || is_lost(way->worker, lane) || report_outcome(way->worker->batch, own->sample) != HN_OUTCOME_OK;
    own->state.phase = PHASE_IDLE;
}

/* ---- loading ---- */

static void open_gradient(const struct way *way, uint32_t lane) {
    struct worker *worker = way->worker;
    const struct plan *plan = worker->plan;
    struct lane *own = &worker->lane[lane];
    const struct point p = worker_point(worker, lane);
    struct tape tape = worker_tape(worker, lane);
    sample_open(&own->state, &plan->options);
    const struct tape_head head = tape_open(&tape);
    own->searched = plan->tape_numbers > 0 && tape.numbers[0] == TAPE_CERTIFIED;
    bool elsewhere = plan->tape_numbers > 0 && tape.numbers[0] == TAPE_ELSEWHERE, steps = !own->searched && !elsewhere;
    own->state.steps = steps ? head.steps : 0;
    own->state.attempt = steps ? head.attempt : 0;
    if (head.way == TAPE_WHOLE && !elsewhere)
        point_write(&p, plan->gradient, plan->outputs, way->gradient->grad_y + own->sample * plan->outputs);
    else /* a fallback does not depend on y_raw; a lost forward run has no gradient */
        point_clear(&p, plan->gradient, plan->outputs);
    point_clear(&p, plan->grad_x, plan->inputs);
    point_clear(&p, plan->grad_lower, plan->rows);
    point_clear(&p, plan->grad_upper, plan->rows);
    if (way->gradient->grad_weights)
        memset(way->gradient->grad_weights + own->sample * plan->outputs, 0, plan->outputs * sizeof(double));
    if (plan->inputs)
        point_write(&p, plan->x, plan->inputs, batch_inputs(worker, own->sample));
}

static bool take_samples(const struct way *way) {
    struct worker *worker = way->worker;
    bool taken = false;
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].state.phase == PHASE_IDLE &&
            queue_take(worker->queue, worker->batch->count, &worker->lane[k].sample)) {
            open_gradient(way, k);
            taken = true;
        }
    return taken;
}

/* Row weights belong to the first iterate. */
static void weigh_fresh(struct worker *worker) {
    bool fresh[MAX_LANES] = {false}, any = false;
    for (uint32_t k = 0; k < worker->width; k++) {
        fresh[k] = worker->lane[k].state.phase == PHASE_NEW;
        any = any || fresh[k];
        if (fresh[k])
            load_iterate(worker, k, 0);
    }
    if (any)
        worker->executor->evaluate(worker->executor, worker->slots, fresh, true);
}

/* Fills free lanes until each has a step left or the batch is exhausted; false when all lanes are idle. */
static bool load_gradient(const struct way *way) {
    struct worker *worker = way->worker;
    bool busy = false;
    while (take_samples(way)) {
        worker->executor->prepare(worker->executor, worker->slots);
        if (worker->plan->tape_numbers > 0)
            worker_pull_nearest(worker, way->gradient);
        for (uint32_t k = 0; k < worker->width; k++)
            if (worker->lane[k].state.phase != PHASE_IDLE && worker->lane[k].state.steps == 0)
                finish_gradient(way, k);
    }
    if (worker->plan->options.weighted)
        weigh_fresh(worker);
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].state.phase != PHASE_IDLE) {
            worker->lane[k].state.phase = PHASE_STEP;
            busy = true;
        }
    return busy;
}

/* ---- one step back ---- */

/* The previous step: its base, eps and kind. */
static const double *step_before(struct worker *worker, uint32_t lane) {
    struct sample *s = &worker->lane[lane].state;
    struct tape tape = worker_tape(worker, lane);
    s->steps--;
    if (worker->plan->options.weighted) { /* else all steps are of the same kind */
        s->eps = tape.step[s->steps].eps;
        s->kind = (enum sample_step)tape.step[s->steps].kind;
        s->stage = sample_stage_of(s->attempt, s->kind);
    }
    tape_prefetch(&tape, s->steps - 1, false);
    return tape_iterate(&tape, s->steps);
}

/* Numbers and flags of one step, per lane. */
struct steps {
    double eps[MAX_LANES], hold[MAX_LANES], slope[MAX_LANES];
    bool accepted[MAX_LANES], leads[MAX_LANES], holds[MAX_LANES], clipped[MAX_LANES];
};

static void backward_describe(const struct worker *worker, uint32_t lane, struct steps *all) {
    const struct sample_options *o = &worker->plan->options;
    const struct sample *s = &worker->lane[lane].state;
    const struct point p = worker_point(worker, lane);
    double squares = *point_at(&p, worker->plan->summary + SUMMARY_SQUARES);
    bool busy = s->phase != PHASE_IDLE;
    double slope = busy ? sample_eps_slope(s, o, squares) : 0;
    all->eps[lane] = s->eps;
    all->hold[lane] = sample_hold(s, o, squares);
    all->slope[lane] = slope != 0 && o->outputs_side ? slope / s->eps : slope;
    all->accepted[lane] = true;
    all->leads[lane] = busy && s->kind == SAMPLE_LEADING;
    all->holds[lane] = busy && sample_holds_bounds(s);
    all->clipped[lane] = busy && s->kind == SAMPLE_CLIPPED;
}

static void weigh(struct worker *worker, struct steps *all) {
    const struct executor_rows rows = {all->accepted, all->hold, all->leads, all->holds};
    for (uint32_t k = 0; k < worker->width; k++)
        backward_describe(worker, k, all);
    worker->executor->weigh(worker->executor, worker->slots, &rows);
}

static void step_back(const struct way *way) {
    struct worker *worker = way->worker;
    const struct executor *x = worker->executor;
    const struct plan *plan = worker->plan;
    const double *from[MAX_LANES] = {NULL};
    struct steps all;
    const struct executor_back back = {all.eps, all.clipped, all.slope, way->bounds};
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->lane[k].state.phase != PHASE_IDLE)
            from[k] = step_before(worker, k);
    x->load(x, worker->slots, plan->y, plan->outputs, from);
    x->evaluate(x, worker->slots, NULL, !plan->options.weighted);
    if (plan->options.weighted)
        weigh(worker, &all);
    x->back(x, worker->slots, &back);
}

/* Fused adjoint steps of all lanes; false when the executor does not support it here. */
static bool go_back(const struct way *way) {
    struct worker *worker = way->worker;
    const struct executor *x = worker->executor;
    struct fused_adjoint back = {.count = INT32_MAX};
    if (!x->go_back || way->bounds || worker->plan->options.weighted)
        return false;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = &worker->lane[k].state;
        if (s->phase == PHASE_IDLE)
            continue;
        const struct tape tape = worker_tape(worker, k);
        back.tape[k] = tape_iterate(&tape, s->steps - 1);
        back.count = s->steps < back.count ? s->steps : back.count;
    }
    if (!x->go_back(x, worker->slots, &back))
        return false;
    for (uint32_t k = 0; k < worker->width; k++)
        if (back.tape[k])
            worker->lane[k].state.steps -= back.count;
    return true;
}

/* Whether the gradient of a bound is needed. */
static bool wants_bounds(const struct plan *plan, const hn_gradient *gradient) {
    bool through = plan->lower_x.slot.count > 0 || plan->upper_x.slot.count > 0;
    return gradient->grad_lower || gradient->grad_upper || (gradient->grad_x && through);
}

void worker_gradient(struct worker *worker, const hn_gradient *gradient) {
    const struct way way = {worker, gradient, wants_bounds(worker->plan, gradient)};
    while (load_gradient(&way)) {
        if (!go_back(&way))
            step_back(&way);
        for (uint32_t k = 0; k < worker->width; k++)
            if (worker->lane[k].state.phase != PHASE_IDLE && worker->lane[k].state.steps == 0)
                finish_gradient(&way, k);
    }
}
