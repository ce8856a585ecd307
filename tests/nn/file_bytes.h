/* file_bytes.h - network files in memory: taken apart, changed and put together again with the right checksum.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_NETWORK_FILE_BYTES_H
#define HN_TESTS_NETWORK_FILE_BYTES_H

#include "support/check.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/memory.h"
#include "nn/network_parts.h"

#define DIGITS_KEY "\"crc32\":\""

/* free() the bytes. */
struct bytes {
    unsigned char *data;
    size_t count;
};

static inline struct bytes bytes_of_file(const char *path) {
    struct file_bytes read;
    assert_int_equal(file_read(&read, path, SIZE_MAX, NULL), HN_OK);
    struct bytes bytes = {malloc(read.count), read.count};
    memcpy(bytes.data, read.data, read.count);
    base_release(read.data);
    return bytes;
}

static inline size_t header_length(const struct bytes *bytes) {
    size_t length = 0;
    for (size_t i = 8; i-- > 0;)
        length = length << 8 | bytes->data[i];
    return length;
}

/* The header as a text of its own, without the blanks at its end. */
static inline char *header_text(const struct bytes *bytes) {
    size_t length = header_length(bytes);
    while (length > 0 && bytes->data[8 + length - 1] == ' ')
        length--;
    char *text = malloc(length + 1);
    memcpy(text, bytes->data + 8, length);
    text[length] = '\0';
    return text;
}

static inline unsigned char *find_bytes(const struct bytes *bytes, const char *text) {
    for (size_t i = 0; i + strlen(text) <= bytes->count; i++)
        if (memcmp(bytes->data + i, text, strlen(text)) == 0)
            return bytes->data + i;
    return NULL;
}

/* The right checksum where the first one is; does nothing without one. */
static inline void mend_checksum(const struct bytes *bytes) {
    unsigned char *digits = find_bytes(bytes, DIGITS_KEY);
    char sum[9];
    if (!digits || digits + strlen(DIGITS_KEY) + 8 > bytes->data + bytes->count)
        return;
    digits += strlen(DIGITS_KEY);
    memset(digits, '0', 8);
    snprintf(sum, sizeof sum, "%08lx", (unsigned long)checksum_add(0, bytes->data, bytes->count));
    memcpy(digits, sum, 8);
}

/* A file of this header and this data. */
static inline struct bytes bytes_of_parts(const char *header, size_t length, const void *data, size_t data_bytes) {
    struct bytes bytes = {malloc(8 + length + data_bytes + 1), 8 + length + data_bytes};
    for (size_t i = 0; i < 8; i++)
        bytes.data[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(bytes.data + 8, header, length);
    memcpy(bytes.data + 8 + length, data, data_bytes);
    mend_checksum(&bytes);
    return bytes;
}

/* The text with the first `from` replaced by `to`. */
static inline char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    assert_non_null(at);
    char *changed = malloc(strlen(text) + strlen(to) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

#endif
