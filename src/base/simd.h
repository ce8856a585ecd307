/* simd.h - wide: a SIMD vector of WIDTH doubles, which kernels are written over.
 *
 * A file defines WIDTH (1, 2, 4 or 8: what its instruction set holds in one register) before it includes this. With WIDTH 1 a
 * wide is a plain double, and every kernel becomes ordinary scalar C. + - * / work on wide values as they are; a mask is all
 * ones or all zeros per element. Nothing here rounds differently at another WIDTH: one element's bits depend on that
 * element's operands only.
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

/* A slot of LANES samples is this many SIMD vectors, and so many lie from one slot to the next: more on a device, where a kernel sees one
 * sample of a slot. A file that defines ONE_LANE compiles the kernels for slots of one sample. */
#ifdef ONE_LANE
enum { LANE_PARTS = 1, SLOT_STEP = 1, LANES_HERE = 1 };
#else
enum { LANE_PARTS = LANES / WIDTH, SLOT_STEP = LANE_PARTS, LANES_HERE = LANES };
#endif
#define SLOT_AT(slots, offset) ((slots) + (offset))

/* What a double is made of. */
enum { WIDE_FRACTION_BITS = 52, WIDE_EXPONENT_BIAS = 1023 };

#define WIDE_INLINE static inline __attribute__((always_inline, unused))

#if WIDTH == 1
typedef double wide;
typedef int64_t wide_bits;
typedef uint64_t wide_words;
#define WIDE_MASK(condition) (-(int64_t)(condition))
#define WIDE_AT(v, i)        (v)
typedef double wide_loose; /* a wide that need not be aligned */
#else
typedef double wide __attribute__((vector_size(WIDTH * 8)));
typedef int64_t wide_bits __attribute__((vector_size(WIDTH * 8)));
typedef uint64_t wide_words __attribute__((vector_size(WIDTH * 8)));
#define WIDE_MASK(condition) ((wide_bits)(condition))
#define WIDE_AT(v, i)        ((v)[i])
typedef double wide_loose __attribute__((vector_size(WIDTH * 8), aligned(8)));
#endif

