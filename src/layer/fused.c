/* fused.c - iterations that the executor fuses for all lanes: auto's near stage, and steps without a stopping test.
 *
 * In auto's near stage the executor decides for all samples at once (cpu/fused_auto.h). While all samples of a worker are
 * in that stage, worker->stage holds their state as arrays. A sample's own state is updated when the sample ends or when
 * any sample needs another decision; then all are decided one by one from the same evaluation.
 *
 * Most iterations of paper and hardnet have no stopping test: they take every finite step up to the iteration limit.
 * sample_went_on updates the state of a sample afterwards.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/fused_auto_lanes.h"
#include "layer/driver.h"

/* ---- auto's near stage ---- */

static void leave_all(struct worker *worker) {
    for (uint32_t k = 0; k < worker->width && worker->fused_auto_lanes; k++)
        if (worker->stage.busy[k])
            near_leave(&worker->stage, k, worker_state(worker, k));
    worker->fused_auto_lanes = false;
    worker->stage.trusts = 0;
}

/* Affine constraints: whether nearest or optimal tries the active-set method first (worker_try_active_set). */
static bool is_solved_first(const struct worker *worker, const struct lane *own) {
    return worker->layer->affine.there && own->solver.state.phase == PHASE_NEW && !own->search.tried;
}

/* Whether all samples are in that stage; adds new samples to it. */
static bool take_lanes(struct worker *worker) {
    bool all = true;
    for (uint32_t k = 0; k < worker->width && all; k++) {
        const struct sample *s = worker_state(worker, k);
        if (s->phase == PHASE_IDLE || worker->stage.busy[k])
            continue;
        all = sample_may_go_near(s) && !is_solved_first(worker, &worker->lane[k]);
        if (all)
            near_take(&worker->stage, k, s, &worker->plan->options);
    }
    worker->fused_auto_lanes = true;
    return all;
}

/* Writes the last step of every sample to its tape and sets the destinations of the next iterates. */
static void prepare_tapes(struct worker *worker) {
    struct fused_auto *all = &worker->stage;
    for (uint32_t k = 0; k < worker->width; k++) {
        all->tape[k] = NULL;
        if (!all->busy[k])
            continue;
        struct tape tape = worker_tape(worker, k);
        int number = sample_near_step(worker_state(worker, k), (int)all->done[k]);
        tape_write_step(&tape, number, all->eps[k], all->leads[k] ? SAMPLE_LEADING : SAMPLE_PLAIN);
        tape_prefetch(&tape, number + 1, true);
        all->tape[k] = tape_iterate(&tape, number);
    }
}

/* Finishes a sample that has ended; its y is in `best`. */
static void end_lane(struct worker *worker, uint32_t lane) {
    struct solver *d = &worker->lane[lane].solver;
    d->numbers = (struct sample_numbers){.measure = worker->stage.measure[lane], .finite = true};
    near_leave(&worker->stage, lane, &d->state);
    sample_decide(&d->state, &worker->plan->options, &d->numbers, false); /* this decision ends it */
    worker_finish(worker, lane, worker->plan->best);
}

static void run_near(struct worker *worker) {
    const struct executor *x = worker->executor;
    struct fused_auto *all = &worker->stage;
    all->count = worker->batch->tape ? 1 : worker_unpolled_iterations(worker);
    all->tapes = worker->batch->tape ? -1 : 0;
    near_open(all, &worker->plan->options);
    if (all->tapes)
        prepare_tapes(worker);
    x->near_rounds(x, worker->slots, all);
    worker_count_iterations(worker, (int)all->count - 1); /* one was already counted */
}

bool worker_fused_auto(struct worker *worker) {
    const struct sample_options *o = &worker->plan->options;
    const hn_batch *batch = worker->batch;
    bool may = worker->executor->near_rounds && o->method == HN_METHOD_AUTO && !o->relative && !batch->watch &&
               !batch->warm && !worker->cancelled;
    if (!may || !take_lanes(worker)) {
        leave_all(worker);
        return false;
    }
    run_near(worker);
    if (worker->stage.undecided) {
        leave_all(worker);
        worker->evaluated = true;
        return false;
    }
    for (uint32_t k = 0; k < worker->width; k++)
        if (worker->stage.ended[k])
            end_lane(worker, k);
    return true;
}

/* ---- steps without a stopping test ---- */

static int least(int a, size_t b) {
    return b < (size_t)a ? (int)b : a;
}

/* Iterations that no sample needs a decision in; 0: some sample needs one now. */
static int count_rounds(struct worker *worker) {
    const struct sample_options *o = &worker->plan->options;
    int count = worker_unpolled_iterations(worker);
    bool busy = false;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = worker_state(worker, k);
        if (s->phase == PHASE_IDLE)
            continue;
        busy = true;
        count = least(count, (size_t)sample_goes_on(s, o));
        if (worker->batch->tape && s->steps >= 0) /* the next iterate is number steps + 1 */
            count = least(count, (size_t)s->steps + 1 < worker->plan->tape_steps
                                     ? worker->plan->tape_steps - (size_t)s->steps - 1
                                     : 0);
    }
    return busy ? count : 0;
}

static void describe_lanes(struct worker *worker, struct fused_iterations *rounds) {
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = worker_state(worker, k);
        rounds->busy[k] = s->phase != PHASE_IDLE;
        rounds->best[k] = s->best;
        if (!worker->batch->tape || !rounds->busy[k])
            continue;
        struct tape tape = worker_tape(worker, k);
        rounds->tape[k] = tape_iterate(&tape, s->steps + 1);
    }
}

static void catch_up(struct worker *worker, uint32_t lane, const struct fused_iterations *rounds) {
    struct sample *s = worker_state(worker, lane);
    if (worker->batch->tape) {
        struct tape tape = worker_tape(worker, lane);
        for (int i = 1; i <= rounds->done[lane]; i++)
            tape_write_step(&tape, s->steps + i, s->used, s->kind);
    }
    sample_went_on(s, rounds->done[lane], rounds->best[lane], rounds->best_at[lane]);
}

void worker_fused_fixed(struct worker *worker) {
    const struct executor *x = worker->executor;
    struct fused_iterations rounds = {.count = 0};
    if (!x->go_on || worker->batch->watch || worker->cancelled)
        return;
    rounds.count = count_rounds(worker);
    if (rounds.count <= 1)
        return;
    describe_lanes(worker, &rounds);
    x->go_on(x, worker->slots, &rounds);
    for (uint32_t k = 0; k < worker->width; k++)
        if (rounds.busy[k])
            catch_up(worker, k, &rounds);
    worker_count_iterations(worker, rounds.count);
}
