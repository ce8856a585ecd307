/* branchless_math.h - what straight rounds compute without a branch for what is rare: a branch ends what a compiler puts in order, and a
 * warp alone then waits for every result.
 *
 * Sine and cosine of small angles, reciprocals of pivots, quotients. Where such a number is not right its function says so, and the round
 * has it, or the whole step, from functions that are always right.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BRANCHLESS_MATH_H
#define HN_CUDA_BRANCHLESS_MATH_H

/* ---- sine and cosine ---- */

#if defined(DEVICE_SINGLE) && (!defined(DEVICE_HOST) || defined(QUICK_SINES))
/* Within two units in the last place, or 2^-36: what is left of a float needs no low part. On the host steps are those of an emitted
 * file, unless somebody asks for this one. */
SIMD_INLINE bool sincos_near(simd a, simd *sine, simd *cosine) {
    simd shifted = PAIR_FUSED(a, TWO_OVER_PI, CIRCLE_ZERO), n = shifted - CIRCLE_ZERO;
    simd y = PAIR_FUSED(-n, HALF_PI_THIRD, PAIR_FUSED(-n, HALF_PI_SECOND, PAIR_FUSED(-n, HALF_PI_FIRST, a)));
    simd z = y * y, s = PAIR_FUSED(y * z, sine_polynomial(z), y);
    simd c = PAIR_FUSED(z, PAIR_FUSED(z, cosine_polynomial(z), simd_all(-REAL(0.5))), simd_all(1));
    simd_bits turn = simd_to_bits(shifted), odd = circle_odd(turn);
    *sine = circle_sign(simd_select(odd, c, s), turn, simd_all(0));
    *cosine = circle_sign(simd_select(odd, s, c), simd_bits_add(turn, 1), simd_all(0));
    return simd_abs(a) <= CIRCLE_LIMIT;
}
#else
SIMD_INLINE bool sincos_near(simd a, simd *sine, simd *cosine) {
    simd size = simd_abs(a);
    circle_values(circle_reduce_near(size), a, sine, cosine);
    return size <= CIRCLE_LIMIT;
}
#endif

struct sincos_values {
    simd sine, cosine;
};

static GENERATED struct sincos_values sincos_any(simd a) {
    struct sincos_values values;
    elementary_sincos(a, &values.sine, &values.cosine);
    return values;
}

/* ---- reciprocals ----
 *
 * Lines of instructions take reciprocals of pivots without a branch (ptx_quick_inverse of ptx_operations.h), and gather in their register
 * `doubt` whether one of them is wrong. */

#ifdef DEVICE_SINGLE
typedef float quick_doubt;

SIMD_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt > 0x1p+100f;
}
#else
typedef unsigned quick_doubt;

SIMD_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt != 0;
}
#endif

/* ---- quotients ----
 *
 * a / b for many a and one b whose reciprocal is rounded correctly: two corrections by the remainder, each in one rounding, round the
 * quotient correctly (P. Markstein, IBM J. Res. Dev. 34, 1990) where quotient and remainder are normal numbers: where b is not near
 * the ends of the range, and a is 0 or not much smaller than b. Floats need not be rounded correctly. */

#ifdef DEVICE_SINGLE
#define QUOTIENT_LEAST 0
#define QUOTIENT_RANGE REAL(0x1p+60)
#else
#define QUOTIENT_LEAST REAL(0x1p-400)
#define QUOTIENT_RANGE REAL(0x1p+500)
#endif

SIMD_INLINE bool quick_divides(simd b) {
    return (b < QUOTIENT_RANGE) & (b > 1 / QUOTIENT_RANGE);
}

SIMD_INLINE simd quick_quotient(simd a, simd b, simd inverse) {
    simd near = a * inverse;
    near = ROW_FUSED(ROW_FUSED(-b, near, a), inverse, near);
    return ROW_FUSED(ROW_FUSED(-b, near, a), inverse, near);
}

/* ---- masks: a sample of a device's thread always takes what is computed for it ---- */

#undef M
#define M(slot) ((slot) == LAYER_TAKES ? simd_bits_all(-1) : simd_to_bits(slots[slot]))

/* ---- values that wait in an array (codegen/print/spill.h) ----
 *
 * Where a thread's slots are, and its places. A round begins with SPILL_BEGINS, behind kept and spill_near. */

#ifdef DEVICE_HOST
#define SPILL_BEGINS
#else
#define SPILL_BEGINS                                                                                                   \
    const size_t slots_at = __cvta_generic_to_local(slots), own_at = __cvta_generic_to_local(kept),                    \
                 near_at = __cvta_generic_to_shared(spill_near);
#endif

#endif
