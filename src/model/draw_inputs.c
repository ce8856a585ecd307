/* draw_inputs.c - see draw_inputs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "model/draw_inputs.h"

#include <math.h>

hn_status inputs_meet_requirements(const hn_model *model, const double *x, bool *met, hn_error *error) {
    static const double none[1];
    hn_status status = HN_OK;
    *met = true;
    for (size_t i = 0; i < hn_model_requirement_count(model) && status == HN_OK && *met; i++) {
        hn_named_expr wanted = hn_model_requirement(model, i);
        double value = 0;
        status = hn_model_evaluate(model, 1, &wanted.value, x, none, &value, error); /* does not depend on y */
        *met = value != 0 && !isnan(value);
    }
    return status;
}

hn_status draw_inputs(const hn_model *model, struct random *random, double *x, bool *met, hn_error *error) {
    hn_status status = HN_OK;
    *met = false;
    for (int i = 0; i < DRAW_INPUTS_TRIES && !*met && status == HN_OK; i++) {
        for (size_t k = 0; k < hn_model_input_count(model); k++) {
            hn_input_info input = hn_model_input(model, k);
            x[k] = random_in_box(random, input.lower, input.upper);
        }
        status = inputs_meet_requirements(model, x, met, error);
    }
    return status;
}
