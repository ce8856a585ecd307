/* utf8.c - see utf8.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/utf8.h"

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
