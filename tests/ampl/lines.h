/* lines.h - files of expectations, line by line, and complaints that name the text and do not stop at the first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_AMPL_LINES_H
#define HN_TESTS_AMPL_LINES_H

#include "hardnet/read.h"
#include "support/check.h"

enum { MOST_LINE = 32768, MOST_COMPLAINTS = 12, MOST_NOTES = 8192 };

/* The next line without its end; false at the end of the file. */
static inline bool next_line(FILE *file, char *line) {
    if (!fgets(line, MOST_LINE, file))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* What follows the word and a blank when the line starts with them; NULL otherwise. */
static inline char *after_word(char *line, const char *word) {
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\0'))
        return NULL;
    return line[length] == ' ' ? line + length + 1 : line + length;
}

static inline FILE *open_or_fail(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

/* Complaints about one text; more than a few are counted only. */
struct complaints {
    const char *about;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static inline void complain(struct complaints *complaints, const char *format,
                                                                  ...) {
    va_list arguments;
    if (complaints->count++ >= MOST_COMPLAINTS)
        return;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", complaints->about);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static inline void complaints_must_be_none(const struct complaints *complaints) {
    if (complaints->count > 0)
        fail_msg("%s: %zu differences", complaints->about, complaints->count);
}

/* All that the reader says, one line each: "error file:line:column: sentence". */
struct messages {
    char text[MOST_NOTES];
    size_t length;
};

static inline void keep_message(void *context, const hn_message *note) {
    static const char *const severities[] = {"note", "warning", "error"};
    struct messages *messages = context;
    int written =
        snprintf(messages->text + messages->length, sizeof messages->text - messages->length, "%s %s:%zu:%zu: %s\n",
                 severities[note->severity], note->file ? note->file : "", note->line, note->column, note->text);
    if (written > 0 && (size_t)written < sizeof messages->text - messages->length)
        messages->length += (size_t)written;
}

#endif
