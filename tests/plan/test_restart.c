/* test_restart.c - where the attempts of auto begin: inside the bounds of their outputs, whichever of these have any, but for the attempts
 * that take no notice of them; spread over the whole of an interval; from the start values once.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/run_layer.h"

#include "core/point.h"
#include "hardnet/read.h"
#include "layer/driver.h"

enum { OUTPUTS = 5 };

static const char text[] = "var a := 0.25; var b >= 1, <= 2; var c >= -7, <= -5, := -5.5; var d <= 3; var e := 8;\n"
                           "s.t. r: a*b + c*d >= e;";
static const double lower[OUTPUTS] = {-HUGE_VAL, 1, -7, -HUGE_VAL, -HUGE_VAL};
static const double upper[OUTPUTS] = {HUGE_VAL, 2, -5, 3, HUGE_VAL};
static const double start[OUTPUTS] = {0.25, 1, -5.5, 0, 8};
static const double raw[OUTPUTS] = {100, -40, 30, 50, -60};

static struct point point;
static hn_layer *layer;

FIXTURE(begin) {
    hn_model *model;
    hn_error error;
    const hn_text file = {"restart.mod", text, sizeof text - 1};
    if (hn_model_read_memory(&model, 1, &file, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    hn_model_destroy(model);
    const struct plan *plan = layer->plan;
    point = (struct point){plan, calloc(plan->slots, sizeof(double)), 1};
    const uint32_t *output = plan_words(plan, plan->clip.entry), *row = plan_words(plan, plan->clip.slot);
    assert_int_equal(plan->clip.entry.count, 3);
    for (uint32_t k = 0; k < plan->clip.entry.count; k++) {
        *point_at(&point, plan_words(plan, plan->lower)[row[k]]) = lower[output[k]];
        *point_at(&point, plan_words(plan, plan->upper)[row[k]]) = upper[output[k]];
    }
    for (uint32_t j = 0; j < OUTPUTS; j++)
        *point_at(&point, plan_words(plan, plan->start)[j]) = start[j];
    point_write(&point, plan->raw, OUTPUTS, raw);
    return 0;
}

FIXTURE(end) {
    free(point.slots);
    hn_layer_destroy(layer);
    return 0;
}

static void begin_attempt(int attempt, double *y) {
    point_restart(&point, attempt);
    point_read(&point, point.plan->y, OUTPUTS, y);
}

TEST(attempts_begin_inside_the_bounds) {
    for (int attempt = 0; attempt < RESTART_LONG; attempt++) {
        double y[OUTPUTS];
        begin_attempt(attempt, y);
        for (size_t j = 0; j < OUTPUTS && attempt != RESTART_UNCLIPPED; j++)
            assert_true(y[j] >= lower[j] && y[j] <= upper[j]);
    }
}

TEST(some_attempts_take_no_notice_of_bounds) {
    static const int attempts[] = {RESTART_UNCLIPPED, RESTART_LONG};
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        double y[OUTPUTS];
        begin_attempt(attempts[i], y);
        assert_memory_equal(y, raw, sizeof y);
    }
}

TEST(one_attempt_begins_at_the_start_values) {
    double y[OUTPUTS];
    begin_attempt(RESTART_FROM_START, y);
    assert_memory_equal(y, start, sizeof y);
}

/* Every second attempt from RESTART_PERTURBED on: between two finite bounds anywhere, elsewhere around the raw output. */
TEST(intervals_are_searched_from_end_to_end) {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int attempt = RESTART_PERTURBED; attempt <= RESTART_LAST; attempt += 2) {
        double y[OUTPUTS];
        begin_attempt(attempt, y);
        assert_true(y[1] > 1 && y[1] < 2 && y[0] != raw[0] && fabs(y[0] - raw[0]) <= 5 * 4 * 128);
        lowest = fmin(lowest, fmin(y[1] - 1, (y[2] + 7) / 2));
        highest = fmax(highest, fmax(y[1] - 1, (y[2] + 7) / 2));
    }
    assert_true(lowest < 0.2 && highest > 0.8);
}

TEST_GROUP(begin, end)
