/* bytecode_groups.h - runs statements that are listed in groups (bytecode_groups_plan.h), beside those that bytecode_run.h knows: of a group the arguments of
 * BATCHED_AT_ONCE statements are read before any result is written.
 *
 * A group is a word, BYTECODE_GROUP and the number of words behind it: the function and its number of arguments, then for each statement a
 * destination and the arguments. batched_function, behind this, is generated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_GROUPS_H
#define HN_CUDA_BYTECODE_GROUPS_H

enum { BATCHED_AT_ONCE = 8 };

SIMD_INLINE void batched_function(uint32_t function, const simd *x, const simd *y, const simd *z, simd *out);

SIMD_INLINE void batched_group(real *slots, const real *numbers, const uint32_t *at, uint32_t words) {
    uint32_t function = at[0] & 255, arguments = at[0] >> 8, each = 1 + arguments, count = (words - 1) / each;
    const uint32_t second = arguments > 1 ? 2 : 1, third = arguments > 2 ? 3 : 1;
    for (uint32_t i = 0; i < count; i += BATCHED_AT_ONCE) {
        simd x[BATCHED_AT_ONCE], y[BATCHED_AT_ONCE], z[BATCHED_AT_ONCE], out[BATCHED_AT_ONCE];
        uint32_t to[BATCHED_AT_ONCE];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BATCHED_AT_ONCE; k++) {
            const uint32_t *own = at + 1 + (i + k < count ? i + k : count - 1) * each;
            to[k] = own[0];
            x[k] = bytecode_at(slots, numbers, own[1]);
            y[k] = bytecode_at(slots, numbers, own[second]);
            z[k] = bytecode_at(slots, numbers, own[third]);
            out[k] = 0;
        }
        batched_function(function, x, y, z, out);
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BATCHED_AT_ONCE; k++)
            if (i + k < count)
                slots[(size_t)to[k] * SLOT_STRIDE] = out[k];
    }
}

/* bytecode_sum, BATCHED_AT_ONCE products at a time. */
SIMD_INLINE simd batched_sum(const real *slots, const real *numbers, const uint32_t *pair, uint32_t pairs, simd sum,
                             bool minus) {
    for (; pairs >= BATCHED_AT_ONCE; pairs -= BATCHED_AT_ONCE, pair += 2 * BATCHED_AT_ONCE) {
        simd product[BATCHED_AT_ONCE];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BATCHED_AT_ONCE; k++)
            product[k] = bytecode_product(slots, numbers, pair, k);
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BATCHED_AT_ONCE; k++)
            sum = minus ? sum - product[k] : sum + product[k];
    }
    return bytecode_sum(slots, numbers, pair, pairs, sum, minus);
}

/* A sum that starts with a number, with 0, or with its first product. */
SIMD_INLINE simd batched_whole_sum(const real *slots, const real *numbers, const uint32_t *at, uint32_t operands,
                                   uint32_t function) {
    bool minus = function == BYTECODE_SUM_MINUS || function == BYTECODE_SUM_BACK;
    bool number = function == BYTECODE_SUM_PLUS || function == BYTECODE_SUM_MINUS, zero = function == BYTECODE_SUM_ZERO;
    const uint32_t *pair = at + (zero ? 1 : number ? 2 : 3);
    simd start = zero     ? simd_all(0)
                 : number ? bytecode_at(slots, numbers, at[1])
                          : bytecode_product(slots, numbers, at + 1, 0);
    return batched_sum(slots, numbers, pair, (operands - (uint32_t)(pair - at)) / 2, start, minus);
}

static GENERATED void batched_run(real *slots, uint32_t first, uint32_t end) {
    const uint32_t *at = hardnet_listed.words + first, *last = hardnet_listed.words + end;
    const real *numbers = hardnet_listed.numbers;
    while (at < last) {
        uint32_t function = *at & 255, operands = *at >> 8;
        at++;
        if (function == BYTECODE_GROUP)
            batched_group(slots, numbers, at, operands);
        else if (function >= BYTECODE_SUMS)
            slots[(size_t)at[0] * SLOT_STRIDE] = batched_whole_sum(slots, numbers, at, operands, function);
        else
            bytecode_function(slots, numbers, at, function);
        at += operands;
    }
}

#endif
