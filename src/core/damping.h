/* damping.h - the arithmetic of auto's near stage: how |W r| falls, which rows are held, and eps. Part of sample.h, and of generated
 * kernels, where it is compiled over SIMD lanes (number.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_DAMPING_H
#define HN_CORE_DAMPING_H

#include "base/real.h"

SAMPLE_CONSTANT real SAMPLE_CLOSE = REAL(0.1);      /* |W r| below which convergence is near */
SAMPLE_CONSTANT real SAMPLE_HOLD_SHARE = REAL(0.5); /* how close a satisfied row is held then, of |W r| */
SAMPLE_CONSTANT real SAMPLE_LEAD_SHARE =
    REAL(0.5);                /* of |W r|^2: joint inequalities that have more of it are not left out */
enum { SAMPLE_PATIENCE = 8 }; /* steps in which |W r| is to be halved */

/* Whether |W r| was halved. */
NUMBER_FUNCTION NUMBER_FLAG near_is_halved(NUMBER squares, NUMBER before) {
    return NUMBER_LESS(squares, NUMBER_ALL(REAL(0.25)) * before);
}

NUMBER_FUNCTION NUMBER_FLAG near_is_close(NUMBER squares) {
    return NUMBER_LESS(squares, NUMBER_ALL(SAMPLE_CLOSE * SAMPLE_CLOSE));
}

/* Whether so little of |W r|^2 is the joint inequalities' that the first step leaves them out; no NaN does. */
NUMBER_FUNCTION NUMBER_FLAG near_leads(NUMBER squares, NUMBER joint) {
    return NUMBER_LESS_EQUAL(joint, NUMBER_ALL(SAMPLE_LEAD_SHARE) * squares);
}

/* How close to a bound a satisfied row is held, in units of its weight. */
NUMBER_FUNCTION NUMBER near_hold(NUMBER squares, NUMBER_FLAG leads) {
    NUMBER size = NUMBER_SQUARE_ROOT(squares);
    NUMBER held =
        NUMBER_SELECT(NUMBER_LESS(size, NUMBER_ALL(SAMPLE_CLOSE)), NUMBER_ALL(SAMPLE_HOLD_SHARE) * size, NUMBER_ALL(0));
    return NUMBER_SELECT(leads, NUMBER_ALL(0), held);
}

NUMBER_FUNCTION NUMBER near_at_most_one(NUMBER eps) {
    return NUMBER_SELECT(NUMBER_LESS(eps, NUMBER_ALL(1)), eps, NUMBER_ALL(1));
}

NUMBER_FUNCTION NUMBER near_close_eps(NUMBER squares, NUMBER before, NUMBER damping, NUMBER least) {
    NUMBER share = NUMBER_SELECT(NUMBER_LESS(squares, before), damping * NUMBER_SQUARE_ROOT(squares / before), damping);
    NUMBER eps = number_power_of_two(share * NUMBER_SQUARE_ROOT(squares));
    return NUMBER_SELECT(NUMBER_LESS(least, eps), eps, least);
}

/* Far away eps follows |W r|, and so does its derivative; in a leading step it is a power of two. Once convergence is near it also
 * follows the contraction of the last step, which makes the end superlinear, and is rounded to a power of two. */
NUMBER_FUNCTION NUMBER near_eps(NUMBER squares, NUMBER before, NUMBER_FLAG leads, NUMBER damping, NUMBER least) {
    NUMBER size = NUMBER_SQUARE_ROOT(squares), eps = damping * size;
    NUMBER follows = NUMBER_SELECT(NUMBER_LESS_EQUAL(NUMBER_ALL(SAMPLE_CLOSE), size), near_at_most_one(eps),
                                   near_close_eps(squares, before, damping, least));
    return NUMBER_SELECT(leads, near_at_most_one(number_power_of_two(eps)), follows);
}

#endif
