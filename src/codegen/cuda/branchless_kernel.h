/* branchless_kernel.h - functions of fused iterations without branches for rare cases: a branch ends a basic block, and the compiler
 * schedules instructions within basic blocks only.
 *
 * Sine and cosine of small angles, reciprocals of pivots, quotients. Each function reports a result that may be wrong; then the
 * number, or the whole step, is computed by functions that are valid for all arguments.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_BRANCHLESS_KERNEL_H
#define HN_CODEGEN_BRANCHLESS_KERNEL_H

#include "codegen/kernel/row_functions_kernel.h"
#include "linalg/pivot_kernel.h"

/* ---- sine and cosine ---- */

#if defined(DEVICE_SINGLE) && (!defined(DEVICE_HOST) || defined(QUICK_SINES))
/* Within two units in the last place, or 2^-36: the reduced argument of a float needs no low part. On the host only with
 * QUICK_SINES: host steps have the bits of an emitted file. */
SIMD_INLINE bool sincos_near(simd a, simd *sine, simd *cosine) {
    simd shifted = PAIR_FUSED(a, TWO_OVER_PI, ROUND_ZERO), n = shifted - ROUND_ZERO;
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
 * pivot_quick and pivot_quick_added are kernel_pivot_inverse and kernel_pivot_added_inverse (linalg/pivot_kernel.h) for
 * pivots that are neither huge nor near 0. quick_fails(*doubt): a result may be wrong.
 *
 * For doubles they are the fast path of the device's own division (an estimate, and Newton's method twice), without the
 * branch to the slow path. Conditions are combined bitwise, because && is a branch. Floats need not be rounded
 * correctly: the estimate is within two units in the last place, 0 instead of a denormal number, and infinite
 * or huge if a pivot is denormal or nearly.
 *
 * __nvvm_... are built-in functions of CUDA's compilers, one instruction each. The host rejects pivots outside 1/8 to
 * 8, so that both paths are tested there; its estimates are quotients, of doubles the high words. */

#ifdef DEVICE_SINGLE
typedef float quick_doubt;

SIMD_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt > 0x1p+100f;
}

#ifdef DEVICE_HOST
#define QUICK_ESTIMATE(d) (simd_abs(d) > 0x1p-3f && simd_abs(d) < 0x1p+3f ? 1 / (d) : REAL_INFINITY)
#else
extern "C" float __nvvm_div_approx_ftz_f(float a, float b);
#define QUICK_ESTIMATE(d) __nvvm_div_approx_ftz_f(1, d)
#endif

SIMD_INLINE simd quick_counted(bool counts, simd d, quick_doubt *doubt) {
    simd inverse = counts ? QUICK_ESTIMATE(d) : 0;
    *doubt = row_most(*doubt, inverse);
    return inverse;
}
#else
typedef unsigned quick_doubt;

SIMD_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt != 0;
}

/* Neither d nor 1/d is denormal or nearly: the high word plus a constant is not a denormal float. */
#ifdef DEVICE_HOST
#define QUICK_ESTIMATE(d)        simd_of_bits(simd_to_bits(1 / (d)) & ~INT64_C(0xffffffff))
#define QUICK_IS_NORMAL(d, high) (simd_abs(d) > 0x1p-3 && simd_abs(d) < 0x1p+3)
#else
extern "C" double __nvvm_rcp_approx_ftz_d(double a);
#define QUICK_ESTIMATE(d)        __nvvm_rcp_approx_ftz_d(d)
#define QUICK_IS_NORMAL(d, high) (!(fabsf(__int_as_float(high)) < __int_as_float(0x400402)))
#endif

SIMD_INLINE bool quick_reciprocal(simd d, simd *result) {
    int32_t high = (int32_t)(simd_to_bits(d) >> 32) + 0x300402; /* also the low word; the estimate has none */
    simd guess = simd_of_bits(simd_to_bits(QUICK_ESTIMATE(d)) | (uint32_t)high);
    simd rest = DEVICE_FUSED(-d, guess, 1.0);
    guess = DEVICE_FUSED(guess, DEVICE_FUSED(rest, rest, rest), guess);
    *result = DEVICE_FUSED(guess, DEVICE_FUSED(-d, guess, 1.0), guess);
    return QUICK_IS_NORMAL(d, high);
}

SIMD_INLINE simd quick_counted(bool counts, simd d, quick_doubt *doubt) {
    simd inverse;
    bool right = quick_reciprocal(d, &inverse);
    *doubt |= (unsigned)counts & (unsigned)!right;
    return counts ? inverse : simd_all(0);
}
#endif

SIMD_INLINE simd pivot_quick(simd whole, simd d, quick_doubt *doubt) {
    return quick_counted(whole * simd_all(PIVOT_LOST) < d, d, doubt);
}

SIMD_INLINE simd pivot_quick_added(simd whole, simd d, quick_doubt *doubt) {
    return quick_counted(d < whole * simd_all(0x1p-50), d, doubt);
}

/* ---- quotients ----
 *
 * a / b for many a and one b whose reciprocal is rounded correctly: two corrections by the remainder, each with one
 * rounding, round the quotient correctly (P. Markstein, IBM J. Res. Dev. 34, 1990) if quotient and remainder are normal
 * numbers: if b is not near the ends of the range, and a is 0 or not much smaller than b. Floats need not be rounded
 * correctly. */

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

/* ---- masks: the sample of a thread is always active ---- */

#undef M
#define M(slot) ((slot) == LAYER_TAKES ? simd_bits_all(-1) : simd_to_bits(slots[slot]))

/* ---- slots that are read again (codegen/print/spill.h) ----
 *
 * Volatile, like SPILL_AT: otherwise the compiler would keep the value in a register. */

#define SLOT_AGAIN(slot) (*(volatile simd *)&slots[slot])
#define MASK_AGAIN(slot) ((slot) == LAYER_TAKES ? simd_bits_all(-1) : simd_to_bits(SLOT_AGAIN(slot)))

#endif
