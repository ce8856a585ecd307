/* layer_plan.h - the plan of a layer, for executors outside of src/layer: emitted files and CUDA kernels.
 *
 * In: a finished model and options. Out: the plan that hn_layer_create makes, with the method's defaults filled in and the step
 * budget measured, and the complete options.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LAYER_PLAN_H
#define HN_LAYER_PLAN_H

#include "core/plan.h"
#include "hardnet/layer.h"

/* Fails whenever hn_layer_create would. plan_destroy releases the plan; filled->weights are the caller's,
 * filled->kernel is NULL. */
hn_status layer_plan_create(struct plan **plan, hn_layer_options *filled, const hn_model *model,
                            const hn_layer_options *options, hn_error *error);

#endif
