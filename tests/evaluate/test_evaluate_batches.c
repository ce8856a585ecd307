/* test_evaluate_batches.c - an evaluator gives a sample the same bits in any batch, on any thread and instruction set; bad numbers
 * stay with their sample; calls that make no sense are refused.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/numbers.h"
#include "support/smooth_model.h"

#include "base/random.h"
#include "cpu/backend.h"
#include "hardnet/evaluate.h"

enum { COUNT = 203 };

/* ---- samples and results ---- */

struct samples {
    const hn_evaluator *evaluator;
    size_t inputs, outputs, rows;
    double *x, *y, *v_x, *v_y, *sigma, *lambda, *w;
};

static struct samples make_samples(const hn_evaluator *evaluator) {
    hn_evaluator_info info = hn_evaluator_info_of(evaluator);
    return (struct samples){.evaluator = evaluator,
                            .inputs = info.inputs,
                            .outputs = info.outputs,
                            .rows = info.rows,
                            .x = normal_numbers_of(11, 1, COUNT * info.inputs),
                            .y = normal_numbers_of(11, 2, COUNT * info.outputs),
                            .v_x = normal_numbers_of(11, 3, COUNT * info.inputs),
                            .v_y = normal_numbers_of(11, 4, COUNT * info.outputs),
                            .sigma = normal_numbers_of(11, 5, COUNT),
                            .lambda = normal_numbers_of(11, 6, COUNT * info.rows),
                            .w = normal_numbers_of(11, 7, COUNT * info.rows)};
}

static void release_samples(struct samples *s) {
    double *lists[] = {s->x, s->y, s->v_x, s->v_y, s->sigma, s->lambda, s->w};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]);
}

struct results {
    double *values[HN_QUANTITY_COUNT];
};

static struct results make_results(const hn_evaluator *evaluator) {
    struct results results;
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        results.values[q] = normal_numbers_of(11, 20, COUNT * hn_evaluator_width(evaluator, (hn_quantity)q));
    return results;
}

static void release_results(struct results *results) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        free(results->values[q]);
}

/* Samples first to before first + count, into the rows of the results that are theirs. */
static hn_evaluation part(const struct samples *s, const struct results *to, size_t first, size_t count) {
    hn_evaluation e = {.size = sizeof e,
                       .count = count,
                       .x = s->x + first * s->inputs,
                       .y = s->y + first * s->outputs,
                       .sigma = s->sigma + first,
                       .lambda = s->lambda + first * s->rows,
                       .v_y = s->v_y + first * s->outputs,
                       .v_x = s->v_x + first * s->inputs,
                       .w = s->w + first * s->rows};
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        e.values[q] = to->values[q] + first * hn_evaluator_width(s->evaluator, (hn_quantity)q);
    return e;
}

static void run(const hn_evaluator *evaluator, const hn_evaluation *evaluation) {
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    unsigned char *workspace = malloc(bytes + 1);
    assert_non_null(workspace);
    hn_error error;
    if (hn_evaluator_run(evaluator, evaluation, workspace + 1, bytes, &error) != HN_OK) /* any alignment will do */
        fail_msg("%s", error.text);
    free(workspace);
}

static void assert_same(const hn_evaluator *evaluator, const struct results *a, const struct results *b) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        size_t bytes = COUNT * hn_evaluator_width(evaluator, (hn_quantity)q) * sizeof(double);
        if (bytes && memcmp(a->values[q], b->values[q], bytes) != 0)
            fail_msg("%s has other bits", hn_quantity_text((hn_quantity)q));
    }
}

