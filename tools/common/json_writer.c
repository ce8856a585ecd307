/* json_writer.c - see json_writer.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/json_writer.h"

#include "base/error.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

enum { BROKEN_LEVELS = 2 }; /* levels with one value per line */

static void json_writer_put(struct json *json, const char *text) {
    text_append(&json->text, text, strlen(text));
}

/* ---- texts ---- */

static void put_bytes(void *to, const char *bytes, size_t count) {
    text_append(to, bytes, count);
}

static void put_quoted(struct json *json, const char *value) {
    json_quote(put_bytes, &json->text, value);
}

/* ---- values ---- */

static void begin_value(struct json *json, const char *key) {
    bool *started = &json->started[json->depth];
    if (*started)
        json_writer_put(json, json->depth <= BROKEN_LEVELS ? "," : ", ");
    if (json->depth > 0 && json->depth <= BROKEN_LEVELS)
        text_print(&json->text, "\n%*s", 2 * json->depth, "");
    *started = true;
    if (key) {
        put_quoted(json, key);
        json_writer_put(json, ": ");
    }
}

static void open_level(struct json *json, const char *key, const char *mark) {
    begin_value(json, key);
    json_writer_put(json, mark);
    if (json->depth + 1 >= JSON_DEPTH)
        json->text.failed = true;
    else
        json->started[++json->depth] = false;
}

static void close_level(struct json *json, const char *mark) {
    bool any = json->started[json->depth];
    if (any && json->depth <= BROKEN_LEVELS)
        text_print(&json->text, "\n%*s", 2 * (json->depth - 1), "");
    json_writer_put(json, mark);
    json->depth--;
    if (json->depth == 0)
        json_writer_put(json, "\n");
}

void json_object(struct json *json, const char *key) {
    open_level(json, key, "{");
}

void json_list(struct json *json, const char *key) {
    open_level(json, key, "[");
}

void json_end_object(struct json *json) {
    close_level(json, "}");
}

void json_end_list(struct json *json) {
    close_level(json, "]");
}

void json_text(struct json *json, const char *key, const char *value) {
    begin_value(json, key);
    if (value)
        put_quoted(json, value);
    else
        json_writer_put(json, "null");
}

void json_number(struct json *json, const char *key, double value) {
    begin_value(json, key);
    json_writer_put(json, isfinite(value) ? error_number(value).text : "null");
}

void json_count(struct json *json, const char *key, size_t value) {
    begin_value(json, key);
    text_print(&json->text, "%zu", value);
}

void json_flag(struct json *json, const char *key, bool value) {
    begin_value(json, key);
    json_writer_put(json, value ? "true" : "false");
}
