/* write_text.c - see write.h: a text buffer, and numbers in it.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/size.h"

#include <string.h>

void write_bytes(struct write_text *text, const char *bytes, size_t length) {
    if (text->no_memory)
        return;
    char *grown = array_grow(text->bytes, &text->capacity, size_sum(size_sum(text->length, length), 1), 1);
    text->no_memory = !grown;
    if (!grown)
        return;
    text->bytes = grown;
    memcpy(grown + text->length, bytes, length);
    text->length += length;
    grown[text->length] = '\0';
    if (length > 0 && bytes[length - 1] == '\n')
        text->line = text->length;
}

void write_string(struct write_text *text, const char *string) {
    write_bytes(text, string, strlen(string));
}

void write_break(struct write_text *text) {
    write_string(text, "\n");
    write_string(text, "    ");
}

void write_size(struct write_text *text, size_t number) {
    char digits[24];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    write_bytes(text, digits + n, sizeof digits - n);
}

void write_number(struct write_text *text, double value) {
    enum { SMALL = 1000000 };
    if (value >= 1 && value < SMALL && value == (double)(uint32_t)value)
        write_size(text, (size_t)value);
    else
        write_string(text, error_number(value).text);
}
