/* device_single_samples.c - particular samples in precision float32, in straight and in rolled code; see device_single_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device_single_run.h"

#include "support/check.h"

#define DISC                                                                                                           \
    "param a >= 1; var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= a; subject to line: y[1] + 2 * y[2] = 0.5;\n"
enum { PARTICULAR = 5, CHAIN = 1500 };

/* The same with a chain behind it that makes it long, and holds where its outputs are 0. */
static const struct single_subject disc = {.name = "disc", .text = DISC};
static const struct single_subject long_disc = {
    .name = "disc and chain",
    .text = DISC "var z{1..1500}; subject to chain{k in 1..1499}: z[k + 1] - z[k] * z[k] = 0;",
    .form = HN_DEVICE_ROLLED};

/* Two outputs of each sample in front of zeros. */
static double *widened(const double *pairs, size_t count, size_t width) {
    double *all = calloc(count * width, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < 2 * count; i++)
        all[i / 2 * width + i % 2] = pairs[i];
    return all;
}

/* One that holds already, one that is not finite, one beyond floats, one beyond their digits, an ordinary one. */
static void check_particular(const struct layer_results *r, const double *raw, const double *grad_y) {
    size_t width = r->outputs;
    assert_int_equal(r->reports[0].outcome, HN_OUTCOME_OK);
    assert_int_equal(r->reports[0].iterations, 0);
    assert_memory_equal(r->y, raw, width * sizeof *raw);
    assert_true(fabs(r->grad_y_raw[1] - grad_y[1]) < 1e-7);
    assert_int_equal(r->reports[1].outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_int_equal(r->reports[1].culprit, 1);
    assert_int_equal(r->reports[2].outcome, HN_OUTCOME_NONFINITE_EVALUATION);
    assert_true(r->flagged[1] && r->flagged[2] && r->grad_y_raw[2 * width] == 0);
    assert_int_equal(r->reports[3].outcome, HN_OUTCOME_OK);
    assert_memory_equal(r->y + 3 * width, raw + 3 * width, width * sizeof *raw);
    assert_int_equal(r->reports[4].outcome, HN_OUTCOME_OK);
}

static void try_particular(const struct single_subject *subject, size_t width) {
    static const double x[PARTICULAR] = {1, 1, 1, 1, 2};
    static const double pairs[2 * PARTICULAR] = {0.5 - 2 * 0.1, 0.1, NAN, 0, 1e39, 0, 0.3, 0.1 + 1e-12, 3, -1};
    static const double grad_pairs[2 * PARTICULAR] = {0.1, 0.7, 1, 1, 1, 1, 1, 1, 1, 1};
    const hn_layer_options options = layer_method(HN_METHOD_AUTO);
    double *raw = widened(pairs, PARTICULAR, width), *grad_y = widened(grad_pairs, PARTICULAR, width);
    hn_model *model = single_read(subject, &options);
    hn_layer *like = layer_of(model, options);
    hn_device_layer *device = single_layer(model, options);
    struct layer_results r = single_run(device, like, PARTICULAR, x, raw, grad_y);
    struct layer_results alone = single_run(device, like, 1, x + 4, raw + 4 * width, grad_y + 4 * width);
    check_particular(&r, raw, grad_y);
    assert_true(same_results(&r, 4, &alone, 0));
    results_release(&alone);
    results_release(&r);
    free(raw);
    free(grad_y);
    hn_device_layer_destroy(device);
    hn_layer_destroy(like);
    hn_model_destroy(model);
}

TEST(particular_samples_have_their_outcomes) {
    try_particular(&disc, 2);
    try_particular(&long_disc, 2 + CHAIN);
}

/* y in the place of y_raw, and a warm start: fewer steps the second time. */
static void try_places(const struct single_subject *subject, size_t width) {
    static const double pair[2] = {3, -1}, zeros[2] = {0, 0};
    const hn_layer_options options = layer_method(HN_METHOD_AUTO);
    double x = 2, *y = widened(pair, 1, width), *warm = widened(zeros, 1, width);
    double *raw = widened(pair, 1, width), *out = widened(zeros, 1, width);
    hn_report reports[3];
    hn_model *model = single_read(subject, &options);
    hn_device_layer *device = single_layer(model, options);
    hn_batch batch = {.size = sizeof batch, .count = 1, .x = &x, .report_size = sizeof reports[0]};
    for (int i = 0; i < 3; i++) {
        batch.y_raw = i == 0 ? y : raw;
        batch.y = i == 0 ? y : out;
        batch.warm = i == 0 ? NULL : warm;
        batch.reports = &reports[i];
        assert_int_equal(hn_device_run_host(device, &batch, NULL, NULL), HN_OK);
        assert_int_equal(reports[i].outcome, HN_OUTCOME_OK);
        if (i == 1)
            assert_memory_equal(out, y, width * sizeof *out);
    }
    assert_true(reports[2].iterations < reports[1].iterations);
    free(y);
    free(warm);
    free(raw);
    free(out);
    hn_device_layer_destroy(device);
    hn_model_destroy(model);
}

TEST(outputs_may_lie_where_they_came_from) {
    try_places(&disc, 2);
    try_places(&long_disc, 2 + CHAIN);
}
