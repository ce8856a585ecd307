/* model_check.c - see model_check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/model_check.h"

#include "hardnet/read.h"

hn_model *model_new(void) {
    return model_with_limit(hn_model_defaults().max_nodes);
}

hn_model *model_with_limit(size_t max_nodes) {
    hn_model *model;
    hn_model_options options = hn_model_defaults();
    options.max_nodes = max_nodes;
    assert_int_equal(hn_model_create(&model, &options, NULL), HN_OK);
    return model;
}

hn_model *model_of_text(const char *text) {
    const hn_text all = {"m", text, strlen(text)};
    hn_error error = {.text = ""};
    hn_model *model;
    if (hn_model_read_memory(&model, 1, &all, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

hn_model *model_of_file(const char *path) {
    hn_error error = {.text = ""};
    hn_model *model;
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

void model_finish_good(hn_model *model) {
    hn_error error = {.text = ""};
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
}

double model_value(const hn_model *model, hn_expr expr, const hn_real *x, const hn_real *y) {
    double value = 0;
    hn_error error;
    if (hn_model_evaluate(model, 1, &expr, x, y, &value, &error) != HN_OK)
        fail_msg("%s", error.text);
    return value;
}

void check_refused(hn_model *model, hn_status status, const char *text, const char *file, int line) {
    for (int i = 0; i < 3; i++) {
        hn_error error = {.status = HN_OK, .text = ""};
        hn_status answer = i < 2 ? hn_model_finish(model, &error) : hn_model_status(model, &error);
        if (answer == status && error.status == status && strcmp(error.text, text) == 0)
            continue;
        print_error("answer %d: \"%s\" (%s), not \"%s\"\n", i, error.text, hn_status_text(answer), text);
        hn_model_destroy(model);
        _fail(file, line);
    }
    hn_model_destroy(model);
}

bool same_expr(hn_expr a, hn_expr b) {
    return a.model == b.model && a.node == b.node;
}
