/* quick_text.h - what straight rounds compute without a branch for what is rare: a branch ends what a compiler puts in order, and a
 * warp alone then waits for every result.
 *
 * Sine and cosine of small angles, and reciprocals of pivots. Where such a number is not right its function says so, and the round
 * has it, or the whole step, from functions that are always right.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_QUICK_TEXT_H
#define HN_DEVICE_QUICK_TEXT_H

/* ---- sine and cosine ---- */

#if defined(DEVICE_SINGLE) && (!defined(DEVICE_HOST) || defined(QUICK_SINES))
/* Within two units in the last place, or 2^-36: what is left of a float needs no low part. On the host steps are those of an emitted
 * file, unless somebody asks for this one. */
WIDE_INLINE bool sincos_near(wide a, wide *sine, wide *cosine) {
    wide shifted = PAIR_FUSED(a, TWO_OVER_PI, CIRCLE_ZERO), n = shifted - CIRCLE_ZERO;
    wide y = PAIR_FUSED(-n, HALF_PI_THIRD, PAIR_FUSED(-n, HALF_PI_SECOND, PAIR_FUSED(-n, HALF_PI_FIRST, a)));
    wide z = y * y, s = PAIR_FUSED(y * z, sine_polynomial(z), y);
    wide c = PAIR_FUSED(z, PAIR_FUSED(z, cosine_polynomial(z), wide_all(-0.5)), wide_all(1));
    wide_bits turn = wide_to_bits(shifted), odd = circle_odd(turn);
    *sine = circle_sign(wide_select(odd, c, s), turn, wide_all(0));
    *cosine = circle_sign(wide_select(odd, s, c), wide_bits_add(turn, 1), wide_all(0));
    return wide_abs(a) <= CIRCLE_LIMIT;
}
#else
WIDE_INLINE bool sincos_near(wide a, wide *sine, wide *cosine) {
    wide size = wide_abs(a);
    circle_values(circle_reduce_near(size), a, sine, cosine);
    return size <= CIRCLE_LIMIT;
}
#endif

struct sincos_values {
    wide sine, cosine;
};

static GENERATED struct sincos_values sincos_any(wide a) {
    struct sincos_values values;
    elementary_sincos(a, &values.sine, &values.cosine);
    return values;
}

/* ---- reciprocals ----
 *
 * pivot_quick and pivot_quick_added are kernel_pivot_inverse and kernel_pivot_added_inverse (sparse/pivot_kernel.h) of pivots that are
 * neither huge nor near 0; what they think of their numbers is gathered in *doubt, and quick_fails says whether one of them is wrong.
 *
 * Of doubles the device's own division begins with these very steps (an estimate, and Newton's method twice), and leaves numbers near the
 * ends of the range to a function; bits are joined, for && is a branch. Floats need not be rounded correctly: the estimate is within one
 * unit in the last place, 0 where a denormal number would be right, and infinite or huge where a pivot is denormal or nearly. On
 * the host, which divides, little is called right, so that both ways are run there. */

#if defined(DEVICE_SINGLE) && !defined(DEVICE_HOST)
typedef float quick_doubt;

WIDE_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt > 0x1p+100f;
}

WIDE_INLINE wide quick_counted(bool counts, wide d, quick_doubt *doubt) {
    wide inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(d));
    inverse = counts ? inverse : 0;
    *doubt = DEVICE_MOST_FLOAT(*doubt, wide_abs(inverse));
    return inverse;
}
#else
typedef unsigned quick_doubt;

WIDE_INLINE bool quick_fails(quick_doubt doubt) {
    return doubt != 0;
}

#ifdef DEVICE_HOST
WIDE_INLINE bool quick_reciprocal(wide d, wide *result) {
    *result = wide_all(1) / d;
    return d > 0x1p-3 && d < 0x1p+3;
}
#else
WIDE_INLINE bool quick_reciprocal(wide d, wide *result) {
    wide guess;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(d));
    int low = __double2hiint(d) + 0x300402; /* the estimate has no low word: any one does */
    guess = __hiloint2double(__double2hiint(guess), low);
    wide rest = __fma_rn(-d, guess, 1.0);
    guess = __fma_rn(guess, __fma_rn(rest, rest, rest), guess);
    *result = __fma_rn(guess, __fma_rn(-d, guess, 1.0), guess);
    return !(fabsf(__int_as_float(low)) < __int_as_float(0x400402)); /* neither d nor 1/d is near 0 or denormal */
}
#endif