static hn_evaluator *evaluator_for(const hn_model *model, hn_instructions instructions) {
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_error error;
    options.wanted = HN_WANT_ALL;
    options.instructions = instructions;
    if (hn_evaluator_create(&evaluator, model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return evaluator;
}

/* ---- bits ---- */

/* The model is gone before anything is run. */
static hn_evaluator *orphan(uint64_t seed) {
    hn_model *model = smooth_model(seed, true);
    hn_evaluator *evaluator = evaluator_for(model, HN_INSTRUCTIONS_BEST);
    hn_model_destroy(model);
    return evaluator;
}

TEST(a_sample_has_the_same_bits_in_any_batch) {
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 16, 17, 100};
    hn_evaluator *evaluator = orphan(1);
    struct samples samples = make_samples(evaluator);
    struct results whole = make_results(evaluator), pieces = make_results(evaluator);
    hn_evaluation all = part(&samples, &whole, 0, COUNT);
    run(evaluator, &all);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (size_t first = 0; first < COUNT; first += sizes[k]) {
            size_t count = COUNT - first < sizes[k] ? COUNT - first : sizes[k];
            hn_evaluation some = part(&samples, &pieces, first, count);
            run(evaluator, &some);
        }
        assert_same(evaluator, &whole, &pieces);
    }
    release_results(&whole);
    release_results(&pieces);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

TEST(a_quantity_alone_has_the_bits_that_it_has_among_others) {
    hn_evaluator *evaluator = orphan(2);
    struct samples samples = make_samples(evaluator);
    struct results whole = make_results(evaluator), single = make_results(evaluator);
    hn_evaluation all = part(&samples, &whole, 0, COUNT), each = part(&samples, &single, 0, COUNT);
    run(evaluator, &all);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        memset(each.values, 0, sizeof each.values);
        each.values[q] = single.values[q];
        run(evaluator, &each);
    }
    assert_same(evaluator, &whole, &single);
    release_results(&whole);
    release_results(&single);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

TEST(threads_change_no_bit) {
    hn_evaluator *evaluator = orphan(3);
    struct samples samples = make_samples(evaluator);
    struct results whole = make_results(evaluator), shared = make_results(evaluator);
    hn_evaluation all = part(&samples, &whole, 0, COUNT), again = part(&samples, &shared, 0, COUNT);
    hn_evaluator_pool *pool;
    run(evaluator, &all);
    assert_int_equal(hn_evaluator_pool_create(&pool, evaluator, 3, NULL), HN_OK);
    assert_int_equal(hn_evaluator_pool_run(pool, &again, NULL), HN_OK);
    assert_same(evaluator, &whole, &shared);
    hn_evaluator_pool_destroy(pool);
    release_results(&whole);
    release_results(&shared);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

TEST(every_instruction_set_gives_the_same_bits) {
    struct backend backend;
    hn_model *model = smooth_model(4, true);
    hn_evaluator *best = evaluator_for(model, HN_INSTRUCTIONS_BEST);
    struct samples samples = make_samples(best);
    struct results whole = make_results(best), other = make_results(best);
    hn_evaluation all = part(&samples, &whole, 0, COUNT), again = part(&samples, &other, 0, COUNT);
    run(best, &all);
    for (size_t i = 0; backend_at(i, &backend); i++) {
        hn_instructions instructions;
        assert_true(hn_instructions_find(backend.name, &instructions));
        hn_evaluator *evaluator = evaluator_for(model, instructions);
        assert_int_equal(hn_evaluator_info_of(evaluator).instructions, instructions);
        run(evaluator, &again);
        assert_same(best, &whole, &other);
        hn_evaluator_destroy(evaluator);
    }
    release_results(&whole);
    release_results(&other);
    release_samples(&samples);
    hn_evaluator_destroy(best);
    hn_model_destroy(model);
}

TEST(a_repeated_row_counts_for_all_samples) {
    hn_evaluator *evaluator = orphan(5);
    struct samples samples = make_samples(evaluator);
    struct results once = make_results(evaluator), repeated = make_results(evaluator);
    for (size_t s = 1; s < COUNT; s++) {
        memcpy(samples.x + s * samples.inputs, samples.x, samples.inputs * sizeof(double));
        memcpy(samples.y + s * samples.outputs, samples.y, samples.outputs * sizeof(double));
    }
    hn_evaluation all = part(&samples, &once, 0, COUNT), again = part(&samples, &repeated, 0, COUNT);
    again.repeat_x = again.repeat_y = true;
    run(evaluator, &all);
    run(evaluator, &again);
    assert_same(evaluator, &once, &repeated);
    release_results(&once);
    release_results(&repeated);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

/* ---- numbers that are not finite ---- */

TEST(bad_numbers_stay_with_their_sample) {
    enum { BAD = 13 };
    hn_evaluator *evaluator = orphan(6);
    struct samples samples = make_samples(evaluator);
    struct results good = make_results(evaluator), bad = make_results(evaluator);
    hn_evaluation all = part(&samples, &good, 0, COUNT), again = part(&samples, &bad, 0, COUNT);
    run(evaluator, &all);
    for (size_t j = 0; j < samples.outputs; j++)
        samples.y[BAD * samples.outputs + j] = j % 2 ? NAN : INFINITY;
    run(evaluator, &again);
    bool finite = isfinite(bad.values[HN_QUANTITY_ROWS][BAD * samples.rows]);
    assert_false(finite); /* row[0] is linear in y[0] and y[1] */
    finite = isfinite(bad.values[HN_QUANTITY_RESIDUAL][BAD * samples.rows]);
    assert_false(finite);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) { /* but for that sample nothing has changed */
        size_t width = hn_evaluator_width(evaluator, (hn_quantity)q);
        memcpy(bad.values[q] + BAD * width, good.values[q] + BAD * width, width * sizeof(double));
    }
    assert_same(evaluator, &good, &bad);
    release_results(&good);
    release_results(&bad);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

/* ---- refusals ---- */

static void assert_refused(const hn_evaluator *evaluator, const hn_evaluation *evaluation, const char *word) {
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    hn_error error = {.status = HN_OK};
    assert_int_equal(hn_evaluator_run(evaluator, evaluation, workspace, bytes, &error), HN_INVALID);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" does not name %s", error.text, word);
    free(workspace);
}

TEST(what_is_missing_is_named) {
    hn_evaluator *evaluator = orphan(7);
    struct samples samples = make_samples(evaluator);
    struct results results = make_results(evaluator);
    hn_evaluation whole = part(&samples, &results, 0, 3), lacking = whole;
    lacking.x = NULL;
    assert_refused(evaluator, &lacking, "x is missing");
    lacking = whole;
    lacking.y = NULL;
    assert_refused(evaluator, &lacking, "y is missing");
    lacking = whole;
    lacking.lambda = NULL;
    assert_refused(evaluator, &lacking, "lambda");
    lacking = whole;
    lacking.v_y = NULL;
    assert_refused(evaluator, &lacking, "v_y");
    lacking = whole;
    lacking.v_x = NULL;
    assert_refused(evaluator, &lacking, "v_x");
    lacking = whole;
    lacking.w = NULL;
    assert_refused(evaluator, &lacking, "w is missing");
    lacking = whole;
    lacking.size = 0;
    assert_refused(evaluator, &lacking, "size");
    hn_error error;
    assert_int_equal(hn_evaluator_run(evaluator, &whole, &whole, 8, &error), HN_INVALID);
    assert_int_equal(hn_evaluator_run(NULL, &whole, NULL, 0, &error), HN_INVALID);
    assert_int_equal(hn_evaluator_run(evaluator, NULL, NULL, 0, &error), HN_INVALID);
    whole.count = 0;
    assert_int_equal(hn_evaluator_run(evaluator, &whole, NULL, 0, &error), HN_OK);
    release_results(&results);
    release_samples(&samples);
    hn_evaluator_destroy(evaluator);
}

TEST(what_depends_on_x_needs_no_y_and_what_was_not_wanted_is_refused) {
    hn_model *model = smooth_model(8, true);
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT(HN_QUANTITY_LOWER) | HN_WANT(HN_QUANTITY_START);
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
    assert_int_equal(hn_evaluator_width(evaluator, HN_QUANTITY_ROWS), 0);
    double x[SMOOTH_INPUTS] = {0.5, 1, -1, 2}, lower[40], start[SMOOTH_OUTPUTS];
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = 1, .x = x};
    evaluation.values[HN_QUANTITY_LOWER] = lower;
    evaluation.values[HN_QUANTITY_START] = start;
    run(evaluator, &evaluation);
    assert_true(start[3] == x[0] + x[2]);
    evaluation.values[HN_QUANTITY_ROWS] = lower;
    assert_refused(evaluator, &evaluation, "not requested");
    hn_pattern pattern = {.size = sizeof pattern};
    assert_int_equal(hn_evaluator_get_pattern(evaluator, HN_QUANTITY_LOWER, &pattern, NULL), HN_INVALID);
    hn_evaluator_destroy(evaluator);
    hn_model_destroy(model);
}

TEST(a_hessian_that_is_too_large_is_left_out_or_refused) {
    hn_model *model = smooth_model(9, true);
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted |= HN_WANT(HN_QUANTITY_HESSIAN_YY) | HN_WANT(HN_QUANTITY_GRADIENT_Y);
    options.hessian_nodes = 3;
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
    assert_true(hn_evaluator_info_of(evaluator).hessian_left_out);
    assert_int_equal(hn_evaluator_width(evaluator, HN_QUANTITY_HESSIAN_YY), 0);
    double x[SMOOTH_INPUTS] = {0.5, 1, -1, 2}, y[SMOOTH_OUTPUTS] = {0}, gradient[SMOOTH_OUTPUTS], hessian[1];
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = 1, .x = x, .y = y};
    evaluation.values[HN_QUANTITY_GRADIENT_Y] = gradient;
    run(evaluator, &evaluation);
    evaluation.values[HN_QUANTITY_HESSIAN_YY] = hessian;
    assert_refused(evaluator, &evaluation, "too large");
    hn_evaluator_destroy(evaluator);
    options.hessian_nodes = SIZE_MAX;
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
    assert_false(hn_evaluator_info_of(evaluator).hessian_left_out);
    hn_evaluator_destroy(evaluator);
    hn_model_destroy(model);
}

