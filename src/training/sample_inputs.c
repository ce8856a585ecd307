/* sample_inputs.c - hn_sample_inputs of hardnet/train.h: rows of inputs from their boxes.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/random.h"
#include "hardnet/train.h"

#include <math.h>

enum { TRIES = 1000 };

/* Whether the inputs meet all requirements of the model. */
static hn_status look_whether_met(const hn_model *model, const double *x, bool *met, hn_error *error) {
    static const double none[1];
    hn_status status = HN_OK;
    *met = true;
    for (size_t i = 0; i < hn_model_requirement_count(model) && status == HN_OK && *met; i++) {
        hn_named_expr wanted = hn_model_requirement(model, i);
        double value = 0;
        status = hn_model_evaluate(model, 1, &wanted.value, x, none, &value, error); /* no y in it */
        *met = value != 0 && !isnan(value);
    }
    return status;
}

static hn_status sample_row(const hn_model *model, struct random *random, double *x, hn_error *error) {
    bool met = false;
    for (int attempt = 0; attempt < TRIES && !met; attempt++) {
        for (size_t i = 0; i < hn_model_input_count(model); i++) {
            hn_input_info input = hn_model_input(model, i);
            x[i] = random_in_box(random, input.lower, input.upper);
        }
        hn_status status = look_whether_met(model, x, &met, error);
        if (status != HN_OK)
            return status;
    }
    return met ? HN_OK
               : error_set(error, HN_UNSUPPORTED,
                           "none of %d inputs sampled from the box meets the model's check: conditions", TRIES);
}

hn_status hn_sample_inputs(const hn_model *model, uint64_t seed, uint64_t stream, size_t count, hn_real *x,
                           hn_error *error) {
    if (!model || (!x && count > 0))
        return error_missing(error, "hn_sample_inputs", model ? "x" : "model");
    struct random random = random_start(seed, stream);
    hn_status status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i++)
        status = sample_row(model, &random, x + i * hn_model_input_count(model), error);
    return status;
}
