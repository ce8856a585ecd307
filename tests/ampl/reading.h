/* reading.h - what the tests of the reader share: models from texts, and looks at what came out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_READING_H
#define HN_TESTS_READING_H

#include "support/model_check.h"

#include "hardnet/read.h"

enum { MOST_OUTPUTS = 64 };

static inline hn_status read_text(hn_model **model, const char *text, const hn_read_options *options, hn_error *error) {
    hn_text texts[] = {{"m", text, strlen(text)}};
    return hn_model_read_memory(model, 1, texts, options, error);
}

/* The value of an expression at x and y (NULL: all zero). */
static inline double value_at(const hn_model *model, hn_expr expr, const double *x, const double *y) {
    double zeros[MOST_OUTPUTS] = {0}, value;
    hn_error error = {.status = HN_OK, .text = ""};
    if (hn_model_evaluate(model, 1, &expr, x ? x : zeros, y ? y : zeros, &value, &error) != HN_OK)
        fail_msg("%s", error.text);
    return value;
}

static inline hn_row_info row_named(const hn_model *model, const char *name) {
    for (size_t i = 0; i < hn_model_row_count(model); i++)
        if (strcmp(hn_model_row(model, i).name, name) == 0)
            return hn_model_row(model, i);
    fail_msg("there is no row %s", name);
    return (hn_row_info){.name = NULL};
}

/* The objective's value, maximised or minimised, at x and y. */
static inline double objective_at(const hn_model *model, const double *x, const double *y) {
    hn_objective_info objective = hn_model_objective(model);
    double value = value_at(model, objective.minimized, x, y);
    return objective.maximize ? -value : value;
}

/* The value of an expression without variables, after some declarations and before some data. */
static inline double constant_of(const char *before, const char *expression, const char *after) {
    char text[4000];
    int length = snprintf(text, sizeof text, "%s var dummy_variable; minimize f: %s; %s", before, expression, after);
    assert_in_range(length, 1, sizeof text - 1);
    hn_model *model = model_of_text(text);
    double value = objective_at(model, NULL, NULL);
    hn_model_destroy(model);
    return value;
}

/* The text fails with a message that starts like this (after its file name) and contains the word. */
static inline void must_fail(const char *text, const char *place, const char *word) {
    hn_model *model;
    hn_error error = {.status = HN_OK, .text = ""};
    char start[40];
    if (read_text(&model, text, NULL, &error) == HN_OK)
        fail_msg("this was read: %s", text);
    assert_null(model);
    assert_int_not_equal(error.status, HN_OK);
    snprintf(start, sizeof start, "m:%s: ", place);
    if (strncmp(error.text, start, strlen(start)) != 0 || !strstr(error.text, word))
        fail_msg("'%s' is not at %s or does not name '%s'\nin: %s", error.text, place, word, text);
}

#define assert_near(a, b)                                                                                              \
    do {                                                                                                               \
        double left_ = (a), right_ = (b), difference_ = left_ - right_, size_ = right_ < 0 ? -right_ : right_;         \
        if (!(difference_ <= 1e-12 * (1 + size_) && difference_ >= -1e-12 * (1 + size_)))                              \
            fail_msg("%s:%d: %.17g is not %.17g", __FILE__, __LINE__, left_, right_);                                  \
    } while (0)

#endif
