/* smooth_model.h - smooth random models with everything an evaluator can be asked about: an objective, bounds and starts that
 * depend on x, fixed outputs, linear rows, a row without outputs. The same seed, the same model.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SMOOTH_MODEL_H
#define HN_TESTS_SUPPORT_SMOOTH_MODEL_H

#include "hardnet/model.h"

enum { SMOOTH_INPUTS = 4, SMOOTH_OUTPUTS = 7 };

/* Finished. row[0] is 3 y[0] - 2 y[1], row[1] depends on x only; y[2] is fixed. The objective, if wanted, is maximised. */
hn_model *smooth_model(uint64_t seed, bool objective);

#endif
