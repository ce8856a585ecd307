/* simd2.h - two: a SIMD vector of two numbers, with the operations of base/simd.h, for emitted code that computes two statements at
 * once (codegen/passes/slp_vectorize.h).
 *
 * Only where the compiler knows vectors and the target has them (PAIRS). Names are those of scalar_operations.h with two_ in place of
 * wide_; one element's bits depend on that element's operands only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SIMD2_H
#define HN_CORE_SIMD2_H

typedef double two __attribute__((vector_size(16)));
typedef double two_loose __attribute__((vector_size(16), aligned(8), may_alias)); /* at any address of a number */
typedef int64_t two_bits __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

#define TWO_MASK(condition) ((two_bits)(condition))
#define TWO_AT(v, i)        ((v)[i])
#define TWO_WIDTH           2

WIDE_INLINE two_bits two_to_bits(two a) {
    return (two_bits)a;
}

WIDE_INLINE two two_of_bits(two_bits bits) {
    return (two)bits;
}

WIDE_INLINE two two_of(double low, double high) {
    two a = {low, high};
    return a;
}

WIDE_INLINE two_bits two_bits_of(int64_t low, int64_t high) {
    two_bits a = {low, high};
    return a;
}

WIDE_INLINE two two_all(double value) {
    return two_of(value, value);
}

WIDE_INLINE two_bits two_bits_all(int64_t value) {
    return two_bits_of(value, value);
}

WIDE_INLINE double two_low(two a) {
    return a[0];
}

WIDE_INLINE double two_high(two a) {
    return a[1];
}

WIDE_INLINE int64_t two_bits_low(two_bits a) {
    return a[0];
}

WIDE_INLINE int64_t two_bits_high(two_bits a) {
    return a[1];
}

WIDE_INLINE two two_turn(two a) {
    return two_of(a[1], a[0]);
}

WIDE_INLINE two_bits two_bits_turn(two_bits a) {
    return two_bits_of(a[1], a[0]);
}

/* Two numbers that lie side by side. */
WIDE_INLINE two two_load(const double *at) {
    return *(const two_loose *)(const void *)at;
}

WIDE_INLINE void two_store(double *at, two value) {
    *(two_loose *)(void *)at = value;
}

WIDE_INLINE two_bits two_bits_add(two_bits a, two_bits b) {
    return (two_bits)((two_words)a + (two_words)b);
}

WIDE_INLINE two_bits two_bits_subtract(two_bits a, two_bits b) {
    return (two_bits)((two_words)a - (two_words)b);
}

WIDE_INLINE two_bits two_bits_left(two_bits a, int places) {
    return (two_bits)((two_words)a << places);
}

WIDE_INLINE two_bits two_bits_right(two_bits a, int places) {
    return (two_bits)((two_words)a >> places);
}

/* Without a comparison: that of integers is not one instruction in SSE2. */
WIDE_INLINE two_bits two_bits_test(two_bits a, int place) {
    return two_bits_subtract(two_bits_all(0), two_bits_right(a, place) & two_bits_all(1));
}

/* gcc takes masks apart, number by number, where it sees that they come from comparisons; these instructions it leaves alone. Those of
 * constants it folds, which are equalities and residuals. */
#if defined(__SSE2__) && !defined(__clang__)
#define TWO_LESS(a, b)           ((two_bits)__builtin_ia32_cmpltpd(a, b))
#define TWO_NOT_LESS_EQUAL(a, b) ((two_bits)__builtin_ia32_cmpnlepd(a, b))
#else
#define TWO_LESS(a, b)           TWO_MASK((a) < (b))
#define TWO_NOT_LESS_EQUAL(a, b) (~two_less_equal(a, b))
#endif

WIDE_INLINE two_bits two_less(two a, two b) {
    return TWO_LESS(a, b);
}

WIDE_INLINE two_bits two_less_equal(two a, two b) {
    return TWO_MASK(a <= b);
}

WIDE_INLINE two_bits two_not_less_equal(two a, two b) {
    return TWO_NOT_LESS_EQUAL(a, b);
}

WIDE_INLINE two_bits two_equal(two a, two b) {
    return TWO_MASK(a == b);
}

WIDE_INLINE two_bits two_not_equal(two a, two b) {
    return TWO_MASK(a != b);
}

WIDE_INLINE two two_select(two_bits mask, two a, two b) {
    return two_of_bits((mask & two_to_bits(a)) | (~mask & two_to_bits(b)));
}

/* The lesser and the greater of two; b where they are equal, or where one is no number: an instruction where there is one. */
#ifdef __SSE2__
#define TWO_LESSER(a, b)  __builtin_ia32_minpd(a, b)
#define TWO_GREATER(a, b) __builtin_ia32_maxpd(a, b)
#else
#define TWO_LESSER(a, b)  two_select(two_less(a, b), a, b)
#define TWO_GREATER(a, b) two_select(two_less(b, a), a, b)
#endif

WIDE_INLINE two two_lesser(two a, two b) {
    return TWO_LESSER(a, b);
}

WIDE_INLINE two two_greater(two a, two b) {
    return TWO_GREATER(a, b);
}

WIDE_INLINE two two_keep(two_bits mask, two a) {
    return two_of_bits(mask & two_to_bits(a));
}

WIDE_INLINE two two_abs(two a) {
    return two_of_bits(two_to_bits(a) & two_bits_all(INT64_MAX));
}

WIDE_INLINE two two_copy_sign(two size, two sign) {
    two_bits top = two_bits_all(INT64_MIN);
    return two_of_bits((two_to_bits(size) & ~top) | (two_to_bits(sign) & top));
}

WIDE_INLINE two two_sqrt(two a) {
    return two_of(wide_sqrt(a[0]), wide_sqrt(a[1]));
}

WIDE_INLINE int two_any(two_bits mask) {
    return (mask[0] | mask[1]) != 0;
}

WIDE_INLINE int two_seldom(two_bits mask) {
    return two_any(mask);
}

#endif
