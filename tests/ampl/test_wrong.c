/* test_wrong.c - every text in wrong.txt is refused, at the place and with the words that stand before it.
 *
 * Each text is a test of its own: a place that is off by one character is a failure of that text and of no other.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/wrong_texts.h"

enum { LEAST_TEXTS = 240 };

/* ---- comparing ---- */

static bool class_fits(const char *class, hn_status status) {
    if (strcmp(class, "refused") == 0)
        return status == HN_UNSUPPORTED;
    if (strcmp(class, "limit") == 0)
        return status == HN_LIMIT;
    if (strcmp(class, "option") == 0)
        return status == HN_INVALID;
    return status == HN_SYNTAX || status == HN_INVALID || status == HN_UNSUPPORTED;
}

/* "name:line:column: " without what is left open. */
static void write_start(char *start, size_t size, const struct wrong *wrong, const struct place *place) {
    start[0] = '\0';
    if (place->line > 0 && place->column == 0)
        snprintf(start, size, "%s:%zu:", wrong->name, place->line);
    else if (place->line > 0)
        snprintf(start, size, "%s:%zu:%zu: ", wrong->name, place->line, place->column);
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
    const hn_text text = {wrong->name, wrong->text, wrong->length};
    const char *lets[] = {wrong->let};
    options.lets = lets;
    options.let_count = wrong->let[0] != '\0';
    options.max_nodes = wrong->max_nodes > 0 ? wrong->max_nodes : options.max_nodes;
    options.max_bytes = wrong->max_bytes > 0 ? wrong->max_bytes : options.max_bytes;
    options.message = keep_message;
    options.context = &messages;
    hn_status status = hn_model_read_memory(&model, 1, &text, &options, &error);
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

int main(void) {
    size_t count;
    struct wrong *texts = wrong_texts(&count);
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){
            .name = texts[i].name, .test_func = a_wrong_text_is_refused_at_its_place, .initial_state = &texts[i]};
    int failed = _cmocka_run_group_tests("ampl/wrong", tests, count, NULL, NULL);
    free(tests);
    free(texts);
    return failed || count < LEAST_TEXTS;
}
