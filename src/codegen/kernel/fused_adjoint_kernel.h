/* fused_adjoint_kernel.h - the loop around a generated step of the adjoint: backward over the iterates of a tape.
 *
 * If such steps are generated, the preceding text defines BACK_ROUNDS, GRADIENT_SLOT, GRAD_X_SLOT and INPUTS, and the
 * macros of fused_fixed_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FUSED_ADJOINT_KERNEL_H
#define HN_CODEGEN_FUSED_ADJOINT_KERNEL_H

#ifdef BACK_ROUNDS

#include "codegen/kernel/fused_fixed_kernel.h"

static int back_round_once(double *slots, struct round *round);

/* Whether a result of a used lane is -0. The statements do not preserve signs of zeros unless no value is -0. */
static int back_has_minus(const double *numbers, size_t count, const struct kernel_back_rounds *all) {
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd number = simd_load(numbers + i * SLOT_STRIDE + part * WIDTH);
            simd_bits minus = SIMD_MASK(simd_to_bits(number) == simd_bits_all(INT64_MIN));
            for (size_t lane = 0; lane < WIDTH && simd_seldom(minus); lane++)
                if (SIMD_AT(minus, lane) && all->tape[part * WIDTH + lane])
                    return 1;
        }
    return 0;
}

static void back_part(double *slots, const struct kernel_back_rounds *all, size_t first) {
    struct round round = {.from = slots};
    const double *from[WIDTH];
    for (int64_t step = 0; step < all->count; step++) {
        for (size_t k = 0; k < WIDTH; k++) {
            const double *tape = all->tape[first + k];
            from[k] = tape ? tape - (size_t)step * OUTPUTS : (const double *)0;
            round.ahead[k] = tape && step + 1 < all->count ? from[k] - OUTPUTS : (const double *)0;
        }
        kernel_load_part(slots + (size_t)Y_SLOT * SLOT_STRIDE, OUTPUTS, from);
        back_round_once(slots, &round);
    }
}

static int entry_back_rounds(double *slots, const struct kernel_back_rounds *all) {
    if (back_has_minus(slots + (size_t)GRADIENT_SLOT * SLOT_STRIDE, OUTPUTS, all) ||
        back_has_minus(slots + (size_t)GRAD_X_SLOT * SLOT_STRIDE, INPUTS, all))
        return 0;
    for (size_t part = 0; part < LANE_PARTS; part++)
        back_part(slots + part * WIDTH, all, part * WIDTH);
    return 1;
}

#endif
#endif
