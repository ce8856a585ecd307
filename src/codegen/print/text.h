/* text.h - a text that grows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_TEXT_H
#define HN_CODEGEN_TEXT_H

#include "hardnet/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* with a 0 behind them; NULL: empty */
    size_t length, capacity;
    bool failed;     /* what is added is lost */
    char lacks[112]; /* the reason; empty: out of memory */
};

void text_add_bytes(struct text *text, const char *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_add_list(struct text *text, const char *format, va_list arguments);
void text_drop(struct text *text);

/* The text fails for another reason than memory; the first reason stays. text_fail_with: for the reason of another text. */
__attribute__((format(printf, 2, 3))) void text_fail(struct text *text, const char *format, ...);
void text_fail_with(struct text *text, const struct text *other);

/* The error of a text that has failed; what: the text, in words. */
hn_status text_error(const struct text *text, const char *what, hn_error *error);

#endif
