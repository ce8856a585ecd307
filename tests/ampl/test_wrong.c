/* test_wrong.c - every text under wrong/ is refused, at the place and with the words that wrong/expected.txt names.
 *
 * Each text is a test of its own: a place that is off by one character is a failure of that text and of no other.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/lines.h"

enum { MOST_TEXTS = 400, MOST_FURTHER = 4, LEAST_TEXTS = 85, MOST_WORDS = 128 };

#define FOLDER "tests/ampl/wrong/"

struct place {
    size_t line, column; /* 0: none */
    char words[MOST_WORDS];
};

struct wrong {
    char name[MOST_WORDS], class[MOST_WORDS], file[MOST_WORDS], let[MOST_WORDS];
    struct place first, further[MOST_FURTHER];
    size_t further_count, max_nodes, max_bytes;
};

/* ---- reading what is expected ---- */

static struct place take_place(char *text) {
    struct place place;
    place.line = strtoull(text, &text, 10);
    place.column = strtoull(text, &text, 10);
    snprintf(place.words, sizeof place.words, "%s", *text == ' ' ? text + 1 : text);
    return place;
}

static struct wrong take_text(char *line) {
    struct wrong wrong = {.further_count = 0};
    char *rest = strchr(line, ' ');
    assert_non_null(rest);
    snprintf(wrong.name, sizeof wrong.name, "%.*s", (int)(rest - line), line);
    memcpy(wrong.file, wrong.name, sizeof wrong.file);
    wrong.first = take_place(rest + 1);
    size_t length = strcspn(wrong.first.words, " ");
    snprintf(wrong.class, sizeof wrong.class, "%.*s", (int)length, wrong.first.words);
    const char *words = wrong.first.words + length + (wrong.first.words[length] == ' ');
    memmove(wrong.first.words, words, strlen(words) + 1);
    return wrong;
}

static void take_more(struct wrong *wrong, char *line) {
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
    else if ((rest = after_word(line, "in")))
        snprintf(wrong->file, sizeof wrong->file, "%s", rest);
    else
        fail_msg("expected.txt: %s", line);
}

static size_t take_all(struct wrong *texts) {
    FILE *file = fopen(FOLDER "expected.txt", "r");
    char *line = malloc(MOST_LINE);
    size_t count = 0;
    while (file && line && next_line(file, line)) {
        char first[MOST_WORDS];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(line, " "), line);
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (strstr(first, ".mod") && count < MOST_TEXTS)
            texts[count++] = take_text(line);
        else if (count > 0)
            take_more(&texts[count - 1], line);
    }
    if (file)
        fclose(file);
    free(line);
    return count;
}

/* ---- comparing ---- */

static bool class_fits(const char *class, hn_status status) {
    if (strcmp(class, "refused") == 0)
        return status == HN_UNSUPPORTED;
    if (strcmp(class, "limit") == 0)
        return status == HN_LIMIT;
    if (strcmp(class, "file") == 0)
        return status == HN_IO;
    if (strcmp(class, "option") == 0)
        return status == HN_INVALID;
    return status == HN_SYNTAX || status == HN_INVALID || status == HN_UNSUPPORTED;
}

/* "path/to/file:line:column: " without what is left open. */
static void write_start(char *start, size_t size, const struct wrong *wrong, const struct place *place) {
    start[0] = '\0';
    if (place->line > 0 && place->column == 0)
        snprintf(start, size, "%s%s:%zu:", FOLDER, wrong->file, place->line);
    else if (place->line > 0)
        snprintf(start, size, "%s%s:%zu:%zu: ", FOLDER, wrong->file, place->line, place->column);
}

static void compare_first(struct complaints *complaints, const struct wrong *wrong, const hn_error *error) {
    char start[512];
    write_start(start, sizeof start, wrong, &wrong->first);
    if (strncmp(error->text, start, strlen(start)) != 0)
        complain(complaints, "'%s' is not at %zu:%zu", error->text, wrong->first.line, wrong->first.column);
    const char *sentence = strncmp(error->text, start, strlen(start)) == 0 ? error->text + strlen(start) : error->text;
    if (!strstr(sentence, wrong->first.words))
        complain(complaints, "'%s' does not say '%s'", error->text, wrong->first.words);
}

/* One of the errors that were reported stands at the place and says the words. */
static bool was_said(const char *said, const char *start, const char *words) {
    char head[600];
    snprintf(head, sizeof head, "error %s", start);
    const char *at = strstr(said, head);
    if (!at)
        return false;
    size_t length = strcspn(at + strlen(head), "\n");
    const char *word = strstr(at + strlen(head), words);
    return word && word + strlen(words) <= at + strlen(head) + length;
}

static void compare_further(struct complaints *complaints, const struct wrong *wrong, const struct messages *messages) {
    for (size_t i = 0; i < wrong->further_count; i++) {
        char start[512];
        write_start(start, sizeof start, wrong, &wrong->further[i]);
        if (!was_said(messages->text, start, wrong->further[i].words))
            complain(complaints, "no error says '%s' at %zu:%zu, but: %s", wrong->further[i].words,
                     wrong->further[i].line, wrong->further[i].column, messages->text);
    }
}

static void a_wrong_text_is_refused_at_its_place(void **state) {
    const struct wrong *wrong = *state;
    struct complaints complaints = {.about = wrong->name};
    struct messages messages = {.length = 0};
    hn_read_options options = hn_read_defaults();
    hn_error error = {.status = HN_OK, .text = ""};
    hn_model *model = NULL;
    char path[512];
    const char *paths[] = {path}, *lets[] = {wrong->let};
    snprintf(path, sizeof path, FOLDER "%s", wrong->name);
    options.lets = lets;
    options.let_count = wrong->let[0] != '\0';
    options.max_nodes = wrong->max_nodes > 0 ? wrong->max_nodes : options.max_nodes;
    options.max_bytes = wrong->max_bytes > 0 ? wrong->max_bytes : options.max_bytes;
    options.message = keep_message;
    options.context = &messages;
    hn_status status = hn_model_read(&model, 1, paths, &options, &error);
    if (status == HN_OK) {
        hn_model_destroy(model);
        fail_msg("%s was read", wrong->name);
    }
    if (model)
        complain(&complaints, "a model came out beside the error");
    if (error.status != status || !class_fits(wrong->class, status))
        complain(&complaints, "'%s' (%s) is not of the class %s", error.text, hn_status_text(status), wrong->class);
    compare_first(&complaints, wrong, &error);
    compare_further(&complaints, wrong, &messages);
    complaints_must_be_none(&complaints);
}

/* ---- all texts ---- */

static size_t text_count;

static void there_are_wrong_texts_enough(void **state) {
    (void)state;
    assert_true(text_count >= LEAST_TEXTS && text_count < MOST_TEXTS);
}

int main(void) {
    static struct wrong texts[MOST_TEXTS];
    static struct CMUnitTest tests[MOST_TEXTS + 1];
    text_count = take_all(texts);
    tests[0] = (struct CMUnitTest)cmocka_unit_test(there_are_wrong_texts_enough);
    for (size_t i = 0; i < text_count; i++)
        tests[i + 1] = (struct CMUnitTest){
            .name = texts[i].name, .test_func = a_wrong_text_is_refused_at_its_place, .initial_state = &texts[i]};
    return _cmocka_run_group_tests("ampl/wrong", tests, text_count + 1, NULL, NULL);
}
