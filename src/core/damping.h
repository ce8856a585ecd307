/* damping.h - the arithmetic of auto's near stage: contraction of |W r|, active rows, eps. Part of sample.h, and of generated kernels,
 * where it is compiled over SIMD lanes (number.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_DAMPING_H
#define HN_CORE_DAMPING_H

#include "base/real.h"
#include "core/number.h"

SAMPLE_CONSTANT real SAMPLE_CLOSE = REAL(0.1);      /* |W r| below which the iterates are close to convergence */
SAMPLE_CONSTANT real SAMPLE_HOLD_SHARE = REAL(0.5); /* times |W r|: distance below which satisfied rows are active */
SAMPLE_CONSTANT real SAMPLE_LEAD_SHARE = REAL(0.5); /* share of |W r|^2 above which joint inequalities are kept */
enum { SAMPLE_PATIENCE = 8 };                       /* steps within which |W r| must be halved */

/* Whether |W r| was halved. */
NUMBER_FUNCTION NUMBER_FLAG near_is_halved(NUMBER squares, NUMBER before) {
    return NUMBER_LESS(squares, NUMBER_ALL(REAL(0.25)) * before);
}

NUMBER_FUNCTION NUMBER_FLAG near_is_close(NUMBER squares) {
    return NUMBER_LESS(squares, NUMBER_ALL(SAMPLE_CLOSE * SAMPLE_CLOSE));
}

/* Whether the first step omits the joint inequalities, because their share of |W r|^2 is small; false for NaN. */
NUMBER_FUNCTION NUMBER_FLAG near_leads(NUMBER squares, NUMBER joint) {
    return NUMBER_LESS_EQUAL(joint, NUMBER_ALL(SAMPLE_LEAD_SHARE) * squares);
}

/* A satisfied row closer to a bound than this is active, in units of its weight. */
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

/* Before convergence eps is proportional to |W r|, with its derivative; in a leading step it is a power of two. Close
 * to convergence it also depends on the contraction of the last step, which gives superlinear convergence, and is
 * rounded to a power of two. */
NUMBER_FUNCTION NUMBER near_eps(NUMBER squares, NUMBER before, NUMBER_FLAG leads, NUMBER damping, NUMBER least) {
    NUMBER size = NUMBER_SQUARE_ROOT(squares), eps = damping * size;
    NUMBER follows = NUMBER_SELECT(NUMBER_LESS_EQUAL(NUMBER_ALL(SAMPLE_CLOSE), size), near_at_most_one(eps),
                                   near_close_eps(squares, before, damping, least));
    return NUMBER_SELECT(leads, near_at_most_one(number_power_of_two(eps)), follows);
}

#endif
