/* test_mistakes.c - what a message about a wrong text shows: its line, where it points, and what was meant.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

struct shown {
    char excerpt[300], hint[100], text[300];
    size_t caret, count;
};

static void keep_shown(void *context, const hn_message *message) {
    struct shown *shown = context;
    if (message->severity != HN_SEVERITY_ERROR || shown->count++ > 0)
        return;
    snprintf(shown->excerpt, sizeof shown->excerpt, "%s", message->excerpt ? message->excerpt : "none");
    snprintf(shown->hint, sizeof shown->hint, "%s", message->hint ? message->hint : "none");
    snprintf(shown->text, sizeof shown->text, "%s", message->text);
    shown->caret = message->caret;
}

static struct shown show(const char *text, const char *let) {
    struct shown shown = {.excerpt = ""};
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    options.message = keep_shown;
    options.context = &shown;
    options.lets = &let;
    options.let_count = let != NULL;
    assert_int_not_equal(read_text(&model, text, &options, &error), HN_OK);
    return shown;
}

TEST(an_error_comes_with_its_line) {
    static const struct {
        const char *text, *excerpt;
        size_t caret;
    } cases[] = {
        {"var x;\n\tvar 7y;\r\nvar z;", " var 7y;", 5},
        {"var gr\xc3\xb6\xc3\x9f"
         "e; c: gr\xc3\xb6\xc3\x9f"
         "e + u <= 1;",
         "var gr\xc3\xb6\xc3\x9f"
         "e; c: gr\xc3\xb6\xc3\x9f"
         "e + u <= 1;",
         22},
        {"var x; c: x <= 1", "var x; c: x <= 1", 16},
        {"var x; c: x \x01 <= 1;", "var x; c: x ? <= 1;", 12},
        {"var x; c: 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + q + 1 <= x;",
         "...1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + q + 1 <= x;", 63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shown shown = show(cases[i].text, NULL);
        assert_string_equal(shown.excerpt, cases[i].excerpt);
        assert_int_equal(shown.caret, cases[i].caret);
    }
    char longer[2000] = "var x; c: ";
    for (int i = 0; i < 400; i++)
        strcat(longer, i == 200 ? "\xc3\xa4" : "x +");
    struct shown shown = show(longer, NULL);
    assert_true(strlen(shown.excerpt) < 140);
    assert_true(strncmp(shown.excerpt + shown.caret, "\xc3\xa4", 2) == 0);
}

TEST(names_that_are_not_known_come_with_those_that_are) {
    static const char *const cases[][3] = {
        {"var speed; c: sped <= 1;", NULL, "did you mean speed?"},
        {"param horizon; var x; data; param horizn := 3;", NULL, "did you mean horizon?"},
        {"var speed; let sped := 3;", NULL, "did you mean speed?"},
        {"var x{1..2}; c{index in 1..2}: x[indx] <= 1;", NULL, "did you mean index?"},
        {"var x; c: sine(x) <= 1;", NULL, "did you mean sin?"},
        {"var x; c: qqqq <= 1;", NULL, "none"},
        {"var x; c: y <= 1;", NULL, "none"}, /* one letter for another is a guess */
        {"param horizon := 2; var x >= horizon;", "horizn=3", "did you mean horizon?"},
        {"var x; c: x 3 <= 1;", NULL, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(show(cases[i][0], cases[i][1]).hint, cases[i][2]);
}

TEST(an_index_in_parentheses_is_told_about_braces) {
    static const char *const words[] = {"sum", "prod"};
    for (size_t i = 0; i < 2; i++) {
        char text[100];
        snprintf(text, sizeof text, "var x{1..2}; c: %s(i in 1..2) x[i] <= 1;", words[i]);
        struct shown shown = show(text, NULL);
        assert_non_null(strstr(shown.text, "write its index in braces"));
        assert_true(strncmp(shown.text, words[i], strlen(words[i])) == 0);
    }
}
