/* samples.h - the rows of --x and --y as one batch of samples.
 *
 * Both files have as many rows, or one of them a single row, which counts for all samples. Non-finite numbers are taken
 * as they are: what becomes of them is the sample's status.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_SAMPLES_H
#define HN_TOOLS_SAMPLES_H

#include "hardnet/arrays.h"
#include "hardnet/layer.h"

struct samples {
    size_t count;
    const char *x_path, *y_path; /* NULL: not from a file */
    hn_array x, y;               /* values NULL: not given */
};

/* Reads what has a path; count is at least 1. VERB_OK, or another verb code after printing the error. */
int samples_read(struct samples *samples, const hn_model *model);
void samples_release(struct samples *samples);

/* One row of weights, one per output; the same codes. */
int samples_read_weights(const char *path, const hn_model *model, hn_array *weights);

/* Prints that inputs are missing, by name; VERB_MISUSED. */
int samples_ask_for_inputs(const hn_model *model);

/* The input part of a batch: count samples from first on. */
hn_batch samples_batch(const struct samples *samples, size_t first, size_t count);

/* The row of an array that belongs to a sample. */
size_t samples_row(const hn_array *array, size_t sample);

#endif
