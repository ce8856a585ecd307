/* rounding_bound_run.h - runs the steps of rounding_bound.h at the present iterate, and judges the rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ROUNDING_BOUND_RUN_H
#define HN_CORE_ROUNDING_BOUND_RUN_H

#include "base/real.h"
#include "core/rounding_bound.h"
#include "core/solver.h"

SHARED_FUNCTION void rounding_run(const real *slots, rounded_number *numbers) {
    for (size_t i = 0; i < sizeof rounding_leaves / sizeof rounding_leaves[0]; i++) {
        rounded_number *leaf = &numbers[rounding_leaves[i].number];
        leaf->value = slots[rounding_leaves[i].slot];
        leaf->error = rounding_leaves[i].error;
    }
    for (size_t i = 0; i < ROUNDING_STEPS; i++) {
        const uint16_t *step = rounding_steps[i];
        const rounded_number b = numbers[step[3]], c = numbers[step[4]];
        rounded_number a, v;
        if (step[0] == ROUNDING_SCALE) {
            a.value = rounding_numbers[step[2]][0];
            a.error = rounding_numbers[step[2]][1];
            v.value = a.value * b.value;
            v.error = rounding_product(v.value, a, b);
        } else {
            a = numbers[step[2]];
            v.value = rounding_value(step[0], a.value, b.value, c.value);
            v.error = rounding_error(step[0], v.value, a, b, c);
        }
        v.error = v.error >= 0 ? v.error : REAL_INFINITY; /* NaN: unknown */
        numbers[step[1]] = v;
    }
}

/* An upper bound on the violation at the present iterate, in the measure of the tolerance. */
SHARED_FUNCTION real rounding_most(const real *slots, rounded_number *numbers, bool relative) {
    real worst = 0;
    rounding_run(slots, numbers);
    for (size_t i = 0; i < ROUNDING_ROWS; i++) {
        const rounded_number c = numbers[rounding_rows[i][0]];
        const rounded_number lower = numbers[rounding_rows[i][1]], upper = numbers[rounding_rows[i][2]];
        real above = rounding_row(c, upper, c.value - upper.value, relative);
        real below = rounding_row(c, lower, lower.value - c.value, relative);
        if (!(above <= worst))
            worst = above == above ? above : REAL_INFINITY;
        if (!(below <= worst))
            worst = below == below ? below : REAL_INFINITY;
    }
    return worst;
}

/* The verdict: the violation plus its rounding error must be within the tolerance; the driver aims at less. */
SHARED_FUNCTION real rounding_finish(const real *slots, rounded_number *numbers, bool relative, real tolerance,
                                     struct solver_report *own) {
    real most = rounding_most(slots, numbers, relative);
    bool judged = own->outcome == HN_OUTCOME_OK || own->outcome == HN_OUTCOME_ITERATION_LIMIT ||
                  own->outcome == HN_OUTCOME_STALLED || own->outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (judged && most <= tolerance)
        own->outcome = HN_OUTCOME_OK;
    else if (own->outcome == HN_OUTCOME_OK)
        own->outcome = HN_OUTCOME_STALLED;
    return most;
}

#endif
