/* test_warm.c - a start carried from call to call saves steps and changes nothing for those who do not ask for it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { OUTPUTS = 50, CALLS = 20 };

static hn_model *unicycle(void) {
    static const char *const path = "models/unicycle.mod";
    hn_model *model;
    hn_error error;
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Steps of a control loop whose state and raw output drift slowly; with a warm start or without. */
static int loop_steps(const hn_layer *layer, double *warm) {
    static unsigned char workspace[1 << 20];
    double x[3] = {-3, 0.6, 0.1}, raw[OUTPUTS], y[OUTPUTS];
    int steps = 0;
    hn_report report;
    struct random random = random_start(5, 0);
    for (int j = 0; j < OUTPUTS; j++)
        raw[j] = (j < 30 ? -3 + 0.2 * (double)(j / 3) : 1) + 0.1 * random_normal(&random);
    for (int call = 0; call < CALLS; call++) {
        hn_batch batch = {.count = 1, .x = x, .y_raw = raw, .y = y, .reports = &report, .warm = warm};
        assert_int_equal(hn_layer_run(layer, &batch, workspace, sizeof workspace, NULL), HN_OK);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        assert_true(report.violation <= 1e-8);
        steps += report.iterations;
        x[0] += 0.002;
        for (int j = 0; j < OUTPUTS; j++)
            raw[j] += 0.002 * random_normal(&random);
    }
    return steps;
}

static void a_warm_start_saves_steps(void **state) {
    (void)state;
    hn_model *model = unicycle();
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    assert_true(hn_layer_workspace_bytes(layer) <= 1 << 20);
    double warm[OUTPUTS] = {0};
    int cold = loop_steps(layer, NULL), hot = loop_steps(layer, warm);
    print_message("%d calls: %d steps cold, %d warm\n", CALLS, cold, hot);
    assert_true(2 * hot < cold);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

static void a_warm_start_that_is_no_number_is_left_out(void **state) {
    (void)state;
    hn_model *model = unicycle();
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    double warm[OUTPUTS] = {[7] = NAN};
    int cold = loop_steps(layer, NULL);
    double spoiled[OUTPUTS];
    memcpy(spoiled, warm, sizeof warm);
    assert_true(loop_steps(layer, spoiled) <= cold);
    for (int j = 0; j < OUTPUTS; j++)
        assert_true(isfinite(spoiled[j]));
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_start_saves_steps),
        cmocka_unit_test(a_warm_start_that_is_no_number_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
