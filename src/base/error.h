/* error.h - the helpers that fill a caller's hn_error, and locale-independent conversion of numbers to text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ERROR_H
#define HN_BASE_ERROR_H

#include "hardnet/base.h"

#include <stdarg.h>

/* Fills the error (NULL is fine) and returns the status: `return error_set(error, HN_INVALID, "...", ...);` */
__attribute__((format(printf, 3, 4))) hn_status error_set(hn_error *error, hn_status status, const char *format, ...);

/* The same for an error with a subject: its kind and name, and in a text its line and column. */
struct error_subject {
    hn_code code;
    const char *name; /* or NULL */
    size_t line, column;
};
__attribute__((format(printf, 4, 5))) hn_status error_about(hn_error *error, hn_status status,
                                                            struct error_subject subject, const char *format, ...);

/* A missing or invalid argument, or a field of one ("batch.y"); an option. */
static inline struct error_subject error_argument(const char *name) {
    return (struct error_subject){.code = HN_CODE_ARGUMENT, .name = name};
}

static inline struct error_subject error_option(const char *name) {
    return (struct error_subject){.code = HN_CODE_OPTION, .name = name};
}

static inline struct error_subject error_file(const char *path) {
    return (struct error_subject){.code = HN_CODE_FILE, .name = path};
}

static inline struct error_subject error_part(const char *name) {
    return (struct error_subject){.code = HN_CODE_PART, .name = name};
}

/* "path: ...", about a file. */
__attribute__((format(printf, 4, 5))) hn_status error_in_file(hn_error *error, hn_status status, const char *path,
                                                              const char *format, ...);

/* "hn_pool_create: layer is NULL" */
hn_status error_missing(hn_error *error, const char *function, const char *argument);

/* Formats into the text of this size; longer results are cut between UTF-8 characters and end with "...". */
__attribute__((format(printf, 3, 0))) void error_format(char *text, size_t size, const char *format, va_list arguments);

hn_status error_no_memory(hn_error *error, const char *what);

/* A number in decimal, the shortest form that reads back as the same double, with '.' in every locale. */
typedef struct number_text {
    char text[32];
} number_text;
number_text error_number(double value);

#endif
