/* json_quote.h - quotes text as a JSON string.
 *
 * Quotes, backslashes and control characters (including C1) are escaped; invalid UTF-8 bytes become U+FFFD.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_JSON_QUOTE_H
#define HN_BASE_JSON_QUOTE_H

#include <stddef.h>

typedef void json_put(void *to, const char *bytes, size_t count);

void json_quote(json_put *put, void *to, const char *text);

#endif
