/* libm_math.h - the elementary functions of the target's own <math.h>, in an emitted file that uses them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_LIBM_MATH_H
#define HN_CORE_LIBM_MATH_H

#define LIBM_ONE(own, name)                                                                                            \
    SIMD_INLINE simd elementary_##own(simd a) {                                                                        \
        return REAL_CALL(name)(a);                                                                                     \
    }
#define LIBM_TWO(own, name)                                                                                            \
    SIMD_INLINE simd elementary_##own(simd a, simd b) {                                                                \
        return REAL_CALL(name)(a, b);                                                                                  \
    }

LIBM_ONE(exp, exp)
LIBM_ONE(log, log)
LIBM_ONE(log10, log10)
LIBM_ONE(sin, sin)
LIBM_ONE(cos, cos)
LIBM_ONE(tan, tan)
LIBM_ONE(asin, asin)
LIBM_ONE(acos, acos)
LIBM_ONE(atan, atan)
LIBM_ONE(sinh, sinh)
LIBM_ONE(cosh, cosh)
LIBM_ONE(tanh, tanh)
LIBM_ONE(asinh, asinh)
LIBM_ONE(acosh, acosh)
LIBM_ONE(atanh, atanh)
LIBM_TWO(pow, pow)
LIBM_TWO(atan2, atan2)

SIMD_INLINE void elementary_sincos(simd a, simd *sine, simd *cosine) {
    *sine = elementary_sin(a);
    *cosine = elementary_cos(a);
}

#endif
