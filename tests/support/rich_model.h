/* rich_model.h - a model that goes through every public call of hardnet/model.h and makes every list grow.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_RICH_MODEL_H
#define HN_TESTS_SUPPORT_RICH_MODEL_H

#include "hardnet/model.h"

enum { RICH_INPUTS = 20, RICH_OUTPUTS = 40, RICH_VALUES_MOST = 1000 };

/* Created, filled and finished; *out is NULL only when it could not be created, and is to be destroyed otherwise. */
hn_status rich_model_build(hn_model **out, hn_error *error);

/* The same with rows, products and a form by matrices (hardnet/matrix.h). */
hn_status rich_model_build_with_matrices(hn_model **out, hn_error *error);

/* The values of rows, bounds, starts, definitions, requirements and objective at a fixed point, at most
 * RICH_VALUES_MOST of them. */
hn_status rich_model_evaluate(const hn_model *model, hn_real *values, size_t *count, hn_error *error);

#endif
