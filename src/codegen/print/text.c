/* text.c - see text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/text.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static bool text_make_room(struct text *text, size_t count) {
    if (!text->failed && count < text->capacity - text->length) /* and the 0 behind them */
        return true;
    char *grown = text->failed ? NULL : array_grow(text->bytes, &text->capacity, text->length + count + 1, 1);
    text->failed = !grown;
    if (grown)
        text->bytes = grown;
    return !text->failed;
}

void text_add_bytes(struct text *text, const char *bytes, size_t count) {
    if (!text_make_room(text, count))
        return;
    if (count > 0) /* of a text without any there are no bytes */
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

/* Formatted into the free room first; a text that does not fit is formatted again after the array has grown. */
void text_add_list(struct text *text, const char *format, va_list arguments) {
    va_list again;
    size_t room = text->failed ? 0 : text->capacity - text->length;
    va_copy(again, arguments);
    int length = vsnprintf(room > 0 ? text->bytes + text->length : NULL, room, format, arguments);
    bool fits = length >= 0 && (size_t)length < room;
    if (room > 0 && !fits)
        text->bytes[text->length] = 0;
    text->failed = text->failed || length < 0;
    if (!text->failed && text_make_room(text, (size_t)length)) {
        if (!fits)
            vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_add_list(text, format, arguments);
    va_end(arguments);
}

void text_fail(struct text *text, const char *format, ...) {
    va_list arguments;
    if (!text->failed) {
        va_start(arguments, format);
        error_format(text->lacks, sizeof text->lacks, format, arguments);
        va_end(arguments);
    }
    text->failed = true;
}

void text_fail_with(struct text *text, const struct text *other) {
    if (!text->failed)
        memcpy(text->lacks, other->lacks, sizeof text->lacks);
    text->failed = true;
}

hn_status text_error(const struct text *text, const char *what, hn_error *error) {
    if (!text->lacks[0])
        return error_no_memory(error, what);
    return error_set(error, HN_UNSUPPORTED, "%s: %s", what, text->lacks);
}

void text_drop(struct text *text) {
    base_release(text->bytes);
    *text = (struct text){.bytes = NULL};
}
