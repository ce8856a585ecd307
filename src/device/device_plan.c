/* device_plan.c - see device_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/device_plan.h"

#include "base/error.h"

/* A layer of the host fills in the method's own numbers, refuses what does not fit together, and finds out how many steps are usual. */
hn_status device_plan(struct plan **plan, hn_layer_options *filled, const hn_model *model,
                      const hn_layer_options *options, hn_error *error) {
    hn_layer *layer;
    *plan = NULL;
    if (options && (options->method == HN_METHOD_NEAREST || options->method == HN_METHOD_OPTIMAL))
        return error_about(error, HN_INVALID, error_option("method"),
                           "method %s: a device does not have it; all others but nearest and optimal it has",
                           hn_method_text(options->method));
    hn_status status = hn_layer_create(&layer, model, options, error);
    if (status != HN_OK)
        return status;
    *filled = hn_layer_options_of(layer);
    const hn_layer_info info = hn_layer_info_of(layer);
    hn_layer_destroy(layer);
    filled->kernel = NULL; /* which was that layer's */
    status = plan_create(plan, model, filled, error);
    if (status != HN_OK)
        return status;
    (*plan)->options.usual = info.usual_steps;
    (*plan)->options.budget = info.budget_steps;
    return HN_OK;
}
