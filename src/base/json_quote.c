/* json_quote.c - see json_quote.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json_quote.h"

#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Puts one character, or one invalid byte. */
static void put_character(json_put *put, void *to, const unsigned char *at, size_t bytes) {
    char escape[8] = "\\ufffd";
    if (bytes == 1 && (*at == '"' || *at == '\\'))
        snprintf(escape, sizeof escape, "\\%c", *at);
    else if (utf8_is_control(at, bytes))
        snprintf(escape, sizeof escape, "\\u%04x", at[bytes - 1]); /* the second byte of a C1 control is its code */
    else if (bytes > 0) {
        put(to, (const char *)at, bytes);
        return;
    }
    put(to, escape, strlen(escape));
}

void json_quote(json_put *put, void *to, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    put(to, "\"", 1);
    while (*at) {
        size_t bytes = utf8_bytes(at, SIZE_MAX);
        put_character(put, to, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
    put(to, "\"", 1);
}
