/* plain_graph.h - the plain value of every node of a graph, and independent yardsticks for its derivatives.
 *
 *   plain_values    double, by the operators' own meaning: what a program must give, bit for bit
 *   plain_long      80-bit numbers, libm's functions, an own reading of every operator: shares no code with src/
 *   plain_complex   the same over complex numbers: the imaginary part of f(y + i h e) over h is df/de to the last digit,
 *                   without cancellation. Operators with a kink follow the real parts
 *
 * All answer with a list of graph->count numbers that the caller frees; number 0, which is no node, gets 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_PLAIN_GRAPH_H
#define HN_TESTS_SUPPORT_PLAIN_GRAPH_H

#include <complex.h>

#include "model/graph.h"

/* Values of the leaves, by space; a leaf of a space that is not given is NaN. */
struct plain_point {
    const double *leaf[SPACE_COUNT];
};

/* One leaf moved: by an amount along the real and the imaginary axis. plain_long moves along the real one only. */
struct plain_nudge {
    enum space space;
    uint32_t leaf;
    long double real, imaginary;
};

double *plain_values(const struct graph *graph, struct plain_point point);
long double *plain_long(const struct graph *graph, struct plain_point point, const struct plain_nudge *nudges,
                        size_t count);
long double complex *plain_complex(const struct graph *graph, struct plain_point point,
                                   const struct plain_nudge *nudges, size_t count);

/* The derivative of every node by one leaf, from plain_complex. */
long double *plain_derivatives(const struct graph *graph, struct plain_point point, enum space space, uint32_t leaf);

/* One operator, for tests of single operators. */
long double plain_long_operator(enum op op, long double a, long double b, long double c);
long double complex plain_complex_operator(enum op op, long double complex a, long double complex b,
                                           long double complex c);

#endif
