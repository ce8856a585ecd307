/* scalar_operations.h - the operations of base/simd.h for one number, of the precision that scalar_double.h or scalar_float.h before
 * it has chosen.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SCALAR_OPERATIONS_H
#define HN_CORE_SCALAR_OPERATIONS_H

#ifndef SIMD_SELECT /* a target may have instructions for these */
#define SIMD_SELECT(mask, a, b) simd_of_bits((mask & simd_to_bits(a)) | (~mask & simd_to_bits(b)))
#define SIMD_KEEP(mask, a)      simd_of_bits(mask &simd_to_bits(a))
#define SIMD_ABS(a)             simd_of_bits(simd_to_bits(a) & SIMD_BITS_MAX)
#endif

SIMD_INLINE simd simd_all(simd value) {
    return value;
}

SIMD_INLINE simd_bits simd_bits_all(simd_bits value) {
    return value;
}

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

/* All ones where the bit at this place is set. */
SIMD_INLINE simd_bits simd_bits_test(simd_bits a, int place) {
    simd_bits bit = simd_bits_left(simd_bits_all(1), place);
    return SIMD_MASK((a & bit) == bit);
}

/* Comparisons that a NaN fails, except those that say not. */
SIMD_INLINE simd_bits simd_less(simd a, simd b) {
    return SIMD_MASK(a < b);
}

SIMD_INLINE simd_bits simd_less_equal(simd a, simd b) {
    return SIMD_MASK(a <= b);
}

SIMD_INLINE simd_bits simd_not_less_equal(simd a, simd b) {
    return ~simd_less_equal(a, b);
}

SIMD_INLINE simd_bits simd_equal(simd a, simd b) {
    return SIMD_MASK(a == b);
}

SIMD_INLINE simd_bits simd_not_equal(simd a, simd b) {
    return SIMD_MASK(a != b);
}

/* mask ? a : b, by bits: the element that is not chosen leaves no trace, NaN or not. */
SIMD_INLINE simd simd_select(simd_bits mask, simd a, simd b) {
    return SIMD_SELECT(mask, a, b);
}

/* The lesser and the greater of two; b where they are equal, or where one is no number. */
SIMD_INLINE simd simd_lesser(simd a, simd b) {
    return a < b ? a : b;
}

SIMD_INLINE simd simd_greater(simd a, simd b) {
    return a > b ? a : b;
}

/* mask ? a : 0 */
SIMD_INLINE simd simd_keep(simd_bits mask, simd a) {
    return SIMD_KEEP(mask, a);
}

SIMD_INLINE simd simd_abs(simd a) {
    return SIMD_ABS(a);
}

SIMD_INLINE simd simd_copy_sign(simd size, simd sign) {
    return simd_of_bits((simd_to_bits(size) & SIMD_BITS_MAX) | (simd_to_bits(sign) & SIMD_BITS_MIN));
}

SIMD_INLINE int simd_any(simd_bits mask) {
    return mask != 0;
}

SIMD_INLINE int simd_seldom(simd_bits mask) {
    return mask != 0;
}

/* A flag in a slot: a number whose bits are all ones or all zeros. */
SIMD_INLINE bool mask_read(const simd *at) {
    return simd_to_bits(*at) != 0;
}

SIMD_INLINE void mask_write(simd *at, bool value) {
    *at = simd_of_bits(SIMD_MASK(value));
}

#endif
