/* fused_auto_kernel.h - fused iterations of auto's near stage around generated entries: evaluation, the decisions of
 * core/damping.h over lanes, weights and step.
 *
 * A round changes no state until it is known that no sample needs another kind of decision. A finished sample keeps
 * stepping with the others; its steps are ignored, its y is in `best`.
 *
 * If such rounds are generated, the preceding text defines NEAR_ROUNDS, Y_SLOT, BEST_SLOT, OUTPUTS, SUMMARY_SLOT,
 * EPS_SLOT, FLAGS_SLOT, HOLD_SLOT and LEADS_SLOT.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FUSED_AUTO_KERNEL_H
#define HN_CODEGEN_FUSED_AUTO_KERNEL_H

#ifdef NEAR_ROUNDS

#include "codegen/kernel/generated_kernel.h"
#include "codegen/kernel/lanes_number_kernel.h"
#include "core/damping.h"
#include "core/summary.h"
#include "cpu/fused_auto.h"
#include "cpu/unload_kernel.h"

static void entry_evaluate(double *slots);
static void entry_rescale(double *slots);
static void entry_residual(double *slots);
static void entry_near(double *slots);

/* For one vector of lanes, whose slots begin here. */
static int
near_fits(double *slots); /* whether the weights of the samples in FLAGS_SLOT are those assumed by entry_near */
static simd near_joint(double *slots); /* the joint part of |W r|^2 */

#define SUMMARY(what) (SUMMARY_SLOT + SUMMARY_##what)

/* Decisions of a round for one vector of lanes. */
struct near_part {
    simd_bits fresh, ended, goes, anew, leads, improved;
    simd measure, squares, waited, eps, hold;
};

SIMD_INLINE simd_bits near_flags(const int64_t *at) {
    return simd_to_bits(simd_load((const double *)(const void *)at));
}

SIMD_INLINE void near_put(double *at, simd_bits mask, simd value) {
    simd_store(at, simd_select(mask, value, simd_load(at)));
}

SIMD_INLINE void near_put_flags(int64_t *at, simd_bits value) {
    simd_store((double *)(void *)at, simd_of_bits(value));
}

/* False when a sample needs another decision than to continue or to end. */
SIMD_INLINE int near_decide(double *slots, const struct fused_auto *all, size_t lane, struct near_part *part) {
    simd_bits busy = near_flags(all->busy + lane), finite = M(SUMMARY(FINITE)) & M(SUMMARY(USABLE));
    simd squares = S(SUMMARY(SQUARES)), before = simd_load(all->squares + lane), waited = simd_load(all->waited + lane);
    part->fresh = near_flags(all->fresh + lane);
    part->measure = S(SUMMARY(WORST));
    part->squares = squares;
    part->anew = part->fresh | near_is_halved(squares, simd_load(all->halved + lane));
    part->waited = simd_keep(~part->anew, waited + simd_all(1));
    part->ended = busy & finite & simd_less_equal(part->measure, simd_all(all->tolerance));
    part->goes = busy & ~part->ended & finite & (part->fresh | M(SUMMARY(MOVED))) &
                 simd_less_equal(part->waited, simd_all(SAMPLE_PATIENCE)) &
                 simd_less(simd_load(all->done + lane), simd_load(all->left + lane));
    if (simd_seldom(busy & ~(part->ended | part->goes)))
        return 0;
    part->leads = simd_bits_all(0);
    if (all->joint && simd_any(part->fresh & ~near_is_close(squares)))
        part->leads = part->fresh & ~near_is_close(squares) & near_leads(squares, near_joint(slots));
    part->improved = part->fresh | simd_less_equal(part->measure, simd_load(all->best + lane));
    part->eps = near_eps(squares, simd_select(part->fresh, squares, before), part->leads, simd_all(all->damping),
                         simd_all(all->least_eps));
    part->hold = near_hold(squares, part->leads);
    return 1;
}

/* Copies the outputs of improved lanes to the best outputs. */
static void near_keep(double *slots, simd_bits mask) {
    for (size_t j = 0; j < OUTPUTS; j++)
        S(BEST_SLOT + j) = simd_select(mask, S(Y_SLOT + j), S(BEST_SLOT + j));
}

static void near_commit(double *slots, struct fused_auto *all, size_t lane, const struct near_part *part) {
    simd_bits goes = part->goes;
    near_keep(slots, part->improved);
    near_put(all->before + lane, goes & part->fresh, part->measure);
    near_put(all->best_at + lane, goes & part->improved, simd_load(all->done + lane));
    near_put(all->best + lane, goes & part->improved, part->measure);
    near_put(all->squares + lane, goes, part->squares);
    near_put(all->halved + lane, goes & part->anew, part->squares);
    near_put(all->waited + lane, goes, part->waited);
    near_put(all->eps + lane, goes, part->eps);
    near_put(all->done + lane, goes, simd_load(all->done + lane) + simd_all(1));
    near_put((double *)(void *)(all->leads + lane), goes, simd_of_bits(part->leads));
    near_put((double *)(void *)(all->fresh + lane), goes, simd_all(0));
    near_put_flags(all->ended + lane, part->ended);
    simd_store(all->measure + lane, part->measure);
    S(EPS_SLOT) = part->eps;
    S(HOLD_SLOT) = part->hold;
    M(LEADS_SLOT) = part->leads;
    if (all->tapes)
        kernel_unload_part(slots + (size_t)Y_SLOT * SLOT_STRIDE, OUTPUTS, all->tape + lane);
}

/* Converts flags of samples to the mask read by the entries; false if no flag is set. */
static int near_flag(double *slots, const int64_t *flags) {
    simd_bits any = simd_bits_all(0);
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd_bits own = near_flags(flags + part * WIDTH);
        *(simd_bits *)(void *)(slots + (size_t)FLAGS_SLOT * SLOT_STRIDE + part * WIDTH) = own;
        any |= own;
    }
    return simd_any(any);
}

/* Values, new weights of fresh samples, residuals. False when the weights differ from those assumed by the step. */
static int near_evaluate(double *slots, struct fused_auto *all) {
    int fits = 1, fresh;
    entry_evaluate(slots);
    fresh = near_flag(slots, all->fresh);
    if (fresh)
        entry_rescale(slots);
    entry_residual(slots);
    if (!fresh && all->trusts)
        return 1;
    near_flag(slots, all->busy);
    for (size_t part = 0; part < LANE_PARTS; part++)
        fits = fits && near_fits(slots + part * WIDTH);
    all->trusts = -fits;
    return fits;
}

/* One round; false when the general solver must decide. */
static int near_round(double *slots, struct fused_auto *all, int *ended) {
    struct near_part parts[LANE_PARTS];
    int goes = 0;
    if (!near_evaluate(slots, all))
        return 0;
    for (size_t part = 0; part < LANE_PARTS; part++)
        if (!near_decide(slots + part * WIDTH, all, part * WIDTH, &parts[part]))
            return 0;
    for (size_t part = 0; part < LANE_PARTS; part++) {
        near_commit(slots + part * WIDTH, all, part * WIDTH, &parts[part]);
        *ended = *ended || simd_any(parts[part].ended);
        goes = goes || simd_any(parts[part].goes);
    }
    if (goes)
        entry_near(slots);
    return 1;
}

static void entry_near_rounds(double *slots, struct fused_auto *all) {
    int64_t begun = 0;
    int decided = 1, ended = 0;
    for (; begun < all->count && decided && !ended; begun++)
        decided = near_round(slots, all, &ended);
    all->undecided = decided ? 0 : -1;
    all->count = begun;
}

#undef SUMMARY

#endif
#endif
