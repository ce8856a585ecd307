/* fused_fixed_kernel.h - the text around a generated round: evaluation, judgement and step of one part of the lanes, again and again.
 *
 * The outputs of a round are read in one vector and go to another, which take turns: y, and one behind the slots. So the y of the round
 * before is still there when a round is judged, and the best y is copied only when the next one is not better: `pending` says which
 * lanes have theirs there. A round that has to leave a decision to others is as if it had not begun. Two more vectors behind it hold y
 * and the best y of a while ago, to which rounds go back that have lost a sample.
 *
 * Where there are rounds, the text before has defined ROUNDS, Y_SLOT, BEST_SLOT, OTHER_SLOT, OUTPUTS and LEAST_PIVOT.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FUSED_FIXED_KERNEL_H
#define HN_CODEGEN_FUSED_FIXED_KERNEL_H

#ifdef ROUNDS

#include "codegen/kernel/generated_kernel.h"
#include "cpu/kernel_table.h"
#include "cpu/unload_kernel.h"

struct round {
    double *from, *to; /* what the slots of y are added to */
    simd_bits busy, pending;
    simd best, best_at, now;
    int judged;                 /* the y of `from` was: pending speaks of it */
    const double *ahead[WIDTH]; /* where the next y goes on the tape; NULL: nowhere */
};

/* Whether a sample has something that must be decided elsewhere. */
SIMD_INLINE int round_leaves(const struct round *round, simd_bits mask) {
    return simd_seldom(round->busy & mask);
}

SIMD_INLINE simd_bits round_singular(simd least, simd most) {
    return ~simd_less_equal(simd_all(LEAST_PIVOT) * most, least);
}

/* The outputs at `from` become the best ones, for the lanes of the mask. */
static GENERATED void round_keep(double *slots, const double *from, simd_bits mask) {
    for (size_t j = 0; j < OUTPUTS; j++) {
        simd *best = (simd *)(void *)(slots + (BEST_SLOT + j) * SLOT_STRIDE);
        *best = simd_select(mask, *(const simd *)(const void *)(from + (Y_SLOT + j) * SLOT_STRIDE), *best);
    }
}

/* Of equals the last is the best. */
SIMD_INLINE void round_judge(double *slots, struct round *round, simd worst) {
    simd_bits improved = simd_less_equal(worst, round->best);
    if (simd_seldom(round->pending & ~improved))
        round_keep(slots, round->to, round->pending & ~improved);
    round->best = simd_select(improved, worst, round->best);
    round->best_at = simd_select(improved, round->now, round->best_at);
    round->pending = improved;
    round->judged = 1;
}

static int round_once(double *slots, struct round *round);

/* The tape is larger than the caches: the next lines are asked for ahead of time, those of one lane at a time, here and there in a
 * round. All at once they would wait for each other. */
SIMD_INLINE void round_ahead(const struct round *round, size_t lane) {
    for (size_t j = 0; lane < WIDTH && round->ahead[lane % WIDTH] && j < OUTPUTS && j < 256; j += 8)
        simd_prefetch(round->ahead[lane % WIDTH], j * sizeof(double));
}

static void round_record(struct round *round, double *const *tape, size_t number) {
    double *to[WIDTH];
    int any = 0;
    for (size_t lane = 0; lane < WIDTH; lane++)
        any = any || tape[lane];
    if (!any)
        return;
    for (size_t lane = 0; lane < WIDTH; lane++) {
        to[lane] = tape[lane] ? tape[lane] + number * OUTPUTS : (double *)0;
        round->ahead[lane] = tape[lane] ? to[lane] + OUTPUTS : (double *)0;
    }
    kernel_unload_part(round->from + (size_t)Y_SLOT * SLOT_STRIDE, OUTPUTS, to);
}

static void round_store(const struct round *round, struct kernel_rounds *all, size_t lane, int64_t done) {
    simd_store(all->best + lane, round->best);
    simd_store(all->best_at + lane, round->best_at);
    for (size_t k = 0; k < WIDTH; k++)
        all->done[lane + k] = done;
}

/* ---- outputs ---- */

SIMD_INLINE simd *round_output(double *from, size_t j) {
    return (simd *)(void *)(from + (Y_SLOT + j) * SLOT_STRIDE);
}

