/* text.h - a text that grows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_TEXT_H
#define HN_GENERATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* with a 0 behind them once there are any */
    size_t length, capacity;
    bool failed; /* memory is out: what is added is lost */
};

void text_add_bytes(struct text *text, const char *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
void text_drop(struct text *text);

/* A text on its way into another, with some of it replaced: what stays as it is goes in long pieces. */
struct passage {
    struct text *out;
    const char *done; /* what is before it has gone out */
};

/* From one place up to another, both behind `done`, the text has these words instead. */
void passage_replace(struct passage *passage, const char *from, const char *to, const char *words);

#endif
