/* wrong_texts.h - the texts of wrong.txt, which says what the lines of that file are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_AMPL_WRONG_TEXTS_H
#define HN_TESTS_AMPL_WRONG_TEXTS_H

#include "ampl/lines.h"

enum { MOST_TEXTS = 400, MOST_FURTHER = 4, MOST_WORDS = 128, MOST_TEXT = 1024 };

struct place {
    size_t line, column; /* 0: none */
    char words[MOST_WORDS];
};

struct wrong {
    char name[MOST_WORDS], class[MOST_WORDS], let[MOST_WORDS], text[MOST_TEXT];
    struct place first, further[MOST_FURTHER];
    size_t length, further_count, max_nodes, max_bytes;
};

static inline struct place take_place(char *text) {
    struct place place;
    place.line = strtoull(text, &text, 10);
    place.column = strtoull(text, &text, 10);
    snprintf(place.words, sizeof place.words, "%s", *text == ' ' ? text + 1 : text);
    return place;
}

/* The byte that an escape sequence stands for; *text is moved behind it. */
static inline char take_escape(const char **text) {
    char letter = *(*text)++;
    if (letter == 'x') {
        char digits[] = {(*text)[0], (*text)[1], '\0'};
        *text += 2;
        return (char)strtol(digits, NULL, 16);
    }
    return letter == 'n' ? '\n' : letter == 't' ? '\t' : letter == 'r' ? '\r' : letter;
}

static inline void take_bytes(struct wrong *wrong, const char *text) {
    while (*text != '\0' && strcmp(text, "\\") != 0 && wrong->length < MOST_TEXT - 1) {
        char byte = *text++;
        wrong->text[wrong->length++] = byte == '\\' ? take_escape(&text) : byte;
    }
    if (*text == '\0')
        wrong->text[wrong->length++] = '\n';
}

static inline struct wrong take_text(char *line) {
    struct wrong wrong = {.length = 0};
    char *rest = strchr(line, ' '), *text = strstr(line, " | ");
    assert_true(rest && text);
    *rest = *text = '\0';
    take_bytes(&wrong, text + 3);
    snprintf(wrong.name, sizeof wrong.name, "%s", line);
    wrong.first = take_place(rest + 1);
    size_t length = strcspn(wrong.first.words, " ");
    snprintf(wrong.class, sizeof wrong.class, "%.*s", (int)length, wrong.first.words);
    const char *words = wrong.first.words + length + (wrong.first.words[length] == ' ');
    memmove(wrong.first.words, words, strlen(words) + 1);
    return wrong;
}

static inline void take_more(struct wrong *wrong, char *line) {
    char *rest;
    if ((rest = after_word(line, "+"))) {
        assert_true(wrong->further_count < MOST_FURTHER);
        wrong->further[wrong->further_count++] = take_place(rest);
    } else if ((rest = after_word(line, "with let")))
        snprintf(wrong->let, sizeof wrong->let, "%s", rest);
    else if ((rest = after_word(line, "with max_nodes")))
        wrong->max_nodes = strtoull(rest, NULL, 10);
    else if ((rest = after_word(line, "with max_bytes")))
        wrong->max_bytes = strtoull(rest, NULL, 10);
    else
        fail_msg("wrong.txt: %s", line);
}

/* All of them, and how many; free() them. */
static inline struct wrong *wrong_texts(size_t *count) {
    FILE *file = open_or_fail("tests/ampl/wrong.txt");
    struct wrong *texts = calloc(MOST_TEXTS, sizeof *texts);
    char *line = malloc(MOST_LINE);
    *count = 0;
    while (texts && line && next_line(file, line)) {
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (strstr(line, " | ") && *count < MOST_TEXTS)
            texts[(*count)++] = take_text(line);
        else if (*count > 0)
            take_more(&texts[*count - 1], line);
    }
    fclose(file);
    free(line);
    return texts;
}

#endif
