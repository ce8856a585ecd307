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

/* Reserves count more bytes and a terminating 0. */
static bool text_make_room(struct text *text, size_t count) {
    size_t needed;
    void *moved = NULL;
    if (size_add(text->count, count, &needed) && size_add(needed, 1, &needed))
        moved = array_grow(text->bytes, &text->capacity, needed, 1);
    if (moved)
        text->bytes = moved;
    text->failed = text->failed || !moved;
    return moved != NULL;
}

void text_append(struct text *text, const void *bytes, size_t count) {
    if (text->failed || count == 0 || !text_make_room(text, count))
        return;
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_print(struct text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        text->failed = true;
    else if (!text->failed && text_make_room(text, (size_t)length)) {
        vsnprintf(text->bytes + text->count, (size_t)length + 1, format, again);
        text->count += (size_t)length;
    }
    va_end(again);
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
