/* eval_inputs.c - the inputs that a network is judged on: rows of --x, or sampled. See eval.h.
 *
 * Samples come from the box of each input and meet the requirements (check:) of the model. Sample k has a random stream of its own,
 * marked so that no seed makes it one of those that training draws from.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/verbs.h"
#include "eval/eval.h"

#include <math.h>

static const uint64_t STREAMS = UINT64_C(0x6576616c) << 32; /* "eval" */

const double *eval_x(const struct eval *eval, size_t sample) {
    const struct npy_array *x = &eval->samples.x;
    return x->values ? x->values + sample * x->columns : NULL;
}

/* ---- from a file ---- */

/* Beyond its box by more than rounding to single precision explains. */
static bool is_outside(const hn_input_info *input, double value) {
    const double slack = 1e-6;
    double width = input->upper - input->lower, room = isfinite(width) ? slack * width : slack;
    return value < input->lower - room || value > input->upper + room;
}

/* The first input of a row that is outside; the input count when there is none. What is not finite has a status of its own. */
static size_t find_outside(const struct eval *eval, const double *x) {
    for (size_t i = 0; i < eval->inputs; i++) {
        hn_input_info input = hn_model_input(eval->model, i);
        if (isfinite(x[i]) && is_outside(&input, x[i]))
            return i;
    }
    return eval->inputs;
}

static void count_outside(struct eval *eval) {
    size_t first = 0, which = 0;
    for (size_t k = 0; k < eval->samples.count; k++) {
        size_t found = find_outside(eval, eval_x(eval, k));
        if (found < eval->inputs && eval->outside++ == 0) {
            first = k;
            which = found;
        }
    }
    if (eval->outside > 0)
        console_warning(
            "--x %s: %zu of %zu rows lie outside the box that inputs are sampled from, the first of them row "
            "%zu, counted from 0 (%s)",
            eval->options->x, eval->outside, eval->samples.count, first, hn_model_input(eval->model, which).name);
}

static int read_inputs(struct eval *eval) {
    hn_error error = {.status = HN_OK};
    if (eval->options->samples_given) {
        console_error("--samples and --x exclude each other: the rows of --x are the samples");
        return VERB_MISUSED;
    }
    int code = samples_read(&eval->samples, eval->model);
    if (code != VERB_OK)
        return code;
    if (inputs_count_broken(eval->model, "x", eval->options->x, &eval->samples.x, &eval->broken, &error) != HN_OK) {
        console_error("%s", error.text);
        return VERB_FAILED;
    }
    count_outside(eval);
    return VERB_OK;
}

/* ---- sampled ---- */

static hn_status sample_inputs(struct eval *eval, hn_error *error) {
    size_t count = eval->options->samples;
    struct npy_array *x = &eval->samples.x;
    *x = (struct npy_array){.dimensions = 2, .rows = count, .columns = eval->inputs};
    x->values = eval_take(count, eval->inputs, sizeof *x->values);
    if (!x->values)
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
