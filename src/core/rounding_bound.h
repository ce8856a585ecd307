/* rounding_bound.h - a bound on the violation of the rows at y that rounding may hide in an emitted file with floats,
 * by a running error analysis (Wilkinson, 1963; Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section
 * 3.3).
 *
 *     every value v has a bound e:  |v - exact value at the given x and y| <= e
 *     a + b:  e = ea + eb + u |v|;   a b:  e = |a| eb + |b| ea + ea eb + u |v|;   f(a):  e = max |f'| ea + 4 u |v|
 *
 * The rows are computed once more, each operation with its bound: rounding_steps, generated after this text, in the
 * order of the statements of entry_evaluate. A value that rounding may make undefined, and a comparison that it may
 * reverse, have no useful bound. u is a little larger than 2^-24, which covers the rounding of the bounds themselves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ROUNDING_BOUND_H
#define HN_CORE_ROUNDING_BOUND_H

#include "base/real.h"
#include "core/point.h"

#ifdef REAL_LIBM
#define ROUNDING_CALL 8 /* units of u in a function of the target's <math.h>: 4 units in the last place */
#else
#define ROUNDING_CALL 4 /* likewise, in a function of the library */
#endif

SHARED_CONSTANT real ROUNDING_UNIT = REAL(0x1.02p-24);

/* An input slot of the steps. */
struct rounding_leaf {
    uint32_t slot, number;
    real error;
};

/* The error of one correctly rounded operation, underflow included. */
SHARED_FUNCTION real rounding_unit(real v) {
    real size = point_abs(v);
    return size < REAL_MIN ? REAL_MIN : ROUNDING_UNIT * size;
}

SHARED_FUNCTION real rounding_called(real v) {
    return ROUNDING_CALL * rounding_unit(v);
}

/* ---- one function for each kind of operator: its value and its arguments ---- */

SHARED_FUNCTION real rounding_sum(real v, rounded_number a, rounded_number b) {
    return a.error + b.error + ROUNDING_UNIT * point_abs(v);
}

SHARED_FUNCTION real rounding_product(real v, rounded_number a, rounded_number b) {
    real carried = point_abs(a.value) * b.error + point_abs(b.value) * a.error + a.error * b.error;
    return a.value == 0 || b.value == 0 ? carried : carried + rounding_unit(v);
}

SHARED_FUNCTION real rounding_quotient(real v, rounded_number a, rounded_number b) {
    real least = point_abs(b.value) - b.error;
    real own = a.value == 0 ? 0 : rounding_unit(v);
    return least > 0 ? own + (a.error + point_abs(v) * b.error) / least : REAL_INFINITY;
}

SHARED_FUNCTION real rounding_none(real v, rounded_number a, rounded_number b) {
    (void)v;
    (void)b;
    return a.error;
}

SHARED_FUNCTION real rounding_root(real v, rounded_number a, rounded_number b) {
    (void)b;
    if (a.error > a.value)
        return REAL_INFINITY;
    return a.error > 0 ? rounding_unit(v) + REAL(1.01) * simd_lesser(real_sqrt(a.error), a.error / v)
                       : ROUNDING_UNIT * v;
}

SHARED_FUNCTION real rounding_exp(real v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < REAL(0.5) ? rounding_called(v) + REAL(1.5) * v * a.error : REAL_INFINITY;
}

SHARED_FUNCTION real rounding_log(real v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < a.value ? rounding_called(v) + a.error / (a.value - a.error) : REAL_INFINITY;
}

/* |f'| is 1 at most. */
SHARED_FUNCTION real rounding_gentle(real v, rounded_number a, rounded_number b) {
    (void)b;
    return rounding_called(v) + a.error;
}

SHARED_FUNCTION real rounding_tan(real v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error * (1 + 2 * point_abs(v)) < REAL(0.25) ? rounding_called(v) + 2 * a.error * (1 + v * v)
                                                         : REAL_INFINITY;
}

/* asin and acos, whose slope is steepest at -1 and 1. */
SHARED_FUNCTION real rounding_arc(real v, rounded_number a, rounded_number b) {
    real most = point_abs(a.value) + a.error, slope = real_sqrt(sample_greater(1 - most * most, 0));
    (void)b;
    if (!(most <= 1))
        return REAL_INFINITY;
    return rounding_called(v) + (slope > 0 ? simd_lesser(a.error / slope, REAL(2.23) * real_sqrt(a.error))
                                           : REAL(2.23) * real_sqrt(a.error));
}

SHARED_FUNCTION real rounding_atan2(real v, rounded_number a, rounded_number b) {
    real most = sample_greater(point_abs(a.value), point_abs(b.value)), error = a.error + b.error;
    bool cut = b.value - b.error < 0 && point_abs(a.value) <= a.error && a.error > 0;
    return error < REAL(0.25) * most && !cut ? rounding_called(v) + REAL(1.5) * error / (most - error) : REAL_INFINITY;
}

SHARED_FUNCTION real rounding_hyperbolic(real v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < REAL(0.5) ? rounding_called(v) + 2 * a.error * (point_abs(v) + 1) : REAL_INFINITY;
}

SHARED_FUNCTION real rounding_acosh(real v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error <= a.value - 1 ? rounding_called(v) + REAL(1.6) * real_sqrt(a.error) : REAL_INFINITY;
}

SHARED_FUNCTION real rounding_atanh(real v, rounded_number a, rounded_number b) {
    real most = point_abs(a.value) + a.error;
    (void)b;
    return most < 1 ? rounding_called(v) + a.error / (1 - most * most) : REAL_INFINITY;
}

/* |a|^(b - 1) is largest at one end of the interval of a. */
SHARED_FUNCTION real rounding_pow(real v, rounded_number a, rounded_number b) {
    real size = point_abs(a.value), end = b.value >= 1 ? size + a.error : size - a.error, carried = 0;
    if (a.error > 0)
        carried =
            end > 0 ? REAL(1.02) * a.error * point_abs(b.value) * elementary_pow(end, b.value - 1) : REAL_INFINITY;
    if (b.error > 0) {
        real power = b.error * point_abs(elementary_log(size));
        carried = power < REAL(0.5) ? carried + REAL(1.5) * point_abs(v) * power : REAL_INFINITY;
    }
    return carried + rounding_called(v);
}

SHARED_FUNCTION real rounding_extreme(real v, rounded_number a, rounded_number b) {
    (void)v;
    return sample_greater(a.error, b.error);
}

/* 0 or 1; a bound of 1: either is possible. */
SHARED_FUNCTION real rounding_comparison(real v, rounded_number a, rounded_number b) {
    real error = a.error + b.error;
    (void)v;
    return error == 0 || point_abs(a.value - b.value) > REAL(1.01) * error ? 0 : 1;
}

SHARED_FUNCTION real rounding_choice(rounded_number condition, rounded_number yes, rounded_number no) {
    if (condition.error > 0)
        return point_abs(yes.value - no.value) + sample_greater(yes.error, no.error);
    return condition.value != 0 ? yes.error : no.error;
}

/* ---- rows ---- */

/* An upper bound on the violation of a row; beyond: that of the computed values. */
SHARED_FUNCTION real rounding_row(rounded_number c, rounded_number bound, real beyond, bool relative) {
    real most = beyond + (c.error + bound.error + 2 * ROUNDING_UNIT * point_abs(beyond));
    real least = point_abs(bound.value) - bound.error;
    if (beyond == -REAL_INFINITY) /* no bound on this side */
        return 0;
    return relative && least > 1 ? most / least : most;
}

#endif
