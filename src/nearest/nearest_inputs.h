/* nearest_inputs.h - how the optimality conditions depend on the inputs: dc/dx, and d/dx of (sum_i lambda_i dc_i/dy),
 * with the objective d/dx of (sigma df/dy + sum_i lambda_i dc_i/dy).
 *
 * A separate program, run by the gradient but not by the search. Input: a model. Offsets count doubles from the first
 * slot of this program.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_INPUTS_H
#define HN_NEAREST_INPUTS_H

#include "autodiff/program_spec.h"
#include "core/nearest_layout.h"

hn_status nearest_inputs_create(struct nearest_inputs *inputs, const hn_model *model, bool optimal, uint32_t stride,
                                hn_error *error);
void nearest_inputs_release(struct nearest_inputs *inputs);

#endif
