/* train_scaling.c - shifts and scales of the network, from inputs of the source (hn_network_scale); those of its
 * inputs, where they come from a file, from the whole file.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "train/train.h"

enum { SAMPLES = 300 };

static hn_status set_inputs(hn_network *network, const struct train_file *file, hn_error *error) {
    double *scale = train_numbers(1, file->columns);
    hn_status status = scale ? file_spread(file, scale, error) : error_no_memory(error, "scaling");
    for (size_t j = 0; status == HN_OK && j < file->columns; j++)
        scale[j] = scale[j] > 0 ? 1 / scale[j] : 1;
    if (status == HN_OK)
        status = hn_network_set_input(network, file->mean, scale, error);
    base_release(scale);
    return status;
}

hn_status scaling_set(hn_network *network, const struct train_source *source, const struct train_options *options,
                      const struct train_columns *columns, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_SCALING, 0);
    hn_layer_options layer = train_trainer_options(options).policy.layer;
    double *x = train_numbers(SAMPLES, source->inputs);
    bool from_file = source->x.rows > 0;
    const hn_scaling scaling = {.count = SAMPLES,
                                .x = x,
                                .data_count = SAMPLES,
                                .data = from_file ? x : NULL, /* the model's boxes may be open */
                                .column_count = columns->count,
                                .columns = columns->column,
                                .layer = &layer,
                                .threads = (int)options->common.threads};
    hn_status status = x ? HN_OK : error_no_memory(error, "scaling");
    for (size_t i = 0; status == HN_OK && i < SAMPLES; i++)
        status = source_row(source, &random, x + i * source->inputs, NULL, error);
    if (status == HN_OK)
        status = hn_network_scale(network, source->model, &scaling, error);
    if (status == HN_OK && from_file)
        status = set_inputs(network, &source->x, error);
    base_release(x);
    return status;
}
