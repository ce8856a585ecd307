/* simd2.h - two: a SIMD vector of two numbers, with the operations of base/simd.h, for emitted code that computes two statements at
 * once (codegen/passes/slp_vectorize.h).
 *
 * Only where the compiler knows vectors and the target has them (PAIRS). Names are those of scalar_operations.h with simd2_ in place of
 * wide_; one element's bits depend on that element's operands only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SIMD2_H
#define HN_CORE_SIMD2_H

typedef double simd2 __attribute__((vector_size(16)));
typedef double simd2_loose __attribute__((vector_size(16), aligned(8), may_alias)); /* at any address of a number */
typedef int64_t simd2_bits __attribute__((vector_size(16)));
typedef uint64_t simd2_words __attribute__((vector_size(16)));

#define SIMD2_MASK(condition) ((simd2_bits)(condition))
#define SIMD2_AT(v, i)        ((v)[i])
#define SIMD2_WIDTH           2

SIMD_INLINE simd2_bits simd2_to_bits(simd2 a) {
    return (simd2_bits)a;
}

SIMD_INLINE simd2 simd2_of_bits(simd2_bits bits) {
    return (simd2)bits;
}

SIMD_INLINE simd2 simd2_of(double low, double high) {
    simd2 a = {low, high};
    return a;
}

SIMD_INLINE simd2_bits simd2_bits_of(int64_t low, int64_t high) {
    simd2_bits a = {low, high};
    return a;
}

SIMD_INLINE simd2 simd2_all(double value) {
    return simd2_of(value, value);
}

SIMD_INLINE simd2_bits simd2_bits_all(int64_t value) {
    return simd2_bits_of(value, value);
}

SIMD_INLINE double simd2_low(simd2 a) {
    return a[0];
}

SIMD_INLINE double simd2_high(simd2 a) {
    return a[1];
}

SIMD_INLINE int64_t simd2_bits_low(simd2_bits a) {
    return a[0];
}

SIMD_INLINE int64_t simd2_bits_high(simd2_bits a) {
    return a[1];
}

SIMD_INLINE simd2 simd2_turn(simd2 a) {
    return simd2_of(a[1], a[0]);
}

SIMD_INLINE simd2_bits simd2_bits_turn(simd2_bits a) {
    return simd2_bits_of(a[1], a[0]);
}

/* Two numbers that lie side by side. */
SIMD_INLINE simd2 simd2_load(const double *at) {
    return *(const simd2_loose *)(const void *)at;
}

SIMD_INLINE void simd2_store(double *at, simd2 value) {
    *(simd2_loose *)(void *)at = value;
}

SIMD_INLINE simd2_bits simd2_bits_add(simd2_bits a, simd2_bits b) {
    return (simd2_bits)((simd2_words)a + (simd2_words)b);
}

SIMD_INLINE simd2_bits simd2_bits_subtract(simd2_bits a, simd2_bits b) {
    return (simd2_bits)((simd2_words)a - (simd2_words)b);
}

SIMD_INLINE simd2_bits simd2_bits_left(simd2_bits a, int places) {
    return (simd2_bits)((simd2_words)a << places);
}

SIMD_INLINE simd2_bits simd2_bits_right(simd2_bits a, int places) {
    return (simd2_bits)((simd2_words)a >> places);
}

/* Without a comparison: that of integers is not one instruction in SSE2. */
SIMD_INLINE simd2_bits simd2_bits_test(simd2_bits a, int place) {
    return simd2_bits_subtract(simd2_bits_all(0), simd2_bits_right(a, place) & simd2_bits_all(1));
}

/* gcc takes masks apart, number by number, where it sees that they come from comparisons; these instructions it leaves alone. Those of
 * constants it folds, which are equalities and residuals. */
#if defined(__SSE2__) && !defined(__clang__)
#define SIMD2_LESS(a, b)           ((simd2_bits)__builtin_ia32_cmpltpd(a, b))
#define SIMD2_NOT_LESS_EQUAL(a, b) ((simd2_bits)__builtin_ia32_cmpnlepd(a, b))
#else
#define SIMD2_LESS(a, b)           SIMD2_MASK((a) < (b))
#define SIMD2_NOT_LESS_EQUAL(a, b) (~simd2_less_equal(a, b))
#endif

SIMD_INLINE simd2_bits simd2_less(simd2 a, simd2 b) {
    return SIMD2_LESS(a, b);
}

SIMD_INLINE simd2_bits simd2_less_equal(simd2 a, simd2 b) {
    return SIMD2_MASK(a <= b);
}

SIMD_INLINE simd2_bits simd2_not_less_equal(simd2 a, simd2 b) {
    return SIMD2_NOT_LESS_EQUAL(a, b);
}

SIMD_INLINE simd2_bits simd2_equal(simd2 a, simd2 b) {
    return SIMD2_MASK(a == b);
}

SIMD_INLINE simd2_bits simd2_not_equal(simd2 a, simd2 b) {
    return SIMD2_MASK(a != b);
}

SIMD_INLINE simd2 simd2_select(simd2_bits mask, simd2 a, simd2 b) {
    return simd2_of_bits((mask & simd2_to_bits(a)) | (~mask & simd2_to_bits(b)));
}

/* The lesser and the greater of two; b where they are equal, or where one is no number: an instruction where there is one. */
#ifdef __SSE2__
#define SIMD2_LESSER(a, b)  __builtin_ia32_minpd(a, b)
#define SIMD2_GREATER(a, b) __builtin_ia32_maxpd(a, b)
#else
#define SIMD2_LESSER(a, b)  simd2_select(simd2_less(a, b), a, b)
#define SIMD2_GREATER(a, b) simd2_select(simd2_less(b, a), a, b)
#endif

SIMD_INLINE simd2 simd2_lesser(simd2 a, simd2 b) {
    return SIMD2_LESSER(a, b);
}

SIMD_INLINE simd2 simd2_greater(simd2 a, simd2 b) {
    return SIMD2_GREATER(a, b);
}

SIMD_INLINE simd2 simd2_keep(simd2_bits mask, simd2 a) {
    return simd2_of_bits(mask & simd2_to_bits(a));
}

SIMD_INLINE simd2 simd2_abs(simd2 a) {
    return simd2_of_bits(simd2_to_bits(a) & simd2_bits_all(INT64_MAX));
}

SIMD_INLINE simd2 simd2_copy_sign(simd2 size, simd2 sign) {
    simd2_bits top = simd2_bits_all(INT64_MIN);
    return simd2_of_bits((simd2_to_bits(size) & ~top) | (simd2_to_bits(sign) & top));
}

SIMD_INLINE simd2 simd2_sqrt(simd2 a) {
    return simd2_of(simd_sqrt(a[0]), simd_sqrt(a[1]));
}

SIMD_INLINE int simd2_any(simd2_bits mask) {
    return (mask[0] | mask[1]) != 0;
}

SIMD_INLINE int simd2_seldom(simd2_bits mask) {
    return simd2_any(mask);
}

#endif
