/* stored_texts.h - what test_stored_texts.c writes down of a text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_GENERATE_STORED_TEXTS_H
#define HN_TESTS_GENERATE_STORED_TEXTS_H

#include "base/digest.h"

#include "hardnet/layer.h"

struct printed {
    size_t lines;
    struct digest digest;
};

void stored_note_text(struct printed *printed, const char *text, size_t length);

/* The texts of a device's kernels, straight and over its memory. */
void stored_note_device(struct printed *printed, const hn_model *model, hn_layer_options options);

#endif
