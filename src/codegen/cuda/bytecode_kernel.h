/* bytecode_kernel.h - interprets bytecode in global memory: entries that are too long for straight-line code.
 *
 * A statement is a word, function and number of operands, and its operands: destinations, then arguments. An operand is
 * a slot or, from BYTECODE_NUMBER on, one of the numbers. A group (codegen/cuda/bytecode.h) is a word, BYTECODE_GROUP and the
 * number of words after it: the function and its number of arguments, then for each statement a destination and the
 * arguments. In a group the arguments of BYTECODE_AT_ONCE statements are read before any result is written. All threads
 * of a warp execute the same statement. Sums are in ascending order, each product is rounded before it is added.
 *
 * The text before defines the slots (cuda/kernels/global_slots.h); bytecode_function and bytecode_functions are generated after
 * this text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_BYTECODE_KERNEL_H
#define HN_CODEGEN_BYTECODE_KERNEL_H

enum { BYTECODE_AT_ONCE = 8 };

/* Set before the first call. */
struct bytecode_memory {
    const uint32_t *words;
    const real *numbers;
};
extern "C" {
DEVICE_CONSTANT struct bytecode_memory hardnet_bytecode;
}

#define BYTECODE_NUMBER UINT32_C(0x80000000)

SIMD_INLINE simd bytecode_at(const real *slots, const real *numbers, uint32_t operand) {
    return operand < BYTECODE_NUMBER ? slots[(size_t)operand * SLOT_STRIDE] : numbers[operand - BYTECODE_NUMBER];
}

/* The product of pair k. */
SIMD_INLINE simd bytecode_product(const real *slots, const real *numbers, const uint32_t *pair, uint32_t k) {
    return bytecode_at(slots, numbers, pair[2 * k]) * bytecode_at(slots, numbers, pair[2 * k + 1]);
}

/* Adds the first `count` products to the sum, with independent loads. */
SIMD_INLINE simd bytecode_products(const real *slots, const real *numbers, const uint32_t *pair, const uint32_t count,
                                   simd sum, bool minus) {
    simd product[BYTECODE_AT_ONCE];
    DEVICE_UNROLL
    for (uint32_t k = 0; k < count; k++)
        product[k] = bytecode_product(slots, numbers, pair, k);
    DEVICE_UNROLL
    for (uint32_t k = 0; k < count; k++)
        sum = minus ? sum - product[k] : sum + product[k];
    return sum;
}

SIMD_INLINE simd bytecode_sum(const real *slots, const real *numbers, const uint32_t *pair, uint32_t pairs, simd sum,
                              bool minus) {
    for (; pairs >= BYTECODE_AT_ONCE; pairs -= BYTECODE_AT_ONCE, pair += 2 * BYTECODE_AT_ONCE)
        sum = bytecode_products(slots, numbers, pair, BYTECODE_AT_ONCE, sum, minus);
    for (; pairs >= 4; pairs -= 4, pair += 8)
        sum = bytecode_products(slots, numbers, pair, 4, sum, minus);
    for (; pairs > 0; pairs--, pair += 2)
        sum = bytecode_products(slots, numbers, pair, 1, sum, minus);
    return sum;
}

/* A sum that starts with a number, with 0, or with its first product. */
SIMD_INLINE simd bytecode_whole_sum(const real *slots, const real *numbers, const uint32_t *at, uint32_t operands,
                                    uint32_t function) {
    bool minus = function == BYTECODE_SUM_MINUS || function == BYTECODE_SUM_BACK;
    bool number = function == BYTECODE_SUM_PLUS || function == BYTECODE_SUM_MINUS, zero = function == BYTECODE_SUM_ZERO;
    const uint32_t *pair = at + (zero ? 1 : number ? 2 : 3);
    simd start = zero     ? simd_all(0)
                 : number ? bytecode_at(slots, numbers, at[1])
                          : bytecode_product(slots, numbers, at + 1, 0);
    return bytecode_sum(slots, numbers, pair, (operands - (uint32_t)(pair - at)) / 2, start, minus);
}

SIMD_INLINE void bytecode_function(real *slots, const real *numbers, const uint32_t *at, uint32_t function);
SIMD_INLINE void bytecode_functions(uint32_t function, const simd *x, const simd *y, const simd *z, simd *out);

SIMD_INLINE void bytecode_group(real *slots, const real *numbers, const uint32_t *at, uint32_t words) {
    uint32_t function = at[0] & 255, arguments = at[0] >> 8, each = 1 + arguments, count = (words - 1) / each;
    const uint32_t second = arguments > 1 ? 2 : 1, third = arguments > 2 ? 3 : 1;
    for (uint32_t i = 0; i < count; i += BYTECODE_AT_ONCE) {
        simd x[BYTECODE_AT_ONCE], y[BYTECODE_AT_ONCE], z[BYTECODE_AT_ONCE], out[BYTECODE_AT_ONCE];
        uint32_t to[BYTECODE_AT_ONCE];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BYTECODE_AT_ONCE; k++) {
            const uint32_t *own = at + 1 + (i + k < count ? i + k : count - 1) * each;
            to[k] = own[0];
            x[k] = bytecode_at(slots, numbers, own[1]);
            y[k] = bytecode_at(slots, numbers, own[second]);
            z[k] = bytecode_at(slots, numbers, own[third]);
            out[k] = 0;
        }
        bytecode_functions(function, x, y, z, out);
        DEVICE_UNROLL
        for (uint32_t k = 0; k < BYTECODE_AT_ONCE; k++)
            if (i + k < count)
                slots[(size_t)to[k] * SLOT_STRIDE] = out[k];
    }
}

static GENERATED void bytecode_run(real *slots, uint32_t first, uint32_t end) {
    const uint32_t *at = hardnet_bytecode.words + first, *last = hardnet_bytecode.words + end;
    const real *numbers = hardnet_bytecode.numbers;
    while (at < last) {
        uint32_t function = *at & 255, operands = *at >> 8;
        at++;
        if (function == BYTECODE_GROUP)
            bytecode_group(slots, numbers, at, operands);
        else if (function >= BYTECODE_SUMS)
            slots[(size_t)at[0] * SLOT_STRIDE] = bytecode_whole_sum(slots, numbers, at, operands, function);
        else
            bytecode_function(slots, numbers, at, function);
        at += operands;
    }
}

#endif
