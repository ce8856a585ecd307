/* test_network.c - making networks, their first weights, what is refused, and bits that depend on the sample only.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/numbers.h"

#include "base/random.h"
#include "nn/network_parts.h"

static hn_network_options example(int activation) {
    return (hn_network_options){.inputs = 3,
                                .outputs = 5,
                                .hidden_count = 2,
                                .hidden = {30, 17},
                                .activation = (hn_activation)activation,
                                .seed = 5};
}

static double *draw(uint64_t stream, size_t count) {
    struct random random = random_start(3, stream);
    double *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = 2 * random_normal(&random);
    return values;
}

/* One call on a workspace of just the size asked for, at an odd address. */
static void run(const hn_network *network, size_t count, const double *x, double *y) {
    size_t bytes = hn_network_workspace_bytes(network);
    char *memory = malloc(bytes + 1);
    hn_error error = {.text = ""};
    memset(memory, 0xff, bytes + 1);
    if (hn_network_run(network, count, x, y, memory + 1, bytes, &error) != HN_OK)
        fail_msg("%s", error.text);
    free(memory);
}

/* ---- making ---- */

TEST(activations_are_found_by_their_texts) {
    hn_activation found = HN_ACTIVATION_COUNT;
    for (int i = 0; i < HN_ACTIVATION_COUNT; i++) {
        assert_true(hn_activation_find(hn_activation_text((hn_activation)i), &found));
        assert_int_equal(found, i);
    }
    assert_false(hn_activation_find("gelu", &found));
    assert_false(hn_activation_find(NULL, &found));
    assert_string_equal(hn_activation_text(HN_ACTIVATION_COUNT), "unknown");
}

TEST(a_network_is_what_was_asked_for) {
    hn_network_options asked = example(HN_ACTIVATION_TANH), told;
    hn_network *network = network_with(asked);
    told = hn_network_options_of(network);
    assert_memory_equal(&told, &asked, sizeof told);
    assert_int_equal(hn_network_parameter_count(network), 3 * 30 + 30 + 30 * 17 + 17 + 17 * 5 + 5);
    assert_ptr_equal(hn_network_parameters(network), hn_network_parameters_of(network));
    assert_null(hn_network_metadata(network, "anything"));
    hn_network_destroy(network);
}

TEST(nothing_is_a_network_without_anything) {
    hn_network_destroy(NULL);
    assert_int_equal(hn_network_options_of(NULL).inputs, 0);
    assert_int_equal(hn_network_parameter_count(NULL), 0);
    assert_null(hn_network_parameters(NULL));
    assert_null(hn_network_parameters_of(NULL));
    assert_null(hn_network_metadata(NULL, "key"));
    assert_int_equal(hn_network_workspace_bytes(NULL), 0);
}

static void check_refused(const hn_network_options *options, hn_status status, const char *part) {
    hn_network *network = (hn_network *)(uintptr_t)&status;
    hn_error error = {.text = ""};
    assert_int_equal(hn_network_create(&network, options, &error), status);
    assert_null(network);
    assert_contains(error.text, part);
}

TEST(impossible_networks_are_refused_by_name) {
    hn_network_options options = example(HN_ACTIVATION_COUNT);
    check_refused(NULL, HN_INVALID, "options");
    check_refused(&options, HN_INVALID, "activation 3");
    options = example(0);
    options.inputs = 0;
    check_refused(&options, HN_INVALID, "at least one input");
    options = example(0);
    options.outputs = 0;
    check_refused(&options, HN_INVALID, "at least one output");
    options = example(0);
    options.hidden_count = HN_NETWORK_MOST_HIDDEN + 1;
    check_refused(&options, HN_LIMIT, "17 hidden layers");
    options = example(0);
    options.hidden[1] = 0;
    check_refused(&options, HN_INVALID, "hidden layer 1");
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 64, SIZE_MAX / 256};
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        options = example(0);
        options.hidden[0] = huge[i];
        check_refused(&options, HN_NO_MEMORY, "out of memory");
        options = example(0);
        options.inputs = huge[i];
        check_refused(&options, HN_NO_MEMORY, "out of memory");
    }
}

/* ---- first weights ---- */

/* Mean and deviation of the weights of layer k. */
static void measure(const hn_network *network, size_t k, double *mean, double *deviation) {
    size_t count = network->width[k] * network->width[k + 1];
    const double *weights = layer_weights(network, k);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
    }
    *mean = sum / (double)count;
    *deviation = sqrt(squares / (double)count - *mean * *mean);
}

