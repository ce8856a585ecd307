/* test_calls.c - the calls of hardnet/layer.h: options, memory, repeated rows, in place, watching, ending early; and
 * their misuse.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "hardnet/kernel.h"

enum { COUNT = 20 };

/* x <= y1^2 + y2^2 <= x + 1, y1 - y2 = 0 */
static hn_model *ring_model(void) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
    hn_constrain_between(m, "ring", x, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), hn_shift(x, 1));
    hn_constrain(m, "diagonal", 0, hn_sub(y1, y2), 0);
    model_finish_good(m);
    return m;
}

static void fill(double *x, double *raw) {
    for (int s = 0; s < COUNT; s++) {
        x[s] = 0.5 + 0.1 * s;
        raw[2 * s] = 0.2 * s - 1;
        raw[2 * s + 1] = 3 - 0.3 * s;
    }
}

/* ---- options ---- */

TEST(defaults_are_the_method_s_own) {
    hn_layer_options options = hn_layer_defaults();
    assert_int_equal(options.method, HN_METHOD_AUTO);
    assert_true(options.tolerance == 1e-8 && options.damping < 0 && options.iterations < 0 && !options.relative);
    assert_int_equal(options.instructions, HN_INSTRUCTIONS_BEST);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_PAPER));
    options = hn_layer_options_of(layer);
    assert_int_equal(options.iterations, 500);
    assert_true(options.damping == 0.3);
    assert_int_not_equal(options.instructions, HN_INSTRUCTIONS_BEST);
    assert_int_equal(options.instructions, hn_layer_info_of(layer).instructions);
    hn_layer_destroy(layer);
    layer = layer_of(m, layer_method(HN_METHOD_HARDNET));
    assert_true(hn_layer_options_of(layer).damping == 0 && hn_layer_options_of(layer).iterations > 0);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* No damping, no step, no tolerance: what is asked for is not taken for what is not said. */
TEST(defaults_of_kernels_are_those_that_the_header_names) {
    hn_kernel_options options = hn_kernel_defaults();
    assert_true(!options.out && !options.compiler && options.gradients && !options.again);
    assert_true(!options.begin && !options.cancel && !options.waiting && options.seconds == 600);
}

