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
    if (!text->failed && count < text->capacity - text->length) /* and the terminating 0 */
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
    if (count > 0) /* bytes may be NULL */
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

void text_add_list(struct text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text->failed = text->failed || length < 0;
    if (text->failed || !text_make_room(text, (size_t)length))
        return;
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
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