TEST(first_weights_are_drawn_by_the_rule) {
    for (int activation = 0; activation < HN_ACTIVATION_COUNT; activation++) {
        hn_network_options options = {.inputs = 80, .outputs = 120, .hidden_count = 2, .hidden = {200, 100}};
        options.activation = (hn_activation)activation;
        hn_network *network = network_with(options);
        for (size_t k = 0; k < network->layers; k++) {
            double in = (double)network->width[k], out = (double)network->width[k + 1], mean, deviation;
            double expected = activation == HN_ACTIVATION_TANH ? sqrt(2 / (in + out)) : sqrt(2 / in);
            expected = k + 1 == network->layers ? 0.1 / sqrt(in) : expected;
            measure(network, k, &mean, &deviation);
            assert_in_interval(deviation / expected, 0.97, 1.03);
            assert_in_interval(mean / expected, -0.04, 0.04);
            for (size_t i = 0; i < network->width[k + 1]; i++)
                assert_true(layer_biases(network, k)[i] == 0);
        }
        hn_network_destroy(network);
    }
}

TEST(uniform_first_weights_and_biases_have_one_bound) {
    hn_network_options options = {
        .inputs = 80, .outputs = 120, .hidden_count = 2, .hidden = {200, 100}, .uniform = true};
    hn_network *network = network_with(options);
    for (size_t k = 0; k < network->layers; k++) {
        double most = 1 / sqrt((double)network->width[k]), mean, deviation, largest = 0;
        measure(network, k, &mean, &deviation);
        assert_in_interval(deviation / most * sqrt(3), 0.97, 1.03);
        assert_in_interval(mean / most, -0.04, 0.04);
        for (size_t i = network->first[k]; i < network->first[k + 1]; i++)
            assert_in_interval(network->parameters[i], -most, most);
        for (size_t i = 0; i < network->width[k + 1]; i++)
            largest = fmax(largest, fabs(layer_biases(network, k)[i]));
        assert_in_interval(largest / most, 0.9, 1);
    }
    hn_network_destroy(network);
}

TEST(the_seed_decides_the_first_weights) {
    hn_network_options options = example(0);
    hn_network *first = network_with(options), *second = network_with(options);
    options.seed++;
    hn_network *third = network_with(options);
    size_t bytes = hn_network_parameter_count(first) * sizeof(double);
    assert_memory_equal(hn_network_parameters(first), hn_network_parameters(second), bytes);
    assert_memory_not_equal(hn_network_parameters(first), hn_network_parameters(third), bytes);
    hn_network_destroy(first);
    hn_network_destroy(second);
    hn_network_destroy(third);
}

/* ---- shifts and scales ---- */

TEST(shifts_and_scales_are_applied) {
    hn_network_options options = {.inputs = 1, .outputs = 1};
    hn_network *network = network_with(options);
    double x = 5, y, w = hn_network_parameters(network)[0];
    run(network, 1, &x, &y);
    assert_true(y == w * 5);
    assert_int_equal(hn_network_set_input(network, (double[]){1}, (double[]){0.5}, NULL), HN_OK);
    assert_int_equal(hn_network_set_output(network, (double[]){100}, (double[]){-8}, NULL), HN_OK);
    run(network, 1, &x, &y);
    assert_true(y == 100 + -8 * (w * 2));
    hn_network_destroy(network);
}

TEST(shifts_and_scales_can_be_looked_at) {
    hn_network *network = network_with((hn_network_options){.inputs = 2, .outputs = 1});
    double shift[2], scale[2];
    hn_error error = {.text = ""};
    assert_int_equal(hn_network_get_input(network, shift, scale, &error), HN_OK);
    assert_true(shift[0] == 0 && shift[1] == 0 && scale[0] == 1 && scale[1] == 1);
    assert_int_equal(hn_network_set_input(network, (double[]){1, 2}, (double[]){3, -4}, NULL), HN_OK);
    assert_int_equal(hn_network_get_input(network, shift, scale, &error), HN_OK);
    assert_true(shift[0] == 1 && shift[1] == 2 && scale[0] == 3 && scale[1] == -4);
    assert_int_equal(hn_network_set_output(network, (double[]){100}, (double[]){-8}, NULL), HN_OK);
    assert_int_equal(hn_network_get_output(network, shift, scale, &error), HN_OK);
    assert_true(shift[0] == 100 && scale[0] == -8);
    assert_int_equal(hn_network_get_output(network, NULL, scale, &error), HN_INVALID);
    assert_string_equal(error.subject, "shift");
    assert_int_equal(hn_network_get_input(network, shift, NULL, &error), HN_INVALID);
    assert_string_equal(error.subject, "scale");
    hn_network_destroy(network);
}

