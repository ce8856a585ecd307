/* methods.h - the methods of a layer, one line each; hn_method (hardnet/layer.h) has their names in the same order.
 *
 *     iterations  most steps, unless set by options
 *     damping     eps, unless set by options
 *     eps         FIXED: as given; NONE: 0, options must not set it; ADAPTED: Levenberg-Marquardt unless given;
 *                 TIED: to |W r|, then adapted
 *     rows        rows of a step: ALL, or VIOLATED with equalities, each with a weight
 *     ends        at the TOLERANCE, after all STEPS, or after all steps and at a lost PIVOT
 *     goes on     after auto's result: NOTHING, or a SEARCH with a certificate (nearest/)
 *
 * core/sample.h makes the decisions from the flags that plan_create derives; docs/method.md has the mathematics.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_PLAN_METHODS_H
#define HN_PLAN_METHODS_H

#include "hardnet/layer.h"

/* clang-format off */
#define METHOD_LIST(X)                                                                                                 \
    /* method    iterations  damping eps      rows      ends       goes on */                                          \
    X(AUTO,      5000,       0.018,  TIED,    VIOLATED, TOLERANCE, NOTHING)                                            \
    X(PAPER,     500,        0.3,    FIXED,   ALL,      STEPS,     NOTHING)                                            \
    X(HARDNET,   100,        0,      NONE,    ALL,      PIVOT,     NOTHING)                                            \
    X(LM,        200,        -1,     ADAPTED, VIOLATED, TOLERANCE, NOTHING)                                            \
    X(NEAREST,   5000,       0.018,  TIED,    VIOLATED, TOLERANCE, SEARCH)                                             \
    X(ENFORCE,   100,        0,      NONE,    VIOLATED, TOLERANCE, NOTHING)                                            \
    X(SNARENET,  100,        0.01,   FIXED,   ALL,      TOLERANCE, NOTHING)                                            \
    X(OPTIMAL,   5000,       0.018,  TIED,    VIOLATED, TOLERANCE, SEARCH)
/* clang-format on */

enum method_eps { EPS_FIXED, EPS_NONE, EPS_ADAPTED, EPS_TIED };
enum method_rows { ROWS_ALL, ROWS_VIOLATED };
enum method_ends { ENDS_TOLERANCE, ENDS_STEPS, ENDS_PIVOT };
enum method_goes_on { GOES_ON_NOTHING, GOES_ON_SEARCH };

struct method {
    int iterations;
    double damping;
    enum method_eps eps;
    enum method_rows rows;
    enum method_ends ends;
    enum method_goes_on goes_on;
};

const struct method *method_of(hn_method method); /* an element of the list */

/* Whether the method continues from auto's result with a search and a certificate. */
static inline bool method_searches(hn_method method) {
    return (unsigned)method < HN_METHOD_COUNT && method_of(method)->goes_on == GOES_ON_SEARCH;
}

#endif
