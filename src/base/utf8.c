/* utf8.c - see utf8.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool continues(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

size_t utf8_bytes(const unsigned char *at, size_t left) {
    if (left == 0 || at[0] < 0x80)
        return left > 0;
    size_t count = at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 4;
    if (at[0] < 0xc2 || at[0] > 0xf4 || left < count)
        return 0;
    for (size_t i = 1; i < count; i++)
        if (!continues(at[i]))
            return 0;
    bool longer = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xed && at[1] >= 0xa0, beyond = at[0] == 0xf4 && at[1] >= 0x90;
    return longer || surrogate || beyond ? 0 : count;
}

bool utf8_is_control(const unsigned char *at, size_t bytes) {
    bool one = bytes == 1 && (at[0] < 0x20 || at[0] == 0x7f);
    return one || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

struct shown_name show_name(const char *name) {
    struct shown_name shown;
    size_t i = 0;
    for (; i < sizeof shown.text - 1 && name[i]; i++)
        shown.text[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    shown.text[i] = '\0';
    if (name[i])
        memcpy(shown.text + i - 3, "...", 3);
    return shown;
}

/* ---- printable forms ---- */

/* U+200E, U+200F, U+202A to U+202E, U+2028, U+2029, U+2066 to U+2069: direction marks and line separators. */
static bool is_mark(const unsigned char *at, size_t length) {
    if (length != 3 || at[0] != 0xe2)
        return false;
    bool first = at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae));
    return first || (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

static unsigned code_point(const unsigned char *at, size_t length) {
    return length == 2 ? (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu)
                       : (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

size_t printable_piece(const char **text, char piece[PRINTABLE_PIECE]) {
    const unsigned char *at = (const unsigned char *)*text;
    size_t length = utf8_bytes(at, SIZE_MAX), taken = length > 0 ? length : 1;
    int written;
    *text += taken;
    if (length == 0 || (length == 1 && utf8_is_control(at, 1)))
        written = *at == '\n'   ? snprintf(piece, PRINTABLE_PIECE, "\\n")
                  : *at == '\t' ? snprintf(piece, PRINTABLE_PIECE, "\\t")
                                : snprintf(piece, PRINTABLE_PIECE, "\\x%02x", *at);
    else if (utf8_is_control(at, length) || is_mark(at, length))
        written = snprintf(piece, PRINTABLE_PIECE, "\\u%04x", code_point(at, length) & 0xffffu);
    else
        written = snprintf(piece, PRINTABLE_PIECE, "%.*s", (int)length, (const char *)at);
    return (size_t)written;
}

void printable_copy(char *out, size_t room, const char *text) {
    static const char cut[] = "...";
    size_t used = 0, safe = 0; /* safe: the length kept if the text is truncated */
    while (*text) {
        char piece[PRINTABLE_PIECE];
        size_t length = printable_piece(&text, piece);
        if (used + length + 1 > room) {
            memcpy(out + safe, cut, sizeof cut);
            return;
        }
        memcpy(out + used, piece, length);
        used += length;
        if (used + sizeof cut <= room)
            safe = used;
    }
    out[used] = '\0';
}

bool printable_is_safe(const char *text) {
    while (*text) {
        char piece[PRINTABLE_PIECE];
        const char *before = text;
        size_t length = printable_piece(&text, piece);
        if (length != (size_t)(text - before) || memcmp(piece, before, length) != 0)
            return false;
    }
    return true;
}
