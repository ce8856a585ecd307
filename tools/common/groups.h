/* groups.h - statistics of the violation of each group over many samples.
 *
 * A group's mean is the mean of |r| over its rows and all samples.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_GROUPS_H
#define HN_TOOLS_GROUPS_H

#include "common/json_writer.h"
#include "hardnet/model.h"

/* |r| of a group over all samples. What is not finite is counted and left out of the rest. */
struct group_violation {
    double sum, max;
    size_t entries;    /* finite ones */
    size_t row;        /* of the largest, ... */
    size_t sample;     /* ... and its sample */
    size_t not_finite; /* samples */
};

/* by: one for each group of the model; residual: r of all rows at one sample. In the order of the samples the sums are
 * always the same. */
void groups_add(struct group_violation *by, const hn_model *model, const double *residual, size_t sample);

/* A table with a heading; nothing for a model without rows. */
void groups_print(const struct group_violation *by, const hn_model *model);

/* The object "groups". */
void groups_write(const struct group_violation *by, const hn_model *model, struct json *json);

#endif
