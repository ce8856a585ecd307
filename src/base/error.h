/* error.h - the one helper that fills a caller's hn_error, and numbers as text whatever the locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ERROR_H
#define HN_BASE_ERROR_H

#include "hardnet/base.h"

/* Fills the error (NULL is fine) and returns the status: `return error_set(error, HN_INVALID, "...", ...);` */
__attribute__((format(printf, 3, 4))) hn_status error_set(hn_error *error, hn_status status, const char *format, ...);

hn_status error_no_memory(hn_error *error, const char *what);

/* A number in decimal, shortest of the forms that read back as the same double, with '.' in every locale. */
typedef struct number_text {
    char text[32];
} number_text;
number_text error_number(double value);

#endif
