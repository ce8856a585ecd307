/* device_plan.c - see device_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_plan.h"

#include "base/error.h"

/* A layer of the host fills in the method's own numbers, refuses what does not fit together, and finds out how many steps are usual. */
hn_status device_plan(struct plan **plan, hn_layer_options *filled, const hn_model *model,
                      const hn_layer_options *options, hn_error *error) {
    hn_layer *layer;
    *plan = NULL;
    hn_status status = hn_layer_create(&layer, model, options, error);
    if (status != HN_OK)
        return status;
    *filled = hn_layer_options_of(layer);
    const hn_layer_info info = hn_layer_info_of(layer);
    hn_layer_destroy(layer);
    filled->kernel = NULL; /* which was that layer's, and so were weights */
    filled->weights = options ? options->weights : NULL;
    hn_layer_options steps = *filled;
    const bool searches = filled->method == HN_METHOD_NEAREST || filled->method == HN_METHOD_OPTIMAL;
    if (searches) /* it begins where auto ends */
        steps.method = HN_METHOD_AUTO;
    status = plan_create(plan, model, &steps, error);
    if (status != HN_OK)
        return status;
    (*plan)->tape_numbers = searches ? (*plan)->rows + 1 : 0;
    (*plan)->options.usual = info.usual_steps;
    (*plan)->options.budget = info.budget_steps;
    return HN_OK;
}
