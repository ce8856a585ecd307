/* test_beginning.c - where a training begins: inputs from their boxes, shifts and scales of a network.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

#include "hardnet/hardnet.h"

/* u is bounded, a[..] are not; the start of a[1] follows the input, that of a[2] does not. */
static const char words[] = "param x{1..2} >= -1, <= 3;\n"
                            "check: x[1] + x[2] >= 1;\n"
                            "var a{i in 1..2} := if i = 1 then x[1] else 5;\n"
                            "var u >= -2, <= 8, := 1;\n"
                            "var b := 2;\n"
                            "minimize f: u^2;\n"
                            "subject to free: a[1] + u <= 1000;\n";

static hn_model *read_words(const char *bytes) {
    hn_model *model;
    hn_error error = {.text = ""};
    const hn_text text = {"text", bytes, strlen(bytes)};
    if (hn_model_read_memory(&model, 1, &text, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

TEST(inputs_lie_in_their_box_and_meet_the_requirements) {
    enum { COUNT = 500 };
    hn_model *model = read_words(words);
    double x[2 * COUNT], again[2 * 7], other[2 * 7], mean = 0;
    assert_int_equal(hn_sample_inputs(model, 3, 4, COUNT, x, NULL), HN_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(x[2 * i] >= -1 && x[2 * i] <= 3 && x[2 * i + 1] >= -1 && x[2 * i + 1] <= 3);
        assert_true(x[2 * i] + x[2 * i + 1] >= 1);
        mean += (x[2 * i] + x[2 * i + 1]) / COUNT;
    }
    assert_true(mean > 2.4 && mean < 3.1); /* (1 + integral) of the half that is left: 2.74 */
    assert_int_equal(hn_sample_inputs(model, 3, 4, 7, again, NULL), HN_OK);
    assert_memory_equal(again, x, sizeof again);
    assert_int_equal(hn_sample_inputs(model, 3, 5, 7, other, NULL), HN_OK);
    assert_memory_not_equal(other, x, sizeof other);
    assert_int_equal(hn_sample_inputs(model, 4, 4, 7, other, NULL), HN_OK);
    assert_memory_not_equal(other, x, sizeof other);
    hn_model_destroy(model);
}

TEST(requirements_that_nothing_meets_are_an_error) {
    hn_model *model = read_words("param x >= 0, <= 1; check: x >= 2; var y; subject to c: y >= x;");
    hn_error error = {.text = ""};
    double x;
    assert_error(hn_sample_inputs(model, 1, 1, 1, &x, &error), HN_UNSUPPORTED, error, "check: conditions");
    hn_model_destroy(model);
}

static hn_network *network_of(size_t inputs, size_t outputs) {
    const hn_network_options options = {.inputs = inputs, .outputs = outputs};
    return network_with(options);
}

static double deviation_of(const double *values, size_t stride, size_t count, double *mean) {
    double squares = 0;
    *mean = 0;
    for (size_t i = 0; i < count; i++)
        *mean += values[i * stride] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i * stride] - *mean) * (values[i * stride] - *mean) / (double)count;
    return sqrt(squares);
}

TEST(scales_follow_boxes_starts_and_bounds) {
    enum { COUNT = 100 };
    hn_model *model = read_words(words);
    hn_network *network = network_of(2, 8); /* two candidates */
    double x[2 * COUNT], shift[8], scale[8], mean;
    assert_int_equal(hn_sample_inputs(model, 1, 1, COUNT, x, NULL), HN_OK);
    const hn_scaling scaling = {.count = COUNT, .x = x, .threads = 1};
    assert_int_equal(hn_network_scale(network, model, &scaling, NULL), HN_OK);
    hn_network_get_input(network, shift, scale, NULL);
    assert_true(shift[0] == 1 && shift[1] == 1 && scale[0] == 0.5 && scale[1] == 0.5);
    double spread = deviation_of(x, 2, COUNT, &mean);
    hn_network_get_output(network, shift, scale, NULL);
    assert_true(fabs(shift[0] - mean) < 1e-12 && fabs(scale[0] - spread) < 1e-12);
    assert_true(shift[1] == 5 && fabs(scale[1] - 0.3 * spread) < 1e-12); /* as is usual in its family */
    assert_true(shift[2] == 1 && fabs(scale[2] - 0.15 * 10) < 1e-12);    /* a share of its bounds */
    assert_true(shift[3] == 2 && fabs(scale[3] - 0.3 * spread) < 1e-12); /* as is usual in the model */
    assert_memory_equal(shift + 4, shift, 4 * sizeof *shift);
    assert_memory_equal(scale + 4, scale, 4 * sizeof *scale);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(scales_of_inputs_follow_rows_where_they_are_given) {
    hn_model *model = read_words(words);
    hn_network *network = network_of(2, 2);
    const double rows[] = {0, 7, 2, 7};
    const size_t columns[] = {2, 0};
    double shift[2], scale[2];
    const hn_scaling scaling = {
        .count = 2, .x = rows, .data_count = 2, .data = rows, .columns = columns, .column_count = 2, .threads = 1};
    assert_int_equal(hn_network_scale(network, model, &scaling, NULL), HN_OK);
    hn_network_get_input(network, shift, scale, NULL);
    assert_true(shift[0] == 1 && scale[0] == 1 && shift[1] == 7 && scale[1] == 1); /* one without spread is left */
    hn_network_get_output(network, shift, scale, NULL);
    assert_true(shift[0] == 1 && shift[1] == 1); /* u, then a[1] */
    hn_network_destroy(network);
    hn_model_destroy(model);
}

static void check_not_scaled(const hn_model *model, size_t outputs, hn_scaling scaling, const char *part) {
    hn_network *network = network_of(hn_model_input_count(model), outputs);
    hn_error error = {.text = ""};
    assert_error(hn_network_scale(network, model, &scaling, &error), HN_INVALID, error, part);
    hn_network_destroy(network);
}

TEST(what_cannot_be_scaled_is_refused_by_name) {
    hn_model *model = read_words(words), *open = read_words("param p >= 0; var y; subject to c: y >= p;");
    const double x[2] = {1, 1};
    const size_t beyond[] = {4};
    check_not_scaled(model, 5, (hn_scaling){.count = 1, .x = x}, "2 inputs and 5 outputs");
    check_not_scaled(model, 4, (hn_scaling){.count = 0, .x = x}, "x is NULL");
    check_not_scaled(model, 4, (hn_scaling){.count = 1}, "x is NULL");
    check_not_scaled(model, 4, (hn_scaling){.count = 1, .x = x, .data = x}, "data is NULL");
    check_not_scaled(model, 4, (hn_scaling){.count = 1, .x = x, .columns = beyond, .column_count = 1}, "no column 4");
    check_not_scaled(open, 1, (hn_scaling){.count = 1, .x = x}, "input p has no finite range");
    hn_model_destroy(model);
    hn_model_destroy(open);
}
