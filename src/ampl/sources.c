/* sources.c - see sources.h.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/sources.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "io/file_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- notes ---- */

/* The caller's form of a place. Columns count characters of UTF-8, not bytes. */
static hn_message locate(const struct ampl_sources *sources, const struct ampl_place *place) {
    hn_message note = {.size = sizeof note, .subject = ""};
    if (!place || place->source >= sources->count)
        return note;
    const struct ampl_source *source = &sources->list[place->source];
    note.file = note.subject = source->name;
    note.code = HN_CODE_POSITION;
    note.line = note.column = 1;
    for (size_t i = 0; i < place->offset && i < source->length; i++) {
        if (source->text[i] == '\n') {
            note.line++;
            note.column = 1;
        } else if (((unsigned char)source->text[i] & 0xc0) != 0x80) {
            note.column++;
        }
    }
    return note;
}

/* ---- excerpts ---- */

struct excerpt {
    char text[200];
    size_t caret;
};

static bool is_inside_character(char c) {
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line around an offset, truncated. A tab becomes a blank, to align the caret; lines of included files are not
 * shown. */
static bool show_line(const struct ampl_sources *sources, const struct ampl_place *place, struct excerpt *excerpt) {
    enum { BEFORE = 60, MOST = 120 };
    const struct ampl_source *source = place && place->source < sources->count ? &sources->list[place->source] : NULL;
    if (!source || source->included || place->offset > source->length)
        return false;
    size_t start = place->offset, end = place->offset, length = 0;
    while (start > 0 && source->text[start - 1] != '\n' && place->offset - start < BEFORE)
        start--;
    while (start < place->offset && is_inside_character(source->text[start]))
        start++;
    while (end < source->length && source->text[end] != '\n' && source->text[end] != '\r' && end - start < MOST)
        end++;
    while (end > start && end < source->length && is_inside_character(source->text[end]))
        end--;
    bool begins = start == 0 || source->text[start - 1] == '\n';
    excerpt->caret = 0;
    for (; !begins && length < 3; excerpt->caret++)
        excerpt->text[length++] = '.';
    for (size_t i = start; i < end; i++) {
        char c = source->text[i];
        excerpt->text[length++] = c == '\t' ? ' ' : (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
        excerpt->caret += i < place->offset && !is_inside_character(c);
    }
    if (end < source->length && source->text[end] != '\n' && source->text[end] != '\r')
        for (int i = 0; i < 3; i++)
            excerpt->text[length++] = '.';
    excerpt->text[length] = '\0';
    return end > start;
}

static void send(const struct ampl_sources *sources, hn_message note) {
    if (sources->note)
        sources->note(sources->context, &note);
}

static void keep_first(struct ampl_sources *sources, hn_status status, const hn_message *note) {
    struct error_subject subject = {note->code, note->subject, note->line, note->column};
    if (sources->error_count++ > 0)
        return;
    if (note->file)
        error_about(&sources->first, status, subject, "%s:%zu:%zu: %s", note->file, note->line, note->column,
                    note->text);
    else
        error_about(&sources->first, status, subject, "%s", note->text);
}

bool ampl_error(struct ampl_sources *sources, hn_status status, const struct ampl_place *place, const char *format,
                ...) {
    hn_error error;
    va_list arguments;
    va_start(arguments, format);
    error_format(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    error.code = HN_CODE_NONE;
    error.subject[0] = '\0';
    error.status = status;
    return ampl_pass_error(sources, place, &error);
}

/* Replaces advice about a limit that does not apply. */
static hn_error without_advice(const struct ampl_sources *sources, const hn_error *error) {
    static const char advice[] = "; raise max_nodes", instead[] = "; this is the limit for untrusted models";
    hn_error own = *error;
    char *at = sources->capped && error->status == HN_LIMIT ? strstr(own.text, advice) : NULL;
    if (at)
        snprintf(at, sizeof own.text - (size_t)(at - own.text), "%s", instead);
    return own;
}

bool ampl_pass_error(struct ampl_sources *sources, const struct ampl_place *place, const hn_error *given) {
    const hn_error own = without_advice(sources, given), *error = &own;
    hn_status status = error->status;
    if (sources->stopped)
        return false;
    hn_message note = locate(sources, place);
    note.severity = HN_SEVERITY_ERROR;
    note.text = error->text;
    if (!note.file) {
        note.code = error->code;
        note.subject = error->subject;
    }
    struct excerpt excerpt;
    if (show_line(sources, place, &excerpt)) {
        note.excerpt = excerpt.text;
        note.caret = excerpt.caret;
    }
    note.hint = sources->hint[0] != '\0' ? sources->hint : NULL;
    keep_first(sources, status, &note);
    send(sources, note);
    sources->hint[0] = '\0';
    if (status == HN_NO_MEMORY || status == HN_LIMIT || sources->error_count >= AMPL_MOST_ERRORS)
        sources->stopped = true;
    return false;
}

void ampl_note(struct ampl_sources *sources, hn_severity severity, const struct ampl_place *place, const char *format,
               ...) {
    char text[sizeof sources->first.text] = "further notes are omitted";
    if (!sources->note || sources->stopped || sources->note_count > AMPL_MOST_NOTES)
        return;
    if (sources->note_count++ < AMPL_MOST_NOTES) {
        va_list arguments;
        va_start(arguments, format);
        error_format(text, sizeof text, format, arguments);
        va_end(arguments);
    }
    hn_message note = locate(sources, place);
    note.severity = severity;
    note.text = text;
    send(sources, note);
}

/* The note with this text; a new one without places if it is absent; NULL if the list is full. */
static struct ampl_repeated *find_repeated(struct ampl_sources *sources, const char *text) {
    for (size_t i = 0; i < sources->repeated_count; i++)
        if (strcmp(sources->repeated[i].text, text) == 0)
            return &sources->repeated[i];
    if (sources->repeated_count >= AMPL_MOST_NOTES)
        return NULL;
    const char *copy = arena_copy_text(&sources->names, text, strlen(text));
    if (!copy || !array_room(&sources->repeated, &sources->repeated_capacity, sources->repeated_count + 1,
                             sizeof *sources->repeated))
        return NULL;
    sources->repeated[sources->repeated_count] = (struct ampl_repeated){.text = copy};
    return &sources->repeated[sources->repeated_count++];
}

void ampl_note_repeated(struct ampl_sources *sources, const struct ampl_place *place, const char *format, ...) {
    char text[sizeof sources->first.text];
    if (!sources->note || sources->stopped)
        return;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    struct ampl_repeated *repeated = find_repeated(sources, text);
    if (!repeated)
        ampl_note(sources, HN_SEVERITY_NOTE, place, "%s", text);
    else if (repeated->count++ == 0)
        repeated->place = *place;
}

void ampl_say_repeated(struct ampl_sources *sources) {
    for (size_t i = 0; i < sources->repeated_count; i++) {
        const struct ampl_repeated *repeated = &sources->repeated[i];
        if (repeated->count == 1)
            ampl_note(sources, HN_SEVERITY_NOTE, &repeated->place, "%s", repeated->text);
        else
            ampl_note(sources, HN_SEVERITY_NOTE, &repeated->place, "%s, here and %zu more time%s", repeated->text,
                      repeated->count - 1, repeated->count == 2 ? "" : "s");
    }
    sources->repeated_count = 0;
}

bool ampl_no_memory(struct ampl_sources *sources) {
    hn_error error;
    error_no_memory(&error, "model text");
    return ampl_pass_error(sources, NULL, &error);
}

/* ---- texts ---- */

static bool add_source(struct ampl_sources *sources, struct ampl_source source) {
    source.name = arena_copy_text(&sources->names, source.name, strlen(source.name));
    if (!source.name || !array_room(&sources->list, &sources->capacity, sources->count + 1, sizeof source)) {
        base_release(source.owned);
        return ampl_no_memory(sources);
    }
    sources->list[sources->count++] = source;
    return true;
}

/* Rejects a file of another format, probably passed by mistake. */
static bool is_text(struct ampl_sources *sources) {
    static const char kinds[][96] = {[FILE_TYPE_UNKNOWN] = "",
                                     [FILE_TYPE_NPY] = "an array (.npy), not a model",
                                     [FILE_TYPE_ZIP] = "a zip archive (.npz), not a model",
                                     [FILE_TYPE_PROGRAM] = "a program, not a model",
                                     [FILE_TYPE_GZIP] = "a compressed file (.gz), not a model",
                                     [FILE_TYPE_PICKLE] = "a Python pickle, not a model",
                                     [FILE_TYPE_SAFETENSORS] = "a network (.safetensors), not a model",
                                     [FILE_TYPE_ONNX] = "a network (.onnx), not a model; ONNX files are not supported",
                                     [FILE_TYPE_NL] =
                                         ".nl files are not supported; use the .mod and .dat files instead"};
    struct ampl_source *source = &sources->list[sources->count - 1];
    struct ampl_place start = {(uint32_t)sources->count - 1, 0};
    const char *what = kinds[file_type_of(source->text, source->length)];
    if (!*what)
        return true;
    source->included = true; /* do not show its lines */
    return ampl_error(sources, HN_SYNTAX, &start, "%s", what);
}

bool ampl_sources_add_file(struct ampl_sources *sources, const char *path, const struct ampl_place *asked) {
    struct file_bytes bytes;
    hn_error error;
    if (sources->count >= AMPL_MOST_SOURCES)
        return ampl_error(sources, HN_LIMIT, asked, "more than %d files", AMPL_MOST_SOURCES);
    hn_status status = asked ? file_read_regular(&bytes, path, sources->max_bytes, &error)
                             : file_read(&bytes, path, sources->max_bytes, &error);
    if (status != HN_OK)
        return ampl_pass_error(sources, asked, &error);
    if (sources->opened)
        sources->opened(sources->context, path);
    struct ampl_source source = {path, (const char *)bytes.data, bytes.count, bytes.data, asked != NULL};
    return add_source(sources, source) && is_text(sources);
}

/* Copied, because the lexer needs a terminating 0. */
bool ampl_sources_add_text(struct ampl_sources *sources, const hn_text *text) {
    const char *name = text->name ? text->name : "text";
    if (text->length > sources->max_bytes)
        return ampl_error(sources, HN_LIMIT, NULL, "%s: larger than the limit of %zu bytes", name, sources->max_bytes);
    unsigned char *copy = base_allocate(size_sum(text->length, 1));
    if (!copy)
        return ampl_no_memory(sources);
    if (text->length > 0)
        memcpy(copy, text->bytes, text->length);
    copy[text->length] = 0;
    return add_source(sources, (struct ampl_source){name, (const char *)copy, text->length, copy, false}) &&
           is_text(sources);
}

void ampl_sources_release(struct ampl_sources *sources) {
    for (size_t i = 0; i < sources->count; i++)
        base_release(sources->list[i].owned);
    base_release(sources->list);
    base_release(sources->repeated);
    arena_release(&sources->names);
    sources->list = NULL;
    sources->count = 0;
}

const char *ampl_sources_beside(struct ampl_sources *sources, uint32_t source, const char *name, size_t length) {
    const char *from = sources->list[source].name, *slash = strrchr(from, '/');
    size_t folder = slash && (length == 0 || name[0] != '/') ? (size_t)(slash - from) + 1 : 0;
    char *path = arena_take(&sources->names, size_sum(size_sum(folder, length), 1), 1);
    if (!path) {
        ampl_no_memory(sources);
        return NULL;
    }
    memcpy(path, from, folder);
    memcpy(path + folder, name, length);
    path[folder + length] = '\0';
    return path;
}
