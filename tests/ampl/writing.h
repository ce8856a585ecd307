/* writing.h - what the tests of the writer share: a model is written, read back and compared.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_WRITING_H
#define HN_TESTS_WRITING_H

#include "ampl/reading.h"

struct marks_of_model {
    char mathematics[HN_FINGERPRINT_BYTES], names[HN_FINGERPRINT_BYTES];
};

static inline struct marks_of_model marks_of(const hn_model *model) {
    struct marks_of_model marks;
    hn_error error;
    if (hn_model_fingerprint(model, marks.mathematics, &error) != HN_OK ||
        hn_model_names_fingerprint(model, marks.names, &error) != HN_OK)
        fail_msg("%s", error.text);
    return marks;
}

static inline char *must_write(const hn_model *model) {
    char *text;
    size_t length;
    hn_error error = {.status = HN_OK, .text = ""};
    if (hn_model_write(model, &text, &length, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(length, strlen(text));
    return text;
}

/* The model's text reads back to the same model. The text is the caller's. */
static inline char *must_return(const hn_model *model, const char *what) {
    struct marks_of_model marks = marks_of(model);
    char *text = must_write(model);
    hn_model *again = model_of_text(text);
    struct marks_of_model others = marks_of(again);
    if (strcmp(marks.mathematics, others.mathematics) != 0)
        fail_msg("%s: other mathematics\n%s", what, text);
    if (strcmp(marks.names, others.names) != 0)
        fail_msg("%s: other names\n%s", what, text);
    hn_model_destroy(again);
    return text;
}

static inline hn_model *new_model(void) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    return model;
}

static inline hn_model *finished(hn_model *model) {
    hn_error error = {.status = HN_OK, .text = ""};
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

#endif
