/* plain_graph.c - see plain_graph.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/plain_graph.h"

#include "hardnet/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Far below the smallest rounding unit, far above the smallest number. */
#define STEP 1e-400L

static double constant_value(const struct node *node) {
    uint64_t bits = (uint64_t)node->b << 32 | node->a;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double leaf_value(const struct node *node, struct plain_point point) {
    return point.leaf[node->a] ? point.leaf[node->a][node->b] : NAN;
}

/* How far a leaf is moved, along both axes. */
static struct plain_nudge nudge_of(const struct node *node, const struct plain_nudge *nudges, size_t count) {
    struct plain_nudge sum = {.real = 0, .imaginary = 0};
    for (size_t i = 0; i < count; i++)
        if (nudges[i].space == node->a && nudges[i].leaf == node->b) {
            sum.real += nudges[i].real;
            sum.imaginary += nudges[i].imaginary;
        }
    return sum;
}

/* ---- double ---- */

static double value_of(const struct graph *graph, const struct node *node, struct plain_point point,
                       const double *values) {
    double sum;
    switch (node->op) {
    case OP_CONSTANT:
        return constant_value(node);
    case OP_LEAF:
        return leaf_value(node, point);
    case OP_SUM: /* left to right */
        sum = values[graph->arguments[node->a]];
        for (uint32_t i = 1; i < node->b; i++)
            sum += values[graph->arguments[node->a + i]];
        return sum;
    case OP_LINEAR:
        sum = graph->numbers[node->a] * values[graph->arguments[node->c]];
        for (uint32_t i = 1; i < node->b; i++)
            sum += graph->numbers[node->a + i] * values[graph->arguments[node->c + i]];
        return sum;
    default:
        return operator_apply((enum op)node->op, values[node->a], values[node->b], values[node->c]);
    }
}

double *plain_values(const struct graph *graph, struct plain_point point) {
    double *values = calloc(graph->count, sizeof *values);
    for (size_t i = 1; values && i < graph->count; i++)
        values[i] = value_of(graph, &graph->nodes[i], point, values);
    return values;
}

/* ---- long double ---- */

static long double smaller(long double a, long double b) {
    return a < b || isnan(a) ? a : b;
}

static long double larger(long double a, long double b) {
    return a > b || isnan(a) ? a : b;
}

/* C's function of each name. */
#define NODE(id, name)
#define UNARY(id, name)
#define BINARY(id, name)
#define TERNARY(id, name)
#define FUNCTION(id, name)                                                                                             \
    case OP_##id:                                                                                                      \
        return name##l(a);
#define LONG_FUNCTION(id, name, kind) kind(id, name)
#define absl                          fabsl

static long double long_function(enum op op, long double a) {
    switch ((int)op) {
        HN_OPERATOR_LIST(LONG_FUNCTION)
    default: /* no operator that is known here */
        return (long double)NAN;
    }
}

long double plain_long_operator(enum op op, long double a, long double b, long double c) {
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_NEG:
        return -a;
    case OP_POW:
        return powl(a, b);
    case OP_ATAN2:
        return atan2l(a, b);
    case OP_MIN:
        return smaller(a, b);
    case OP_MAX:
        return larger(a, b);
    case OP_LESS:
        return a < b;
    case OP_LESS_EQUAL:
        return a <= b;
    case OP_EQUAL:
        return a == b;
    case OP_NOT_EQUAL:
        return a != b;
    case OP_AND:
        return a != 0 && b != 0;
    case OP_OR:
        return a != 0 || b != 0;
    case OP_NOT:
        return a == 0;
    case OP_IF:
        return a != 0 ? b : c;
    case OP_GUARD:
        return a == 0 ? 0 : a * b;
    default:
        return long_function(op, a);
    }
}

static long double long_value(const struct graph *graph, const struct node *node, struct plain_point point,
                              struct plain_nudge nudge, const long double *values) {
    long double sum = 0;
    switch (node->op) {
    case OP_CONSTANT:
        return constant_value(node);
    case OP_LEAF:
        return leaf_value(node, point) + nudge.real;
    case OP_SUM:
        for (uint32_t i = 0; i < node->b; i++)
            sum += values[graph->arguments[node->a + i]];
        return sum;
    case OP_LINEAR:
        for (uint32_t i = 0; i < node->b; i++)
            sum += graph->numbers[node->a + i] * values[graph->arguments[node->c + i]];
        return sum;
    default:
        return plain_long_operator((enum op)node->op, values[node->a], values[node->b], values[node->c]);
    }
}

long double *plain_long(const struct graph *graph, struct plain_point point, const struct plain_nudge *nudges,
                        size_t count) {
    long double *values = calloc(graph->count, sizeof *values);
    for (size_t i = 1; values && i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        values[i] = long_value(graph, node, point, nudge_of(node, nudges, count), values);
    }
    return values;
}

/* ---- complex ---- */

