/* simd_pair.h - numbers of about 104 bits: the unevaluated sum of a high and a low simd.
 *
 * The elementary functions carry an argument or a quotient in two parts where 53 bits would lose the last place of the
 * result. |low| is at most a few units in the last place of high. The method is Dekker's, "A floating-point technique
 * for extending the available precision", Numerische Mathematik 18 (1971), and Knuth's for the sum, without fused
 * multiply-add. Splitting masks bits of the significand instead of multiplying, so that nothing overflows and the
 * caller's rounding mode does not matter.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SIMD_PAIR_H
#define HN_BASE_SIMD_PAIR_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

typedef struct {
    simd high, low;
} simd_pair;

/* a + b, exactly, for |a| >= |b| or a = 0 */
SIMD_INLINE simd_pair pair_quick_sum(simd a, simd b) {
    simd high = a + b;
    return LITERAL(simd_pair){high, (a - high) + b};
}

/* a + b, exactly */
SIMD_INLINE simd_pair pair_sum(simd a, simd b) {
    simd high = a + b;
    simd b_part = high - a;
    simd a_part = high - b_part;
    return LITERAL(simd_pair){high, (a - a_part) + (b - b_part)};
}

/* The leading bits of a's significand; a - pair_head(a) is the rest. */
SIMD_INLINE simd pair_head(simd a) {
    return simd_of_bits(simd_to_bits(a) & simd_bits_all(PAIR_HEAD));
}

/* a b, with relative error 2^-104. If PAIR_FUSED is defined, pair_fused is a fused a b + c, for numbers whose halves
 * have exact products: floats. */
SIMD_INLINE simd_pair pair_product(simd a, simd b) {
    simd product = a * b;
#ifdef PAIR_FUSED
    simd error = PAIR_FUSED(a, b, -product);
#else
    simd a_head = pair_head(a), a_rest = a - a_head;
    simd b_head = pair_head(b), b_rest = b - b_head;
    simd error = ((a_head * b_head - product) + a_head * b_rest + a_rest * b_head) + a_rest * b_rest;
#endif
    return LITERAL(simd_pair){product, error};
}

/* a b for pairs */
SIMD_INLINE simd_pair pair_multiply(simd_pair a, simd_pair b) {
    simd_pair p = pair_product(a.high, b.high);
    p.low = p.low + (a.high * b.low + a.low * b.high);
    return p;
}

/* a / b: one division for 1 / b.high, then one Newton step with the exact remainder. */
SIMD_INLINE simd_pair pair_divide(simd_pair a, simd_pair b) {
    simd inverse = REAL(1.0) / b.high;
    simd quotient = a.high * inverse;
    simd_pair back = pair_product(quotient, b.high);
    simd remainder = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
    return LITERAL(simd_pair){quotient, remainder * inverse};
}

/* sqrt(a), a > 0: one Newton step from the rounded root. */
SIMD_INLINE simd_pair pair_root(simd_pair a) {
    simd root = simd_sqrt(a.high);
    simd_pair square = pair_product(root, root);
    simd remainder = ((a.high - square.high) - square.low) + a.low;
    return LITERAL(simd_pair){root, remainder * (REAL(0.5) / root)};
}

#endif
