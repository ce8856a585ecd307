/* test_part_sizes.c - the length of generated text is known before it is printed, and what would be long is left out.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_source.h"
#include "codegen/passes/size_limits.h"
#include "codegen/print/print.h"
#include "layer/driver.h"

static const struct generate_options portable = {HN_INSTRUCTIONS_PORTABLE, true};

static hn_layer *layer_and_no_model(hn_model *model, hn_method method) {
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_model_destroy(model);
    return layer;
}

/* ---- the prediction ---- */

/* How long the entries are as text, and how long they were said to be; short ones have little but their frame. */
static void compare_lengths(const struct ir_module *ir) {
    enum { SHORT = 4000 };
    bool *kept = print_kept(ir, false);
    assert_non_null(kept);
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        struct text text = {.bytes = NULL};
        size_t predicted;
        if (ir->entry[e].count == 0)
            continue;
        assert_true(parts_predict(ir, (enum kernel_entry)e, &predicted));
        assert_true(print_entry(&text, ir, (enum kernel_entry)e, kept, false));
        if (text.length > SHORT)
            assert_in_interval((double)predicted / (double)text.length, 0.4, 1.7);
        text_drop(&text);
    }
    base_release(kept);
}

static void check_lengths(hn_model *model, hn_method method) {
    hn_layer *layer = layer_and_no_model(model, method);
    struct ir_module ir;
    assert_int_equal(ir_create(&ir, layer->plan, true, NULL), HN_OK);
    compare_lengths(&ir);
    ir_release(&ir);
    hn_layer_destroy(layer);
}

TEST(the_length_of_a_text_is_predicted) {
    check_lengths(model_of_file("models/unicycle.mod"), HN_METHOD_AUTO);
    check_lengths(model_of_file("models/unicycle.mod"), HN_METHOD_PAPER);
    check_lengths(model_of_file("models/opf.mod"), HN_METHOD_AUTO);
    check_lengths(model_of_file("models/simplex.mod"), HN_METHOD_LM);
    check_lengths(dense_model(20, 30, 1), HN_METHOD_AUTO);
    check_lengths(bordered_model(60, 1, 2, 10), HN_METHOD_LM);
}

/* ---- choosing ---- */

/* Rows over pairs of random outputs: nothing repeats itself, so that the text grows with them. */
TEST(a_part_that_is_long_is_left_out_and_counted) {
    struct generated_text text;
    hn_layer *layer = layer_and_no_model(block_model(33, 155, 2, 1), HN_METHOD_HARDNET);
    assert_int_equal(generate_lanes(&text, layer->plan, &portable, NULL), HN_OK);
    assert_true(text.left > PART_MOST);
    assert_non_null(strstr(text.bytes, "entry_step_end(real"));
    assert_null(strstr(text.bytes, "entry_back_begin(real"));
    assert_null(strstr(text.bytes, "entry_back_program(real"));
    base_release(text.bytes);
    hn_layer_destroy(layer);
}

/* Long sums, too many of them: the listed kernels walk over the numbers, which no text is as short as. */
TEST(sums_of_many_numbers_are_left_out_and_counted) {
    for (size_t rows = 50; rows <= 60; rows += 10) {
        hn_layer *layer = layer_and_no_model(affine_model((struct affine_shape){rows, 900, 0, 0}, 1), HN_METHOD_PAPER);
        struct ir_module ir;
        assert_int_equal(ir_create(&ir, layer->plan, false, NULL), HN_OK);
        bool many = rows * 900 > 50000;
        assert_int_equal(ir.entry[KERNEL_EVALUATE].count == 0, many);
        assert_int_equal(ir.left > 0, many);
        ir_release(&ir);
        hn_layer_destroy(layer);
    }
}

TEST(small_models_have_all_of_their_parts) {
    struct generated_text text;
    hn_layer *layer = layer_and_no_model(model_of_file("models/unicycle.mod"), HN_METHOD_AUTO);
    assert_int_equal(generate_lanes(&text, layer->plan, &portable, NULL), HN_OK);
    assert_int_equal(text.left, 0);
    assert_non_null(strstr(text.bytes, "entry_back_program(real"));
    base_release(text.bytes);
    hn_layer_destroy(layer);
}
