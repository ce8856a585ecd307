/* amalgamate.c - see amalgamate.h. One pass over the tokens of a text.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/amalgamate.h"

#include "codegen/emit/texts.h"

#include <ctype.h>
#include <string.h>

#define LICENCE "\n *\n * SPDX-License-Identifier: MIT */"

/* What names become. Functions and constants that a file has no use for must not be warned about. */
static const struct {
    char from[16], to[16];
} names[] = {
    {"double", "real"},      {"HUGE_VAL", "REAL_INFINITY"}, {"INFINITY", "REAL_INFINITY"}, {"NAN", "REAL_NAN"},
    {"DBL_MAX", "REAL_MAX"}, {"DBL_MIN", "REAL_MIN"},       {"sqrt", "simd_sqrt"},
};

static bool amalgamate_begins(const char *at, const char *word) {
    return *at == *word && strncmp(at, word, strlen(word)) == 0;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A text, and whether its numbers become floats. */
struct source {
    struct passage passage;
    bool single;
};

static void replace(struct source *s, const char *from, const char *to, const char *words) {
    passage_replace(&s->passage, from, to, words);
}

/* ---- tokens: each function takes what begins at `at` and returns where it ends ---- */

static const char *end_of_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *take_comment(struct source *s, const char *at) {
    const char *end = strstr(at, "*/");
    size_t licence = strlen(LICENCE);
    end = end ? end + 2 : at + strlen(at);
    if ((size_t)(end - at) >= licence && memcmp(end - licence, LICENCE, licence) == 0)
        replace(s, end - licence, end, " */");
    return end;
}

static const char *amalgamate_take_name(struct source *s, const char *at) {
    const char *end = at;
    while (is_name(*end))
        end++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (*at == names[i].from[0] && strlen(names[i].from) == (size_t)(end - at) &&
            amalgamate_begins(at, names[i].from)) {
            replace(s, at, end, names[i].to);
            break;
        }
    return end;
}

static const char *take_number(struct source *s, const char *at) {
    bool hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X'), floating = false;
    const char *end = at;
    for (; is_name(*end) || *end == '.'; end++) {
        bool power = hexadecimal ? *end == 'p' : *end == 'e';
        floating = floating || power || *end == '.';
        if (power && (end[1] == '+' || end[1] == '-'))
            end++;
    }
    bool has_suffix = floating && end[-1] == 'f';
    if (s->single && floating && !has_suffix)
        replace(s, end, end, "f");
    return end;
}

/* As it is. */
static const char *take_string(const char *at) {
    const char *end = at + 1 + strcspn(at + 1, "\"\\\n");
    while (*end == '\\') {
        end += end[1] ? 2 : 1;
        end += strcspn(end, "\"\\\n");
    }
    return end + (*end == '"');
}

/* ---- lines ---- */

/* Lines that include something and those of an include guard are left out; the guard's #endif is the last line of a text. */
static bool is_left_out(const char *at) {
    const char *after = end_of_line(at);
    return amalgamate_begins(at, "#include ") || amalgamate_begins(at, "#ifndef HN_") ||
           amalgamate_begins(at, "#define HN_") || (amalgamate_begins(at, "#endif") && *after == '\0') ||
           amalgamate_begins(at + strspn(at, " "), "// NOLINT");
}

static const char *take_storage(struct source *s, const char *at) {
    static const struct {
        char from[16], to[20];
    } storage[] = {{"static inline ", "SHARED_FUNCTION "}, {"static const ", "SHARED_CONSTANT "}};
    if (amalgamate_begins(
            at, "reduced_angle reduce_angle(")) /* the one function of the texts that other files of the library call */
        replace(s, at, at, "static ");
    for (size_t i = 0; i < sizeof storage / sizeof storage[0]; i++)
        if (amalgamate_begins(at, storage[i].from)) {
            replace(s, at, at + strlen(storage[i].from), storage[i].to);
            return s->passage.done;
        }
    return at;
}

/* Whether this file is a part of sample.h or of damped_kernel.h, which stands where these include it. */
static bool is_part(const char *quoted) {
    static const char parts[][40] = {"core/sample_state.h",
                                     "core/sample_auto.h",
                                     "core/sample_budget.h",
                                     "core/stationarity.h",
                                     "core/tape_head.h",
                                     "core/damping.h",
                                     "core/restart.h",
                                     "core/compute.h",
                                     "core/elastic.h",
                                     "core/number.h",
                                     "core/precision.h",
                                     "linalg/dense_ldl_kernel.h",
                                     "linalg/sparse_ldl_kernel.h"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (amalgamate_begins(quoted, parts[i]) && quoted[strlen(parts[i])] == '"')
            return true;
    return false;
}

static void take_part(struct source *s, const char *at) {
    char name[64];
    const char *quoted = at + strlen("#include \"");
    if (!amalgamate_begins(at, "#include \"") || !is_part(quoted))
        return;
    size_t length = strcspn(quoted, "\"");
    if (length >= sizeof name) {
        text_fail(s->passage.out, "the name of an included text is longer than %zu characters", sizeof name - 1);
        return;
    }
    memcpy(name, quoted, length);
    name[length] = '\0';
    replace(s, at, at, "");
    amalgamate_file(s->passage.out,
                    s->single && strcmp(name, "core/precision.h") == 0 ? "core/precision_float.h" : name, s->single);
}

/* The token that begins here, or one character. */
static const char *take_token(struct source *s, const char *at) {
    if (is_name(*at))
        return isdigit((unsigned char)*at) ? take_number(s, at) : amalgamate_take_name(s, at);
    if (amalgamate_begins(at, "/*"))
        return take_comment(s, at);
    return *at == '"' ? take_string(at) : at + 1;
}

void amalgamate(struct text *out, const char *text, bool single) {
    struct source s = {{out, text}, single};
    const char *at = text;
    bool starts = true; /* a line */
    while (*at) {
        if (starts)
            take_part(&s, at);
        if (starts && is_left_out(at)) {
            const char *next = end_of_line(at);
            replace(&s, at, next, "");
            at = next;
            continue;
        }
        if (starts)
            at = take_storage(&s, at);
        starts = *at == '\n';
        at = take_token(&s, at);
    }
    replace(&s, at, at, "");
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

void amalgamate_lacks(struct text *out, const char *name) {
    text_fail(out, "this build of the library does not contain the text %s (cmake/texts.cmake)", name);
}

void amalgamate_file(struct text *out, const char *name, bool single) {
    const char *text = amalgamate_find(name);
    text_add(out, "\n");
    if (text)
        amalgamate(out, text, single);
    else
        amalgamate_lacks(out, name);
}
