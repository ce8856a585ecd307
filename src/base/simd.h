/* simd.h - simd: a vector of WIDTH doubles, the number type of kernels.
 *
 * A file defines WIDTH (1, 2, 4 or 8: the doubles in one register of its instruction set) before it includes this. With
 * WIDTH 1 a simd is a plain double, and every kernel becomes scalar C. + - * / apply to simd values directly; a mask is
 * all ones or all zeros per element. Rounding does not depend on WIDTH: the bits of an element depend only on the
 * operands of that element.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SIMD_H
#define HN_BASE_SIMD_H

#include "base/lanes.h"

#include <stdint.h>
#include <string.h>

#ifndef WIDTH
#error "define WIDTH before including simd.h"
#endif
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||                               \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "hardnet must not be compiled with -ffast-math: it hides NaN and changes results"
#endif

/* LANE_PARTS: SIMD vectors in a slot of LANES samples. SLOT_STEP: vectors between slots; on a device, where a kernel
 * processes one sample of a slot, there are more. SLOT_STRIDE, OFFSET_STEP: numbers between slots, and between their
 * offsets. With ONE_LANE kernels are compiled for slots of one sample. */
#ifdef ONE_LANE
enum { LANE_PARTS = 1, SLOT_STEP = 1, SLOT_STRIDE = 1, OFFSET_STEP = 1 };
#else
enum { LANE_PARTS = LANES / WIDTH, SLOT_STEP = LANE_PARTS, SLOT_STRIDE = LANES, OFFSET_STEP = LANES };
#endif
#define SLOT_AT(slots, offset) ((slots) + (offset))

/* The format of a double. */
enum { SIMD_FRACTION_BITS = 52, SIMD_EXPONENT_BIAS = 1023 };
#define SIMD_WORD(n)  INT64_C(n)
#define SIMD_BITS_MAX INT64_MAX
#define SIMD_BITS_MIN INT64_MIN
#define PAIR_HEAD     (-(1 << 27)) /* simd_pair.h: a head of 26 bits, and a rest of 27 */

#define SIMD_INLINE static inline __attribute__((always_inline, unused))

#if WIDTH == 1
typedef double simd;
typedef int64_t simd_bits;
typedef uint64_t simd_words;
#define SIMD_MASK(condition) (-(int64_t)(condition))
#define SIMD_AT(v, i)        (v)
typedef double simd_loose; /* a simd that need not be aligned */
#else
typedef double simd __attribute__((vector_size(WIDTH * 8)));
typedef int64_t simd_bits __attribute__((vector_size(WIDTH * 8)));
typedef uint64_t simd_words __attribute__((vector_size(WIDTH * 8)));
#define SIMD_MASK(condition) ((simd_bits)(condition))
#define SIMD_AT(v, i)        ((v)[i])
typedef double simd_loose __attribute__((vector_size(WIDTH * 8), aligned(8)));
#endif

