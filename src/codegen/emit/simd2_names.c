/* simd2_names.c - see simd2_names.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/simd2_names.h"

#include "codegen/emit/flatten.h"

#include <ctype.h>
#include <string.h>

enum { MOST_NAMES = sizeof((struct simd2_names *)0)->at / sizeof(const char *) };

static bool simd2_names_begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static size_t name_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static const char *end_of_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* ---- names ---- */

static void add_name(struct text *out, struct simd2_names *names, const char *at) {
    if (names->count == MOST_NAMES) {
        text_fail(out, "the shared texts declare more than %d names (MOST_NAMES in simd2_names.c)", (int)MOST_NAMES);
        return;
    }
    names->at[names->count] = at;
    names->length[names->count++] = name_length(at);
}

/* A line that declares: the function's name is the one before the first parenthesis, a struct's the one behind its brace. */
static void note_declared(struct text *out, struct simd2_names *names, const char *line) {
    if (simd2_names_begins(line, "SIMD_INLINE ")) {
        const char *at = strchr(line, '(');
        while (at && at > line && name_length(at - 1) > 0)
            at--;
        if (at)
            add_name(out, names, at);
    } else if (simd2_names_begins(line, "} ") && name_length(line + 2) > 0)
        add_name(out, names, line + 2);
}

static bool is_declared(const struct simd2_names *names, const char *at, size_t length) {
    for (size_t i = 0; i < names->count; i++)
        if (names->length[i] == length && strncmp(names->at[i], at, length) == 0)
            return true;
    return false;
}

static void simd2_names_take_name(struct text *out, const struct simd2_names *names, const char *at, size_t length) {
    if (simd2_names_begins(at, "simd") && (length == 4 || at[4] == '_')) {
        text_add(out, "simd2");
        text_add_bytes(out, at + 4, length - 4);
    } else if (simd2_names_begins(at, "SIMD_MASK") || simd2_names_begins(at, "SIMD_AT")) {
        text_add(out, "SIMD2");
        text_add_bytes(out, at + 4, length - 4);
    } else if (length == 5 && simd2_names_begins(at, "WIDTH"))
        text_add(out, "SIMD2_WIDTH");
    else {
        text_add(out, is_declared(names, at, length) ? "simd2_" : "");
        text_add_bytes(out, at, length);
    }
}

/* ---- lines ---- */

static const char *take_line(struct text *out, const struct simd2_names *names, const char *at) {
    while (*at) {
        size_t length = name_length(at);
        if (simd2_names_begins(at, "/*"))
            at = strstr(at, "*/") ? strstr(at, "*/") + 2 : at + strlen(at);
        else if (isalpha((unsigned char)*at)) {
            simd2_names_take_name(out, names, at, length);
            at += length;
        } else if (length > 0) { /* a number */
            text_add_bytes(out, at, length);
            at += length;
        } else {
            text_add_bytes(out, at, 1);
            if (*at++ == '\n')
                break;
        }
    }
    return at;
}

static void take_text(struct text *out, struct simd2_names *names, const char *at) {
    while (*at) {
        bool constant = simd2_names_begins(at, "SHARED_CONSTANT ") || simd2_names_begins(at, "enum ");
        bool guard = simd2_names_begins(at, "#include ") || simd2_names_begins(at, "#ifndef HN_") ||
                     simd2_names_begins(at, "#define HN_") ||
                     (simd2_names_begins(at, "#endif") && *end_of_line(at) == '\0');
        if (simd2_names_begins(at, "#ifndef FREESTANDING")) {
            at = end_of_line(strstr(at, "#endif"));
            continue;
        }
        if (constant || guard) {
            at = end_of_line(at);
            continue;
        }
        note_declared(out, names, at);
        at = take_line(out, names, at);
    }
}

void simd2_names_file(struct text *out, struct simd2_names *names, const char *file) {
    struct text renamed = {.bytes = NULL};
    const char *text = flatten_find(&renamed, file, strlen(file));
    if (text)
        take_text(&renamed, names, text);
    if (renamed.failed)
        text_fail_with(out, &renamed);
    else
        text_add_bytes(out, renamed.bytes, renamed.length);
    text_drop(&renamed);
}
