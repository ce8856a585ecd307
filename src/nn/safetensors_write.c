/* safetensors_write.c - writes files as in safetensors.h.
 *
 * The same code runs twice, to measure and to write the header; blanks pad it to a multiple of 8, so that the numbers
 * are aligned when the file is mapped.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = SAFETENSORS_MOST_TEXTS - SAFETENSORS_OWN_TEXTS }; /* of the caller */

struct writer {
    const struct safetensors_content *content;
    unsigned char *header; /* NULL while measuring */
    size_t used;
    size_t checksum; /* offset of its digits in the header */
};

/* ---- pieces of JSON ---- */

/* Counting stops beyond the longest allowed header; the file is rejected then. */
static void safetensors_write_put(struct writer *w, const char *bytes, size_t count) {
    if (w->used > SAFETENSORS_MOST_HEADER)
        return;
    if (w->header)
        memcpy(w->header + w->used, bytes, count);
    w->used += count;
}

static void put_plain(struct writer *w, const char *text) {
    safetensors_write_put(w, text, strlen(text));
}

static void put_bytes(void *to, const char *bytes, size_t count) {
    safetensors_write_put(to, bytes, count);
}

static void put_quoted(struct writer *w, const char *text) {
    json_quote(put_bytes, w, text);
}

static void put_pair(struct writer *w, const char *key, const char *value) {
    put_quoted(w, key);
    put_plain(w, ":");
    put_quoted(w, value);
}

static void put_size(struct writer *w, size_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", value);
    put_plain(w, digits);
}

/* ---- the header ---- */

static void put_metadata(struct writer *w) {
    const struct safetensors_content *content = w->content;
    put_plain(w, "{\"" SAFETENSORS_METADATA "\":{");
    for (size_t i = 0; i < content->own_count; i++) {
        put_pair(w, content->own[i].key, content->own[i].value);
        put_plain(w, ",");
    }
    put_pair(w, SAFETENSORS_CHECKSUM, "00000000");
    w->checksum = w->used - 1 - SAFETENSORS_DIGITS;
    for (size_t i = 0; i < content->text_count; i++) {
        put_plain(w, ",");
        put_pair(w, content->texts[i].key, content->texts[i].value);
    }
    put_plain(w, "}");
}

static void put_tensor(struct writer *w, const struct memory_tensor *tensor, size_t begin, size_t end) {
    put_plain(w, ",");
    put_quoted(w, tensor->name);
    put_plain(w, ":{\"dtype\":\"F64\",\"shape\":[");
    put_size(w, tensor->shape[0]);
    if (tensor->dimensions == 2) {
        put_plain(w, ",");
        put_size(w, tensor->shape[1]);
    }
    put_plain(w, "],\"data_offsets\":[");
    put_size(w, begin);
    put_plain(w, ",");
    put_size(w, end);
    put_plain(w, "]}");
}

/* Writes the header; returns the size of the data. */
static size_t put_header(struct writer *w) {
    size_t end = 0;
    put_metadata(w);
    for (size_t i = 0; i < w->content->tensor_count; i++) {
        const struct memory_tensor *tensor = &w->content->tensors[i];
        size_t begin = end;
        end += tensor->shape[0] * tensor->shape[1] * sizeof *tensor->numbers;
        put_tensor(w, tensor, begin, end);
    }
    put_plain(w, "}");
    safetensors_write_put(w, "       ", -w->used % sizeof(double));
    return end;
}

/* ---- the file ---- */

static void put_data(const struct safetensors_content *content, unsigned char *bytes) {
    for (size_t i = 0; i < content->tensor_count; i++) {
        const struct memory_tensor *tensor = &content->tensors[i];
        size_t count = tensor->shape[0] * tensor->shape[1];
        for (size_t j = 0; j < count; j++, bytes += sizeof(double))
            bytes_put_real(bytes, tensor->numbers[j]);
    }
}

static void put_checksum(struct writer *w, unsigned char *bytes, size_t count) {
    char digits[SAFETENSORS_DIGITS + 1];
    snprintf(digits, sizeof digits, "%08lx", (unsigned long)checksum_add(0, bytes, count));
    memcpy(w->header + w->checksum, digits, SAFETENSORS_DIGITS);
}

static hn_status write_content(struct writer *w, const char *path, hn_error *error) {
    size_t data = put_header(w), header = w->used, before = SAFETENSORS_LENGTH + header, count = size_sum(before, data);
    if (header > SAFETENSORS_MOST_HEADER)
        return error_in_file(error, HN_LIMIT, path, "the texts are too long: a header has at most %d bytes",
                             SAFETENSORS_MOST_HEADER);
    unsigned char *bytes = base_allocate(count);
    if (!bytes)
        return error_no_memory(error, path);
    bytes_put_integer(bytes, header);
    w->header = bytes + SAFETENSORS_LENGTH;
    w->used = 0;
    put_header(w);
    put_data(w->content, bytes + before);
    put_checksum(w, bytes, count);
    hn_status status = file_write(path, bytes, count, error);
    base_release(bytes);
    return status;
}

/* ---- checks ---- */

static bool is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    for (size_t left = strlen(text); left > 0;) {
        size_t count = utf8_bytes(at, left);
        if (count == 0)
            return false;
        at += count;
        left -= count;
    }
    return true;
}

static bool has_key(size_t count, const hn_metadata *texts, const char *key) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i].key, key) == 0)
            return true;
    return false;
}

static hn_status check_text(const struct safetensors_content *content, size_t i, const char *path, hn_error *error) {
    const hn_metadata *texts = content->texts;
    const char *key = texts[i].key;
    if (!key || !texts[i].value)
        return error_in_file(error, HN_INVALID, path, "text %zu has no %s", i, key ? "value" : "key");
    if (!is_utf8(key) || !is_utf8(texts[i].value))
        return error_in_file(error, HN_INVALID, path, "text %zu, %s, is not UTF-8", i, show_name(key).text);
    if (strcmp(key, SAFETENSORS_CHECKSUM) == 0 || has_key(content->own_count, content->own, key))
        return error_in_file(error, HN_INVALID, path, "a text may not be called %s: the file itself needs that key",
                             key);
    if (has_key(i, texts, key))
        return error_in_file(error, HN_INVALID, path, "two texts are called %s", show_name(key).text);
    return HN_OK;
}

static hn_status check_texts(const struct safetensors_content *content, const char *path, hn_error *error) {
    if (content->text_count > 0 && !content->texts)
        return error_in_file(error, HN_INVALID, path, "the texts are missing");
    if (content->text_count > MOST_TEXTS)
        return error_in_file(error, HN_LIMIT, path, "%zu texts; at most %d are possible", content->text_count,
                             MOST_TEXTS);
    for (size_t i = 0; i < content->text_count; i++) {
        hn_status status = check_text(content, i, path, error);
        if (status != HN_OK)
            return status;
    }
    return HN_OK;
}

hn_status safetensors_write(const struct safetensors_content *content, const char *path, hn_error *error) {
    struct writer w = {.content = content};
    hn_status status = check_texts(content, path, error);
    return status == HN_OK ? write_content(&w, path, error) : status;
}
