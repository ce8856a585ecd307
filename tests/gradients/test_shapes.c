/* test_shapes.c - the gradient against central differences where the shape of the problem asks for another kernel or
 * another path.
 *
 * Factors that are nearly full, on either side; a sparse factor too long for lists; one row over all outputs, one
 * output in all rows, both; outputs fixed at values that depend on x; start values in place of raw outputs; samples without
 * any step.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/gradient_check.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "base/random.h"
#include "layer/driver.h"

static const double LIMIT = 1e-7;

/* ---- checks ---- */

static void draw(uint64_t seed, double *values, size_t count) {
    struct random random = random_start(seed, 5);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(&random);
}

static struct gradient_verdict check_shape(const hn_layer *layer, const hn_model *model, uint64_t seed) {
    struct plain_layer plain;
    plain_layer_create(&plain, model);
    double *x = calloc(plain.inputs + 1, sizeof *x), *raw = calloc(plain.outputs + 1, sizeof *raw);
    draw(seed, x, plain.inputs);
    draw(seed + 1, raw, plain.outputs);
    struct gradient_case one = {layer, &plain, x, raw, seed, 1e-3};
    struct gradient_verdict verdict = gradient_check(&one);
    assert_true(verdict.finite);
    assert_int_equal(verdict.flagged, !verdict.ok);
    if (!(verdict.error <= LIMIT))
        fail_msg("the gradient is wrong by %g", verdict.error);
    free(x);
    free(raw);
    plain_layer_release(&plain);
    return verdict;
}

/* Destroys the model. */
static void check_kernel(hn_model *model, hn_method method, double damping, int iterations, enum factor_kind kind,
                         bool outputs_side) {
    hn_layer_options options = layer_method(method);
    options.damping = damping;
    options.iterations = iterations;
    hn_layer *layer = layer_of(model, options);
    hn_layer_info info = hn_layer_info_of(layer);
    assert_int_equal(layer->plan->system.kind, kind);
    assert_int_equal(info.dense, kind == FACTOR_DENSE || kind == FACTOR_TILED);
    assert_int_equal(info.outputs_side, outputs_side);
    assert_int_equal(info.factor_order, (outputs_side ? info.outputs : info.rows) + info.factor_added);
    struct gradient_verdict verdict = check_shape(layer, model, 17);
    print_message("%s, %zu rows, %zu outputs: largest error %.2g, %zu of %zu directions skipped\n",
                  hn_method_text(method), info.rows, info.outputs, verdict.error, verdict.skipped, verdict.directions);
    assert_true(verdict.skipped == 0);
    gradient_verdict_release(&verdict);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_full_factor_on_the_rows_side) {
    for (size_t rows = 16; rows < 21; rows++) {
        check_kernel(dense_model(rows, 30, rows), HN_METHOD_PAPER, 0.3, 5, FACTOR_DENSE, false);
        check_kernel(dense_model(rows, 30, rows), HN_METHOD_LM, -1, 8, FACTOR_DENSE, false);
        check_kernel(dense_model(rows, 30, rows), HN_METHOD_LM, 0.1, 4, FACTOR_DENSE, false);
        check_kernel(dense_model(rows, 30, rows), HN_METHOD_HARDNET, -1, 2, FACTOR_DENSE, false);
    }
}

TEST(a_full_factor_on_the_outputs_side) {
    for (size_t outputs = 16; outputs < 21; outputs++) {
        check_kernel(dense_model(50, outputs, outputs), HN_METHOD_PAPER, 0.3, 5, FACTOR_DENSE, true);
        check_kernel(dense_model(50, outputs, outputs), HN_METHOD_LM, -1, 8, FACTOR_DENSE, true);
        check_kernel(dense_model(50, outputs, outputs), HN_METHOD_LM, 0.1, 4, FACTOR_DENSE, true);
    }
}

TEST(a_factor_in_tiles) {
    check_kernel(mixed_model(66, 70, 2, 1), HN_METHOD_PAPER, 0.3, 5, FACTOR_TILED, false);
    check_kernel(mixed_model(50, 70, 2, 2), HN_METHOD_LM, -1, 8, FACTOR_TILED, false);
    check_kernel(mixed_model(49, 60, 1, 3), HN_METHOD_LM, 0.1, 4, FACTOR_TILED, false);
    check_kernel(mixed_model(65, 70, 1, 4), HN_METHOD_HARDNET, -1, 2, FACTOR_TILED, false);
    check_kernel(mixed_model(140, 50, 2, 5), HN_METHOD_LM, 0.1, 4, FACTOR_TILED, true);
    check_kernel(dense_model(161, 165, 6), HN_METHOD_LM, 0.1, 3, FACTOR_TILED, false);
}

TEST(constant_rows_in_tiles) {
    check_kernel(affine_model((struct affine_shape){50, 70, 9, 0}, 1), HN_METHOD_LM, 0.1, 4, FACTOR_TILED, false);
    check_kernel(affine_model((struct affine_shape){60, 70, 0, 0}, 2), HN_METHOD_LM, -1, 8, FACTOR_TILED, false);
    check_kernel(affine_model((struct affine_shape){50, 70, 9, 0}, 3), HN_METHOD_PAPER, 0.3, 5, FACTOR_TILED, false);
    check_kernel(affine_model((struct affine_shape){50, 70, 9, 0}, 4), HN_METHOD_HARDNET, -1, 2, FACTOR_TILED, false);
    check_kernel(affine_model((struct affine_shape){50, 70, 9, 2}, 5), HN_METHOD_LM, 0.1, 4, FACTOR_TILED, false);
}

TEST(a_sparse_factor_without_lists) {
    check_kernel(block_model(33, 155, 2, 1), HN_METHOD_HARDNET, -1, 2, FACTOR_WALKED, false);
}

TEST(one_row_over_many_outputs) {
    check_kernel(one_row_model(500, 2), HN_METHOD_PAPER, 0.3, 3, FACTOR_LISTED, false);
    check_kernel(one_row_model(500, 2), HN_METHOD_LM, -1, 20, FACTOR_LISTED, false);
    check_kernel(one_row_model(500, 2), HN_METHOD_HARDNET, -1, 3, FACTOR_LISTED, false);
}

TEST(one_output_in_many_rows) {
    check_kernel(one_column_model(200, 3), HN_METHOD_PAPER, 0.3, 3, FACTOR_LISTED, true);
    check_kernel(one_column_model(200, 3), HN_METHOD_LM, 0.5, 3, FACTOR_LISTED, true);
}

static void check_bordered(size_t common, hn_method method, double damping, int iterations) {
    hn_model *model = bordered_model(80, common, common, common);
    hn_layer *layer = layer_of(model, layer_method(method));
    assert_int_equal(layer->plan->system.added, common);
    hn_layer_destroy(layer);
    check_kernel(model, method, damping, iterations, FACTOR_LISTED, false);
}

TEST(rows_and_outputs_that_stand_everywhere) {
    for (size_t common = 1; common <= 3; common++) {
        check_bordered(common, HN_METHOD_PAPER, 0.3, 3);
        check_bordered(common, HN_METHOD_LM, 0.5, 3);
        check_bordered(common, HN_METHOD_LM, -1, 8);
        check_bordered(common, HN_METHOD_AUTO, -1, 60);
        check_bordered(common, HN_METHOD_HARDNET, -1, 3);
    }
}
