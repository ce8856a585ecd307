/* print_cpp.c - from texts in C99 to C++: see device_texts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_texts.h"

#include "codegen/emit/flatten.h"

#include <ctype.h>
#include <string.h>

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of "(name)" or "(struct name)" where a brace follows: a literal of that type. NULL: it is none. */
static const char *literal_end(const char *at) {
    const char *end = at + 1;
    while (is_name(*end) || *end == ' ')
        end++;
    return end > at + 1 && end[0] == ')' && end[1] == '{' ? end : NULL;
}

static bool print_cpp_begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

/* Whether nothing but space stands before it in its line. */
static bool is_first(const char *from, const char *at) {
    while (at > from && at[-1] == ' ')
        at--;
    return at == from || at[-1] == '\n';
}

/* Whether it says how often the loop behind it is unrolled. */
static bool is_rule(const char *at) {
    return print_cpp_begins(at, "DEVICE_UNROLL") || print_cpp_begins(at, "DEVICE_ROLLED");
}

static bool ends_with(const char *from, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - from) >= length && memcmp(end - length, word, length) == 0;
}

/* Functions that hardly ever run: the ways to reduce a large angle, and what they call several times. */
static bool is_rare(const char *at) {
    static const char rare[][48] = {"static reduced_angle reduce_angle(", "static circle_angle circle_reduce_far(",
                                    "static uint64_t bits_from(", "static void add_product("};
    for (size_t i = 0; i < sizeof rare / sizeof rare[0]; i++)
        if (print_cpp_begins(at, rare[i]))
            return true;
    return false;
}

static void print_cpp_put(struct passage *p, const char *before, const char *words) {
    passage_replace(p, before, before, words);
}

/* The last character of a string, or of its line or text where it has no end. */
static const char *string_end(const char *at) {
    const char *end = at + 1 + strcspn(at + 1, "\"\n");
    return *end == '"' ? end : end - 1;
}

static void begin_line(struct passage *p, const char *at) {
    if (print_cpp_begins(at, "static "))
        print_cpp_put(p, at, is_rare(at) ? "DEVICE GENERATED " : "DEVICE ");
}

/* A literal of a type goes without its parentheses. Returns where to go on. */
static const char *open_literal(struct passage *p, const char *at) {
    const char *end = literal_end(at);
    if (!end)
        return at;
    passage_replace(p, at, at + 1, "");
    passage_replace(p, end, end + 1, "");
    return end;
}

static void print_flat(struct text *out, const char *from, bool rolled, bool apart) {
    struct passage p = {out, from};
    bool ruled = false, rules = false; /* the line before, this one */
    const char *at = from;
    begin_line(&p, at);
    for (; *at; at++) {
        switch (*at) {
        case '"': /* a string stays as it is; most of the text are strings */
            at = string_end(at);
            break;
        case 'D':
            rules = rules || is_rule(at);
            break;
        case 'f':
            if (rolled && !ruled && print_cpp_begins(at, "for (") && is_first(from, at))
                print_cpp_put(&p, at, "DEVICE_ROLLED ");
            break;
        case '{':
            if (apart && ends_with(from, at, "(real *slots) ")) /* arrays of threads: no other memory */
                print_cpp_put(&p, at + 1, "\n    DEVICE_LOCAL(slots);");
            break;
        case '(':
            at = open_literal(&p, at);
            break;
        case '\n':
            ruled = rules;
            rules = false;
            begin_line(&p, at + 1);
            break;
        default:
            break;
        }
    }
    print_cpp_put(&p, at, "");
}

void device_print_as_cpp(struct text *out, const struct text *root, bool rolled, bool apart) {
    struct text flat = {.bytes = NULL};
    flatten(&flat, root);
    if (flat.failed)
        text_fail_with(out, &flat);
    else
        print_flat(out, flat.bytes, rolled, apart);
    text_drop(&flat);
}
