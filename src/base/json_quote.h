/* json_quote.h - a text in quotes, as JSON has it; for everything here that writes JSON.
 *
 * Quotes, backslashes and control characters (C1 too) are escaped; bytes that are no UTF-8 become U+FFFD.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_JSON_QUOTE_H
#define HN_BASE_JSON_QUOTE_H

#include <stddef.h>

typedef void json_put(void *to, const char *bytes, size_t count);

void json_quote(json_put *put, void *to, const char *text);

#endif
