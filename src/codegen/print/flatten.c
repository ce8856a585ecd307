/* flatten.c - see flatten.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/flatten.h"

#include <string.h>

#define INCLUDE    "#include \""
#define LIBRARY    "#ifndef FREESTANDING\n"
#define CONDITIONS "#endif\n"
#define GUARD      "#ifndef "
#define NO_GUARD   "#undef "

enum { MOST_FILES = 160 };

struct flattener {
    struct text *out;
    bool hosted;
    const char *seen[MOST_FILES]; /* texts that are already included */
    size_t count;
};

static bool flatten_begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static const char *flatten_behind(const char *at, const char *word) {
    const char *end = strstr(at, word);
    return end ? end + strlen(word) : at + strlen(at);
}

/* A library file by its path below src/. NULL if missing: out fails with that reason. */
static const char *flatten_find(struct text *out, const char *path, size_t length) {
    for (const char *at = emit_texts, *end = emit_texts + emit_texts_length; at < end;) {
        const char *text = at + strlen(at) + 1;
        if (strlen(at) == length && memcmp(at, path, length) == 0)
            return text;
        at = text + strlen(text) + 1;
    }
    text_fail(out, "this build of the library does not contain the text %.*s (cmake/texts.cmake)", (int)length, path);
    return NULL;
}

static bool is_new(struct flattener *f, const char *text) {
    for (size_t i = 0; i < f->count; i++)
        if (f->seen[i] == text)
            return false;
    if (f->count == MOST_FILES) {
        text_fail(f->out, "a text includes more than %d files (MOST_FILES in flatten.c)", (int)MOST_FILES);
        return false;
    }
    f->seen[f->count++] = text;
    return true;
}

/* A file whose include guard is undefined is included again at its next include. */
static void flatten_forget(struct flattener *f, const char *guard) {
    size_t length = strcspn(guard, "\n") + 1;
    for (size_t i = 0; i < f->count; i++) {
        const char *own = strstr(f->seen[i], GUARD);
        if (own && strncmp(own + strlen(GUARD), guard, length) == 0) {
            f->seen[i] = f->seen[--f->count];
            return;
        }
    }
}

/* Each file is included once, so the recursion ends. */
static void flatten_text(struct flattener *f, const char *at) { // NOLINT(misc-no-recursion)
    while (*at && !f->out->failed) {
        const char *end = flatten_behind(at, "\n"), *path = at + strlen(INCLUDE);
        if (!f->hosted && flatten_begins(at, LIBRARY))
            end = flatten_behind(at, CONDITIONS);
        else if (flatten_begins(at, INCLUDE) && memchr(path, '/', strcspn(path, "\"\n"))) {
            const char *text = flatten_find(f->out, path, strcspn(path, "\"\n"));
            if (text && is_new(f, text)) {
                text_add(f->out, "\n");
                flatten_text(f, text);
            }
        } else {
            if (flatten_begins(at, NO_GUARD))
                flatten_forget(f, at + strlen(NO_GUARD));
            text_add_bytes(f->out, at, (size_t)(end - at));
        }
        at = end;
    }
}

static void flatten_root(struct text *out, const struct text *root, bool hosted) {
    struct flattener f = {.out = out, .hosted = hosted};
    if (root->failed)
        text_fail_with(out, root);
    else
        flatten_text(&f, root->bytes);
}

void flatten(struct text *out, const struct text *root) {
    flatten_root(out, root, false);
}

void flatten_hosted(struct text *out, const struct text *root) {
    flatten_root(out, root, true);
}