WIDE_INLINE wide quick_counted(bool counts, wide d, quick_doubt *doubt) {
    wide inverse;
    bool right = quick_reciprocal(d, &inverse);
    *doubt |= (unsigned)counts & (unsigned)!right;
    return counts ? inverse : wide_all(0);
}
#endif

WIDE_INLINE wide pivot_quick(wide whole, wide d, quick_doubt *doubt) {
    return quick_counted(whole * wide_all(PIVOT_LOST) < d, d, doubt);
}

WIDE_INLINE wide pivot_quick_added(wide whole, wide d, quick_doubt *doubt) {
    return quick_counted(d < whole * wide_all(0x1p-50), d, doubt);
}

/* ---- quotients ----
 *
 * a / b for many a and one b whose reciprocal is rounded correctly: two corrections by the remainder, each in one rounding, round the
 * quotient correctly (P. Markstein, IBM J. Res. Dev. 34, 1990) where quotient and remainder are normal numbers: where b is not near
 * the ends of the range, and a is 0 or not much smaller than b. Floats need not be rounded correctly. */

#ifdef DEVICE_SINGLE
#define QUOTIENT_LEAST 0
#define QUOTIENT_RANGE 0x1p+60
#else
#define QUOTIENT_LEAST 0x1p-400
#define QUOTIENT_RANGE 0x1p+500
#endif

WIDE_INLINE bool quick_divides(wide b) {
    return (b < QUOTIENT_RANGE) & (b > 1 / QUOTIENT_RANGE);
}

WIDE_INLINE wide quick_quotient(wide a, wide b, wide inverse) {
    wide near = a * inverse;
    near = ROW_FUSED(ROW_FUSED(-b, near, a), inverse, near);
    return ROW_FUSED(ROW_FUSED(-b, near, a), inverse, near);
}

/* ---- masks: a sample of a device's thread always takes what is computed for it ---- */

#undef M
#define M(slot) ((slot) == LAYER_TAKES ? wide_bits_all(-1) : wide_to_bits(slots[slot]))

/* ---- values that wait in an array (generate/kept.h), and slots that are read again ----
 *
 * No compiler may think over where a value is. For volatile accesses CUDA's does so all the same, for a second; instructions that say
 * which memory they are to it leaves alone. A round begins with KEPT_BEGINS, behind kept and kept_near. */

#ifdef DEVICE_HOST
#define KEPT_BEGINS
#define KEEP(place, value) (KEPT_AT(place) = (value))
#define KEPT(place)        (KEPT_AT(place))
#define AGAIN_S(slot)      (*(volatile double *)&slots[slot])
#else
WIDE_INLINE void own_put(size_t at, wide value) {
    asm volatile("st.local." KEPT_TYPE " [%0], %1;" ::"l"(at), KEPT_LETTER(value));
}

WIDE_INLINE wide own_get(size_t at) {
    wide value;
    asm volatile("ld.local." KEPT_TYPE " %0, [%1];" : "=" KEPT_LETTER(value) : "l"(at) : "memory");
    return value;
}

WIDE_INLINE void near_put(size_t at, wide value) {
    asm volatile("st.volatile.shared." KEPT_TYPE " [%0], %1;" ::"l"(at), KEPT_LETTER(value));
}

WIDE_INLINE wide near_get(size_t at) {
    wide value;
    asm volatile("ld.volatile.shared." KEPT_TYPE " %0, [%1];" : "=" KEPT_LETTER(value) : "l"(at));
    return value;
}

#define KEPT_BEGINS                                                                                                    \
    const size_t slots_at = __cvta_generic_to_local(slots), own_at = __cvta_generic_to_local(kept),                    \
                 near_at = __cvta_generic_to_shared(kept_near);
#define OWN_AT(place)      (own_at + ((place)-KEPT_NEAR) * sizeof(double))
#define NEAR_AT(place)     (near_at + (place)*NEAR_APART * sizeof(double))
#define KEEP(place, value) ((place) < KEPT_NEAR ? near_put(NEAR_AT(place), value) : own_put(OWN_AT(place), value))
#define KEPT(place)        ((place) < KEPT_NEAR ? near_get(NEAR_AT(place)) : own_get(OWN_AT(place)))
#define AGAIN_S(slot)      own_get(slots_at + (slot) * sizeof(double))
#endif

#define KEEP_MASK(place, value) KEEP(place, wide_of_bits(value))
#define KEPT_MASK(place)        (wide_to_bits(KEPT(place)))
#define AGAIN_M(slot)           (wide_to_bits(AGAIN_S(slot)))

#endif
