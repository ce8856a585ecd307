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

WIDE_INLINE bool sincos_near(wide a, wide *sine, wide *cosine) {
    wide size = wide_abs(a);
    circle_values(circle_reduce_near(size), a, sine, cosine);
    return size <= CIRCLE_LIMIT;
}

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
 * quick_reciprocal is 1/d, rounded correctly, where it returns true. Of doubles the device's own division begins with these very steps
 * (an estimate, and Newton's method twice), and leaves numbers near the ends of the range to a function. Floats need not be
 * rounded correctly: the estimate is within one unit in the last place. On the host, which divides, little is called right, so that both ways are run there. */

#if defined(DEVICE_HOST)
WIDE_INLINE bool quick_reciprocal(wide d, wide *result) {
    *result = wide_all(1) / d;
    return d > 0x1p-3 && d < 0x1p+3;
}
#elif defined(DEVICE_SINGLE)
WIDE_INLINE bool quick_reciprocal(wide d, wide *result) {
    asm("rcp.approx.f32 %0, %1;" : "=f"(*result) : "f"(d));
    return wide_abs(d) > 0x1p-100f && wide_abs(d) < 0x1p+100f;
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

/* kernel_pivot_inverse and kernel_pivot_added_inverse (sparse/pivot_kernel.h); *unsafe is not 0 any more where the number is wrong. Its
 * bits are joined, not its truth: && is a branch. */
WIDE_INLINE wide pivot_quick(wide whole, wide d, unsigned *unsafe) {
    wide inverse;
    bool counts = whole * wide_all(PIVOT_LOST) < d, right = quick_reciprocal(d, &inverse);
    *unsafe |= (unsigned)counts & (unsigned)!right;
    return counts ? inverse : wide_all(0);
}

WIDE_INLINE wide pivot_quick_added(wide whole, wide d, unsigned *unsafe) {
    wide inverse;
    bool counts = d < whole * wide_all(0x1p-50), right = quick_reciprocal(d, &inverse);
    *unsafe |= (unsigned)counts & (unsigned)!right;
    return counts ? inverse : wide_all(0);
}

/* ---- masks: a sample of a device's thread always takes what is computed for it ---- */

#undef M
#define M(slot) ((slot) == LAYER_TAKES ? wide_bits_all(-1) : wide_to_bits(slots[slot]))

/* ---- values that wait in an array (generate/kept.h), and slots as variables ---- */

#define KEEP(place, value)      (KEPT_AT(place) = (value))
#define KEEP_MASK(place, value) (KEPT_AT(place) = wide_of_bits(value))
#define KEPT(place)             (KEPT_AT(place))
#define KEPT_MASK(place)        (wide_to_bits(KEPT_AT(place)))
#define AGAIN_S(slot)           (*(volatile double *)&slots[slot])
#define AGAIN_M(slot)           (wide_to_bits(AGAIN_S(slot)))

#endif
