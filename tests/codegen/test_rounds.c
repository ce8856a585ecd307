/* test_rounds.c - rounds that a kernel goes by itself end where something is to be decided: samples that meet what is not finite, and
 * singular systems, beside samples that go on.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "base/random.h"
#include "layer/driver.h"

enum { SAMPLES = 37, OUTPUTS = 3, STEPS = 45 };

/* c is pulled to where the logarithm has no value, within a few steps unless it begins there or a is large; the slope of b's equality
 * vanishes. */
static hn_model *risky_model(void) {
    hn_model *model = model_new();
    hn_expr a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c");
    hn_constrain(model, "pull", -0.3, hn_scale(0.3, c), -0.3);
    hn_constrain(model, "logarithm", -1000, hn_scale(1e-3, hn_log(hn_add(c, hn_scale(0.1, a)))), 5);
    hn_constrain(model, "cube", 0, hn_sub(hn_mul(b, hn_mul(b, b)), hn_constant(model, 0.01)), 0);
    model_finish_good(model);
    return model;
}

/* Rows that hold, and whose products are zeros of either sign, beside one that moves all but the last output. */
static hn_model *idle_model(void) {
    hn_model *model = model_new();
    hn_expr a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c");
    hn_constrain(model, "circle", 1, hn_add(hn_mul(a, a), hn_mul(b, b)), 1);
    hn_constrain(model, "above", -1e3, hn_sub(hn_mul(a, c), b), 1e3);
    hn_constrain(model, "product", -1e3, hn_mul(b, c), HUGE_VAL);
    model_finish_good(model);
    return model;
}

static void fill(double *raw, double *grad) {
    struct random random = random_start(3, 5);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++) {
        raw[i] = (i % 7 == 0 ? 1e-3 : 2) * random_normal(&random);
        grad[i] = random_normal(&random);
    }
    raw[1] = 0; /* the slope of the cube there: a singular system without damping */
    raw[OUTPUTS + 1] = raw[9 * OUTPUTS + 1] = 1e-170; /* and one that is too small to be squared */
    for (size_t i = 0; i < SAMPLES; i++) { /* begin where the logarithm has a value; every third stays there */
        raw[i * OUTPUTS] = i % 3 == 0 ? 40 : raw[i * OUTPUTS];
        raw[i * OUTPUTS + 2] = 1 + (double)i;
    }
}

static void compare(const hn_layer *layer, const hn_layer *generated) {
    double raw[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS];
    size_t ended = 0, limited = 0;
    fill(raw, grad);
    struct layer_results a = run_and_pull(layer, SAMPLES, NULL, raw, grad);
    struct layer_results b = run_and_pull(generated, SAMPLES, NULL, raw, grad);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_true(same_results(&a, i, &b, i));
        ended += a.reports[i].iterations > 1 && a.reports[i].iterations < STEPS;
        limited += a.reports[i].iterations == STEPS;
    }
    assert_true(limited > 0);
    assert_true(ended > 0);
    results_release(&a);
    results_release(&b);
}

/* Gradients for which no bound asks: many steps back are one call. */
static void pull_without_bounds(const hn_layer *layer, const hn_layer *generated, size_t count, const double *raw,
                                const double *grad) {
    const hn_layer *layers[] = {layer, generated};
    struct layer_results results[2];
    size_t bytes = count * OUTPUTS * sizeof *grad;
    for (int side = 0; side < 2; side++) {
        struct layer_results *r = &results[side];
        *r = results_of(layers[side], count);
        hn_batch batch = batch_into(r, NULL, raw);
        hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad, .grad_y_raw = r->grad_y_raw};
        layer_run(layers[side], &batch);
        layer_pull(layers[side], &batch, &gradient);
    }
    assert_memory_equal(results[0].y, results[1].y, bytes);
    assert_memory_equal(results[0].grad_y_raw, results[1].grad_y_raw, bytes);
    results_release(&results[0]);
    results_release(&results[1]);
}

/* Samples end after different numbers of steps. */
static void compare_gradients(const hn_layer *layer, const hn_layer *generated) {
    double raw[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS];
    fill(raw, grad);
    pull_without_bounds(layer, generated, SAMPLES, raw, grad);
}

/* With a cancel that nobody sets, rounds come in smaller portions. */
static void compare_watched(const hn_layer *layer, const hn_layer *generated) {
    double raw[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS];
    struct layer_results a = results_of(layer, SAMPLES), b = results_of(layer, SAMPLES);
    int cancel = 0;
    fill(raw, grad);
    hn_batch one = batch_into(&a, NULL, raw), other = batch_into(&b, NULL, raw);
    one.tape = other.tape = NULL;
    other.cancel = &cancel;
    layer_run(layer, &one);
    layer_run(generated, &other);
    assert_memory_equal(a.y, b.y, SAMPLES * OUTPUTS * sizeof *a.y);
    assert_memory_equal(a.reports, b.reports, SAMPLES * sizeof *a.reports);
    results_release(&a);
    results_release(&b);
}