/* Derivatives are nodes beside the model's own, within its limit. */
TEST(derivatives_beyond_the_limit_of_nodes_are_refused) {
    hn_model *model;
    hn_model_options limited = hn_model_defaults();
    limited.max_nodes = 20;
    assert_int_equal(hn_model_create(&model, &limited, NULL), HN_OK);
    hn_expr y = hn_output(model, "y"), product = y;
    for (int i = 0; i < 5; i++)
        product = hn_mul(hn_sin(product), y);
    hn_constrain(model, "row", 0, product, 1);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        hn_evaluator *evaluator;
        hn_evaluator_options options = hn_evaluator_defaults();
        hn_error error;
        options.wanted = HN_WANT(q);
        hn_status status = hn_evaluator_create(&evaluator, model, &options, &error);
        bool by_y = q == HN_QUANTITY_JACOBIAN_Y || q == HN_QUANTITY_JACOBIAN_Y_V || q == HN_QUANTITY_JACOBIAN_Y_W ||
                    q == HN_QUANTITY_HESSIAN_YY || q == HN_QUANTITY_HESSIAN_YY_V || q == HN_QUANTITY_HESSIAN_XY_V ||
                    q == HN_QUANTITY_HESSIAN_YX;
        if (status != (by_y ? HN_LIMIT : HN_OK))
            fail_msg("%s: %s", hn_quantity_text((hn_quantity)q), hn_status_text(status));
        if (by_y)
            assert_non_null(strstr(error.text, "max_nodes"));
        hn_evaluator_destroy(evaluator);
    }
    hn_model_destroy(model);
}

