/* elementary_widths.h - the elementary functions at every width, as functions on arrays.
 *
 * elementary_kernel.h is the body of all of them; elementary_width1.c ... elementary_width8.c compile it for a width
 * and the instruction set that goes with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_BASE_ELEMENTARY_WIDTHS_H
#define HN_TESTS_BASE_ELEMENTARY_WIDTHS_H

/* X(name, value at a, or at a and b, family of arguments) */
#define ELEMENTARY_FUNCTIONS(X)                                                                                        \
    X(exp, elementary_exp(a), draw_exponential)                                                                        \
    X(log, elementary_log(a), draw_logarithm)                                                                          \
    X(log10, elementary_log10(a), draw_logarithm)                                                                      \
    X(sin, elementary_sin(a), draw_angle)                                                                              \
    X(cos, elementary_cos(a), draw_angle)                                                                              \
    X(sine_of_both, sine_of_both(a), draw_angle)                                                                       \
    X(cosine_of_both, cosine_of_both(a), draw_angle)                                                                   \
    X(tan, elementary_tan(a), draw_angle)                                                                              \
    X(asin, elementary_asin(a), draw_fraction)                                                                         \
    X(acos, elementary_acos(a), draw_fraction)                                                                         \
    X(atan, elementary_atan(a), draw_slope)                                                                            \
    X(sinh, elementary_sinh(a), draw_hyperbolic)                                                                       \
    X(cosh, elementary_cosh(a), draw_hyperbolic)                                                                       \
    X(tanh, elementary_tanh(a), draw_hyperbolic)                                                                       \
    X(asinh, elementary_asinh(a), draw_area)                                                                           \
    X(acosh, elementary_acosh(a), draw_area)                                                                           \
    X(atanh, elementary_atanh(a), draw_fraction)                                                                       \
    X(sqrt, simd_sqrt(a), draw_logarithm)                                                                              \
    X(pow, elementary_pow(a, b), draw_power)                                                                           \
    X(atan2, elementary_atan2(a, b), draw_point)

enum {
#define ELEMENTARY_NUMBER(name, value, draw) NUMBER_##name,
    ELEMENTARY_FUNCTIONS(ELEMENTARY_NUMBER) FUNCTION_COUNT
#undef ELEMENTARY_NUMBER
};

/* results[i] = function number at a[i], b[i]; count is a multiple of 8. */
typedef void elementary_array(int number, int count, const double *a, const double *b, double *results);
elementary_array elementary_width1, elementary_width2, elementary_width4, elementary_width8;

#endif
