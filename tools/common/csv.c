/* csv.c - see csv.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/csv.h"

#include "base/error.h"

#include <string.h>

static void put(struct text *text, const char *value) {
    text_append(text, value, strlen(value));
}

void csv_number(struct text *text, double value) {
    put(text, ",");
    put(text, error_number(value).text);
}

void csv_first(struct text *text, const char *value) {
    if (!strpbrk(value, ",\"\r\n")) {
        put(text, value);
        return;
    }
    put(text, "\"");
    for (const char *at = value; *at; at++)
        text_append(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    put(text, "\"");
}

void csv_text(struct text *text, const char *value) {
    put(text, ",");
    csv_first(text, value);
}
