/* fingerprint_parts.h - what tells the parts of a model from those of another, for messages that say what differs.
 *
 * In goes a finished model; out go, for each part of its mathematics, how many there are and 16 digits of a digest over that part of
 * the list that docs/fingerprint.md defines; and two digests of the names of its inputs and outputs, in their order and
 * sorted: equal sorted digests of names in another order are columns that have moved.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_FINGERPRINT_PARTS_H
#define HN_MODEL_FINGERPRINT_PARTS_H

#include "hardnet/model.h"

enum { PART_TEXT = 17 };

enum model_part_name {
    PART_INPUTS, /* their ranges */
    PART_OUTPUTS,
    PART_ROWS,
    PART_OBJECTIVE,
    PART_REQUIREMENTS,
    PART_DEFINITIONS, /* what rows and objective use of them counts there */
    MODEL_PARTS
};

struct model_part {
    size_t count;
    char digest[PART_TEXT];
};

hn_status model_parts(const hn_model *model, struct model_part out[MODEL_PARTS], hn_error *error);
hn_status model_column_names(const hn_model *model, char in_order[PART_TEXT], char sorted[PART_TEXT], hn_error *error);

#endif
