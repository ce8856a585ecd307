/* fingerprint_parts.h - digests of the parts of a model, for messages that explain differences.
 *
 * Input: a finished model. Output: for each part of its mathematics, the number of its members and 16 digits of a
 * digest over that part of the list defined in docs/fingerprint.md; and two digests of the names of its inputs and
 * outputs, in order and sorted: equal sorted digests with different ordered ones mean reordered columns.
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
    PART_DEFINITIONS, /* counted, but only digested through the rows and objective that use them */
    MODEL_PARTS
};

struct model_part {
    size_t count;
    char digest[PART_TEXT];
};

hn_status model_parts(const hn_model *model, struct model_part out[MODEL_PARTS], hn_error *error);
hn_status model_column_names(const hn_model *model, char in_order[PART_TEXT], char sorted[PART_TEXT], hn_error *error);

#endif