/* Whole exponents by squaring, so that a negative base stays off the logarithm's cut; a real base of 0 too. */
static long double complex complex_pow(long double complex a, long double complex b) {
    long double whole = creall(b);
    if (cimagl(b) != 0 || whole != roundl(whole) || fabsl(whole) > 64)
        return cexpl(b * clogl(a));
    long double complex power = 1, square = a;
    for (int n = (int)fabsl(whole); n > 0; n /= 2, square *= square)
        power = n % 2 != 0 ? power * square : power;
    return whole < 0 ? 1 / power : power;
}

/* By the arc tangent of the quotient that is at most 1 in size, and the quadrant: analytic in both arguments. */
static long double complex complex_atan2(long double complex y, long double complex x) {
    const long double half = acosl(0), sign = creall(y) < 0 ? -1 : 1;
    if (fabsl(creall(y)) > fabsl(creall(x)))
        return sign * half - catanl(x / y);
    return catanl(y / x) + (creall(x) < 0 ? 2 * sign * half : 0);
}

/* log(a + sqrt(a^2 + 1)), on the side where nothing cancels */
static long double complex complex_asinh(long double complex a) {
    return creall(a) < 0 ? -clogl(csqrtl(a * a + 1) - a) : clogl(csqrtl(a * a + 1) + a);
}

/* arc sines by the arc tangent: atan2(a, sqrt((1 - a)(1 + a))) */
static long double complex complex_asin(long double complex a) {
    return complex_atan2(a, csqrtl((1 - a) * (1 + a)));
}

static long double complex complex_function(enum op op, long double complex a) {
    switch (op) {
    case OP_SQRT:
        return csqrtl(a);
    case OP_EXP:
        return cexpl(a);
    case OP_LOG:
        return clogl(a);
    case OP_LOG10:
        return clogl(a) / logl(10);
    case OP_SIN:
        return csinl(a);
    case OP_COS:
        return ccosl(a);
    case OP_TAN:
        return ctanl(a);
    case OP_ASIN:
        return complex_asin(a);
    case OP_ACOS:
        return acosl(0) - complex_asin(a);
    case OP_ATAN:
        return catanl(a);
    case OP_SINH:
        return csinhl(a);
    case OP_COSH:
        return ccoshl(a);
    case OP_TANH:
        return ctanhl(a);
    case OP_ASINH:
        return complex_asinh(a);
    case OP_ACOSH:
        return clogl(a + csqrtl((a - 1) * (a + 1)));
    case OP_ATANH:
        return (clogl(1 + a) - clogl(1 - a)) / 2;
    default: /* no operator that is known here */
        return (long double)NAN;
    }
}

long double complex plain_complex_operator(enum op op, long double complex a, long double complex b,
                                           long double complex c) {
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_NEG:
        return -a;
    case OP_POW:
        return complex_pow(a, b);
    case OP_ATAN2:
        return complex_atan2(a, b);
    case OP_ABS:
        return creall(a) < 0 ? -a : a;
    case OP_MIN:
        return creall(a) < creall(b) || isnan(creall(a)) ? a : b;
    case OP_MAX:
        return creall(a) > creall(b) || isnan(creall(a)) ? a : b;
    case OP_IF:
        return creall(a) != 0 ? b : c;
    case OP_GUARD:
        return a == 0 ? 0 : a * b;
    default:
        if (op >= OP_LESS && op <= OP_NOT)
            return plain_long_operator(op, creall(a), creall(b), 0);
        return complex_function(op, a);
    }
}

static long double complex complex_value(const struct graph *graph, const struct node *node, struct plain_point point,
                                         struct plain_nudge nudge, const long double complex *values) {
    long double complex sum = 0;
    switch (node->op) {
    case OP_CONSTANT:
        return constant_value(node);
    case OP_LEAF:
        return leaf_value(node, point) + nudge.real + nudge.imaginary * I;
    case OP_SUM:
        for (uint32_t i = 0; i < node->b; i++)
            sum += values[graph->arguments[node->a + i]];
        return sum;
    case OP_LINEAR:
        for (uint32_t i = 0; i < node->b; i++)
            sum += graph->numbers[node->a + i] * values[graph->arguments[node->c + i]];
        return sum;
    default:
        return plain_complex_operator((enum op)node->op, values[node->a], values[node->b], values[node->c]);
    }
}

long double complex *plain_complex(const struct graph *graph, struct plain_point point,
                                   const struct plain_nudge *nudges, size_t count) {
    long double complex *values = calloc(graph->count, sizeof *values);
    for (size_t i = 1; values && i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        values[i] = complex_value(graph, node, point, nudge_of(node, nudges, count), values);
    }
    return values;
}

long double *plain_derivatives(const struct graph *graph, struct plain_point point, enum space space, uint32_t leaf) {
    struct plain_nudge nudge = {space, leaf, 0, STEP};
    long double complex *values = plain_complex(graph, point, &nudge, 1);
    long double *derivatives = calloc(graph->count, sizeof *derivatives);
    for (size_t i = 0; values && derivatives && i < graph->count; i++)
        derivatives[i] = cimagl(values[i]) / STEP;
    free(values);
    return derivatives;
}
