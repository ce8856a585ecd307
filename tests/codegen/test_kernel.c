/* test_kernel.c - a kernel is loaded where it belongs, and refused everywhere else.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/run_layer.h"
#include "support/scratch.h"
#include "support/shape_models.h"

#include "base/memory.h"
#include "layer/driver.h"

static const struct generate_options portable = {HN_INSTRUCTIONS_PORTABLE, true};

static hn_layer *layer_with(size_t rows, hn_method method) {
    hn_model *model = dense_model(rows, 6, 1);
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_model_destroy(model);
    return layer;
}

static char *text_of(const hn_layer *layer) {
    struct generated_text text;
    assert_int_equal(generate_lanes(&text, layer->plan, &portable, NULL), HN_OK);
    assert_int_equal(strlen(text.bytes), text.length);
    assert_int_equal(text.left, 0);
    return text.bytes;
}

TEST(the_same_plan_gives_the_same_text) {
    hn_layer *a = layer_with(4, HN_METHOD_AUTO), *b = layer_with(4, HN_METHOD_AUTO),
             *c = layer_with(4, HN_METHOD_PAPER);
    char *texts[] = {text_of(a), text_of(b), text_of(c)};
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; i++)
        base_release(texts[i]);
    hn_layer_destroy(a);
    hn_layer_destroy(b);
    hn_layer_destroy(c);
}

/* Long rows of numbers times outputs; whether the bits are right is asked when the kernel is opened. */
TEST(a_kernel_has_rows_of_a_matrix) {
    const struct scratch *scratch = *state;
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_AUTO};
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_model *model = affine_model((struct affine_shape){3, 20, 2, 0}, 1);
        hn_layer *layer = layer_of(model, layer_method(methods[i]));
        struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, portable, "-O1");
        assert_true(layer->plan->program.coefficients.count >= 40);
        kernel_close(kernel);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}

/* A full system goes one sample at a time, and so do its kernels. */
TEST(a_kernel_beside_a_full_system_takes_one_sample) {
    const struct scratch *scratch = *state;
    hn_model *model = affine_model((struct affine_shape){50, 52, 4, 0}, 6);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_LM));
    assert_int_equal(layer->plan->system.kind, FACTOR_TILED);
    kernel_close(compiled_kernel(scratch->folder, layer->plan, portable, "-O1"));
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* The text compiled with one place of it changed, and opened for the plan. */
static hn_status open_changed(const struct scratch *scratch, const hn_layer *layer, const char *from, const char *to,
                              hn_error *error) {
    const char *path = scratch_path(scratch, "changed.so");
    char *text = text_of(layer), *place = strstr(text, from);
    struct kernel *kernel;
    assert_non_null(place);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(place, to, strlen(to));
    assert_true(compile_text(text, path, HN_INSTRUCTIONS_PORTABLE, "-O1"));
    hn_status status = kernel_open(&kernel, path, layer->plan, HN_INSTRUCTIONS_PORTABLE, error);
    kernel_close(kernel);
    remove(path);
    base_release(text);
    return status;
}

TEST(a_kernel_that_is_wrong_is_refused) {
    struct scratch *scratch = *state;
    hn_layer *layer = layer_with(4, HN_METHOD_PAPER);
    hn_error error;
    assert_int_equal(open_changed(scratch, layer, "generated", "generated", &error), HN_OK);
    assert_int_equal(open_changed(scratch, layer, "KERNEL_VERSION = 4", "KERNEL_VERSION = 9", &error), HN_INVALID);
    assert_contains(error.text, "version 9");
    assert_int_equal(
        open_changed(scratch, layer, "less_equal(worst, round->best)", "less_equal(round->best, worst)", &error),
        HN_UNSUPPORTED);
    assert_contains(error.text, "the best y");
    assert_int_equal(open_changed(scratch, layer, "(size_t)step * OUTPUTS", "(size_t)step / OUTPUTS", &error),
                     HN_UNSUPPORTED);
    assert_contains(error.text, "after steps back");
    hn_layer_destroy(layer);
}

TEST(a_kernel_of_another_plan_is_refused) {
    struct scratch *scratch = *state;
    hn_layer *own = layer_with(4, HN_METHOD_PAPER),
             *others[] = {layer_with(5, HN_METHOD_PAPER), layer_with(4, HN_METHOD_AUTO)};
    const char *path = scratch_path(scratch, "own.so");
    struct kernel *kernel;
    hn_error error;
    char *text = text_of(own);
    assert_true(compile_text(text, path, HN_INSTRUCTIONS_PORTABLE, "-O1"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kernel_open(&kernel, path, others[i]->plan, HN_INSTRUCTIONS_PORTABLE, &error), HN_INVALID);
        assert_null(kernel);
        assert_contains(error.text, "another model");
        assert_contains(error.text, path);
        hn_layer_destroy(others[i]);
    }
    base_release(text);
    hn_layer_destroy(own);
}

TEST(what_is_no_kernel_is_refused) {
    struct scratch *scratch = *state;
    hn_layer *layer = layer_with(4, HN_METHOD_PAPER);
    const char *path = scratch_path(scratch, "none.so");
    struct kernel *kernel;
    hn_error error;
    assert_int_equal(kernel_open(&kernel, path, layer->plan, HN_INSTRUCTIONS_BEST, &error), HN_IO);
    assert_null(kernel);
    assert_contains(error.text, path);
    assert_true(compile_text("int nothing;", path, HN_INSTRUCTIONS_PORTABLE, "-O1"));
    assert_int_equal(kernel_open(&kernel, path, layer->plan, HN_INSTRUCTIONS_BEST, &error), HN_INVALID);
    assert_contains(error.text, "not a kernel");
    kernel_close(NULL);
    hn_layer_destroy(layer);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
