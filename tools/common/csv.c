/* csv.c - see csv.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/csv.h"

#include "base/error.h"

#include <string.h>

static void csv_put(struct text *text, const char *value) {
    text_append(text, value, strlen(value));
}

void csv_number(struct text *text, double value) {
    csv_put(text, ",");
    csv_put(text, error_number(value).text);
}

void csv_first(struct text *text, const char *value) {
    if (!strpbrk(value, ",\"\r\n")) {
        csv_put(text, value);
        return;
    }
    csv_put(text, "\"");
    for (const char *at = value; *at; at++)
        text_append(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    csv_put(text, "\"");
}

void csv_text(struct text *text, const char *value) {
    csv_put(text, ",");
    csv_first(text, value);
}
