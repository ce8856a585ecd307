/* safetensors_header.c - see safetensors_header.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors_header.h"

#include "base/error.h"
#include "base/utf8.h"

#include <string.h>

enum { KEY_DTYPE = 1, KEY_SHAPE = 2, KEY_OFFSETS = 4, ALL_KEYS = 7 };

/* After an entry of an object or a list: expects its end or a comma. */
static hn_status take_end(struct json_cursor *c, char mark, bool *ended) {
    *ended = json_mark(c, mark);
    if (*ended || json_mark(c, ','))
        return HN_OK;
    return json_refuse(c, mark == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
}

static hn_status take_colon(struct json_cursor *c) {
    return json_mark(c, ':') ? HN_OK : json_refuse(c, "':' is missing");
}

static hn_status refuse_name(const struct json_cursor *c, const char *what, const char *name, const char *problem) {
    return error_about(c->error, HN_SYNTAX, error_file(c->name), "%s: %s %s %s", c->name, what, show_name(name).text,
                       problem);
}

/* ---- a tensor ---- */

/* Parses a list of at most `most` numbers. */
static hn_status parse_sizes(struct json_cursor *c, const char *name, size_t *sizes, int most, int *count) {
    bool ended;
    *count = 0;
    if (!json_mark(c, '['))
        return json_refuse(c, "'[' is missing");
    if (json_mark(c, ']'))
        return HN_OK;
    do {
        size_t size;
        hn_status status = json_size(c, &size);
        if (status != HN_OK)
            return status;
        if (*count == most)
            return refuse_name(c, "tensor", name, "has more than two dimensions or offsets");
        sizes[(*count)++] = size;
        status = take_end(c, ']', &ended);
        if (status != HN_OK)
            return status;
    } while (!ended);
    return HN_OK;
}

static hn_status parse_offsets(struct json_cursor *c, struct tensor *tensor) {
    size_t offsets[2];
    int count;
    hn_status status = parse_sizes(c, tensor->name, offsets, 2, &count);
    if (status != HN_OK)
        return status;
    if (count != 2)
        return refuse_name(c, "tensor", tensor->name, "does not have two offsets");
    tensor->begin = offsets[0];
    tensor->end = offsets[1];
    return HN_OK;
}

static hn_status parse_value(struct json_cursor *c, struct tensor *tensor, unsigned which) {
    struct json_text text;
    switch (which) {
    case KEY_DTYPE:
        return json_read_text(c, &text, tensor->dtype, sizeof tensor->dtype);
    case KEY_SHAPE:
        tensor->shape[0] = tensor->shape[1] = 1;
        return parse_sizes(c, tensor->name, tensor->shape, 2, &tensor->dimensions);
    default:
        return parse_offsets(c, tensor);
    }
}

static unsigned which_key(const char *key) {
    if (strcmp(key, "dtype") == 0)
        return KEY_DTYPE;
    if (strcmp(key, "shape") == 0)
        return KEY_SHAPE;
    return strcmp(key, "data_offsets") == 0 ? KEY_OFFSETS : 0;
}

static hn_status parse_pair(struct json_cursor *c, struct tensor *tensor, unsigned *seen) {
    char key[SAFETENSORS_NAME];
    struct json_text text;
    hn_status status = json_read_text(c, &text, key, sizeof key);
    if (status != HN_OK)
        return status;
    unsigned which = which_key(key);
    if (which == 0 || (*seen & which))
        return refuse_name(c, "tensor", tensor->name, which ? "has a key twice" : "has an unknown key");
    *seen |= which;
    status = take_colon(c);
    return status == HN_OK ? parse_value(c, tensor, which) : status;
}

static hn_status parse_tensor(struct json_cursor *c, struct tensor *tensor) {
    unsigned seen = 0;
    bool ended = false;
    if (!json_mark(c, '{'))
        return json_refuse(c, "'{' is missing");
    while (!ended) {
        hn_status status = parse_pair(c, tensor, &seen);
        if (status == HN_OK)
            status = take_end(c, '}', &ended);
        if (status != HN_OK)
            return status;
    }
    return seen == ALL_KEYS ? HN_OK : refuse_name(c, "tensor", tensor->name, "lacks dtype, shape or data_offsets");
}

static hn_status add_tensor(struct safetensors *file, struct json_cursor *c, const char *name) {
    for (size_t i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return refuse_name(c, "tensor", name, "appears twice");
    if (file->tensor_count == SAFETENSORS_MOST_TENSORS)
        return refuse_name(c, "tensor", name, "is one too many: no network has so many");
    struct tensor *tensor = &file->tensors[file->tensor_count++];
    memset(tensor, 0, sizeof *tensor);
    memcpy(tensor->name, name, strlen(name) + 1);
    return parse_tensor(c, tensor);
}

/* ---- the metadata ---- */

static bool is_digits(const struct json_text *text) {
    for (size_t i = 0; i < text->raw_bytes; i++)
        if (!memchr("0123456789abcdef", text->raw[i], 16))
            return false;
    return text->raw_bytes == SAFETENSORS_DIGITS;
}

/* Appends a key and its value to the texts. */
static hn_status add_text(struct safetensors *file, struct json_cursor *c) {
    struct json_text key, value;
    char *own = file->texts + file->text_bytes;
    hn_status status = json_read_text(c, &key, own, SIZE_MAX);
    if (status == HN_OK)
        status = take_colon(c);
    if (status == HN_OK)
        status = json_read_text(c, &value, own + key.length + 1, SIZE_MAX);
    if (status != HN_OK)
        return status;
    if (texts_find(file->texts, file->text_bytes, own))
        return refuse_name(c, "the metadata has the key", own, "twice");
    if (file->text_count++ == SAFETENSORS_MOST_TEXTS)
        return refuse_name(c, "the metadata's key", own, "is one too many");
    if (strcmp(own, SAFETENSORS_CHECKSUM) == 0) {
        if (!is_digits(&value))
            return refuse_name(c, "the metadata's", own, "is not eight hexadecimal digits");
        file->checksum = value.raw;
    }
    file->text_bytes += key.length + value.length + 2;
    return HN_OK;
}

static hn_status parse_metadata(struct safetensors *file, struct json_cursor *c) {
    bool ended = false;
    if (file->text_count > 0)
        return json_refuse(c, "the metadata appear twice");
    if (!json_mark(c, '{'))
        return json_refuse(c, "'{' is missing");
    while (!ended) {
        hn_status status = add_text(file, c);
        if (status == HN_OK)
            status = take_end(c, '}', &ended);
        if (status != HN_OK)
            return status;
    }
    return HN_OK;
}

/* ---- the header ---- */

static hn_status parse_entry(struct safetensors *file, struct json_cursor *c) {
    char name[SAFETENSORS_NAME];
    struct json_text text;
    hn_status status = json_read_text(c, &text, name, sizeof name);
    if (status == HN_OK)
        status = take_colon(c);
    if (status != HN_OK)
        return status;
    return strcmp(name, SAFETENSORS_METADATA) == 0 ? parse_metadata(file, c) : add_tensor(file, c, name);
}

hn_status safetensors_header(struct safetensors *file, struct json_cursor *c) {
    bool ended = false;
    file->tensor_count = file->text_bytes = file->text_count = 0;
    file->checksum = NULL;
    if (c->at == c->end || *c->at != '{')
        return json_refuse(c, "'{' is missing");
    c->at++;
    while (!ended) {
        hn_status status = parse_entry(file, c);
        if (status == HN_OK)
            status = take_end(c, '}', &ended);
        if (status != HN_OK)
            return status;
    }
    json_mark(c, ' '); /* blanks pad the header */
    return c->at == c->end ? HN_OK : json_refuse(c, "something follows the header");
}
