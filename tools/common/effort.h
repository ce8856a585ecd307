/* effort.h - what solutions by the method optimal will take, in operations.
 *
 * In go a model and a layer of it, out comes a number that is the same on every machine: so what is limited by it finds the same on
 * a busy one. It is an estimate, good to a factor of a few; some 2e9 operations are a second of one core.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EFFORT_H
#define HN_TOOLS_EFFORT_H

#include "hardnet/layer.h"

enum { EFFORT_USUAL_STEPS = 50 };

/* Operations of one sample: of a step of the layer's method, and of a factorisation of the method optimal, with its second
 * derivatives. */
struct effort {
    double step, factorisation;
};

double effort_step(const hn_layer *layer);

hn_status effort_find(struct effort *effort, const hn_model *model, const hn_layer *layer, hn_error *error);

/* Of a solution that takes as many factorisations as are usual. */
double effort_solution(const struct effort *effort);

#endif
