/* eval_inputs.c - the inputs that a network is evaluated on: rows of --x, or sampled. See eval.h.
 *
 * Samples are drawn from the range of each input and satisfy the requirements (check:) of the model. Sample k has its
 * own random stream, disjoint from those of training for every seed.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/verbs.h"
#include "eval/eval.h"

static const uint64_t STREAMS = UINT64_C(0x6576616c) << 32; /* "eval" */

const double *eval_x(const struct eval *eval, size_t sample) {
    const hn_array *x = &eval->samples.x;
    return x->values ? x->values + sample * x->columns : NULL;
}

/* ---- from a file ---- */

static int read_inputs(struct eval *eval) {
    struct unusual_inputs unusual;
    hn_error error = {.status = HN_OK};
    if (eval->options->samples_given) {
        console_error("--samples and --x exclude each other: the rows of --x are the samples");
        return VERB_MISUSED;
    }
    int code = samples_read(&eval->samples, eval->model);
    if (code != VERB_OK)
        return code;
    if (inputs_warn(eval->model, "x", eval->options->x, &eval->samples.x, &unusual, &error) != HN_OK)
        return verb_explain(&error);
    eval->broken = unusual.broken;
    eval->outside = unusual.outside;
    return VERB_OK;
}

/* ---- sampled ---- */

static hn_status sample_inputs(struct eval *eval, hn_error *error) {
    size_t count = eval->options->samples;
    hn_array *x = &eval->samples.x;
    if (hn_array_create(x, count, eval->inputs, error) != HN_OK)
        return error_no_memory(error, "the inputs of the samples");
    eval->samples.count = count;
    return inputs_draw(eval->model, eval->options->judging.seed, STREAMS, count, x->values, &eval->unmet, error);
}

static int draw_inputs(struct eval *eval) {
    hn_error error = {.status = HN_OK};
    if (sample_inputs(eval, &error) != HN_OK) {
        console_error("%s", error.text);
        return VERB_FAILED;
    }
    return VERB_OK;
}

int eval_inputs(struct eval *eval) {
    if (eval->options->x)
        return read_inputs(eval);
    return draw_inputs(eval);
}
