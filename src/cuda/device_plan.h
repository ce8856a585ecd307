/* device_plan.h - the plan of a layer that runs on a device: the same as on the host.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_PLAN_H
#define HN_CUDA_DEVICE_PLAN_H

#include "core/plan.h"

/* filled: the options with the method's own numbers. plan_destroy releases the plan. */
hn_status device_plan(struct plan **plan, hn_layer_options *filled, const hn_model *model,
                      const hn_layer_options *options, hn_error *error);

#endif
