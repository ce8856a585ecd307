/* json_writer.h - JSON, written value by value.
 *
 * Inside an object every value has a key; inside a list the key is NULL. Numbers read back as the same double;
 * non-finite values becomes null. Names are escaped, and bytes that are not UTF-8 become U+FFFD. Lines break in the
 * outer levels only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_JSON_WRITER_H
#define HN_TOOLS_JSON_WRITER_H

#include "common/text.h"

enum { JSON_DEPTH = 16 };

struct json {
    struct text text;
    int depth;
    bool started[JSON_DEPTH]; /* this level has a value already */
};

void json_object(struct json *json, const char *key);
void json_list(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_end_list(struct json *json);

void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
void json_number(struct json *json, const char *key, double value);
void json_count(struct json *json, const char *key, size_t value);
void json_flag(struct json *json, const char *key, bool value);

#endif
