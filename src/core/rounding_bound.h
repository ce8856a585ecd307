/* rounding_bound.h - what rounding may hide in an emitted file whose numbers are floats: a bound on the violation of the rows at y, by
 * a running error analysis (Wilkinson, 1963; Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.3).
 *
 *     every value v has a bound e:  |v - exact value at the given x and y| <= e
 *     a + b:  e = ea + eb + u |v|;   a b:  e = |a| eb + |b| ea + ea eb + u |v|;   f(a):  e = max |f'| ea + 4 u |v|
 *
 * The rows are computed once more, each operation with its bound: rounding_steps, which the file has behind this text, in the order of
 * the statements that entry_evaluate has. A value that rounding may make undefined, and a comparison that it may turn around, have no
 * useful bound. u is a little larger than 2^-24, which covers the rounding of the bounds themselves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ROUNDING_BOUND_H
#define HN_CORE_ROUNDING_BOUND_H

#ifdef REAL_LIBM
#define ROUNDING_CALL 8 /* units of u in a function of the target's <math.h>: 4 units in the last place */
#else
#define ROUNDING_CALL 4 /* in one of ours */
#endif

static const double ROUNDING_UNIT = 0x1.02p-24;

/* A slot that steps begin with. */
struct rounding_leaf {
    uint32_t slot, number;
    double error;
};

static inline double rounding_size(double a) {
    return sample_greater(a, -a);
}

/* Of one operation that is correctly rounded; what underflows is lost. */
static inline double rounding_unit(double v) {
    double size = rounding_size(v);
    return size < DBL_MIN ? DBL_MIN : ROUNDING_UNIT * size;
}

static inline double rounding_called(double v) {
    return ROUNDING_CALL * rounding_unit(v);
}

/* ---- one function for each kind of operator: its value, and its arguments ---- */

static inline double rounding_sum(double v, rounded_number a, rounded_number b) {
    return a.error + b.error + ROUNDING_UNIT * rounding_size(v);
}

static inline double rounding_product(double v, rounded_number a, rounded_number b) {
    double carried = rounding_size(a.value) * b.error + rounding_size(b.value) * a.error + a.error * b.error;
    return a.value == 0 || b.value == 0 ? carried : carried + rounding_unit(v);
}

static inline double rounding_quotient(double v, rounded_number a, rounded_number b) {
    double least = rounding_size(b.value) - b.error;
    double own = a.value == 0 ? 0 : rounding_unit(v);
    return least > 0 ? own + (a.error + rounding_size(v) * b.error) / least : HUGE_VAL;
}

static inline double rounding_none(double v, rounded_number a, rounded_number b) {
    (void)v;
    (void)b;
    return a.error;
}

static inline double rounding_root(double v, rounded_number a, rounded_number b) {
    (void)b;
    if (a.error > a.value)
        return HUGE_VAL;
    return a.error > 0 ? rounding_unit(v) + 1.01 * simd_lesser(sqrt(a.error), a.error / v) : ROUNDING_UNIT * v;
}

static inline double rounding_exp(double v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < 0.5 ? rounding_called(v) + 1.5 * v * a.error : HUGE_VAL;
}

static inline double rounding_log(double v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < a.value ? rounding_called(v) + a.error / (a.value - a.error) : HUGE_VAL;
}

/* |f'| is 1 at most. */
static inline double rounding_gentle(double v, rounded_number a, rounded_number b) {
    (void)b;
    return rounding_called(v) + a.error;
}

static inline double rounding_tan(double v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error * (1 + 2 * rounding_size(v)) < 0.25 ? rounding_called(v) + 2 * a.error * (1 + v * v) : HUGE_VAL;
}

/* asin and acos, whose slope is steepest at -1 and 1. */
static inline double rounding_arc(double v, rounded_number a, rounded_number b) {
    double most = rounding_size(a.value) + a.error, slope = sqrt(sample_greater(1 - most * most, 0));
    (void)b;
    if (!(most <= 1))
        return HUGE_VAL;
    return rounding_called(v) + (slope > 0 ? simd_lesser(a.error / slope, 2.23 * sqrt(a.error)) : 2.23 * sqrt(a.error));
}

static inline double rounding_atan2(double v, rounded_number a, rounded_number b) {
    double most = sample_greater(rounding_size(a.value), rounding_size(b.value)), error = a.error + b.error;
    bool cut = b.value - b.error < 0 && rounding_size(a.value) <= a.error && a.error > 0;
    return error < 0.25 * most && !cut ? rounding_called(v) + 1.5 * error / (most - error) : HUGE_VAL;
}

static inline double rounding_hyperbolic(double v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error < 0.5 ? rounding_called(v) + 2 * a.error * (rounding_size(v) + 1) : HUGE_VAL;
}

static inline double rounding_acosh(double v, rounded_number a, rounded_number b) {
    (void)b;
    return a.error <= a.value - 1 ? rounding_called(v) + 1.6 * sqrt(a.error) : HUGE_VAL;
}

static inline double rounding_atanh(double v, rounded_number a, rounded_number b) {
    double most = rounding_size(a.value) + a.error;
    (void)b;
    return most < 1 ? rounding_called(v) + a.error / (1 - most * most) : HUGE_VAL;
}

/* |a|^(b - 1) is largest at one end of where a may be. */
static inline double rounding_pow(double v, rounded_number a, rounded_number b) {
    double size = rounding_size(a.value), end = b.value >= 1 ? size + a.error : size - a.error, carried = 0;
    if (a.error > 0)
        carried = end > 0 ? 1.02 * a.error * rounding_size(b.value) * elementary_pow(end, b.value - 1) : HUGE_VAL;
    if (b.error > 0) {
        double power = b.error * rounding_size(elementary_log(size));
        carried = power < 0.5 ? carried + 1.5 * rounding_size(v) * power : HUGE_VAL;
    }
    return carried + rounding_called(v);
}

static inline double rounding_extreme(double v, rounded_number a, rounded_number b) {
    (void)v;
    return sample_greater(a.error, b.error);
}

/* 0 or 1; 1 as a bound: it may be either. */
static inline double rounding_comparison(double v, rounded_number a, rounded_number b) {
    double error = a.error + b.error;
    (void)v;
    return error == 0 || rounding_size(a.value - b.value) > 1.01 * error ? 0 : 1;
}

static inline double rounding_choice(rounded_number condition, rounded_number yes, rounded_number no) {
    if (condition.error > 0)
        return rounding_size(yes.value - no.value) + sample_greater(yes.error, no.error);
    return condition.value != 0 ? yes.error : no.error;
}

/* ---- rows ---- */

/* The violation of a row at most, of what it is measured by at least; beyond: by how much the values violate it. */
static inline double rounding_row(rounded_number c, rounded_number bound, double beyond, bool relative) {
    double most = beyond + (c.error + bound.error + 2 * ROUNDING_UNIT * rounding_size(beyond));
    double least = rounding_size(bound.value) - bound.error;
    if (beyond == -HUGE_VAL) /* there is no such bound */
        return 0;
    return relative && least > 1 ? most / least : most;
}

#endif