TEST(a_zero_that_is_asked_for_is_kept) {
    hn_model *m = ring_model();
    for (int method = 0; method < HN_METHOD_COUNT; method++) {
        hn_layer_options options = layer_steps((hn_method)method, 0);
        hn_layer *layer;
        options.damping = options.tolerance = 0;
        if (hn_layer_create(&layer, m, &options, NULL) != HN_OK) /* of optimal: there is no objective */
            continue;
        options = hn_layer_options_of(layer);
        assert_true(options.damping == 0 && options.tolerance == 0);
        assert_int_equal(options.iterations, 0);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(m);
}

TEST(methods_have_names) {
    static const char *const names[] = {"auto", "paper", "hardnet", "lm", "nearest", "enforce", "snarenet", "optimal"};
    hn_method method;
    for (int i = 0; i < (int)COUNT_OF(names); i++) {
        assert_string_equal(hn_method_text((hn_method)i), names[i]);
        assert_true(hn_method_find(names[i], &method));
        assert_int_equal(method, i);
    }
    assert_string_equal(hn_method_text(HN_METHOD_COUNT), "unknown");
    assert_false(hn_method_find("newton", &method));
    assert_false(hn_method_find("", &method));
}

static void check_create_refused(const hn_model *model, hn_layer_options options, hn_status status, const char *part) {
    hn_layer *layer = (hn_layer *)(void *)&options;
    hn_error error = {.text = ""};
    assert_int_equal(hn_layer_create(&layer, model, &options, &error), status);
    assert_null(layer);
    assert_int_equal(error.status, status);
    assert_contains(error.text, part);
    assert_int_equal(hn_layer_create(&layer, model, &options, NULL), status);
}

TEST(bad_options_are_refused_by_name) {
    hn_model *m = ring_model();
    hn_layer_options good = layer_method(HN_METHOD_LM), bad;
    bad = good, bad.damping = NAN;
    check_create_refused(m, bad, HN_INVALID, "damping");
    bad = good, bad.damping = INFINITY;
    check_create_refused(m, bad, HN_INVALID, "damping");
    bad = good, bad.tolerance = -1e-9;
    check_create_refused(m, bad, HN_INVALID, "tolerance -1e-09");
    bad = good, bad.tolerance = NAN;
    check_create_refused(m, bad, HN_INVALID, "tolerance");
    bad = good, bad.tolerance = INFINITY;
    check_create_refused(m, bad, HN_INVALID, "tolerance");
    bad = good, bad.method = HN_METHOD_COUNT;
    check_create_refused(m, bad, HN_INVALID, "method");
    bad = good, bad.method = (hn_method)-1;
    check_create_refused(m, bad, HN_INVALID, "method");
    bad = good, bad.instructions = HN_INSTRUCTIONS_COUNT;
    check_create_refused(m, bad, HN_INVALID, "instruction set unknown");
    bad = layer_method(HN_METHOD_HARDNET), bad.damping = 0.5;
    check_create_refused(m, bad, HN_INVALID, "hardnet");
    hn_model_destroy(m);
}

TEST(hardnet_needs_as_many_outputs_as_rows) {
    hn_model *m = model_of_text("var y; one: 0 <= y <= 1; two: 0 <= y*y <= 1;");
    check_create_refused(m, layer_method(HN_METHOD_HARDNET), HN_INVALID, "2 rows and 1 outputs");
    hn_model_destroy(m);
}

TEST(a_layer_needs_a_finished_model) {
    hn_model *m = model_new();
    hn_layer *layer = (hn_layer *)(void *)&m;
    hn_error error = {.text = ""};
    hn_expr y = hn_output(m, "y");
    hn_constrain(m, "one", 0, y, 1);
    check_create_refused(m, layer_method(HN_METHOD_LM), HN_INVALID, "not finished");
    hn_model_destroy(m);
    hn_layer_options options = layer_method(HN_METHOD_LM);
    assert_int_equal(hn_layer_create(&layer, NULL, &options, &error), HN_INVALID);
    assert_null(layer);
    assert_contains(error.text, "model is NULL");
    hn_layer_destroy(NULL);
}

TEST(a_layer_outlives_its_model) {
    static const double x = 1, raw[] = {3, 2};
    double y[2];
    hn_report report;
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_model_destroy(m);
    hn_batch batch = batch_of(1, &x, raw, y, &report);
    layer_run(layer, &batch);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    hn_layer_destroy(layer);
}

TEST(a_layer_describes_itself) {
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_layer_info info = hn_layer_info_of(layer);
    assert_int_equal(info.inputs, 1);
    assert_int_equal(info.outputs, 2);
    assert_int_equal(info.rows, 2);
    assert_int_equal(info.jacobian_nonzeros, 4);
    assert_int_equal(info.factor_order, 2);
    assert_true(info.operators > 0 && info.multiply_adds > 0);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* ---- batches ---- */

TEST(one_row_may_serve_all_samples) {
    double x[COUNT], raw[2 * COUNT], all_x[COUNT], all_raw[2 * COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    for (int mode = 1; mode < 4; mode++) {
        bool repeat_x = mode & 1, repeat_y = mode & 2;
        for (int s = 0; s < COUNT; s++) {
            all_x[s] = x[repeat_x ? 0 : s];
            memcpy(all_raw + 2 * s, raw + (repeat_y ? 0 : 2 * s), 2 * sizeof *raw);
        }
        struct layer_results repeated = results_of(layer, COUNT), plain = results_of(layer, COUNT);
        hn_batch batch = batch_into(&repeated, x, raw), full = batch_into(&plain, all_x, all_raw);
        batch.repeat_x = repeat_x;
        batch.repeat_y = repeat_y;
        hn_gradient gradient = gradient_into(&repeated, raw), full_gradient = gradient_into(&plain, raw);
        layer_run(layer, &batch);
        layer_run(layer, &full);
        layer_pull(layer, &batch, &gradient);
        layer_pull(layer, &full, &full_gradient);
        for (size_t s = 0; s < COUNT; s++)
            assert_true(same_results(&repeated, s, &plain, s));
        results_release(&repeated);
        results_release(&plain);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(outputs_may_be_corrected_in_place) {
    double x[COUNT], raw[2 * COUNT], y[2 * COUNT];
    hn_report reports[COUNT], again[COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_batch batch = batch_of(COUNT, x, raw, y, reports);
    layer_run(layer, &batch);
    batch.y = raw;
    batch.reports = again;
    layer_run(layer, &batch);
    assert_memory_equal(raw, y, sizeof y);
    for (int s = 0; s < COUNT; s++)
        assert_same_bits(again[s].moved, reports[s].moved);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(a_workspace_that_is_too_small_is_refused_and_nothing_is_written) {
    double x[COUNT], raw[2 * COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    struct layer_results r = results_of(layer, COUNT), untouched = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, x, raw);
    hn_gradient gradient = gradient_into(&r, raw);
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *memory = malloc(bytes);
    hn_error error;
    const size_t sizes[] = {bytes - 1, bytes / 2, 1, 0};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        assert_error(hn_layer_run(layer, &batch, memory, sizes[i], &error), HN_INVALID, error, "workspace");
        assert_int_equal(hn_layer_gradient(layer, &batch, &gradient, memory, sizes[i], &error), HN_INVALID);
    }
    assert_int_equal(hn_layer_run(layer, &batch, NULL, bytes, &error), HN_INVALID);
    assert_memory_equal(r.y, untouched.y, COUNT * 2 * sizeof *r.y);
    assert_memory_equal(r.reports, untouched.reports, COUNT * sizeof *r.reports);
    assert_memory_equal(r.grad_y_raw, untouched.grad_y_raw, COUNT * 2 * sizeof *r.y);
    assert_memory_equal(r.residual, untouched.residual, COUNT * 2 * sizeof *r.y);
    free(memory);
    results_release(&r);
    results_release(&untouched);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

static void check_batch_refused(const hn_layer *layer, hn_batch batch, const char *part) {
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *memory = malloc(bytes);
    hn_pool *pool;
    hn_error error = {.text = ""};
    assert_error(hn_layer_run(layer, &batch, memory, bytes, &error), HN_INVALID, error, part);
    assert_int_equal(hn_pool_create(&pool, layer, 2, NULL), HN_OK);
    assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_INVALID);
    hn_pool_destroy(pool);
    free(memory);
}

TEST(batches_that_make_no_sense_are_refused) {
    double x[COUNT], raw[2 * COUNT], y[2 * COUNT], endless[] = {1, INFINITY};
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    const hn_batch good = {.size = sizeof good, .count = COUNT, .x = x, .y_raw = raw, .y = y};
    hn_batch bad;
    bad = good, bad.x = NULL;
    check_batch_refused(layer, bad, "x is missing");
    bad = good, bad.y = NULL;
    check_batch_refused(layer, bad, "y, where");
    bad = good, bad.y = raw, bad.repeat_y = true;
    check_batch_refused(layer, bad, "y must not be y_raw");
    bad = good, bad.fallback = endless;
    check_batch_refused(layer, bad, "entry 1 of the fallback");
    bad = good, bad.seconds = -1;
    check_batch_refused(layer, bad, "deadline");
    bad = good, bad.seconds = NAN;
    check_batch_refused(layer, bad, "deadline");
    assert_int_equal(hn_layer_run(NULL, &good, NULL, 0, NULL), HN_INVALID);
    assert_int_equal(hn_layer_run(layer, NULL, NULL, 0, NULL), HN_INVALID);
    assert_int_equal(hn_pool_run(NULL, &good, NULL), HN_INVALID);
    bad = good, bad.count = 0;
    assert_int_equal(hn_layer_run(layer, &bad, NULL, 0, NULL), HN_OK);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(a_report_that_ends_within_a_field_is_refused) {
    double x[COUNT], raw[2 * COUNT], y[2 * COUNT];
    hn_report reports[COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_batch batch = {.size = sizeof batch, .count = COUNT, .x = x, .y_raw = raw, .y = y, .reports = reports};
    for (batch.report_size = sizeof(hn_outcome); batch.report_size <= sizeof(hn_report); batch.report_size++)
        if (batch.report_size % _Alignof(hn_report) == 0 || batch.report_size == sizeof(hn_outcome))
            layer_run(layer, &batch);
        else
            check_batch_refused(layer, batch, "ends within a field");
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(more_samples_than_memory_can_hold_are_refused) {
    static const size_t counts[] = {(size_t)1 << 62, SIZE_MAX, SIZE_MAX / 8, PTRDIFF_MAX / 8};
    double x[COUNT], raw[2 * COUNT], y[2 * COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_batch batch = {.size = sizeof batch, .x = x, .y_raw = raw, .y = y};
    hn_pool *pool;
    hn_error error;
    assert_int_equal(hn_pool_create(&pool, layer, 2, NULL), HN_OK);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        batch.count = counts[i];
        assert_error(hn_pool_run(pool, &batch, &error), HN_LIMIT, error, "larger than the address space");
    }
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(gradients_need_what_the_run_left) {
    double x[COUNT], raw[2 * COUNT];
    fill(x, raw);
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    struct layer_results r = results_of(layer, COUNT);
    hn_batch good = batch_into(&r, x, raw), bad;
    hn_gradient gradient = gradient_into(&r, raw), lacking;
    size_t bytes = hn_layer_gradient_workspace_bytes(layer);
    void *memory = malloc(bytes);
    hn_error error = {.text = ""};
    layer_run(layer, &good);
    bad = good, bad.tape = NULL;
    assert_error(hn_layer_gradient(layer, &bad, &gradient, memory, bytes, &error), HN_INVALID, error, "tape");
    bad = good, bad.reports = NULL;
    assert_error(hn_layer_gradient(layer, &bad, &gradient, memory, bytes, &error), HN_INVALID, error, "reports");
    lacking = gradient, lacking.grad_y = NULL;
    assert_error(hn_layer_gradient(layer, &good, &lacking, memory, bytes, &error), HN_INVALID, error, "grad_y");
    lacking = gradient, lacking.grad_y_raw = NULL;
    assert_int_equal(hn_layer_gradient(layer, &good, &lacking, memory, bytes, &error), HN_INVALID);
    assert_int_equal(hn_layer_gradient(layer, &good, NULL, memory, bytes, NULL), HN_INVALID);
    assert_int_equal(hn_layer_gradient(NULL, &good, &gradient, memory, bytes, NULL), HN_INVALID);
    assert_int_equal(hn_layer_gradient(layer, NULL, &gradient, memory, bytes, NULL), HN_INVALID);
    assert_int_equal(hn_pool_gradient(NULL, &good, &gradient, NULL), HN_INVALID);
    free(memory);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(a_tape_that_no_memory_holds_has_no_size) {
    hn_model *m = ring_model();
    hn_layer_options options = layer_method(HN_METHOD_PAPER);
    options.iterations = 1 << 30;
    hn_layer *layer = layer_of(m, options);
    assert_int_equal(hn_layer_tape_bytes(layer, SIZE_MAX / 8), 0);
    assert_int_equal(hn_layer_tape_bytes(layer, SIZE_MAX), 0);
    assert_true(hn_layer_tape_bytes(layer, 1) > (size_t)3 << 30);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(pools_refuse_what_makes_no_sense) {
    hn_model *m = ring_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_LM));
    hn_pool *pool = (hn_pool *)(void *)&m;
    hn_error error = {.text = ""};
    assert_int_equal(hn_pool_create(&pool, layer, -1, &error), HN_INVALID);
    assert_null(pool);
    assert_contains(error.text, "-1 threads");
    assert_int_equal(hn_pool_create(&pool, layer, 1 << 20, &error), HN_INVALID);
    assert_int_equal(hn_pool_create(&pool, NULL, 1, &error), HN_INVALID);
    assert_null(pool);
    hn_pool_destroy(NULL);
    assert_int_equal(hn_pool_create(&pool, layer, 0, &error), HN_OK);
    assert_true(hn_pool_threads(pool) >= 1);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
