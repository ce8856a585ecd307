/* test_near_rounds.c - rounds of auto's near stage that a kernel goes by itself: samples that end at once, soon, never, and those that
 * need other decisions, side by side.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "base/random.h"
#include "layer/driver.h"

enum { SAMPLES = 61, OUTPUTS = 4 };

/* `level` is reached inside the disc for small x only; the logarithm has no value for every d; `joint` is an inequality in several
 * outputs, which the first step may leave out. */
static hn_model *mixed_model(void) {
    hn_model *model = model_new();
    hn_expr x = hn_input(model, "x");
    hn_expr a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c"), d = hn_output(model, "d");
    hn_constrain(model, "level", 0, hn_sub(hn_add(a, hn_mul(b, c)), x), 0);
    hn_constrain(model, "disc", -INFINITY, hn_add(hn_mul(a, a), hn_add(hn_mul(b, b), hn_mul(c, c))), 1);
    hn_constrain(model, "joint", 0.1, hn_add(hn_mul(a, d), b), 3);
    hn_constrain(model, "logarithm", -1, hn_add(hn_log(hn_add(d, hn_constant(model, 2))), a), 1.2);
    hn_constrain(model, "box", -1.5, c, 1.5);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

struct numbers {
    double x[SAMPLES], raw[SAMPLES * OUTPUTS], grad[SAMPLES * OUTPUTS];
};

/* calm: samples of which nothing is known before some steps; else also some that cannot be used, or evaluated. */
static void fill(struct numbers *n, bool calm) {
    struct random random = random_start(11, 4);
    for (size_t i = 0; i < SAMPLES; i++) {
        n->x[i] = i % 9 == 4 ? 7 : 0.3; /* out of reach, or not */
        for (size_t j = 0; j < OUTPUTS; j++) {
            n->raw[i * OUTPUTS + j] = (i % 5 == 3 && !calm ? 30 : 0.6) * random_normal(&random);
            n->grad[i * OUTPUTS + j] = random_normal(&random);
        }
        if (i % 7 == 0)
            memcpy(n->raw + i * OUTPUTS, ((double[]){0.3, 0.2, 0, 0}), OUTPUTS * sizeof(double)); /* holds as it is */
    }
    if (calm)
        return;
    n->raw[5 * OUTPUTS] = NAN;
    n->raw[6 * OUTPUTS + 3] = -5; /* no logarithm there */
    n->raw[8 * OUTPUTS + 3] = -1.9999;
}

/* The same in every way that a batch can be run in. */
enum way { PLAIN, WATCHED, HURRIED, CANCELLED, REPEATED, WAYS };

static void run(const hn_layer *layer, const struct numbers *n, enum way way, struct layer_results *out) {
    int cancel = way == CANCELLED;
    *out = results_of(layer, SAMPLES);
    hn_batch batch = batch_into(out, n->x, n->raw);
    batch.tape = NULL;
    batch.cancel = way == WATCHED || way == CANCELLED ? &cancel : NULL;
    batch.seconds = way == HURRIED ? 1e6 : 0;
    batch.repeat_y = way == REPEATED;
    layer_run(layer, &batch);
}

static void compare(const hn_layer *layer, const hn_layer *generated, bool calm) {
    struct numbers n;
    size_t at_once = 0, soon = 0, failed = 0;
    fill(&n, calm);
    struct layer_results a = run_and_pull(layer, SAMPLES, n.x, n.raw, n.grad);
    struct layer_results b = run_and_pull(generated, SAMPLES, n.x, n.raw, n.grad);
    for (size_t i = 0; i < SAMPLES; i++) {
        bool ok = a.reports[i].outcome == HN_OUTCOME_OK;
        assert_true(same_results(&a, i, &b, i));
        at_once += ok && a.reports[i].iterations == 0;
        soon += ok && a.reports[i].iterations > 1;
        failed += !ok;
    }
    assert_true(at_once > 4 && soon > 4 && failed > 4);
    results_release(&a);
    results_release(&b);
    for (int way = PLAIN; way < WAYS; way++) {
        run(layer, &n, (enum way)way, &a);
        run(generated, &n, (enum way)way, &b);
        assert_memory_equal(a.y, b.y, SAMPLES * OUTPUTS * sizeof *a.y);
        assert_memory_equal(a.residual, b.residual, SAMPLES * a.rows * sizeof *a.residual);
        assert_memory_equal(a.reports, b.reports, SAMPLES * sizeof *a.reports);
        results_release(&a);
        results_release(&b);
    }
}

static void try_method(const struct scratch *scratch, hn_layer_options options, hn_instructions instructions) {
    const struct generate_options wanted = {instructions, true};
    hn_model *model = mixed_model();
    options.instructions = instructions;
    hn_layer *layer = layer_of(model, options), generated = *layer;
    struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    assert_int_equal(executor_open_kernel(&generated.lanes, layer->plan, kernel, NULL), HN_OK);
    assert_true((generated.lanes.near_rounds != NULL) == !options.relative);
    compare(layer, &generated, false);
    compare(layer, &generated, true);
    executor_close(&generated.lanes);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(samples_of_all_kinds_have_the_same_bits) {
    try_method(*state, layer_method(HN_METHOD_AUTO), HN_INSTRUCTIONS_BEST);
    try_method(*state, layer_method(HN_METHOD_AUTO), HN_INSTRUCTIONS_PORTABLE);
}

/* Equalities and the bounds of an output: there is nothing that a first step might leave out, however far it goes. */
static hn_model *disjoint_model(void) {
    hn_model *model = model_new();
    hn_expr a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c"), d = hn_output(model, "d");
    hn_constrain(model, "product", 1, hn_add(hn_mul(a, b), c), 1);
    hn_constrain(model, "line", 0, hn_sub(hn_add(b, c), d), 0);
    hn_constrain(model, "box", -1.5, c, 1.5);
    model_finish_good(model);
    return model;
}

TEST(models_without_joint_inequalities_have_the_same_bits) {
    const struct scratch *scratch = *state;
    const struct generate_options wanted = {HN_INSTRUCTIONS_BEST, true};
    struct numbers n;
    hn_model *model = disjoint_model();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO)), generated = *layer;
    struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    assert_int_equal(executor_open_kernel(&generated.lanes, layer->plan, kernel, NULL), HN_OK);
    assert_true(generated.lanes.near_rounds != NULL);
    fill(&n, true);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        n.raw[i] *= 20;
    struct layer_results a = run_and_pull(layer, SAMPLES, NULL, n.raw, n.grad);
    struct layer_results b = run_and_pull(&generated, SAMPLES, NULL, n.raw, n.grad);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&a, i, &b, i));
    results_release(&a);
    results_release(&b);
    executor_close(&generated.lanes);
    kernel_close(kernel);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* The first steps are all that is allowed. */
TEST(few_steps_end_in_the_stage) {
    try_method(*state, layer_steps(HN_METHOD_AUTO, 3), HN_INSTRUCTIONS_BEST);
}

/* A tolerance relative to the bounds is decided sample by sample. */
TEST(relative_tolerances_go_one_by_one) {
    hn_layer_options options = layer_method(HN_METHOD_AUTO);
    options.relative = true;
    try_method(*state, options, HN_INSTRUCTIONS_BEST);
}

/* Samples that have ended wait for the search, with their y. */
TEST(the_nearest_points_are_searched_from_there) {
    try_method(*state, layer_method(HN_METHOD_NEAREST), HN_INSTRUCTIONS_BEST);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