TEST(a_model_that_is_not_finished_is_refused) {
    hn_model *model;
    hn_evaluator *evaluator = (hn_evaluator *)(void *)&model;
    hn_error error;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_output(model, "y");
    assert_int_equal(hn_evaluator_create(&evaluator, model, NULL, &error), HN_INVALID);
    assert_null(evaluator);
    assert_int_equal(hn_evaluator_create(&evaluator, NULL, NULL, &error), HN_INVALID);
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = UINT64_C(1) << 63;
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, &error), HN_UNSUPPORTED);
    hn_model_destroy(model);
}

/* A program of a later version may ask for what this library does not have. */
TEST(a_quantity_that_is_not_known_is_refused) {
    hn_error error;
    hn_evaluator *evaluator;
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, &error), HN_OK);
    hn_output(model, "y");
    assert_int_equal(hn_model_finish(model, &error), HN_OK);
    assert_int_equal(hn_evaluator_create(&evaluator, model, NULL, &error), HN_OK);
    double y = 1, value;
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = 1, .y = &y};
    evaluation.values[HN_QUANTITY_COUNT] = &value;
    assert_int_equal(hn_evaluator_run(evaluator, &evaluation, NULL, 0, &error), HN_UNSUPPORTED);
    assert_string_equal(error.subject, "values");
    hn_evaluator_destroy(evaluator);
    hn_model_destroy(model);
}

TEST(quantities_have_names) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        hn_quantity found;
        assert_true(hn_quantity_find(hn_quantity_text((hn_quantity)q), &found));
        assert_int_equal(found, q);
    }
    hn_quantity none;
    assert_false(hn_quantity_find("nonsense", &none));
    assert_string_equal(hn_quantity_text(HN_QUANTITY_COUNT), "unknown");
}
