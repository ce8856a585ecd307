/* scalar_operations.h - the operations of base/simd.h for one number, of the precision that scalar_double.h or scalar_float.h before
 * it has chosen.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SCALAR_OPERATIONS_H
#define HN_CORE_SCALAR_OPERATIONS_H

WIDE_INLINE wide wide_all(wide value) {
    return value;
}

WIDE_INLINE wide_bits wide_bits_all(wide_bits value) {
    return value;
}

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

/* The lesser and the greater of two; b where they are equal, or where one is no number. */
WIDE_INLINE wide wide_lesser(wide a, wide b) {
    return a < b ? a : b;
}

WIDE_INLINE wide wide_greater(wide a, wide b) {
    return a > b ? a : b;
}

/* mask ? a : 0 */
WIDE_INLINE wide wide_keep(wide_bits mask, wide a) {
    return wide_of_bits(mask & wide_to_bits(a));
}

WIDE_INLINE wide wide_abs(wide a) {
    return wide_of_bits(wide_to_bits(a) & WIDE_BITS_MAX);
}

WIDE_INLINE wide wide_copy_sign(wide size, wide sign) {
    return wide_of_bits((wide_to_bits(size) & WIDE_BITS_MAX) | (wide_to_bits(sign) & WIDE_BITS_MIN));
}

WIDE_INLINE int wide_any(wide_bits mask) {
    return mask != 0;
}

WIDE_INLINE int wide_seldom(wide_bits mask) {
    return mask != 0;
}

/* A flag in a slot: a number whose bits are all ones or all zeros. */
WIDE_INLINE bool mask_read(const wide *at) {
    return wide_to_bits(*at) != 0;
}

WIDE_INLINE void mask_write(wide *at, bool value) {
    *at = wide_of_bits(WIDE_MASK(value));
}

#endif
