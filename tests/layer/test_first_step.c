/* test_first_step.c - auto's first step: equalities and bounds only where most of r is theirs, all rows otherwise.
 *
 * Two outputs, a line to reach and a hyperbola to stay above; the iterates are compared with steps written out by hand.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/run_layer.h"

static const char text[] = "var a <= 6; var b; s.t. line: a - b = 0; s.t. above: a*b >= 4;";
static const char meets[] = "var a <= 6; var b; param p := 4; s.t. line: a - b = 0; s.t. above: 4 <= a*b <= p;";

enum { SEEN = 3 };

struct seen {
    double y[SEEN][2], eps[SEEN];
    int count;
};

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct seen *seen = context;
    (void)sample;
    (void)violation;
    seen->count = iteration + 1;
    if (iteration >= SEEN)
        return;
    memcpy(seen->y[iteration], y, sizeof seen->y[0]);
    seen->eps[iteration] = damping;
}

static hn_report correct(const char *model_text, hn_method method, const double raw[2], struct seen *seen) {
    const hn_text source = {.name = "first.mod", .bytes = model_text, .length = strlen(model_text)};
    hn_model *model;
    hn_error error;
    hn_report report;
    double y[2];
    if (hn_model_read_memory(&model, 1, &source, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_batch batch = batch_of(1, NULL, raw, y, &report);
    batch.watch = watch;
    batch.watch_context = seen;
    layer_run(layer, &batch);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return report;
}

/* y - A' (A A' + eps I)^-1 W r for a single row a of A. */
static void one_row(const double y[2], const double a[2], double r, double eps, double to[2]) {
    double v = r / (a[0] * a[0] + a[1] * a[1] + eps);
    to[0] = y[0] - a[0] * v;
    to[1] = y[1] - a[1] * v;
}

/* The line is missed by 4 and the hyperbola, whose row has the weight 1/2, by 7: 16 of 28.25. */
TEST(joint_inequalities_wait_for_the_second_step) {
    const double raw[2] = {1, -3}, line[2] = {1, -1};
    double expected[2];
    struct seen seen = {.count = 0};
    hn_report report = correct(text, HN_METHOD_AUTO, raw, &seen);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_same_bits(seen.eps[1], 0x1p-4); /* 0.018 sqrt(28.25) = 0.096, rounded down */
    one_row(raw, line, 4, seen.eps[1], expected);
    assert_true(fabs(seen.y[1][0] - expected[0]) < 1e-14 && fabs(seen.y[1][1] - expected[1]) < 1e-14);
    one_row(seen.y[1], line, seen.y[1][0] - seen.y[1][1], seen.eps[2], expected);
    assert_true(fabs(seen.y[2][0] - expected[0]) > 1e-3); /* the hyperbola counts from here on */
}

/* Equalities that hold already do not lead, however far away the rest is: the first step would be none. */
TEST(what_is_violated_most_is_not_left_out) {
    const double raw[2] = {0.5, 0.5};
    struct seen seen = {.count = 0};
    hn_report report = correct(text, HN_METHOD_AUTO, raw, &seen);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_true(seen.y[1][0] > raw[0] + 0.5);
    assert_true(report.iterations < 10);
}

/* The first step is not that of the line only. */
static void check_no_row_waits(const char *model_text, hn_method method) {
    const double raw[2] = {1, -3}, line[2] = {1, -1};
    double expected[2];
    struct seen seen = {.count = 0};
    assert_int_equal(correct(model_text, method, raw, &seen).outcome, HN_OUTCOME_OK);
    one_row(raw, line, 4, seen.eps[1], expected);
    assert_true(fabs(seen.y[1][0] - expected[0]) > 1e-3);
}

/* Bounds that meet make an equality of a row, and it is none of those that wait. */
TEST(rows_whose_bounds_meet_do_not_wait) {
    check_no_row_waits(meets, HN_METHOD_AUTO);
}

TEST(other_methods_take_all_rows_at_once) {
    check_no_row_waits(text, HN_METHOD_LM);
}
