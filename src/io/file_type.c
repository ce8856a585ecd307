/* file_type.c - see file_type.h.
 *
 * SPDX-License-Identifier: MIT */
#include "io/file_type.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

/* "g3 1 1 0": g for text or b for binary, followed by some numbers. */
static bool begins_nl(const unsigned char *bytes, size_t count) {
    size_t at = 1;
    if (count < 2 || (bytes[0] != 'g' && bytes[0] != 'b') || !is_digit(bytes[1]))
        return false;
    while (at < count && is_digit(bytes[at]))
        at++;
    return at + 1 < count && bytes[at] == ' ' && is_digit(bytes[at + 1]);
}

/* A Protocol Buffers message: field 1, the format version, as an integer; then one of fields 2 to 8, or 14. */
static bool begins_onnx(const unsigned char *bytes, size_t count) {
    static const unsigned char next[] = {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42, 0x72};
    return count >= 3 && bytes[0] == 0x08 && bytes[1] >= 1 && bytes[1] < 0x40 && memchr(next, bytes[2], sizeof next);
}

static bool begins_pickle(const unsigned char *bytes, size_t count) {
    return count >= 3 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

/* The length of the header, below 2^56, and the header, a dictionary. */
static bool begins_safetensors(const unsigned char *bytes, size_t count) {
    return count > 8 && bytes[8] == '{' && memchr(bytes, 0, 8);
}

enum file_type file_type_of(const void *bytes, size_t count) {
    static const struct {
        char start[8];
        size_t length;
        enum file_type kind;
    } kinds[] = {{"\x93NUMPY", 6, FILE_TYPE_NPY},
                 {"PK\3\4", 4, FILE_TYPE_ZIP},
                 {"\x7f"
                  "ELF",
                  4, FILE_TYPE_PROGRAM},
                 {"\x1f\x8b", 2, FILE_TYPE_GZIP}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (count >= kinds[i].length && memcmp(bytes, kinds[i].start, kinds[i].length) == 0)
            return kinds[i].kind;
    if (begins_safetensors(bytes, count))
        return FILE_TYPE_SAFETENSORS;
    if (begins_pickle(bytes, count))
        return FILE_TYPE_PICKLE;
    if (begins_onnx(bytes, count))
        return FILE_TYPE_ONNX;
    return begins_nl(bytes, count) ? FILE_TYPE_NL : FILE_TYPE_UNKNOWN;
}
