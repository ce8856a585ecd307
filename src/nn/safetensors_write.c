/* safetensors_write.c - writes files as in safetensors.h. Blanks pad the header to a multiple of 8, so that the numbers
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
#include "codegen/print/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = SAFETENSORS_MOST_TEXTS - SAFETENSORS_OWN_TEXTS }; /* of the caller */

/* ---- the header ---- */

static void add_bytes(void *text, const char *bytes, size_t count) {
    text_add_bytes(text, bytes, count);
}

static void add_pair(struct text *header, const char *key, const char *value) {
    json_quote(add_bytes, header, key);
    text_add(header, ":");
    json_quote(add_bytes, header, value);
}

/* Returns the offset of the checksum's digits. */
static size_t add_metadata(struct text *header, const struct safetensors_content *content) {
    text_add(header, "{\"" SAFETENSORS_METADATA "\":{");
    for (size_t i = 0; i < content->own_count; i++) {
        add_pair(header, content->own[i].key, content->own[i].value);
        text_add(header, ",");
    }
    add_pair(header, SAFETENSORS_CHECKSUM, "00000000");
    size_t checksum = header->length - 1 - SAFETENSORS_DIGITS;
    for (size_t i = 0; i < content->text_count; i++) {
        text_add(header, ",");
        add_pair(header, content->texts[i].key, content->texts[i].value);
    }
    text_add(header, "}");
    return checksum;
}

/* Returns the size of the data. */
static size_t add_tensors(struct text *header, const struct safetensors_content *content) {
    size_t end = 0;
    for (size_t i = 0; i < content->tensor_count; i++) {
        const struct memory_tensor *tensor = &content->tensors[i];
        size_t begin = end;
        end += tensor->shape[0] * tensor->shape[1] * sizeof *tensor->numbers;
        text_add(header, ",");
        json_quote(add_bytes, header, tensor->name);
        text_add(header, ":{\"dtype\":\"F64\",\"shape\":[%zu", tensor->shape[0]);
        if (tensor->dimensions == 2)
            text_add(header, ",%zu", tensor->shape[1]);
        text_add(header, "],\"data_offsets\":[%zu,%zu]}", begin, end);
    }
    text_add(header, "}");
    text_add_bytes(header, "       ", -header->length % sizeof(double));
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

static hn_status write_content(const struct safetensors_content *content, struct text *header, const char *path,
                               hn_error *error) {
    char digits[SAFETENSORS_DIGITS + 1];
    size_t checksum = SAFETENSORS_LENGTH + add_metadata(header, content), data = add_tensors(header, content);
    size_t before = SAFETENSORS_LENGTH + header->length, count = size_sum(before, data);
    if (header->length > SAFETENSORS_MOST_HEADER)
        return error_in_file(error, HN_LIMIT, path, "the texts are too long: a header has at most %d bytes",
                             SAFETENSORS_MOST_HEADER);
    unsigned char *bytes = header->failed ? NULL : base_allocate(count);
    if (!bytes)
        return error_no_memory(error, path);
    bytes_put_integer(bytes, header->length);
    memcpy(bytes + SAFETENSORS_LENGTH, header->bytes, header->length);
    put_data(content, bytes + before);
    snprintf(digits, sizeof digits, "%08lx", (unsigned long)checksum_add(0, bytes, count));
    memcpy(bytes + checksum, digits, SAFETENSORS_DIGITS);
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
    hn_status status = HN_OK;
    for (size_t i = 0; i < content->text_count && status == HN_OK; i++)
        status = check_text(content, i, path, error);
    return status;
}

hn_status safetensors_write(const struct safetensors_content *content, const char *path, hn_error *error) {
    struct text header = {.bytes = NULL};
    hn_status status = check_texts(content, path, error);
    if (status == HN_OK)
        status = write_content(content, &header, path, error);
    text_drop(&header);
    return status;
}
