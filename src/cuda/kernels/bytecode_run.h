/* bytecode_run.h - runs statements that are listed in the device's memory: what is printed as code where that is short (codegen/print/print.c),
 * as words where it is not.
 *
 * A statement is a word, function and number of operands, and its operands: destinations, then arguments. An operand is a slot or, from
 * BYTECODE_NUMBER on, one of the numbers. All threads of a warp are at the same statement. Sums ascend, each product is rounded before it
 * is added. bytecode_function, behind this, is generated: the functions that the statements name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_RUN_H
#define HN_CUDA_BYTECODE_RUN_H

/* Where the lists are: set before the first call. */
struct bytecode_memory {
    const uint32_t *words;
    const real *numbers;
};
BYTECODE_PLACE(struct bytecode_memory hardnet_listed)

#define BYTECODE_NUMBER UINT32_C(0x80000000)

SIMD_INLINE simd bytecode_at(const real *slots, const real *numbers, uint32_t operand) {
    return operand < BYTECODE_NUMBER ? slots[(size_t)operand * SLOT_STRIDE] : numbers[operand - BYTECODE_NUMBER];
}

/* The product of pair k. */
SIMD_INLINE simd bytecode_product(const real *slots, const real *numbers, const uint32_t *pair, uint32_t k) {
    return bytecode_at(slots, numbers, pair[2 * k]) * bytecode_at(slots, numbers, pair[2 * k + 1]);
}

/* Four products at a time, whose reads do not wait for each other. */
SIMD_INLINE simd bytecode_sum(const real *slots, const real *numbers, const uint32_t *pair, uint32_t pairs, simd sum,
                              bool minus) {
    for (; pairs >= 4; pairs -= 4, pair += 8) {
        simd a = bytecode_product(slots, numbers, pair, 0), b = bytecode_product(slots, numbers, pair, 1);
        simd c = bytecode_product(slots, numbers, pair, 2), d = bytecode_product(slots, numbers, pair, 3);
        sum = minus ? sum - a : sum + a;
        sum = minus ? sum - b : sum + b;
        sum = minus ? sum - c : sum + c;
        sum = minus ? sum - d : sum + d;
    }
    for (; pairs > 0; pairs--, pair += 2) {
        simd a = bytecode_product(slots, numbers, pair, 0);
        sum = minus ? sum - a : sum + a;
    }
    return sum;
}

/* A sum that starts with a number, with 0, or with its first product. */
SIMD_INLINE simd bytecode_whole_sum(const real *slots, const real *numbers, const uint32_t *at, uint32_t operands,
                                    uint32_t function) {
    bool minus = function == BYTECODE_SUM_MINUS || function == BYTECODE_SUM_BACK;
    if (function == BYTECODE_SUM_PLUS || function == BYTECODE_SUM_MINUS)
        return bytecode_sum(slots, numbers, at + 2, (operands - 2) / 2, bytecode_at(slots, numbers, at[1]), minus);
    if (function == BYTECODE_SUM_ZERO)
        return bytecode_sum(slots, numbers, at + 1, (operands - 1) / 2, simd_all(0), false);
    return bytecode_sum(slots, numbers, at + 3, (operands - 3) / 2, bytecode_product(slots, numbers, at + 1, 0), minus);
}

SIMD_INLINE void bytecode_function(real *slots, const real *numbers, const uint32_t *at, uint32_t function);

static GENERATED void bytecode_run(real *slots, uint32_t first, uint32_t end) {
    const uint32_t *at = hardnet_listed.words + first, *last = hardnet_listed.words + end;
    const real *numbers = hardnet_listed.numbers;
    while (at < last) {
        uint32_t function = *at & 255, operands = *at >> 8;
        at++;
        if (function >= BYTECODE_SUMS)
            slots[(size_t)at[0] * SLOT_STRIDE] = bytecode_whole_sum(slots, numbers, at, operands, function);
        else
            bytecode_function(slots, numbers, at, function);
        at += operands;
    }
}

#endif
