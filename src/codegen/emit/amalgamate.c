/* amalgamate.c - see amalgamate.h. One pass over the lines of a text.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/amalgamate.h"

#include "codegen/emit/texts.h"

#include <string.h>

#define LICENCE "\n *\n * SPDX-License-Identifier: MIT */"

static bool amalgamate_begins(const char *at, const char *word) {
    return *at == *word && strncmp(at, word, strlen(word)) == 0;
}

/* ---- tokens: each function takes what begins at `at` and returns where it ends ---- */

static const char *end_of_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *take_comment(struct passage *s, const char *at) {
    const char *end = strstr(at, "*/");
    size_t licence = strlen(LICENCE);
    end = end ? end + 2 : at + strlen(at);
    if ((size_t)(end - at) >= licence && memcmp(end - licence, LICENCE, licence) == 0)
        passage_replace(s, end - licence, end, " */");
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

static void take_part(struct passage *s, const char *at) {
    char name[64];
    const char *quoted = at + strlen("#include \"");
    if (!amalgamate_begins(at, "#include \"") || !is_part(quoted))
        return;
    size_t length = strcspn(quoted, "\"");
    if (length >= sizeof name) {
        text_fail(s->out, "the name of an included text is longer than %zu characters", sizeof name - 1);
        return;
    }
    memcpy(name, quoted, length);
    name[length] = '\0';
    passage_replace(s, at, at, "");
    amalgamate_file(s->out, name);
}

/* The token that begins here, or one character. */
static const char *take_token(struct passage *s, const char *at) {
    if (amalgamate_begins(at, "/*"))
        return take_comment(s, at);
    return *at == '"' ? take_string(at) : at + 1;
}

void amalgamate(struct text *out, const char *text) {
    struct passage s = {out, text};
    const char *at = text;
    bool starts = true; /* a line */
    while (*at) {
        if (starts)
            take_part(&s, at);
        if (starts && is_left_out(at)) {
            const char *next = end_of_line(at);
            passage_replace(&s, at, next, "");
            at = next;
            continue;
        }
        starts = *at == '\n';
        at = take_token(&s, at);
    }
    passage_replace(&s, at, at, "");
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

void amalgamate_file(struct text *out, const char *name) {
    const char *text = amalgamate_find(name);
    text_add(out, "\n");
    if (text)
        amalgamate(out, text);
    else
        amalgamate_lacks(out, name);
}