WIDE_INLINE wide_bits wide_to_bits(wide a) {
    wide_bits bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

WIDE_INLINE wide wide_of_bits(wide_bits bits) {
    wide a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* The same in every element; written out, so that little optimisation is enough for one instruction. */
#if WIDTH == 1
#define WIDE_REPEAT(value) (value)
#elif WIDTH == 2
#define WIDE_REPEAT(value)                                                                                             \
    { value, value }
#elif WIDTH == 4
#define WIDE_REPEAT(value)                                                                                             \
    { value, value, value, value }
#else
#define WIDE_REPEAT(value)                                                                                             \
    { value, value, value, value, value, value, value, value }
#endif

WIDE_INLINE wide wide_all(double value) {
    wide a = WIDE_REPEAT(value);
    return a;
}

WIDE_INLINE wide_bits wide_bits_all(int64_t value) {
    wide_bits a = WIDE_REPEAT(value);
    return a;
}

/* From and to any address of doubles. */
WIDE_INLINE wide wide_load(const double *at) {
    return *(const wide_loose *)(const void *)at;
}

WIDE_INLINE void wide_store(double *at, wide value) {
    *(wide_loose *)(void *)at = value;
}

/* Integer arithmetic modulo 2^64: on unsigned words, where wrapping is defined. Right shifts bring in zeros. */
WIDE_INLINE wide_bits wide_bits_add(wide_bits a, wide_bits b) {
    return (wide_bits)((wide_words)a + (wide_words)b);
}

WIDE_INLINE wide_bits wide_bits_subtract(wide_bits a, wide_bits b) {
    return (wide_bits)((wide_words)a - (wide_words)b);
}

WIDE_INLINE wide_bits wide_bits_left(wide_bits a, int places) {
    return (wide_bits)((wide_words)a << places);
}

WIDE_INLINE wide_bits wide_bits_right(wide_bits a, int places) {
    return (wide_bits)((wide_words)a >> places);
}

/* All ones where the bit at this place is set. */
WIDE_INLINE wide_bits wide_bits_test(wide_bits a, int place) {
    wide_bits bit = wide_bits_left(wide_bits_all(1), place);
    return WIDE_MASK((a & bit) == bit);
}

/* Comparisons that a NaN fails, except those that say not. */
WIDE_INLINE wide_bits wide_less(wide a, wide b) {
    return WIDE_MASK(a < b);
}

WIDE_INLINE wide_bits wide_less_equal(wide a, wide b) {
    return WIDE_MASK(a <= b);
}

WIDE_INLINE wide_bits wide_not_less_equal(wide a, wide b) {
    return ~wide_less_equal(a, b);
}

WIDE_INLINE wide_bits wide_equal(wide a, wide b) {
    return WIDE_MASK(a == b);
}

WIDE_INLINE wide_bits wide_not_equal(wide a, wide b) {
    return WIDE_MASK(a != b);
}

/* mask ? a : b, by bits: the element that is not chosen leaves no trace, NaN or not. */
WIDE_INLINE wide wide_select(wide_bits mask, wide a, wide b) {
    return wide_of_bits((mask & wide_to_bits(a)) | (~mask & wide_to_bits(b)));
}

/* a < b ? a : b and a > b ? a : b, by the instruction of that meaning where there is one. Where an operand is NaN: b. */
#if WIDTH == 8 && defined(__AVX512F__) && defined(__clang__)
#define WIDE_LESSER(a, b)  __builtin_ia32_minpd512(a, b, 4)
#define WIDE_GREATER(a, b) __builtin_ia32_maxpd512(a, b, 4)
#elif WIDTH == 8 && defined(__AVX512F__)
#define WIDE_LESSER(a, b)  __builtin_ia32_minpd512_mask(a, b, a, 0xff, 4)
#define WIDE_GREATER(a, b) __builtin_ia32_maxpd512_mask(a, b, a, 0xff, 4)
#elif WIDTH == 4 && defined(__AVX__)
#define WIDE_LESSER(a, b)  __builtin_ia32_minpd256(a, b)
#define WIDE_GREATER(a, b) __builtin_ia32_maxpd256(a, b)
#else
#define WIDE_LESSER(a, b)  wide_select(wide_less(a, b), a, b)
#define WIDE_GREATER(a, b) wide_select(wide_less(b, a), a, b)
#endif

WIDE_INLINE wide wide_lesser(wide a, wide b) {
    return WIDE_LESSER(a, b);
}

WIDE_INLINE wide wide_greater(wide a, wide b) {
    return WIDE_GREATER(a, b);
}

/* mask ? a : 0 */
WIDE_INLINE wide wide_keep(wide_bits mask, wide a) {
    return wide_of_bits(mask & wide_to_bits(a));
}

WIDE_INLINE wide wide_abs(wide a) {
    return wide_of_bits(wide_to_bits(a) & wide_bits_all(INT64_MAX));
}

WIDE_INLINE wide wide_copy_sign(wide size, wide sign) {
    wide_bits top = wide_bits_all(INT64_MIN);
    return wide_of_bits((wide_to_bits(size) & ~top) | (wide_to_bits(sign) & top));
}

WIDE_INLINE wide wide_sqrt(wide a) {
    for (int i = 0; i < WIDTH; i++)
        WIDE_AT(a, i) = __builtin_sqrt(WIDE_AT(a, i));
    return a;
}

WIDE_INLINE int wide_any(wide_bits mask) {
#if WIDTH == 8 /* narrowed to one word: GCC would otherwise halve the register three times */
    typedef int8_t narrow __attribute__((vector_size(WIDTH)));
    narrow bytes = __builtin_convertvector(mask, narrow);
    int64_t any;
    memcpy(&any, &bytes, sizeof any);
#else
    int64_t any = 0;
    for (int i = 0; i < WIDTH; i++)
        any |= WIDE_AT(mask, i);
#endif
    return any != 0;
}

/* Two rows exchange the blocks off the diagonal: a's second with b's first, blocks of the size that the mask lists. */
#define WIDE_EXCHANGE(a, b, low, high)                                                                                 \
    do {                                                                                                               \
        wide turned = __builtin_shufflevector(a, b, WIDE_LIST low);                                                    \
        b = __builtin_shufflevector(a, b, WIDE_LIST high);                                                             \
        a = turned;                                                                                                    \
    } while (0)
#define WIDE_LIST(...) __VA_ARGS__

/* Element i of row j becomes element j of row i, for WIDTH rows. */
WIDE_INLINE void wide_transpose(wide *rows) { // NOLINT(readability-non-const-parameter): const at WIDTH 1 only
#if WIDTH == 2
    WIDE_EXCHANGE(rows[0], rows[1], (0, 2), (1, 3));
#elif WIDTH == 4
    for (int i = 0; i < 2; i++)
        WIDE_EXCHANGE(rows[i], rows[i + 2], (0, 1, 4, 5), (2, 3, 6, 7));
    for (int i = 0; i < 4; i += 2)
        WIDE_EXCHANGE(rows[i], rows[i + 1], (0, 4, 2, 6), (1, 5, 3, 7));
#elif WIDTH == 8
    for (int i = 0; i < 4; i++)
        WIDE_EXCHANGE(rows[i], rows[i + 4], (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15));
    for (int i = 0; i < 8; i += 4)
        for (int j = i; j < i + 2; j++)
            WIDE_EXCHANGE(rows[j], rows[j + 2], (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15));
    for (int i = 0; i < 8; i += 2)
        WIDE_EXCHANGE(rows[i], rows[i + 1], (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15));
#endif
    (void)rows;
}
#undef WIDE_EXCHANGE

/* Asks for what lies so many bytes further on, before it is needed; nothing need lie there. Long streams leave the caches, and the
 * processor follows only so many of them by itself. */
WIDE_INLINE void wide_prefetch(const void *at, size_t ahead) {
    __builtin_prefetch((const void *)((uintptr_t)at + ahead)); // NOLINT(performance-no-int-to-ptr)
}

/* wide_any for the condition of a slow path: compilers lay the code out for its being false. */
WIDE_INLINE int wide_seldom(wide_bits mask) {
    return (int)__builtin_expect(wide_any(mask), 0);
}

#endif