SIMD_INLINE simd_bits simd_to_bits(simd a) {
    simd_bits bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

SIMD_INLINE simd simd_of_bits(simd_bits bits) {
    simd a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Broadcasts v; written out, so that it becomes one instruction at low optimisation levels. */
#if WIDTH == 1
#define SIMD_REPEAT(value) (value)
#elif WIDTH == 2
#define SIMD_REPEAT(value)                                                                                             \
    { value, value }
#elif WIDTH == 4
#define SIMD_REPEAT(value)                                                                                             \
    { value, value, value, value }
#else
#define SIMD_REPEAT(value)                                                                                             \
    { value, value, value, value, value, value, value, value }
#endif

SIMD_INLINE simd simd_all(double value) {
    simd a = SIMD_REPEAT(value);
    return a;
}

SIMD_INLINE simd_bits simd_bits_all(int64_t value) {
    simd_bits a = SIMD_REPEAT(value);
    return a;
}

/* Load and store at any address of doubles. */
SIMD_INLINE simd simd_load(const double *at) {
    return *(const simd_loose *)(const void *)at;
}

SIMD_INLINE void simd_store(double *at, simd value) {
    *(simd_loose *)(void *)at = value;
}

/* a < b ? a : b and a > b ? a : b as one instruction. */
#if WIDTH == 8 && defined(__AVX512F__) && defined(__clang__)
#define SIMD_LESSER(a, b)  __builtin_ia32_minpd512(a, b, 4)
#define SIMD_GREATER(a, b) __builtin_ia32_maxpd512(a, b, 4)
#elif WIDTH == 8 && defined(__AVX512F__)
#define SIMD_LESSER(a, b)  __builtin_ia32_minpd512_mask(a, b, a, 0xff, 4)
#define SIMD_GREATER(a, b) __builtin_ia32_maxpd512_mask(a, b, a, 0xff, 4)
#elif WIDTH == 4 && defined(__AVX__)
#define SIMD_LESSER(a, b)  __builtin_ia32_minpd256(a, b)
#define SIMD_GREATER(a, b) __builtin_ia32_maxpd256(a, b)
#endif

#include "base/simd_operations.h"

SIMD_INLINE simd simd_sqrt(simd a) {
    for (int i = 0; i < WIDTH; i++)
        SIMD_AT(a, i) = __builtin_sqrt(SIMD_AT(a, i));
    return a;
}

SIMD_INLINE int simd_any(simd_bits mask) {
#if WIDTH == 8 /* reduced to one word: GCC would otherwise halve the register three times */
    typedef int8_t narrow __attribute__((vector_size(WIDTH)));
    narrow bytes = __builtin_convertvector(mask, narrow);
    int64_t any;
    memcpy(&any, &bytes, sizeof any);
#else
    int64_t any = 0;
    for (int i = 0; i < WIDTH; i++)
        any |= SIMD_AT(mask, i);
#endif
    return any != 0;
}

/* Exchanges the off-diagonal blocks of two rows: a's second with b's first, blocks of the size that the mask lists. */
#define SIMD_EXCHANGE(a, b, low, high)                                                                                 \
    do {                                                                                                               \
        simd turned = __builtin_shufflevector(a, b, SIMD_LIST low);                                                    \
        b = __builtin_shufflevector(a, b, SIMD_LIST high);                                                             \
        a = turned;                                                                                                    \
    } while (0)
#define SIMD_LIST(...) __VA_ARGS__

/* Transposes a WIDTH x WIDTH block. */
SIMD_INLINE void simd_transpose(simd *rows) { // NOLINT(readability-non-const-parameter): const at WIDTH 1 only
#if WIDTH == 2
    SIMD_EXCHANGE(rows[0], rows[1], (0, 2), (1, 3));
#elif WIDTH == 4
    for (int i = 0; i < 2; i++)
        SIMD_EXCHANGE(rows[i], rows[i + 2], (0, 1, 4, 5), (2, 3, 6, 7));
    for (int i = 0; i < 4; i += 2)
        SIMD_EXCHANGE(rows[i], rows[i + 1], (0, 4, 2, 6), (1, 5, 3, 7));
#elif WIDTH == 8
    for (int i = 0; i < 4; i++)
        SIMD_EXCHANGE(rows[i], rows[i + 4], (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15));
    for (int i = 0; i < 8; i += 4)
        for (int j = i; j < i + 2; j++)
            SIMD_EXCHANGE(rows[j], rows[j + 2], (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15));
    for (int i = 0; i < 8; i += 2)
        SIMD_EXCHANGE(rows[i], rows[i + 1], (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15));
#endif
    (void)rows;
}
#undef SIMD_EXCHANGE

/* Prefetches the address `ahead` bytes after `at`, which may be invalid. Long streams exceed the caches, and the
 * hardware prefetcher follows only a few of them. */
SIMD_INLINE void simd_prefetch(const void *at, size_t ahead) {
    __builtin_prefetch((const void *)((uintptr_t)at + ahead)); // NOLINT(performance-no-int-to-ptr)
}

/* simd_any for the condition of a slow path: a hint that it is unlikely. */
SIMD_INLINE int simd_seldom(simd_bits mask) {
    return (int)__builtin_expect(simd_any(mask), 0);
}

#endif