static void round_copy(double *to, double *from) {
    for (size_t j = 0; j < OUTPUTS; j++)
        *round_output(to, j) = *round_output(from, j);
}

/* Lanes with an output that is not finite. */
static simd_bits round_lost(double *from) {
    simd_bits lost = simd_bits_all(0);
    for (size_t j = 0; j < OUTPUTS; j++)
        lost |= row_lost(*round_output(from, j));
    return ~row_all_finite(lost);
}

/* Lanes with an output that is -0. */
static simd_bits round_minus(double *from) {
    simd_bits minus = simd_bits_all(0);
    for (size_t j = 0; j < OUTPUTS; j++)
        minus |= SIMD_MASK(simd_to_bits(*round_output(from, j)) == simd_bits_all(INT64_MIN));
    return minus;
}

/* ---- rounds ---- */

/* The best outputs are where they belong. */
static void round_settle(double *slots, struct round *round) {
    round_keep(slots, round->judged ? round->from : round->to, round->pending);
    round->pending = simd_bits_all(0);
}

static void round_turn(struct round *round) {
    double *turned = round->from;
    round->from = round->to;
    round->to = turned;
    round->judged = 0;
}

/* Rounds from number `done` up to `end`; returns the one that was left, or end. */
static int64_t round_some(double *slots, struct round *round, double *const *tape, int64_t done, int64_t end) {
    for (; done < end; done++) {
        round->judged = 0;
        round->now = simd_all((double)(done + 1));
        round_record(round, tape, (size_t)done);
        if (round_once(slots, round))
            break;
        round_turn(round);
    }
    return done;
}

/* The same, but a round that makes an output that is not finite is left as well. */
static int64_t round_carefully(double *slots, struct round *round, double *const *tape, int64_t done, int64_t end) {
    for (; done < end; done++) {
        round_settle(slots, round);
        const struct round before = *round;
        if (round_some(slots, round, tape, done, done + 1) == done || simd_any(round->busy & round_lost(round->from))) {
            *round = before;
            break;
        }
    }
    return done;
}

/* Whether outputs are finite is asked after several rounds: one that is not stays so, for y - s is not finite where y is not. Then they
 * are done again, one by one. An output that is -0 is left to others: the statements leave open which sign a zero has. */
enum { ROUNDS_UNSEEN = 32 };

static int64_t round_all(double *slots, struct round *round, double *const *tape, int64_t count) {
    double *y = slots + ((ptrdiff_t)OTHER_SLOT + OUTPUTS - Y_SLOT) * SLOT_STRIDE, *best = y + OUTPUTS * SLOT_STRIDE;
    double *best_now = slots + ((ptrdiff_t)BEST_SLOT - Y_SLOT) * SLOT_STRIDE;
    int64_t done = 0, end = 0;
    for (; done == end && done < count && !simd_any(round->busy & round_minus(round->from));) {
        round_settle(slots, round);
        round_copy(y, round->from);
        round_copy(best, best_now);
        const struct round before = *round;
        int64_t first = done;
        end = count - done < ROUNDS_UNSEEN ? count : done + ROUNDS_UNSEEN;
        done = round_some(slots, round, tape, first, end);
        if (!simd_any(round->busy & round_lost(round->from)))
            continue;
        *round = before;
        round_copy(round->from, y);
        round_copy(best_now, best);
        return round_carefully(slots, round, tape, first, end);
    }
    return done;
}

/* The lanes from `lane` on, whose slots begin here. */
static void round_part(double *slots, struct kernel_rounds *all, size_t lane) {
    double *other = slots + ((ptrdiff_t)OTHER_SLOT - (ptrdiff_t)Y_SLOT) * SLOT_STRIDE;
    struct round round = {.from = slots, .to = other, .best = simd_load(all->best + lane)};
    round.busy = simd_to_bits(simd_load((const double *)(const void *)(all->busy + lane)));
    round.best_at = simd_load(all->best_at + lane);
    int64_t done = round_all(slots, &round, all->tape + lane, all->count);
    round_settle(slots, &round);
    if (round.from == other)
        round_copy(slots, other);
    round_store(&round, all, lane, done);
}

static void entry_rounds(double *slots, struct kernel_rounds *all) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        round_part(slots + part * WIDTH, all, part * WIDTH);
}

#endif
#endif
