/* bytecode_run.h - runs statements that are listed in the device's memory: what is printed as code where that is short (codegen/print/print.c),
 * as words where it is not.
 *
 * A statement is a word, function and number of operands, and its operands: destinations, then arguments. An operand is a slot or, from
 * LISTED_NUMBER on, one of the numbers. All threads of a warp are at the same statement. Sums ascend, each product is rounded before it
 * is added. listed_function, behind this, is generated: the functions that the statements name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_RUN_H
#define HN_CUDA_BYTECODE_RUN_H

/* Where the lists are: set before the first call. */
struct listed_memory {
    const uint32_t *words;
    const double *numbers;
};
LISTED_PLACE(struct listed_memory hardnet_listed)

#define LISTED_NUMBER UINT32_C(0x80000000)

WIDE_INLINE wide listed_at(const double *slots, const double *numbers, uint32_t operand) {
    return operand < LISTED_NUMBER ? slots[(size_t)operand * LANES_HERE] : numbers[operand - LISTED_NUMBER];
}

/* The product of pair k. */
WIDE_INLINE wide listed_product(const double *slots, const double *numbers, const uint32_t *pair, uint32_t k) {
    return listed_at(slots, numbers, pair[2 * k]) * listed_at(slots, numbers, pair[2 * k + 1]);
}

/* Four products at a time, whose reads do not wait for each other. */
WIDE_INLINE wide listed_sum(const double *slots, const double *numbers, const uint32_t *pair, uint32_t pairs, wide sum,
                            bool minus) {
    for (; pairs >= 4; pairs -= 4, pair += 8) {
        wide a = listed_product(slots, numbers, pair, 0), b = listed_product(slots, numbers, pair, 1);
        wide c = listed_product(slots, numbers, pair, 2), d = listed_product(slots, numbers, pair, 3);
        sum = minus ? sum - a : sum + a;
        sum = minus ? sum - b : sum + b;
        sum = minus ? sum - c : sum + c;
        sum = minus ? sum - d : sum + d;
    }
    for (; pairs > 0; pairs--, pair += 2) {
        wide a = listed_product(slots, numbers, pair, 0);
        sum = minus ? sum - a : sum + a;
    }
    return sum;
}

/* A sum that starts with a number, with 0, or with its first product. */
WIDE_INLINE wide listed_whole_sum(const double *slots, const double *numbers, const uint32_t *at, uint32_t operands,
                                  uint32_t function) {
    bool minus = function == LISTED_SUM_MINUS || function == LISTED_SUM_BACK;
    if (function == LISTED_SUM_PLUS || function == LISTED_SUM_MINUS)
        return listed_sum(slots, numbers, at + 2, (operands - 2) / 2, listed_at(slots, numbers, at[1]), minus);
    if (function == LISTED_SUM_ZERO)
        return listed_sum(slots, numbers, at + 1, (operands - 1) / 2, wide_all(0), false);
    return listed_sum(slots, numbers, at + 3, (operands - 3) / 2, listed_product(slots, numbers, at + 1, 0), minus);
}

WIDE_INLINE void listed_function(double *slots, const double *numbers, const uint32_t *at, uint32_t function);

static GENERATED void listed_run(double *slots, uint32_t first, uint32_t end) {
    const uint32_t *at = hardnet_listed.words + first, *last = hardnet_listed.words + end;
    const double *numbers = hardnet_listed.numbers;
    while (at < last) {
        uint32_t function = *at & 255, operands = *at >> 8;
        at++;
        if (function >= LISTED_SUMS)
            slots[(size_t)at[0] * LANES_HERE] = listed_whole_sum(slots, numbers, at, operands, function);
        else
            listed_function(slots, numbers, at, function);
        at += operands;
    }
}

#endif
