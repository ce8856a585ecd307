/* amalgamate.c - see amalgamate.h. One pass over the tokens of a text.
 *
 * SPDX-License-Identifier: MIT */
#include "emit/amalgamate.h"

#include "emit/texts.h"

#include <ctype.h>
#include <string.h>

#define LICENCE "\n *\n * SPDX-License-Identifier: MIT */"

/* What names become. Functions and constants that a file has no use for must not be warned about. */
static const struct {
    char from[16], to[16];
} names[] = {
    {"double", "real"},      {"HUGE_VAL", "REAL_INFINITY"}, {"INFINITY", "REAL_INFINITY"}, {"NAN", "REAL_NAN"},
    {"DBL_MAX", "REAL_MAX"}, {"DBL_MIN", "REAL_MIN"},       {"sqrt", "wide_sqrt"},
};

static bool begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- tokens: each function takes what begins at `at` and returns where it ends ---- */

static const char *end_of_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *take_comment(struct text *out, const char *at) {
    const char *end = strstr(at, "*/"), *licence = strstr(at, LICENCE);
    end = end ? end + 2 : at + strlen(at);
    if (licence && licence < end) {
        text_add_bytes(out, at, (size_t)(licence - at));
        text_add(out, " */");
    } else
        text_add_bytes(out, at, (size_t)(end - at));
    return end;
}

static const char *take_name(struct text *out, const char *at) {
    const char *end = at;
    while (is_name(*end))
        end++;
    size_t length = (size_t)(end - at);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (*at == names[i].from[0] && strlen(names[i].from) == length && begins(at, names[i].from)) {
            text_add(out, "%s", names[i].to);
            return end;
        }
    text_add_bytes(out, at, length);
    return end;
}

static const char *take_number(struct text *out, const char *at, bool single) {
    bool hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X'), floating = false;
    const char *end = at;
    for (; is_name(*end) || *end == '.'; end++) {
        bool power = hexadecimal ? *end == 'p' : *end == 'e';
        floating = floating || power || *end == '.';
        if (power && (end[1] == '+' || end[1] == '-'))
            end++;
    }
    text_add_bytes(out, at, (size_t)(end - at));
    bool has_suffix = floating && end[-1] == 'f';
    if (single && floating && !has_suffix)
        text_add(out, "f");
    return end;
}

/* As it is. */
static const char *take_string(struct text *out, const char *at) {
    const char *end = at + 1;
    while (*end && *end != '"' && *end != '\n')
        end += end[0] == '\\' && end[1] ? 2 : 1;
    end += *end == '"';
    text_add_bytes(out, at, (size_t)(end - at));
    return end;
}

/* ---- lines ---- */

/* Lines that include something and those of an include guard are left out; the guard's #endif is the last line of a text. */
static bool is_left_out(const char *at) {
    const char *after = end_of_line(at);
    return begins(at, "#include ") || begins(at, "#ifndef HN_") || begins(at, "#define HN_") ||
           (begins(at, "#endif") && *after == '\0') || begins(at + strspn(at, " "), "// NOLINT");
}

static const char *take_storage(struct text *out, const char *at) {
    if (begins(at,
               "reduced_angle reduce_angle(")) /* the one function of the texts that other files of the library call */
        text_add(out, "static ");
    if (begins(at, "static inline ")) {
        text_add(out, "SHARED_FUNCTION ");
        return at + strlen("static inline ");
    }
    if (begins(at, "static const ")) {
        text_add(out, "SHARED_CONSTANT ");
        return at + strlen("static const ");
    }
    return at;
}

/* The parts of sample.h and of damped_kernel.h stand where these include them. */
static void take_part(struct text *out, const char *at, bool single) {
    char name[64];
    const char *quoted = at + strlen("#include \"");
    if (!begins(at, "#include \"sample/") && !begins(at, "#include \"sparse/dense_kernel.h") &&
        !begins(at, "#include \"sparse/walked_kernel.h"))
        return;
    size_t length = strcspn(quoted, "\"");
    if (length >= sizeof name)
        return;
    memcpy(name, quoted, length);
    name[length] = '\0';
    amalgamate_file(out, single && strcmp(name, "sample/precision.h") == 0 ? "emit/precision_float.h" : name, single);
}

void amalgamate(struct text *out, const char *text, bool single) {
    const char *at = text;
    bool starts = true; /* a line */
    while (*at) {
        if (starts)
            take_part(out, at, single);
        if (starts && is_left_out(at)) {
            at = end_of_line(at);
            continue;
        }
        if (starts)
            at = take_storage(out, at);
        starts = *at == '\n';
        if (begins(at, "/*"))
            at = take_comment(out, at);
        else if (*at == '"')
            at = take_string(out, at);
        else if (isdigit((unsigned char)*at))
            at = take_number(out, at, single);
        else if (is_name(*at))
            at = take_name(out, at);
        else
            text_add_bytes(out, at++, 1);
    }
}

const char *amalgamate_find(const char *name) {
    const char *at = emit_texts, *end = emit_texts + emit_texts_length;
    while (at < end) {
        const char *text = at + strlen(at) + 1;
        if (strcmp(at, name) == 0)
            return text;
        at = text + strlen(text) + 1;
    }
    return NULL;
}

void amalgamate_file(struct text *out, const char *name, bool single) {
    const char *text = amalgamate_find(name);
    text_add(out, "\n");
    if (text)
        amalgamate(out, text, single);
    out->failed = out->failed || !text; /* a name that cmake/texts.cmake does not list; the tests would see it */
}
