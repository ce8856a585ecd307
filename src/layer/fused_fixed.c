/* fused_fixed.c - many rounds at once: while nothing is decided about any sample, the executor goes on by itself.
 *
 * For paper and hardnet that is most of the way: every finite step is taken until their number is reached. What a round would have
 * done to the state of a sample is caught up afterwards (sample_went_on).
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

static int least(int a, size_t b) {
    return b < (size_t)a ? (int)b : a;
}

/* How many rounds all samples have before them; 0: some have none. */
static int count_rounds(const struct worker *worker) {
    const struct sample_options *o = &worker->plan->options;
    int count = worker_rounds_unwatched(worker);
    bool busy = false;
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = &worker->seat[k].state;
        if (s->doing == SAMPLE_IDLE)
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

static void describe(const struct worker *worker, struct executor_rounds *rounds) {
    for (uint32_t k = 0; k < worker->width; k++) {
        const struct sample *s = &worker->seat[k].state;
        rounds->busy[k] = s->doing != SAMPLE_IDLE;
        rounds->best[k] = s->best;
        if (!worker->batch->tape || !rounds->busy[k])
            continue;
        struct tape tape = worker_tape(worker, k);
        rounds->tape[k] = tape_iterate(&tape, s->steps + 1);
    }
}

static void catch_up(struct worker *worker, uint32_t seat, const struct executor_rounds *rounds) {
    struct sample *s = &worker->seat[seat].state;
    if (worker->batch->tape) {
        struct tape tape = worker_tape(worker, seat);
        for (int i = 1; i <= rounds->done[seat]; i++)
            tape_write_step(&tape, s->steps + i, s->used, s->kind);
    }
    sample_went_on(s, rounds->done[seat], rounds->best[seat], rounds->best_at[seat]);
}

void worker_go_on(struct worker *worker) {
    const struct executor *x = worker->executor;
    struct executor_rounds rounds = {.count = 0};
    if (!x->go_on || worker->batch->watch || worker->cancelled)
        return;
    rounds.count = count_rounds(worker);
    if (rounds.count <= 1)
        return;
    describe(worker, &rounds);
    x->go_on(x, worker->slots, &rounds);
    for (uint32_t k = 0; k < worker->width; k++)
        if (rounds.busy[k])
            catch_up(worker, k, &rounds);
    worker_went(worker, rounds.count);
}
