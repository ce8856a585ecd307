/* fused_fixed.c - fused iterations: evaluate and step without a stopping test.
 *
 * Most iterations of paper and hardnet are fused: they take every finite step up to the iteration limit. sample_went_on
 * updates the state of a sample afterwards.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

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

static void fused_fixed_describe(struct worker *worker, struct fused_iterations *rounds) {
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
    fused_fixed_describe(worker, &rounds);
    x->go_on(x, worker->slots, &rounds);
    for (uint32_t k = 0; k < worker->width; k++)
        if (rounds.busy[k])
            catch_up(worker, k, &rounds);
    worker_count_iterations(worker, rounds.count);
}
