/* error.c - see error.h. The enum texts are expanded from the lists in hardnet/base.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "base/utf8.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Character arrays instead of pointers: no relocations, so the table is read-only. */
#define TEXT(name, text) text,

const char *hn_status_text(hn_status status) {
    static const char texts[][40] = {HN_STATUS_LIST(TEXT)};
    return (unsigned)status < HN_STATUS_COUNT ? texts[status] : "unknown";
}

const char *hn_outcome_text(hn_outcome outcome) {
    static const char texts[][24] = {HN_OUTCOME_LIST(TEXT)};
    return (unsigned)outcome < HN_OUTCOME_COUNT ? texts[outcome] : "unknown";
}

const char *hn_code_text(hn_code code) {
    static const char texts[][16] = {HN_CODE_LIST(TEXT)};
    return (unsigned)code < HN_CODE_COUNT ? texts[code] : "unknown";
}

static const char instruction_texts[][16] = {HN_INSTRUCTIONS_LIST(TEXT)};

const char *hn_instructions_text(hn_instructions instructions) {
    return (unsigned)instructions < HN_INSTRUCTIONS_COUNT ? instruction_texts[instructions] : "unknown";
}

bool hn_instructions_find(const char *text, hn_instructions *instructions) {
    for (int i = 0; text && instructions && i < HN_INSTRUCTIONS_COUNT; i++)
        if (strcmp(instruction_texts[i], text) == 0) {
            *instructions = (hn_instructions)i;
            return true;
        }
    return false;
}

/* ---- filling ---- */

_Static_assert(sizeof(hn_error) == 1024, "the layout of hn_error is fixed");

/* Replaces the end of a full buffer by "...", without splitting a UTF-8 character. */
static void cut(char *text, size_t size) {
    size_t end = size - sizeof "...";
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "...", sizeof "...");
}

void error_format(char *text, size_t size, const char *format, va_list arguments) {
    int length = vsnprintf(text, size, format, arguments);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= size)
        cut(text, size);
}

static void copy_name(char *text, size_t size, const char *name) {
    size_t length = strlen(name);
    memcpy(text, name, length < size ? length + 1 : size - 1);
    if (length >= size)
        cut(text, size);
}

static uint32_t bounded(size_t number) {
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* The arguments may alias the error: name and text are completed before it is written. */
__attribute__((format(printf, 4, 0))) static void fill(hn_error *error, hn_status status, struct error_subject subject,
                                                       const char *format, va_list arguments) {
    hn_error filled = {.status = status, .code = subject.code};
    filled.line = bounded(subject.line);
    filled.column = bounded(subject.column);
    if (subject.name)
        copy_name(filled.subject, sizeof filled.subject, subject.name);
    error_format(filled.text, sizeof filled.text, format, arguments);
    if (!printable_is_safe(filled.text)) { /* text from files and callers may contain any bytes */
        char raw[sizeof filled.text];
        memcpy(raw, filled.text, sizeof raw);
        printable_copy(filled.text, sizeof filled.text, raw);
    }
    *error = filled;
}

hn_status error_set(hn_error *error, hn_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, (struct error_subject){.name = NULL}, format, arguments);
        va_end(arguments);
    }
    return status;
}

hn_status error_about(hn_error *error, hn_status status, struct error_subject subject, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, subject, format, arguments);
        va_end(arguments);
    }
    return status;
}

hn_status error_in_file(hn_error *error, hn_status status, const char *path, const char *format, ...) {
    if (error) {
        char text[sizeof error->text];
        va_list arguments;
        va_start(arguments, format);
        error_format(text, sizeof text, format, arguments);
        va_end(arguments);
        error_about(error, status, error_file(path), "%s: %s", path, text);
    }
    return status;
}

hn_status error_missing(hn_error *error, const char *function, const char *argument) {
    return error_about(error, HN_INVALID, error_argument(argument), "%s: %s is NULL", function, argument);
}

hn_status error_no_memory(hn_error *error, const char *what) {
    struct error_subject subject = {.code = HN_CODE_MEMORY, .name = what};
    return error_about(error, HN_NO_MEMORY, subject, "%s: out of memory", what);
}

/* ---- numbers ---- */

/* The decimal point of a locale may be any bytes except these. */
static void point_to_dot(char *text) {
    char *mark = text + strspn(text, "+-0123456789");
    size_t length = strcspn(mark, "0123456789e");
    if (*mark == '\0' || *mark == 'e')
        return;
    mark[0] = '.';
    memmove(mark + 1, mark + length, strlen(mark + length) + 1);
}

number_text error_number(double value) {
    number_text number;
    if (isnan(value)) {
        memcpy(number.text, "NaN", sizeof "NaN");
    } else if (isinf(value)) {
        memcpy(number.text, value < 0 ? "-Infinity" : "Infinity", value < 0 ? sizeof "-Infinity" : sizeof "Infinity");
    } else {
        int code = errno;                           /* strtod sets it for a denormal number */
        int digits = fabs(value) < DBL_MIN ? 1 : 6; /* 6 digits suffice for shorter numbers, unless denormal */
        do {
            snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        } while (strtod(number.text, NULL) != value && ++digits <= 17);
        point_to_dot(number.text);
        errno = code;
    }
    return number;
}
