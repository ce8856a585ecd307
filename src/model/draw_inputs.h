/* draw_inputs.h - one row of a model's inputs from their box.
 *
 * A finished model and a random generator go in; out goes a row that meets the model's requirements (its check: statements), or
 * the number of rows that were tried in vain. Nothing is kept.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_DRAW_INPUTS_H
#define HN_MODEL_DRAW_INPUTS_H

#include "base/random.h"
#include "hardnet/model.h"

enum { DRAW_INPUTS_TRIES = 1000 };

/* *met: a row was found; else x holds the last one that was tried. */
hn_status draw_inputs(const hn_model *model, struct random *random, double *x, bool *met, hn_error *error);

#endif
