/* active_set_objective.h - see affine.h: the model's objective at a point. A text for the processor and for a device.
 *
 * Whoever includes it says what lies so many numbers behind the first of a sample's own (NEAREST_AT), and what a struct backend is: kernels
 * that are called by its names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ACTIVE_SET_OBJECTIVE_H
#define HN_CORE_ACTIVE_SET_OBJECTIVE_H

#include "base/real.h"
#include "core/active_set_layout.h"

/* The larger one; the other one where one is NaN. */
SHARED_FUNCTION double affine_larger(double a, double b) {
    return a > b || b != b ? a : b;
}

/* f at x and y, and its derivatives by y. */
SHARED_FUNCTION double affine_look(const struct backend *kernels, const struct affine *a, double *memory,
                                   const double *x, const double *y, double *slope) {
    for (size_t i = 0; i < a->goal_inputs; i++)
        *NEAREST_AT(memory, a->goal_x + i) = x[i];
    for (size_t j = 0; j < a->outputs; j++)
        *NEAREST_AT(memory, a->goal_y + j) = y[j];
    kernels->run(a->goal, 0, memory);
    kernels->run(a->goal, 1, memory);
    for (size_t j = 0; j < a->outputs; j++)
        slope[j] = *NEAREST_AT(memory, a->goal_slope[j]);
    return *NEAREST_AT(memory, a->goal_cost);
}

/* The optimality conditions once more at an answer, f evaluated anew there: what is left of them, in units of the multipliers, which goes
 * into the answer's kkt, too. Where the goal is the distance nothing is. */
SHARED_FUNCTION double affine_look_after(const struct backend *kernels, const struct affine *a, double *memory,
                                         const double *x, struct affine_sample *sample, double *slope, double *cost) {
    double largest = 1, rest = 0;
    if (!a->goal)
        return 0;
    *cost = affine_look(kernels, a, memory, x, sample->y, slope);
    for (size_t i = 0; i < a->rows; i++) {
        double l = sample->multipliers[i];
        largest = affine_larger(largest, fabs(l) * a->gauge[i]);
        for (size_t e = a->first[i]; l != 0 && e < a->first[i + 1]; e++)
            slope[a->column[e]] -= l * a->number[e];
    }
    for (size_t j = 0; j < a->outputs; j++)
        rest = a->inverse[j] > 0 && !(fabs(slope[j]) <= rest) ? fabs(slope[j]) : rest;
    sample->kkt = affine_larger(sample->kkt, rest / largest);
    return rest / largest;
}

#endif
