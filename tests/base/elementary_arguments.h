/* elementary_arguments.h - where the tests of the elementary functions look: one draw per family of functions.
 *
 * A draw gives an argument, or two, from all doubles, from the usual ranges, or from the neighbourhood of a place that
 * is delicate for the functions or for our formulas: where they overflow, underflow, change formula, or meet a zero or
 * a pole.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_BASE_ELEMENTARY_ARGUMENTS_H
#define HN_TESTS_BASE_ELEMENTARY_ARGUMENTS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"

static const double HALF_PI = 0x1.921fb54442d18p+0;
static const double HARDEST_ANGLE = 0x1.6ac5b262ca1ffp+849; /* 6381956970095103 2^797, closest to a multiple of pi/2 */

static double of_bits(uint64_t bits) {
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static uint64_t to_bits(double a) {
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

/* Any double but NaN: all exponents are equally likely. */
static double any_double(struct random *random) {
    double a = of_bits(random_bits(random));
    return a == a ? a : INFINITY;
}

static double either_sign(struct random *random, double a) {
    return random_bits(random) & 1 ? a : -a;
}

/* Of size 2^low ... 2^high, every binary exponent equally likely */
static double scattered(struct random *random, double low, double high) {
    return ldexp(1.0 + random_uniform(random), (int)floor(random_between(random, low, high)));
}

/* One of the thousand doubles around a > 0 */
static double around(struct random *random, double a) {
    return of_bits(to_bits(a) + random_below(random, 1001) - 500);
}

static double one_of(struct random *random, const double *values, size_t count) {
    return values[random_below(random, count)];
}

static double multiple_of_half_pi(struct random *random, double limit) {
    double multiple = floor(random_between(random, 1.0, limit));
    return around(random, multiple * HALF_PI);
}

/* 1 - 2^-53 ... 1 + 1/2, crowded around 1 */
static double close_to_one(struct random *random) {
    return 1.0 + either_sign(random, scattered(random, -53.0, -1.0));
}

/* ---- the families; what a function does not take is left alone ---- */

/* FAMILY(name) { return ...; } draws arguments for functions of one. */
#define FAMILY(name)                                                                                                   \
    static double name##_argument(struct random *random);                                                              \
    static void draw_##name(struct random *random, double *a, double *b) {                                             \
        (void)b;                                                                                                       \
        *a = name##_argument(random);                                                                                  \
    }                                                                                                                  \
    static double name##_argument(struct random *random)

FAMILY(exponential) {
    static const double edges[] = {
        708.0, 709.782712893384, 708.3964185322641, 744.4400719213812, 745.1332191019412, 0.34657359027997264};
    switch (random_below(random, 5)) {
    case 0:
        return any_double(random);
    case 1:
        return either_sign(random, around(random, one_of(random, edges, 6)));
    case 2:
        return either_sign(random, scattered(random, -60.0, 3.0));
    case 3:
        return either_sign(random, random_between(random, 700.0, 750.0));
    default:
        return random_between(random, -700.0, 700.0);
    }
}

FAMILY(logarithm) {
    switch (random_below(random, 6)) {
    case 0:
        return fabs(any_double(random));
    case 1:
        return close_to_one(random);
    case 2:
        return of_bits(random_bits(random) >> 12); /* denormal */
    case 3:
        return around(random, ldexp(0x1.6a09e667f3bcdp+0, (int)random_below(random, 5) - 3));
    case 4:
        return random_between(random, 0.5, 2.0);
    default:
        return scattered(random, -30.0, 30.0);
    }
}

FAMILY(angle) {
    switch (random_below(random, 8)) {
    case 0:
        return any_double(random);
    case 1:
        return multiple_of_half_pi(random, 100.0);
    case 2:
        return multiple_of_half_pi(random, 11000.0); /* beyond the limit of the fast path */
    case 3:
        return multiple_of_half_pi(random, 1e15);
    case 4:
        return either_sign(random, around(random, HARDEST_ANGLE));
    case 5:
        return either_sign(random, scattered(random, -40.0, 100.0));
    case 6:
        return random_between(random, -16384.0, 16384.0);
    default:
        return random_between(random, -10.0, 10.0);
    }
}

FAMILY(fraction) {
    static const double edges[] = {0.5, 1.0, 0x1p-26, 0x1p-1022};
    switch (random_below(random, 5)) {
    case 0:
        return any_double(random);
    case 1:
        return either_sign(random, close_to_one(random));
    case 2:
        return either_sign(random, around(random, one_of(random, edges, 4)));
    case 3:
        return either_sign(random, scattered(random, -1074.0, 0.0));
    default:
        return random_between(random, -1.0, 1.0);
    }
}

FAMILY(slope) {
    static const double edges[] = {0x1.a827999fcef32p-2, 1.0, 0x1.3504f333f9de6p+1, 0x1p-1022, 0x1p+1000};
    switch (random_below(random, 4)) {
    case 0:
        return any_double(random);
    case 1:
        return either_sign(random, around(random, one_of(random, edges, 5)));
    case 2:
        return either_sign(random, scattered(random, -40.0, 40.0));
    default:
        return random_between(random, -5.0, 5.0);
    }
}

FAMILY(hyperbolic) {
    static const double edges[] = {710.4758600739439, 1.0, 22.0, 64.0, 0.34657359027997264};
    switch (random_below(random, 5)) {
    case 0:
        return any_double(random);
    case 1:
        return either_sign(random, around(random, one_of(random, edges, 5)));
    case 2:
        return either_sign(random, scattered(random, -1074.0, 9.0));
    case 3:
        return either_sign(random, random_between(random, 600.0, 712.0));
    default:
        return random_between(random, -25.0, 25.0);
    }
}

FAMILY(area) {
    static const double edges[] = {0x1p+28, 0x1p-26, 1.0, 0x1p-1022};
    switch (random_below(random, 5)) {
    case 0:
        return any_double(random);
    case 1:
        return either_sign(random, around(random, one_of(random, edges, 4)));
    case 2:
        return close_to_one(random);
    case 3:
        return either_sign(random, scattered(random, -40.0, 40.0));
    default:
        return random_between(random, 1.0, 10.0);
    }
}

/* An exponent that takes |base| to e^size */
static double exponent_for(double base, double size) {
    return size / log(fabs(base));
}

static void draw_power(struct random *random, double *a, double *b) {
    switch (random_below(random, 7)) {
    case 0:
        *a = any_double(random), *b = any_double(random);
        break;
    case 1:
        *a = fabs(any_double(random)), *b = exponent_for(*a, random_between(random, -746.0, 710.0));
        break;
    case 2:
        *a = close_to_one(random), *b = exponent_for(*a, random_between(random, -746.0, 710.0));
        break;
    case 3:
        *a = random_between(random, -10.0, 10.0), *b = floor(random_between(random, -20.0, 20.0));
        break;
    case 4:
        *a = scattered(random, -500.0, 500.0), *b = exponent_for(*a, random_between(random, -746.0, -700.0));
        break;
    case 5:
        *a = of_bits(random_bits(random) >> 12), *b = random_between(random, -1.1, 1.1);
        break; /* denormal */
    default:
        *a = random_between(random, 0.0, 100.0), *b = random_between(random, -4.0, 4.0);
    }
}

static void draw_point(struct random *random, double *a, double *b) {
    switch (random_below(random, 5)) {
    case 0:
        *a = any_double(random), *b = any_double(random);
        break;
    case 1:
        *b = scattered(random, -1074.0, 1023.0), *a = *b * scattered(random, -1074.0, 60.0);
        break;
    case 2:
        *b = scattered(random, -10.0, 10.0), *a = around(random, *b * 0x1.a827999fcef32p-2);
        break;
    case 3:
        *a = scattered(random, -10.0, 10.0), *b = around(random, *a * 0x1.a827999fcef32p-2);
        break;
    default:
        *a = random_between(random, -1.0, 1.0), *b = random_between(random, -1.0, 1.0);
    }
    *a = either_sign(random, *a), *b = either_sign(random, *b);
}

#endif
