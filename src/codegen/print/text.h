/* text.h - a string builder.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_TEXT_H
#define HN_CODEGEN_TEXT_H

#include "hardnet/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* terminated by 0; NULL: empty */
    size_t length, capacity;
    bool failed;     /* further additions are ignored */
    char lacks[112]; /* the reason; empty: out of memory */
};

void text_add_bytes(struct text *text, const char *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void text_add(struct text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_add_list(struct text *text, const char *format, va_list arguments);
void text_drop(struct text *text);

/* Marks the text as failed for a reason other than memory; the first reason is kept. text_fail_with: with the reason of
 * another text. */
__attribute__((format(printf, 2, 3))) void text_fail(struct text *text, const char *format, ...);
void text_fail_with(struct text *text, const struct text *other);

/* The error of a failed text; what: a name for the text. */
hn_status text_error(const struct text *text, const char *what, hn_error *error);

#endif
