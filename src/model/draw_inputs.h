/* draw_inputs.h - samples one row of a model's inputs from their box.
 *
 * Input: a finished model and a random generator; output: a row that satisfies the model's requirements (its check:
 * statements), or the number of rejected rows. Stateless.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_DRAW_INPUTS_H
#define HN_MODEL_DRAW_INPUTS_H

#include "base/random.h"
#include "hardnet/model.h"

enum { DRAW_INPUTS_TRIES = 1000 };

/* *met: a row was found; otherwise x is the last rejected row. */
hn_status draw_inputs(const hn_model *model, struct random *random, double *x, bool *met, hn_error *error);

/* Whether these inputs satisfy the requirements. */
hn_status inputs_meet_requirements(const hn_model *model, const double *x, bool *met, hn_error *error);

#endif
