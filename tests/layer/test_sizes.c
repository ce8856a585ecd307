/* test_sizes.c - a layer called by a program that was compiled with shorter or longer structs than the library's.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "hardnet/read.h"

enum { COUNT = 20 };

/* A circle that y is corrected onto. */
static hn_model *circle(void) {
    return model_of_text("var a; var b; circle: a*a + b*b = 1;");
}

static void fill(double *raw) {
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
        raw[i] = 0.3 + 0.1 * (double)i;
}

/* Reports of these many bytes each are what whole ones begin with, and nothing is written between or behind them. */
static void check_stride(const hn_layer *layer, size_t size) {
    double raw[2 * COUNT], y[2 * COUNT], again[2 * COUNT];
    hn_report whole[COUNT];
    size_t common = size < sizeof *whole ? size : sizeof *whole;
    unsigned char *bytes = malloc(COUNT * size + 8);
    fill(raw);
    memset(bytes, 0xab, COUNT * size + 8);
    hn_batch batch = {.size = sizeof batch, .count = COUNT, .y_raw = raw, .y = y};
    batch.report_size = sizeof *whole;
    batch.reports = whole;
    layer_run(layer, &batch);
    batch.y = again;
    batch.report_size = size;
    batch.reports = (hn_report *)(void *)bytes;
    layer_run(layer, &batch);
    assert_memory_equal(y, again, sizeof y);
    for (size_t i = 0; i < COUNT; i++) {
        assert_memory_equal(bytes + i * size, &whole[i], common);
        for (size_t k = common; k < size; k++)
            assert_int_equal(bytes[i * size + k], 0);
    }
    for (size_t k = 0; k < 8; k++)
        assert_int_equal(bytes[COUNT * size + k], 0xab);
    free(bytes);
}

TEST(reports_have_the_size_that_the_caller_knows) {
    hn_model *model = circle();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    check_stride(layer, offsetof(hn_report, culprit));
    check_stride(layer, offsetof(hn_report, violation));
    check_stride(layer, sizeof(hn_report) + 24);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(gradients_read_reports_of_any_size) {
    static const size_t sizes[] = {sizeof(hn_report), offsetof(hn_report, culprit), sizeof(hn_report) + 8};
    hn_model *model = circle();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    double raw[2 * COUNT], y[2 * COUNT], first[2 * COUNT], grad[2 * COUNT];
    fill(raw);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        void *tape = malloc(hn_layer_tape_bytes(layer, COUNT));
        hn_batch batch = {.size = sizeof batch, .count = COUNT, .y_raw = raw, .y = y, .tape = tape};
        batch.report_size = sizes[i];
        batch.reports = malloc(COUNT * sizes[i]);
        hn_gradient gradient = {.size = sizeof gradient, .grad_y = raw, .grad_y_raw = grad};
        layer_run(layer, &batch);
        layer_pull(layer, &batch, &gradient);
        if (i == 0)
            memcpy(first, grad, sizeof first);
        assert_memory_equal(grad, first, sizeof first);
        free(batch.reports);
        free(tape);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* What stands behind a batch that ends early is not looked at; what stands at the end of a longer one must be zero. */
TEST(a_batch_may_be_shorter_or_longer) {
    hn_model *model = circle();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    hn_pool *pool;
    hn_error error;
    double raw[2 * COUNT], y[2 * COUNT];
    fill(raw);
    struct {
        hn_batch batch;
        double later;
    } newer = {.batch = {.count = COUNT, .y_raw = raw, .y = y, .seconds = -1}};
    assert_int_equal(hn_pool_create(&pool, layer, 2, &error), HN_OK);
    newer.batch.size = offsetof(hn_batch, seconds);
    assert_int_equal(hn_pool_run(pool, &newer.batch, &error), HN_OK);
    newer.batch.size = sizeof newer.batch;
    assert_int_equal(hn_pool_run(pool, &newer.batch, &error), HN_INVALID);
    assert_string_equal(error.subject, "batch.seconds");
    newer.batch.seconds = 0;
    newer.batch.size = sizeof newer;
    assert_int_equal(hn_pool_run(pool, &newer.batch, &error), HN_OK);
    newer.later = 1;
    assert_int_equal(hn_pool_run(pool, &newer.batch, &error), HN_UNSUPPORTED);
    assert_int_equal(error.code, HN_CODE_STRUCT);
    assert_string_equal(error.subject, "hn_batch");
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(what_was_never_given_a_size_is_refused_by_name) {
    hn_model *model = circle(), *made;
    hn_layer *layer = layer_of(model, hn_layer_defaults()), *other;
    hn_error error;
    double raw[2] = {1, 2}, y[2];
    unsigned char tape[64], workspace[64];
    hn_report report;
    hn_batch batch = {.count = 1, .y_raw = raw, .y = y};
    assert_int_equal(hn_layer_run(layer, &batch, workspace, sizeof workspace, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_batch");
    batch.size = sizeof batch;
    batch.reports = &report;
    assert_int_equal(hn_layer_run(layer, &batch, workspace, sizeof workspace, &error), HN_INVALID);
    assert_string_equal(error.subject, "batch.report_size");
    batch.report_size = sizeof report;
    batch.tape = tape;
    hn_gradient gradient = {.grad_y = raw, .grad_y_raw = y};
    assert_int_equal(hn_layer_gradient(layer, &batch, &gradient, workspace, sizeof workspace, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_gradient");
    assert_int_equal(hn_layer_create(&other, model, &(hn_layer_options){.damping = 1}, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_layer_options");
    assert_int_equal(hn_model_create(&made, &(hn_model_options){.max_nodes = 1}, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_model_options");
    assert_int_equal(hn_model_read_memory(&made, 0, NULL, &(hn_read_options){.max_nodes = 1}, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_read_options");
    hn_row_info row = {.size = 0};
    assert_int_equal(hn_model_get_row(model, 0, &row, &error), HN_INVALID);
    assert_string_equal(error.subject, "hn_row_info");
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* The first bytes of a larger struct serve as the struct of an older program. */
TEST(what_is_given_out_ends_where_the_caller_s_struct_ends) {
    hn_model *model = circle();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    hn_row_info row, part;
    hn_layer_info info;
    memset(&part, 0xab, sizeof part);
    row.size = sizeof row;
    part.size = offsetof(hn_row_info, lower);
    assert_int_equal(hn_model_get_row(model, 0, &row, NULL), HN_OK);
    assert_int_equal(hn_model_get_row(model, 0, &part, NULL), HN_OK);
    assert_string_equal(part.name, "circle");
    assert_int_equal(part.size, offsetof(hn_row_info, lower));
    assert_int_equal(((unsigned char *)&part)[offsetof(hn_row_info, lower)], 0xab);
    memset(&info, 0xab, sizeof info);
    info.size = offsetof(hn_layer_info, rows);
    assert_int_equal(hn_layer_get_info(layer, &info, NULL), HN_OK);
    assert_int_equal(info.outputs, 2);
    assert_int_equal(((unsigned char *)&info)[offsetof(hn_layer_info, rows)], 0xab);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
