/* test_near.c - weights and step in one: with the weights that a kernel takes for granted, with others, and with both side by side.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "base/random.h"
#include "layer/driver.h"

enum { SAMPLES = 29, OUTPUTS = 4 };

/* The entry of c in `curve` is 1; that of a is 2 a: the row's weight is 1 only while a is less than 1. */
static hn_model *curved_model(void) {
    return model_of_text("var a; var b; var c; var d; curve: c - a*a = 0; line: 3*b + (c - d) = 3; disc: 0 <= b*b + "
                         "d*d <= 1.5; low: -0.25 <= d <= 2;");
}

/* Whether the kernel takes the step of all seats at once from these outputs. */
static bool steps_at_once(const struct executor *x, const struct plan *plan, const double *raw) {
    const double *from[MAX_LANES] = {NULL};
    double eps[MAX_LANES], hold[MAX_LANES] = {0}, *slots = aligned_alloc(64, (x->bytes + 63) / 64 * 64);
    bool all[MAX_LANES], none[MAX_LANES] = {false};
    const struct executor_rows rows = {all, hold, none, none};
    assert_non_null(slots);
    for (uint32_t k = 0; k < x->width; k++) {
        from[k] = raw + (size_t)k * OUTPUTS;
        eps[k] = 0.125;
        all[k] = true;
    }
    x->begin(x, slots);
    x->load(x, slots, plan->y, plan->outputs, from);
    x->prepare(x, slots);
    x->evaluate(x, slots, all, false);
    bool done = x->step_near(x, slots, &rows, eps);
    free(slots);
    return done;
}

static bool (*step_of_kernel)(const struct executor *x, double *slots, const struct executor_rows *rows,
                              const double *eps);
static size_t steps_taken;

static bool count_step(const struct executor *x, double *slots, const struct executor_rows *rows, const double *eps) {
    bool done = step_of_kernel(x, slots, rows, eps);
    steps_taken += done;
    return done;
}

static void compare(const hn_layer *layer, const hn_layer *generated, const double *raw) {
    double grad[SAMPLES * OUTPUTS];
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        grad[i] = (double)(i % 3);
    struct layer_results a = run_and_pull(layer, SAMPLES, NULL, raw, grad);
    struct layer_results b = run_and_pull(generated, SAMPLES, NULL, raw, grad);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&a, i, &b, i));
    assert_int_equal(a.reports[0].outcome, HN_OUTCOME_OK);
    results_release(&a);
    results_release(&b);
}

/* The same without the kernel's rounds: samples that all step near do it at once. */
static void compare_step_by_step(const hn_layer *layer, hn_layer generated, const double *raw) {
    step_of_kernel = generated.lanes.step_near;
    generated.lanes.step_near = count_step;
    generated.lanes.near_rounds = NULL;
    steps_taken = 0;
    compare(layer, &generated, raw);
    assert_true(steps_taken > 0);
}

static void try_instructions(const struct scratch *scratch, hn_instructions instructions) {
    hn_layer_options options = layer_method(HN_METHOD_AUTO);
    const struct generate_options wanted = {instructions, true};
    struct random random = random_start(8, 2);
    double raw[SAMPLES * OUTPUTS];
    hn_model *model = curved_model();
    options.instructions = instructions;
    hn_layer *layer = layer_of(model, options), generated = *layer;
    struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    assert_int_equal(executor_open_kernel(&generated.lanes, layer->plan, kernel, NULL), HN_OK);
    assert_true(generated.lanes.step_near != NULL);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        raw[i] = 0.9 * random_uniform(&random);
    assert_true(steps_at_once(&generated.lanes, layer->plan, raw));
    compare(layer, &generated, raw);
    compare_step_by_step(layer, generated, raw);
    for (size_t i = 0; i < SAMPLES; i += 3)
        raw[i * OUTPUTS] = (double)i - 11; /* a */
    assert_false(steps_at_once(&generated.lanes, layer->plan, raw));
    compare(layer, &generated, raw);
    executor_close(&generated.lanes);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(weights_may_be_others) {
    try_instructions(*state, HN_INSTRUCTIONS_BEST);
    try_instructions(*state, HN_INSTRUCTIONS_PORTABLE);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
