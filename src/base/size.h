/* size.h - overflow-checked arithmetic on sizes.
 *
 * Each function stores the result and returns true, or returns false and leaves the result unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SIZE_H
#define HN_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool size_add(size_t a, size_t b, size_t *sum) {
    if (a > SIZE_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

static inline bool size_multiply(size_t a, size_t b, size_t *product) {
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *product = a * b;
    return true;
}

/* Sizes for allocation requests: SIZE_MAX on overflow, which every allocator rejects. */
static inline size_t size_sum(size_t a, size_t b) {
    size_t sum = SIZE_MAX;
    size_add(a, b, &sum);
    return sum;
}

static inline size_t size_product(size_t a, size_t b) {
    size_t product = SIZE_MAX;
    size_multiply(a, b, &product);
    return product;
}

/* Rounds up to a multiple of a power of two. */
static inline bool size_round_up(size_t a, size_t alignment, size_t *rounded) {
    if (!size_add(a, alignment - 1, rounded))
        return false;
    *rounded &= ~(alignment - 1);
    return true;
}

#endif
