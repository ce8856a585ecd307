/* text.h - a growing text buffer for JSON reports and pictures.
 *
 * Nothing needs to be checked call by call: once memory is out the text says so and takes no more, and text_write
 * refuses it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_TEXT_H
#define HN_TOOLS_TEXT_H

#include "hardnet/base.h"

struct text {
    char *bytes;
    size_t count, capacity;
    bool failed;
};

void text_append(struct text *text, const void *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/* Writes it to a file atomically, with Ctrl-C deferred. */
hn_status text_write(const struct text *text, const char *path, hn_error *error);
void text_release(struct text *text);

#endif
