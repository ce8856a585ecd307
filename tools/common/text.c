/* text.c - see text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/text.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_append(struct text *text, const void *bytes, size_t count) {
    size_t needed;
    if (text->failed || count == 0)
        return;
    void *moved = size_add(text->count, count, &needed) ? array_grow(text->bytes, &text->capacity, needed, 1) : NULL;
    if (!moved) {
        text->failed = true;
        return;
    }
    text->bytes = moved;
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_print(struct text *text, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        text->failed = true;
    else
        text_append(text, line, (size_t)length);
}

hn_status text_write(const struct text *text, const char *path, hn_error *error) {
    if (text->failed)
        return error_no_memory(error, path);
    console_hold_interrupt();
    hn_status status = file_write(path, text->bytes, text->count, error);
    console_release_interrupt();
    return status;
}

void text_release(struct text *text) {
    base_release(text->bytes);
    memset(text, 0, sizeof *text);
}
