/* bench_samples.c - samples to be timed, if no file gives them. See bench.h.
 *
 * Inputs are sampled from their range and satisfy the requirements (check:) of the model. Outputs are the start values
 * at these inputs, disturbed: y_j = s_j + 0.1 max(1, |s_j|) N(0, 1). Sample k has its own random streams, so that the
 * first samples are the same in every batch.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "bench/bench.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/verbs.h"

#include <math.h>
#include <string.h>

enum { STREAM_INPUTS, STREAM_OUTPUTS, STREAMS }; /* of every sample */
static const double NOISE = 0.1;

static struct random start_stream(const struct bench *bench, size_t sample, int stream) {
    return random_start(bench->options->seed, STREAMS * (uint64_t)sample + (uint64_t)stream);
}

static hn_status sample_inputs(struct bench *bench, hn_error *error) {
    hn_array *x = &bench->samples.x;
    if (hn_array_create(x, bench->samples.count, bench->inputs, error) != HN_OK)
        return error_no_memory(error, "the inputs of the samples");
    hn_status status = HN_OK;
    for (size_t k = 0; k < x->rows && status == HN_OK; k++) {
        bool met = true;
        struct random random = start_stream(bench, k, STREAM_INPUTS);
        status = inputs_sample(bench->model, &random, x->values + k * x->columns, &met, error);
        bench->unmet += !met;
    }
    if (bench->unmet > 0)
        console_warning("for %zu of %zu samples none of %d sampled inputs meets the requirements (check:) of the model",
                        bench->unmet, x->rows, INPUTS_TRIES);
    return status;
}

static void bench_samples_disturb(double *y, size_t count, struct random *random) {
    for (size_t j = 0; j < count; j++)
        y[j] += NOISE * fmax(1, fabs(y[j])) * random_normal(random);
}

/* starts: the expressions of the start values, or of the values that outputs are fixed at. */
static hn_status sample_each_output(struct bench *bench, const hn_expr *starts, hn_error *error) {
    const hn_array *x = &bench->samples.x, *y = &bench->samples.y;
    hn_status status = HN_OK;
    for (size_t k = 0; k < y->rows && status == HN_OK; k++) {
        double *row = y->values + k * y->columns;
        const double *inputs = x->values ? x->values + samples_row(x, k) * x->columns : NULL;
        struct random random = start_stream(bench, k, STREAM_OUTPUTS);
        status = hn_model_evaluate(bench->model, y->columns, starts, inputs, row, row, error); /* no y in them */
        bench_samples_disturb(row, y->columns, &random);
    }
    return status;
}

static hn_status sample_outputs(struct bench *bench, hn_error *error) {
    hn_expr *starts = base_allocate(bench->outputs * sizeof *starts);
    hn_status status = HN_OK;
    if (!starts || hn_array_create(&bench->samples.y, bench->samples.count, bench->outputs, error) != HN_OK)
        status = error_no_memory(error, "the outputs of the samples");
    for (size_t j = 0; status == HN_OK && j < bench->outputs; j++) {
        hn_output_info output = hn_model_output(bench->model, j);
        starts[j] = hn_is_valid(output.fixed) ? output.fixed : output.start;
    }
    if (status == HN_OK)
        status = sample_each_output(bench, starts, error);
    base_release(starts);
    return status;
}

/* Files with several rows determine the number of samples; --samples must agree. */
static int count_samples(struct bench *bench) {
    const struct bench_options *options = bench->options;
    struct samples *samples = &bench->samples;
    int code = samples_read(samples, bench->model);
    if (code != VERB_OK)
        return code;
    if (samples->count > 1 && options->samples_given && samples->count != options->samples) {
        console_error("--samples %zu, but %s has %zu rows", options->samples,
                      samples->x.rows > 1 ? samples->x_path : samples->y_path, samples->count);
        return VERB_MISUSED;
    }
    bool one = samples->x.values && samples->y.values && !options->samples_given; /* a single row in both */
    if (samples->count == 1 && !one)
        samples->count = options->samples;
    return VERB_OK;
}

int bench_samples(struct bench *bench) {
    hn_error error = {.status = HN_OK};
    int code = count_samples(bench);
    if (code != VERB_OK)
        return code;
    struct unusual_inputs unusual;
    hn_status status = HN_OK;
    if (bench->samples.x.values)
        status = inputs_warn(bench->model, "x", bench->samples.x_path, &bench->samples.x, &unusual, &error);
    else if (bench->inputs > 0)
        status = sample_inputs(bench, &error);
    if (status == HN_OK && !bench->samples.y.values)
        status = sample_outputs(bench, &error);
    if (status == HN_OK)
        return VERB_OK;
    console_error("%s", error.text);
    return VERB_FAILED;
}