static void check_scaling_refused(hn_network *network, double shift, double scale, const char *part) {
    double shifts[5] = {0, 0, shift, 0, 0}, scales[5] = {1, 1, scale, 1, 1};
    hn_error error = {.text = ""};
    assert_error(hn_network_set_input(network, shifts, scales, &error), HN_INVALID, error, "input s");
    assert_contains(error.text, part);
    assert_error(hn_network_set_output(network, shifts, scales, &error), HN_INVALID, error, "output s");
    assert_contains(error.text, part);
}

TEST(bad_shifts_and_scales_are_refused_and_change_nothing) {
    hn_network *network = network_with(example(0));
    check_scaling_refused(network, NAN, 1, "shift 2 is NaN");
    check_scaling_refused(network, -INFINITY, 1, "shift 2 is -Infinity");
    check_scaling_refused(network, 0, 0, "scale 2 is 0");
    check_scaling_refused(network, 0, INFINITY, "scale 2 is Infinity");
    check_scaling_refused(network, 0, NAN, "scale 2 is NaN");
    for (size_t i = 0; i < 3; i++)
        assert_true(network->input.shift[i] == 0 && network->input.scale[i] == 1 && network->output.scale[i] == 1);
    hn_error error;
    double some[5] = {1, 1, 1, 1, 1};
    assert_error(hn_network_set_input(network, NULL, some, &error), HN_INVALID, error, "input shift");
    assert_error(hn_network_set_output(network, some, NULL, &error), HN_INVALID, error, "output scale");
    assert_int_equal(hn_network_set_input(NULL, some, some, &error), HN_INVALID);
    assert_int_equal(hn_network_set_output(NULL, some, some, &error), HN_INVALID);
    hn_network_destroy(network);
}

/* ---- running ---- */

TEST(a_sample_has_the_same_bits_in_any_batch_on_any_instruction_set) {
    enum { COUNT = 200 };
    static const size_t counts[] = {1, 2, 3, 4, 5, 8, 63, 64, 65, 128, 150};
    double *x = draw(1, COUNT * 3), expected[COUNT * 5], y[COUNT * 5];
    for (int activation = 0; activation < HN_ACTIVATION_COUNT; activation++) {
        hn_network *network = network_with(example(activation));
        run(network, COUNT, x, expected);
        for (size_t k = 0; backend_at(k, &network->backend); k++)
            for (size_t i = 0; i < COUNT_OF(counts); i++)
                for (size_t start = 0; start + counts[i] <= COUNT; start += 41) {
                    run(network, counts[i], x + 3 * start, y);
                    assert_memory_equal(y, expected + 5 * start, counts[i] * 5 * sizeof *y);
                }
        hn_network_destroy(network);
    }
    free(x);
}

TEST(a_bad_sample_changes_nothing_in_its_neighbours) {
    enum { COUNT = 70 };
    double *x = draw(1, COUNT * 3), expected[COUNT * 5], y[COUNT * 5];
    for (int activation = 0; activation < HN_ACTIVATION_COUNT; activation++) {
        hn_network *network = network_with(example(activation));
        run(network, COUNT, x, expected);
        double kept = x[3 * 33 + 1];
        x[3 * 33 + 1] = NAN;
        run(network, COUNT, x, y);
        x[3 * 33 + 1] = kept;
        assert_memory_equal(y, expected, 33 * 5 * sizeof *y);
        assert_memory_equal(y + 34 * 5, expected + 34 * 5, (COUNT - 34) * 5 * sizeof *y);
        for (size_t i = 0; i < 5; i++)
            assert_true(isnan(y[33 * 5 + i]));
        hn_network_destroy(network);
    }
    free(x);
}

static void check_run_refused(const hn_network *network, const double *x, double *y, size_t bytes, const char *part) {
    static char workspace[1 << 16];
    hn_error error = {.text = ""};
    assert_error(hn_network_run(network, 1, x, y, bytes ? workspace : NULL, bytes, &error), HN_INVALID, error, part);
}

TEST(a_run_without_its_parts_is_refused) {
    hn_network *network = network_with(example(0));
    size_t bytes = hn_network_workspace_bytes(network);
    double x[3] = {0}, y[5];
    assert_true(bytes < 1 << 16);
    check_run_refused(NULL, x, y, bytes, "no network");
    check_run_refused(network, NULL, y, bytes, "x is missing; it has 3 inputs");
    check_run_refused(network, x, NULL, bytes, "y, where");
    check_run_refused(network, x, y, bytes - 1, "the network needs");
    check_run_refused(network, x, y, 0, "the workspace has 0 bytes");
    assert_int_equal(hn_network_run(network, 0, NULL, NULL, NULL, 0, NULL), HN_OK);
    hn_network_destroy(network);
}
