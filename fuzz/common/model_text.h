/* model_text.h - bytes as a model in AMPL: every sequence of bytes gives a text that the reader accepts or refuses in a sentence.
 *
 * Bytes choose the numbers of inputs and outputs, rows with their bounds, and operators; when they run out all choices are the first. The
 * constants are those at which something overflows, vanishes or saturates.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FUZZ_COMMON_MODEL_TEXT_H
#define HN_FUZZ_COMMON_MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_source {
    const uint8_t *bytes;
    size_t left;
};

unsigned bytes_choose(struct byte_source *source, unsigned count); /* 0 .. count - 1 */
double bytes_number(struct byte_source *source);                   /* finite */

enum { MODEL_TEXT_BYTES = 1 << 15 };

/* The text's length; it ends with a 0. With an objective if one is asked for. */
size_t model_text_make(char text[MODEL_TEXT_BYTES], struct byte_source *source, bool objective);

#endif
