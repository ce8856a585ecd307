/* rounds_kernel.h - the text around a generated round: evaluation, judgement and step of one part of the lanes, again and again.
 *
 * The outputs of a round are read in one vector and go to another, which take turns: y, and one behind the slots. So the y of the round
 * before is still there when a round is judged, and the best y is copied only when the next one is not better: `pending` says which
 * lanes have theirs there. A round that has to leave a decision to others is as if it had not begun.
 *
 * Where there are rounds, the text before has defined ROUNDS, Y_SLOT, BEST_SLOT, OTHER_SLOT, OUTPUTS and LEAST_PIVOT.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_ROUNDS_KERNEL_H
#define HN_GENERATE_ROUNDS_KERNEL_H

#ifdef ROUNDS

#include "backends/unload_kernel.h"
#include "generate/generated_kernel.h"
#include "generate/kernel_table.h"

struct round {
    double *from, *to; /* what the slots of y are added to */
    wide_bits busy, pending;
    wide best, best_at, now;
    int judged; /* the y of `from` was: pending speaks of it */
};

/* Whether a sample has something that must be decided elsewhere. */
WIDE_INLINE int round_leaves(const struct round *round, wide_bits mask) {
    return wide_seldom(round->busy & mask);
}

WIDE_INLINE wide_bits round_singular(wide least, wide most) {
    return ~wide_less_equal(wide_all(LEAST_PIVOT) * most, least);
}

/* The outputs at `from` become the best ones, for the lanes of the mask. */
static GENERATED void round_keep(double *slots, const double *from, wide_bits mask) {
    for (size_t j = 0; j < OUTPUTS; j++) {
        wide *best = (wide *)(void *)(slots + (BEST_SLOT + j) * LANES_HERE);
        *best = wide_select(mask, *(const wide *)(const void *)(from + (Y_SLOT + j) * LANES_HERE), *best);
    }
}

/* Of equals the last is the best. */
WIDE_INLINE void round_judge(double *slots, struct round *round, wide worst) {
    wide_bits improved = wide_less_equal(worst, round->best);
    if (wide_seldom(round->pending & ~improved))
        round_keep(slots, round->to, round->pending & ~improved);
    round->best = wide_select(improved, worst, round->best);
    round->best_at = wide_select(improved, round->now, round->best_at);
    round->pending = improved;
    round->judged = 1;
}

static int round_once(double *slots, struct round *round);

/* The tape is larger than the caches: the next lines are asked for ahead of time. */
static void round_record(const struct round *round, double *const *tape, size_t number) {
    double *to[WIDTH];
    int any = 0;
    for (size_t lane = 0; lane < WIDTH; lane++)
        any = any || tape[lane];
    if (!any)
        return;
    for (size_t lane = 0; lane < WIDTH; lane++) {
        to[lane] = tape[lane] ? tape[lane] + number * OUTPUTS : (double *)0;
        for (size_t j = 0; tape[lane] && j < OUTPUTS && j < 256; j += 8)
            wide_prefetch(to[lane], (OUTPUTS + j) * sizeof(double));
    }
    kernel_unload_part(round->from + (size_t)Y_SLOT * LANES_HERE, OUTPUTS, to);
}

static void round_store(const struct round *round, struct kernel_rounds *all, size_t lane, int64_t done) {
    wide_store(all->best + lane, round->best);
    wide_store(all->best_at + lane, round->best_at);
    for (size_t k = 0; k < WIDTH; k++)
        all->done[lane + k] = done;
}

/* The lanes from `lane` on, whose slots begin here. */
static void round_part(double *slots, struct kernel_rounds *all, size_t lane) {
    double *other = slots + ((ptrdiff_t)OTHER_SLOT - (ptrdiff_t)Y_SLOT) * LANES_HERE;
    struct round round = {.from = slots, .to = other, .best = wide_load(all->best + lane)};
    int64_t done = 0;
    round.busy = wide_to_bits(wide_load((const double *)(const void *)(all->busy + lane)));
    round.best_at = wide_load(all->best_at + lane);
    for (; done < all->count; done++) {
        round.judged = 0;
        round.now = wide_all((double)(done + 1));
        round_record(&round, all->tape + lane, (size_t)done);
        if (round_once(slots, &round))
            break;
        double *turned = round.from;
        round.from = round.to;
        round.to = turned;
        round.judged = 0;
    }
    round_keep(slots, round.judged ? round.from : round.to, round.pending);
    for (size_t j = Y_SLOT; j < Y_SLOT + OUTPUTS && round.from == other; j++)
        *(wide *)(void *)(slots + j * LANES_HERE) = *(const wide *)(const void *)(other + j * LANES_HERE);
    round_store(&round, all, lane, done);
}

static void entry_rounds(double *slots, struct kernel_rounds *all) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        round_part(slots + part * WIDTH, all, part * WIDTH);
}

#endif
#endif
