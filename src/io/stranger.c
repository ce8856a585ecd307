/* stranger.c - see stranger.h.
 *
 * SPDX-License-Identifier: MIT */
#include "io/stranger.h"

#include <stdbool.h>
#include <string.h>

static bool stranger_is_digit(unsigned char c) {
    return c >= '0' && c <= '9';
}

/* "g3 1 1 0": g for text or b for binary, followed by some numbers. */
static bool begins_nl(const unsigned char *bytes, size_t count) {
    size_t at = 1;
    if (count < 2 || (bytes[0] != 'g' && bytes[0] != 'b') || !stranger_is_digit(bytes[1]))
        return false;
    while (at < count && stranger_is_digit(bytes[at]))
        at++;
    return at + 1 < count && bytes[at] == ' ' && stranger_is_digit(bytes[at + 1]);
}

/* A Protocol Buffers message: field 1, the version of the format, as a number; then one of fields 2 to 8, or 14. */
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

enum stranger stranger_of(const void *bytes, size_t count) {
    static const struct {
        char start[8];
        size_t length;
        enum stranger kind;
    } kinds[] = {{"\x93NUMPY", 6, STRANGER_NPY},
                 {"PK\3\4", 4, STRANGER_ZIP},
                 {"\x7f"
                  "ELF",
                  4, STRANGER_PROGRAM},
                 {"\x1f\x8b", 2, STRANGER_GZIP}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (count >= kinds[i].length && memcmp(bytes, kinds[i].start, kinds[i].length) == 0)
            return kinds[i].kind;
    if (begins_safetensors(bytes, count))
        return STRANGER_SAFETENSORS;
    if (begins_pickle(bytes, count))
        return STRANGER_PICKLE;
    if (begins_onnx(bytes, count))
        return STRANGER_ONNX;
    return begins_nl(bytes, count) ? STRANGER_NL : STRANGER_UNKNOWN;
}
