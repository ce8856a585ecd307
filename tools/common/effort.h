/* effort.h - estimates the operations of solutions by the method optimal.
 *
 * Input: a model and a layer. Output: a number that does not depend on the machine, so that searches limited by it are
 * reproducible. The estimate is good to a factor of a few; about 2e9 operations take a second on one core.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EFFORT_H
#define HN_TOOLS_EFFORT_H

#include "hardnet/layer.h"

enum { EFFORT_USUAL_STEPS = 50 };

/* Operations of one sample: of a step of the layer's method, and of a factorisation of the method optimal, with its
 * second derivatives. */
struct effort {
    double step, factorisation;
};

double effort_step(const hn_layer *layer);

hn_status effort_find(struct effort *effort, const hn_model *model, const hn_layer *layer, hn_error *error);

/* Operations of a solution with a typical number of factorisations. */
double effort_solution(const struct effort *effort);

#endif
