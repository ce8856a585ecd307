/* elementary_widths.h - the elementary functions at every width, as functions on arrays.
 *
 * elementary_kernel.h is the body of all of them; elementary_width1.c ... elementary_width8.c compile it for a width
 * and the instruction set that goes with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_BASE_ELEMENTARY_WIDTHS_H
#define HN_TESTS_BASE_ELEMENTARY_WIDTHS_H

/* Every elementary function: X(name, family of arguments) */
#define FUNCTIONS_OF_ONE(X)                                                                                            \
    X(exp, draw_exponential)                                                                                           \
    X(log, draw_logarithm)                                                                                             \
    X(log10, draw_logarithm)                                                                                           \
    X(sin, draw_angle)                                                                                                 \
    X(cos, draw_angle)                                                                                                 \
    X(tan, draw_angle)                                                                                                 \
    X(asin, draw_fraction)                                                                                             \
    X(acos, draw_fraction)                                                                                             \
    X(atan, draw_slope)                                                                                                \
    X(sinh, draw_hyperbolic)                                                                                           \
    X(cosh, draw_hyperbolic)                                                                                           \
    X(tanh, draw_hyperbolic)                                                                                           \
    X(asinh, draw_area)                                                                                                \
    X(acosh, draw_area)                                                                                                \
    X(atanh, draw_fraction)
#define FUNCTIONS_OF_TWO(X)                                                                                            \
    X(pow, draw_power)                                                                                                 \
    X(atan2, draw_point)

/* Besides: sin and cos of sincos, and the square root. */
#define ELEMENTARY_FUNCTIONS(X)                                                                                        \
    FUNCTIONS_OF_ONE(X)                                                                                                \
    X(sine_of_both, draw_angle)                                                                                        \
    X(cosine_of_both, draw_angle)                                                                                      \
    X(sqrt, draw_logarithm)

enum {
#define ELEMENTARY_NUMBER(name, draw) NUMBER_##name,
    ELEMENTARY_FUNCTIONS(ELEMENTARY_NUMBER) FUNCTIONS_OF_TWO(ELEMENTARY_NUMBER) FUNCTION_COUNT
#undef ELEMENTARY_NUMBER
};

/* results[i] = function number at a[i], b[i]; count is a multiple of 8. */
typedef void elementary_array(int number, int count, const double *a, const double *b, double *results);
elementary_array elementary_width1, elementary_width2, elementary_width4, elementary_width8;

#endif
