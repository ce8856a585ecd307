/* safetensors.h - safetensors files: a header in JSON, then the tensors' numbers; the format contains no executable
 * code.
 *
 *     8 bytes: the header's length, little-endian;  the header;  the data
 *     {"__metadata__": {"key": "value", ...}, "name": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]}, ...}
 *
 * hardnet writes a checksum to the metadata, "crc32": eight hexadecimal digits, over the whole file with those digits
 * replaced by zeros ('0') (base/bytes.h). A file without it is rejected, and so is a file whose tensors do not cover
 * the data contiguously.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_SAFETENSORS_H
#define HN_NN_SAFETENSORS_H

#include "base/file.h"
#include "hardnet/network.h"

#define SAFETENSORS_METADATA "__metadata__"
#define SAFETENSORS_CHECKSUM "crc32"

enum {
    SAFETENSORS_LENGTH = 8, /* bytes before the header */
    SAFETENSORS_DIGITS = 8, /* of the checksum */
    SAFETENSORS_MOST_HEADER = 1 << 20,
    SAFETENSORS_MOST_TENSORS = 64,
    SAFETENSORS_MOST_TEXTS = 1024,
    SAFETENSORS_OWN_TEXTS = 24, /* of these, for the writer of the file */
    SAFETENSORS_NAME = 64
};

struct tensor {
    char name[SAFETENSORS_NAME], dtype[SAFETENSORS_NAME];
    int dimensions; /* 0 to 2 */
    size_t shape[2];
    size_t begin, end; /* of its bytes in the data */
    size_t item;       /* bytes of a number: 4 or 8 */
};

struct safetensors {
    const char *name; /* for messages */
    hn_error *error;
    const unsigned char *data; /* within the parsed bytes */
    size_t data_bytes;
    struct tensor tensors[SAFETENSORS_MOST_TENSORS];
    size_t tensor_count;
    char *texts; /* key, 0, value, 0, ... from base_allocate */
    size_t text_bytes, text_count;
    const unsigned char *checksum; /* its digits within the bytes; NULL if missing */
    struct file_bytes bytes;       /* of safetensors_read; else none */
};

/* Reads the header and makes all checks that do not depend on the meaning of the tensors. On failure texts is NULL. */
hn_status safetensors_parse(struct safetensors *file, const char *name, const unsigned char *bytes, size_t count,
                            hn_error *error);

/* The same for the file at path, of at most `most` bytes. */
hn_status safetensors_read(struct safetensors *file, const char *path, size_t most, hn_error *error);

/* Releases texts and bytes. */
void safetensors_release(struct safetensors *file);

const struct tensor *safetensors_find(const struct safetensors *file, const char *name); /* NULL if missing */

/* The value of this key; NULL if missing. */
const char *texts_find(const char *texts, size_t bytes, const char *key);
const char *safetensors_text(const struct safetensors *file, const char *key);

/* Number i of a tensor, read in the tensor's precision. */
double tensor_number(const struct safetensors *file, const struct tensor *tensor, size_t i);

/* ---- writing ---- */

/* A row-major tensor of doubles in memory. */
struct memory_tensor {
    const char *name;
    int dimensions;
    size_t shape[2]; /* one dimension: the second is 1 */
    const double *numbers;
};

/* Contents of a file, in this order, with the checksum between the two lists of texts. */
struct safetensors_content {
    size_t own_count, text_count, tensor_count;
    const hn_metadata *own; /* identifies the kind of file */
    const hn_metadata *texts;
    const struct memory_tensor *tensors;
};

/* Writes texts and tensors as a file. Deterministic: the same tensors and texts, in the caller's order, give the same bytes.
 * HN_INVALID when a text is missing, is not UTF-8, or repeats another key or that of the checksum; HN_LIMIT when there
 * are too many. The tensors are in memory, so their sizes cannot overflow. */
hn_status safetensors_write(const struct safetensors_content *content, const char *path, hn_error *error);

#endif
