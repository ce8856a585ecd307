/* fused_fixed_kernel.h - the loop around a generated round: repeated evaluation, test and step for one vector of lanes.
 *
 * A round reads its outputs in one buffer and writes them to another; the two buffers swap: y, and one after the slots.
 * So the previous y is available when a round is tested, and the best y is copied only if the next one is not better:
 * `pending` masks the lanes whose best y is the previous one. A round that needs another decision has no effect. Two
 * further buffers store an earlier y and best y, to restore when a sample becomes non-finite.
 *
 * If rounds are generated, the preceding text defines ROUNDS, Y_SLOT, BEST_SLOT, OTHER_SLOT, OUTPUTS and LEAST_PIVOT.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FUSED_FIXED_KERNEL_H
#define HN_CODEGEN_FUSED_FIXED_KERNEL_H

#ifdef ROUNDS

#include "codegen/kernel/generated_kernel.h"
#include "cpu/kernel_table.h"
#include "cpu/unload_kernel.h"

struct round {
    double *from, *to; /* buffers of y, relative to its slots */
    simd_bits busy, pending;
    simd best, best_at, now;
    int judged;                 /* the y in `from` has been tested: `pending` refers to it */
    const double *ahead[WIDTH]; /* address of the next y on the tape, or NULL */
};

/* Whether a sample needs a decision outside this loop. */
SIMD_INLINE int round_leaves(const struct round *round, simd_bits mask) {
    return simd_seldom(round->busy & mask);
}

SIMD_INLINE simd_bits round_singular(simd least, simd most) {
    return ~simd_less_equal(simd_all(LEAST_PIVOT) * most, least);
}

/* Copies the outputs in `from` to the best outputs, for the lanes of the mask. */
static GENERATED void round_keep(double *slots, const double *from, simd_bits mask) {
    for (size_t j = 0; j < OUTPUTS; j++) {
        simd *best = (simd *)(void *)(slots + (BEST_SLOT + j) * SLOT_STRIDE);
        *best = simd_select(mask, *(const simd *)(const void *)(from + (Y_SLOT + j) * SLOT_STRIDE), *best);
    }
}

/* Of equal iterates the last is the best. */
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

/* The tape is larger than the caches: the next lines of one lane at a time are prefetched, distributed over a round.
 * Issued together, prefetches would stall. */
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

/* Lanes with a non-finite output. */
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

/* Copies the pending best outputs to their slots. */
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

/* Runs rounds `done` to `end`; returns the number of the round that was abandoned, or end. */
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

/* The same, but also abandons a round that computes a non-finite output. */
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

/* Outputs are tested to be finite after several rounds: y - s is not finite if y is not, so a non-finite output stays.
 * On failure these rounds are repeated one by one. An output of -0 is left to the general solver: the statements do not
 * preserve signs of zeros. */
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

/* Runs the vector of lanes that begins at `lane`; slots: its slots. */
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
