/* train_scaling.c - shifts and scales of the network, from inputs of the source (hn_network_scale).
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "train/train.h"

enum { SAMPLES = 300 };

hn_status scaling_set(hn_network *network, const struct train_source *source, const struct train_options *options,
                      const struct train_columns *columns, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_SCALING, 0);
    hn_layer_options layer = train_trainer_options(options).policy.layer;
    double *x = train_numbers(SAMPLES, source->inputs);
    const hn_scaling scaling = {.count = SAMPLES,
                                .x = x,
                                .data_count = source->x.rows,
                                .data = source->x.values,
                                .column_count = columns->count,
                                .columns = columns->column,
                                .layer = &layer,
                                .threads = (int)options->common.threads};
    hn_status status = x ? HN_OK : error_no_memory(error, "scaling");
    for (size_t i = 0; status == HN_OK && i < SAMPLES; i++)
        status = source_row(source, &random, x + i * source->inputs, NULL, error);
    if (status == HN_OK)
        status = hn_network_scale(network, source->model, &scaling, error);
    base_release(x);
    return status;
}
