/* lanes_entries_stub.h - what kernel_source.c prints behind the headers of code that is compiled for a model: its entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_LANES_ENTRIES_STUB_H
#define HN_TESTS_LANES_ENTRIES_STUB_H

#ifdef HN_CODEGEN_FUSED_FIXED_KERNEL_H
static int round_once(double *slots, struct round *round) {
    return slots[0] > 0 && round->judged;
}
#endif

#ifdef HN_CODEGEN_FUSED_ADJOINT_KERNEL_H
static int back_round_once(double *slots, struct round *round) {
    return round_once(slots, round);
}
#endif

#ifdef HN_CODEGEN_FUSED_AUTO_KERNEL_H
static void entry_evaluate(double *slots) {
    (void)slots;
}

static void entry_rescale(double *slots) {
    (void)slots;
}

static void entry_residual(double *slots) {
    (void)slots;
}

static void entry_near(double *slots) {
    (void)slots;
}

static int near_fits(double *slots) {
    return slots[0] > 0;
}

static simd near_joint(double *slots) {
    return simd_all(slots[0]);
}
#endif

#endif