static void try_method(const struct scratch *scratch, hn_method method, hn_instructions instructions) {
    hn_layer_options options = layer_steps(method, STEPS);
    const struct generate_options wanted = {instructions, true};
    hn_model *model = risky_model();
    options.instructions = instructions;
    hn_layer *layer = layer_of(model, options), generated = *layer;
    struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    assert_int_equal(executor_open_kernel(&generated.lanes, layer->plan, kernel, NULL), HN_OK);
    assert_true(generated.lanes.go_on != NULL);
    compare(layer, &generated);
    compare_watched(layer, &generated);
    assert_true(generated.lanes.go_back != NULL);
    compare_gradients(layer, &generated);
    executor_close(&generated.lanes);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(rounds_end_where_something_is_decided) {
    try_method(*state, HN_METHOD_PAPER, HN_INSTRUCTIONS_BEST);
    try_method(*state, HN_METHOD_HARDNET, HN_INSTRUCTIONS_BEST);
}

/* Where the samples side by side are several vectors, each goes as far as it can. */
TEST(parts_of_the_samples_end_by_themselves) {
    try_method(*state, HN_METHOD_PAPER, HN_INSTRUCTIONS_PORTABLE);
    try_method(*state, HN_METHOD_HARDNET, HN_INSTRUCTIONS_PORTABLE);
}

/* Zeros of both signs among the outputs, some of which never move: they end as they do by the listed kernels. */
TEST(zeros_keep_their_signs) {
    static const double values[] = {0.0, -0.0, 0.75, -0.5, 1e-310, -2};
    const struct generate_options wanted = {HN_INSTRUCTIONS_BEST, true};
    hn_model *model = idle_model();
    hn_layer *layer = layer_of(model, layer_steps(HN_METHOD_PAPER, STEPS)), generated = *layer;
    struct kernel *kernel = compiled_kernel(((struct scratch *)*state)->folder, layer->plan, wanted, "-O1");
    double raw[216 * OUTPUTS], grad[216 * OUTPUTS];
    size_t minus = 0, plus = 0;
    assert_int_equal(executor_open_kernel(&generated.lanes, layer->plan, kernel, NULL), HN_OK);
    for (size_t i = 0; i < 216; i++)
        for (size_t j = 0, k = i; j < OUTPUTS; j++, k /= 6) {
            raw[i * OUTPUTS + j] = values[k % 6];
            grad[i * OUTPUTS + j] = 1;
        }
    struct layer_results a = run_and_pull(layer, 216, NULL, raw, grad),
                         b = run_and_pull(&generated, 216, NULL, raw, grad);
    for (size_t i = 0; i < 216; i++)
        assert_true(same_results(&a, i, &b, i));
    for (size_t i = 0; i < 216 * OUTPUTS; i++) {
        minus += a.y[i] == 0 && signbit(a.y[i]);
        plus += a.y[i] == 0 && !signbit(a.y[i]);
    }
    assert_true(minus > 0);
    assert_true(plus > 0);
    for (size_t i = 0; i < 216 * OUTPUTS; i++)
        grad[i] = values[i * 11 % 6];
    pull_without_bounds(layer, &generated, 216, raw, grad);
    results_release(&a);
    results_release(&b);
    executor_close(&generated.lanes);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* c goes up by 1 in every step; from about 5 on the square of d's entry is so small that its reciprocal is infinite. */
static hn_model *fleeing_model(void) {
    hn_model *model = model_new();
    hn_expr c = hn_output(model, "c"), d = hn_output(model, "d");
    hn_constrain(model, "flight", 0, hn_exp(hn_neg(c)), 0);
    hn_constrain(model, "product", 0, hn_mul(d, hn_exp(hn_scale(-70, c))), 0);
    model_finish_good(model);
    return model;
}

/* The kernel itself goes back to the last round whose outputs are finite. */
TEST(rounds_before_one_that_is_not_finite_are_gone) {
    const struct generate_options wanted = {HN_INSTRUCTIONS_BEST, true};
    const double raw[] = {0.1, 0}, *from[MAX_LANES];
    hn_model *model = fleeing_model();
    hn_layer_options options = layer_steps(HN_METHOD_PAPER, STEPS);
    struct fused_iterations rounds = {.count = STEPS};
    struct executor x;
    options.damping = 0;
    hn_layer *layer = layer_of(model, options);
    struct kernel *kernel = compiled_kernel(((struct scratch *)*state)->folder, layer->plan, wanted, "-O1");
    assert_int_equal(executor_open_kernel(&x, layer->plan, kernel, NULL), HN_OK);
    double *slots = aligned_alloc(64, (x.bytes + 63) / 64 * 64);
    assert_true(slots && x.go_on);
    for (uint32_t k = 0; k < MAX_LANES; k++) {
        from[k] = raw;
        rounds.busy[k] = true;
        rounds.best[k] = HUGE_VAL;
    }
    x.begin(&x, slots);
    x.load(&x, slots, layer->plan->y, 2, from);
    x.prepare(&x, slots);
    x.go_on(&x, slots, &rounds);
    for (uint32_t k = 0; k < x.width; k++) {
        double c = slots[layer->plan->y * x.width + k];
        assert_int_equal(rounds.done[k], 5);
        assert_true(fabs(c - 5.1) < 1e-9 && isfinite(slots[(layer->plan->y + 1) * x.width + k]));
    }
    free(slots);
    executor_close(&x);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
