/* simd_operations.h - operations on simd other than arithmetic, for SIMD vectors (simd.h), for single numbers of
 * emitted files and kernels (core/scalar.h), and for the pairs of emitted files (core/simd2_begin.h), each of which
 * defines the types before including it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SIMD_OPERATIONS_H
#define HN_BASE_SIMD_OPERATIONS_H

/* A target may define these as intrinsics. */
#ifndef SIMD_SELECT
#define SIMD_SELECT(mask, a, b) simd_of_bits((mask & simd_to_bits(a)) | (~mask & simd_to_bits(b)))
#define SIMD_KEEP(mask, a)      simd_of_bits(mask &simd_to_bits(a))
#define SIMD_ABS(a)             simd_of_bits(simd_to_bits(a) & simd_bits_all(SIMD_BITS_MAX))
#endif
#define SIMD_BIT(place) simd_bits_left(simd_bits_all(1), place)
#ifndef SIMD_LESS
#define SIMD_LESS(a, b)           SIMD_MASK(a < b)
#define SIMD_NOT_LESS_EQUAL(a, b) (~simd_less_equal(a, b))
#define SIMD_TEST(a, place)       SIMD_MASK((a & SIMD_BIT(place)) == SIMD_BIT(place))
#endif
#ifndef SIMD_LESSER
#define SIMD_LESSER(a, b)  simd_select(simd_less(a, b), a, b)
#define SIMD_GREATER(a, b) simd_select(simd_less(b, a), a, b)
#endif

/* Integer arithmetic on unsigned words modulo 2^64 (floats: 2^32). Right shifts insert zeros. */
SIMD_INLINE simd_bits simd_bits_add(simd_bits a, simd_bits b) {
    return (simd_bits)((simd_words)a + (simd_words)b);
}

SIMD_INLINE simd_bits simd_bits_subtract(simd_bits a, simd_bits b) {
    return (simd_bits)((simd_words)a - (simd_words)b);
}

SIMD_INLINE simd_bits simd_bits_left(simd_bits a, int places) {
    return (simd_bits)((simd_words)a << places);
}

SIMD_INLINE simd_bits simd_bits_right(simd_bits a, int places) {
    return (simd_bits)((simd_words)a >> places);
}

/* All ones where the bit at this position is set. */
SIMD_INLINE simd_bits simd_bits_test(simd_bits a, int place) {
    return SIMD_TEST(a, place);
}

/* Comparisons that are false for NaN, except those named `not`. */
SIMD_INLINE simd_bits simd_less(simd a, simd b) {
    return SIMD_LESS(a, b);
}

SIMD_INLINE simd_bits simd_less_equal(simd a, simd b) {
    return SIMD_MASK(a <= b);
}

SIMD_INLINE simd_bits simd_not_less_equal(simd a, simd b) {
    return SIMD_NOT_LESS_EQUAL(a, b);
}

SIMD_INLINE simd_bits simd_equal(simd a, simd b) {
    return SIMD_MASK(a == b);
}

SIMD_INLINE simd_bits simd_not_equal(simd a, simd b) {
    return SIMD_MASK(a != b);
}

/* mask ? a : b, bitwise: the unselected element has no effect, even if NaN. */
SIMD_INLINE simd simd_select(simd_bits mask, simd a, simd b) {
    return SIMD_SELECT(mask, a, b);
}

/* a < b ? a : b and a > b ? a : b, with one instruction where available. If an operand is NaN: b. */
SIMD_INLINE simd simd_lesser(simd a, simd b) {
    return SIMD_LESSER(a, b);
}

SIMD_INLINE simd simd_greater(simd a, simd b) {
    return SIMD_GREATER(a, b);
}

/* mask ? a : 0 */
SIMD_INLINE simd simd_keep(simd_bits mask, simd a) {
    return SIMD_KEEP(mask, a);
}

SIMD_INLINE simd simd_abs(simd a) {
    return SIMD_ABS(a);
}

SIMD_INLINE simd simd_copy_sign(simd size, simd sign) {
    simd_bits top = simd_bits_all(SIMD_BITS_MIN);
    return simd_of_bits((simd_to_bits(size) & ~top) | (simd_to_bits(sign) & top));
}

#endif
