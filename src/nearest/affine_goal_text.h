/* affine_goal_text.h - see affine.h: the model's objective at a point. A text for the processor and for a device.
 *
 * Whoever includes it says what lies so many numbers behind the first of a sample's own (NEAREST_AT), and what a struct backend is: kernels
 * that are called by its names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_AFFINE_GOAL_TEXT_H
#define HN_NEAREST_AFFINE_GOAL_TEXT_H

#include "nearest/affine_places.h"

/* f at x and y, and its derivatives by y. */
static inline double affine_look(const struct backend *kernels, const struct affine *a, double *memory, const double *x,
                                 const double *y, double *slope) {
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

#endif
