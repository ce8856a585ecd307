/* error.c - see error.h. Status and outcome texts are expanded from the lists in hardnet/base.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of characters, not of pointers: nothing to relocate, nothing writable. */
#define TEXT(name, text) text,

const char *hn_status_text(hn_status status) {
    static const char texts[][40] = {HN_STATUS_LIST(TEXT)};
    return (unsigned)status < HN_STATUS_COUNT ? texts[status] : "unknown";
}

const char *hn_outcome_text(hn_outcome outcome) {
    static const char texts[][24] = {HN_OUTCOME_LIST(TEXT)};
    return (unsigned)outcome < HN_OUTCOME_COUNT ? texts[outcome] : "unknown";
}

hn_status error_set(hn_error *error, hn_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

hn_status error_no_memory(hn_error *error, const char *what) {
    return error_set(error, HN_NO_MEMORY, "%s: out of memory", what);
}

/* A decimal point may be any bytes in a locale; none of them is one of these. */
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
        int digits = fabs(value) < DBL_MIN ? 1 : 6; /* 6 digits hold every shorter number, unless it is denormal */
        do {
            snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        } while (strtod(number.text, NULL) != value && ++digits <= 17);
        point_to_dot(number.text);
        errno = code;
    }
    return number;
}
