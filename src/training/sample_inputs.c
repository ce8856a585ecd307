/* sample_inputs.c - hn_sample_inputs of hardnet/train.h: samples inputs uniformly from their ranges.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "hardnet/train.h"
#include "model/draw_inputs.h"

static hn_status sample_row(const hn_model *model, struct random *random, double *x, hn_error *error) {
    bool met = false;
    hn_status status = draw_inputs(model, random, x, &met, error);
    if (status != HN_OK || met)
        return status;
    return error_set(error, HN_UNSUPPORTED,
                     "none of %d inputs sampled from the box meets the model's check: conditions", DRAW_INPUTS_TRIES);
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
