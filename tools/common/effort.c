/* effort.c - see effort.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/effort.h"

#include "hardnet/evaluate.h"

enum { MOST_NODES = 1 << 19 }; /* limit of second derivatives, as in the method optimal */
enum { SYSTEM_STEPS = 4 };     /* that the system of rows and outputs takes */

double effort_step(const hn_layer *layer) {
    hn_layer_info info = hn_layer_info_of(layer);
    return (double)info.operators + (double)info.multiply_adds + (double)info.outputs;
}

/* Second derivatives entry by entry, or, if there are too many, by one product per output. */
static hn_status find_curvature(double *cost, const hn_model *model, const hn_layer *layer, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_layer_info layer_info = hn_layer_info_of(layer);
    hn_evaluator *evaluator = NULL;
    options.wanted = HN_WANT(HN_QUANTITY_HESSIAN_YY);
    options.hessian_nodes = MOST_NODES;
    hn_status status = hn_evaluator_create(&evaluator, model, &options, error);
    if (status != HN_OK)
        return status;
    hn_evaluator_info info = hn_evaluator_info_of(evaluator);
    double products = (double)layer_info.outputs * (double)layer_info.operators;
    *cost = info.hessian_left_out ? products : (double)info.hessian_instructions;
    hn_evaluator_destroy(evaluator);
    return HN_OK;
}

hn_status effort_find(struct effort *effort, const hn_model *model, const hn_layer *layer, hn_error *error) {
    double curvature = 0;
    hn_status status = find_curvature(&curvature, model, layer, error);
    effort->step = effort_step(layer);
    effort->factorisation = curvature + SYSTEM_STEPS * effort->step;
    return status;
}

double effort_solution(const struct effort *effort) {
    return EFFORT_USUAL_STEPS * effort->factorisation;
}
