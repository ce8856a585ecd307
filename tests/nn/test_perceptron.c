/* test_perceptron.c - gradients of the parameters against the complex step and against central differences.
 *
 * The loss is c'y summed over samples, with a random c per sample. A tiny imaginary part in one parameter carries the derivative
 * by it through an independent forward pass in complex arithmetic, without any difference being taken.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/memory.h"
#include "base/random.h"
#include "nn/network_parts.h"

#include <complex.h>

enum { MOST_WIDTH = 64 };

static const hn_network_options shapes[] = {
    {.inputs = 3, .outputs = 5, .hidden_count = 2, .hidden = {7, 9}},
    {.inputs = 1, .outputs = 1, .hidden_count = 1, .hidden = {1}},
    {.inputs = 4, .outputs = 2, .hidden_count = 0},
    {.inputs = 10, .outputs = 26, .hidden_count = 1, .hidden = {25}},
    {.inputs = 2, .outputs = 3, .hidden_count = 4, .hidden = {8, 3, 16, 5}},
    {.inputs = 2, .outputs = 3, .hidden_count = 4, .hidden = {9, 9, 9, 5}, .residual = true},
    {.inputs = 2, .outputs = 3, .hidden_count = 3, .hidden = {8, 2, 17}, .layer_norm = true},
    {.inputs = 3, .outputs = 4, .hidden_count = 5, .hidden = {7, 7, 11, 11, 11}, .residual = true, .layer_norm = true},
};

static double *draw(uint64_t stream, size_t count) {
    struct random random = random_start(11, stream);
    double *values = malloc((count + 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(&random);
    return values;
}

/* All parameters, shifts and scales drawn: biases and last layers as large as the rest. */
static hn_network *make(hn_network_options options, int activation) {
    hn_network *network;
    options.activation = (hn_activation)activation;
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    size_t count = hn_network_parameter_count(network);
    double *parameters = draw(1, count), *a = draw(2, MOST_WIDTH), *b = draw(3, MOST_WIDTH);
    for (size_t i = 0; i < count; i++)
        hn_network_parameters(network)[i] = 0.5 * parameters[i];
    assert_int_equal(hn_network_set_input(network, a, b, NULL), HN_OK);
    assert_int_equal(hn_network_set_output(network, b, a, NULL), HN_OK);
    free(parameters);
    free(a);
    free(b);
    return network;
}

/* ---- a plain network over complex numbers ---- */

static double complex activate(hn_activation kind, double complex z) {
    if (kind == HN_ACTIVATION_RELU)
        return creal(z) > 0 ? z : 0;
    return kind == HN_ACTIVATION_TANH ? ctanh(z) : z / (1 + cexp(-z));
}

/* Mean and variance as they are defined. */
static void normalize_plainly(double complex *z, size_t count) {
    double complex mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++)
        mean += z[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        variance += (z[i] - mean) * (z[i] - mean) / (double)count;
    for (size_t i = 0; i < count; i++)
        z[i] = (z[i] - mean) / csqrt(variance + 1e-5);
}

/* The loss of one sample with i times step added to parameter `which`. */
static double complex plain_loss(const hn_network *network, const double *x, const double *c, size_t which,
                                 double step) {
    double complex h[MOST_WIDTH], z[MOST_WIDTH], before[MOST_WIDTH], loss = 0;
    const hn_network_options *o = &network->options;
    for (size_t i = 0; i < network->width[0]; i++)
        h[i] = (x[i] - network->input.shift[i]) * network->input.scale[i];
    for (size_t k = 0; k < network->layers; k++) {
        size_t in = network->width[k], out = network->width[k + 1], first = network->first[k];
        for (size_t j = 0; j < out; j++) {
            size_t bias = first + in * out + j;
            z[j] = network->parameters[bias] + (bias == which ? step * I : 0);
            for (size_t i = 0; i < in; i++) {
                size_t weight = first + j * in + i;
                z[j] += (network->parameters[weight] + (weight == which ? step * I : 0)) * h[i];
            }
        }
        bool hidden = k + 1 < network->layers, joins = o->residual && k > 0 && hidden && in == out;
        for (size_t j = 0; j < out; j++)
            before[j] = z[j] = joins ? z[j] + before[j] : z[j];
        if (o->layer_norm && hidden)
            normalize_plainly(z, out);
        for (size_t j = 0; j < out; j++)
            h[j] = hidden ? activate(o->activation, z[j]) : z[j];
    }
    for (size_t j = 0; j < network->width[network->layers]; j++)
        loss += c[j] * (network->output.shift[j] + network->output.scale[j] * h[j]);
    return loss;
}

static double complex_step(const hn_network *network, size_t count, const double *x, const double *c, size_t which) {
    static const double step = 1e-40;
    double sum = 0;
    for (size_t s = 0; s < count; s++)
        sum +=
            cimag(plain_loss(network, x + s * network->options.inputs, c + s * network->options.outputs, which, step)) /
            step;
    return sum;
}

/* ---- ours ---- */

static double loss_of(const hn_network *network, struct perceptron_memory *memory, size_t count, const double *x,
                      const double *c) {
    size_t outputs = count * network->options.outputs;
    double *y = malloc((outputs + 1) * sizeof *y), sum = 0;
    perceptron_forward(memory, count, x, y);
    for (size_t i = 0; i < outputs; i++)
        sum += c[i] * y[i];
    free(y);
    return sum;
}

struct check {
    hn_network *network;
    struct perceptron_memory *memory;
    size_t count;
    const double *x, *c;
    double loss;
};

static double loss_moved(const struct check *check, size_t i, double step) {
    double *own = &check->network->parameters[i], kept = *own;
    *own = kept + step;
    double loss = loss_of(check->network, check->memory, check->count, check->x, check->c);
    *own = kept;
    return loss;
}

/* Differences are not taken where relu has a bend between the two points: there the one to the left is not the one to
 * the right. */
static void check_parameter(const struct check *check, size_t i, double gradient) {
    static const double step = 1e-5;
    double exact = complex_step(check->network, check->count, check->x, check->c, i);
    double limit = 1e-11 * (1 + fabs(exact));
    assert_in_interval(gradient - exact, -limit, limit);
    double above = loss_moved(check, i, step), below = loss_moved(check, i, -step);
    limit = 1e-7 * (1 + fabs(exact) + fabs(check->loss));
    bool bend = fabs(above + below - 2 * check->loss) / step > limit;
    if (check->network->options.activation == HN_ACTIVATION_RELU && bend)
        return;
    assert_in_interval(gradient - (above - below) / (2 * step), -limit, limit);
}

static void check_network(hn_network *network, size_t count) {
    size_t parameters = hn_network_parameter_count(network);
    double *x = draw(4, count * network->options.inputs), *c = draw(5, count * network->options.outputs);
    double *gradient = calloc(parameters, sizeof *gradient);
    struct perceptron_memory memory = perceptron_memory_of(network, count);
    void *block = layout_allocate(perceptron_place_training, &memory);
    assert_non_null(block);
    double loss = loss_of(network, &memory, count, x, c), plain = 0;
    perceptron_backward(&memory, count, c, gradient);
    for (size_t s = 0; s < count; s++)
        plain +=
            creal(plain_loss(network, x + s * network->options.inputs, c + s * network->options.outputs, SIZE_MAX, 0));
    assert_in_interval(loss - plain, -1e-12 * (1 + fabs(plain)), 1e-12 * (1 + fabs(plain)));
    struct check check = {network, &memory, count, x, c, loss};
    for (size_t i = 0; i < parameters; i++)
        check_parameter(&check, i, gradient[i]);
    base_release(block);
    free(x);
    free(c);
    free(gradient);
}

TEST(gradients_agree_with_the_complex_step_and_with_differences) {
    static const size_t counts[] = {1, 3, 20};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int activation = 0; activation < HN_ACTIVATION_COUNT; activation++) {
            hn_network *network = make(shapes[i], activation);
            for (size_t k = 0; k < COUNT_OF(counts); k++)
                check_network(network, counts[k]);
            hn_network_destroy(network);
        }
}

/* The gradient of all samples, a chunk at a time. */
static double *gradient_in_chunks(const hn_network *network, size_t count, size_t chunk, const double *x,
                                  const double *c) {
    size_t parameters = hn_network_parameter_count(network), in = network->options.inputs,
           out = network->options.outputs;
    double *gradient = calloc(parameters, sizeof *gradient), *y = malloc(count * out * sizeof *y);
    struct perceptron_memory memory = perceptron_memory_of(network, chunk);
    void *block = layout_allocate(perceptron_place_training, &memory);
    assert_non_null(block);
    for (size_t s = 0; s < count; s += chunk) {
        size_t own = count - s < chunk ? count - s : chunk;
        perceptron_forward(&memory, own, x + s * in, y);
        perceptron_backward(&memory, own, c + s * out, gradient);
    }
    base_release(block);
    free(y);
    return gradient;
}

TEST(gradients_have_the_same_bits_in_any_chunks_on_any_instruction_set) {
    enum { COUNT = 61 };
    static const size_t chunks[] = {1, 2, 7, 16, 60};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        hn_network *network = make(shapes[i], (int)i % HN_ACTIVATION_COUNT);
        size_t bytes = hn_network_parameter_count(network) * sizeof(double);
        double *x = draw(4, COUNT * shapes[i].inputs), *c = draw(5, COUNT * shapes[i].outputs);
        double *expected = gradient_in_chunks(network, COUNT, COUNT, x, c);
        for (size_t k = 0; backend_at(k, &network->backend); k++)
            for (size_t q = 0; q < COUNT_OF(chunks); q++) {
                double *gradient = gradient_in_chunks(network, COUNT, chunks[q], x, c);
                assert_memory_equal(gradient, expected, bytes);
                free(gradient);
            }
        free(expected);
        free(x);
        free(c);
        hn_network_destroy(network);
    }
}

TEST(the_way_there_is_what_a_run_computes) {
    enum { COUNT = 100 };
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        hn_network *network = make(shapes[i], HN_ACTIVATION_SILU);
        size_t bytes = hn_network_workspace_bytes(network), outputs = COUNT * shapes[i].outputs;
        double *x = draw(4, COUNT * shapes[i].inputs), *y = draw(5, outputs), *expected = draw(6, outputs);
        void *workspace = malloc(bytes);
        struct perceptron_memory memory = perceptron_memory_of(network, COUNT);
        void *block = layout_allocate(perceptron_place_training, &memory);
        assert_non_null(block);
        perceptron_forward(&memory, COUNT, x, expected);
        assert_int_equal(hn_network_run(network, COUNT, x, y, workspace, bytes, NULL), HN_OK);
        assert_memory_equal(y, expected, outputs * sizeof *y);
        base_release(block);
        hn_network_destroy(network);
        free(workspace);
        free(x);
        free(y);
        free(expected);
    }
}

/* One sample in scalar code that knows only the formulas of hardnet/network.h and the order of its sums. */
static void run_plainly(const hn_network *network, const double *x, double *y) {
    const hn_network_options *o = &network->options;
    double h[MOST_WIDTH], z[MOST_WIDTH], before[MOST_WIDTH];
    for (size_t i = 0; i < o->inputs; i++)
        h[i] = (x[i] - network->input.shift[i]) * network->input.scale[i];
    for (size_t k = 0; k < network->layers; k++) {
        size_t in = network->width[k], out = network->width[k + 1];
        const double *w = network->parameters + network->first[k];
        bool hidden = k + 1 < network->layers;
        double sum = 0, squares = 0;
        for (size_t j = 0; j < out; j++) {
            z[j] = w[in * out + j];
            for (size_t i = 0; i < in; i++)
                z[j] += h[i] * w[j * in + i];
            z[j] = o->residual && k > 0 && hidden && in == out ? z[j] + before[j] : z[j];
            before[j] = z[j];
            sum += z[j];
        }
        for (size_t j = 0; j < out; j++)
            squares += (z[j] - sum / (double)out) * (z[j] - sum / (double)out);
        for (size_t j = 0; j < out; j++) {
            if (o->layer_norm && hidden)
                z[j] = (z[j] - sum / (double)out) * (1 / sqrt(squares / (double)out + 1e-5));
            h[j] = hidden && !(z[j] > 0) ? 0 : z[j];
        }
    }
    for (size_t j = 0; j < o->outputs; j++)
        y[j] = network->output.shift[j] + network->output.scale[j] * h[j];
}

TEST(outputs_have_the_bits_of_the_formulas) {
    enum { COUNT = 70 };
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        hn_network *network = make(shapes[i], HN_ACTIVATION_RELU);
        size_t in = shapes[i].inputs, out = shapes[i].outputs, bytes = hn_network_workspace_bytes(network);
        double *x = draw(4, COUNT * in), *y = draw(5, COUNT * out), expected[MOST_WIDTH];
        void *workspace = malloc(bytes);
        for (size_t b = 0; backend_at(b, &network->backend); b++) {
            assert_int_equal(hn_network_run(network, COUNT, x, y, workspace, bytes, NULL), HN_OK);
            for (size_t s = 0; s < COUNT; s++) {
                run_plainly(network, x + s * in, expected);
                assert_memory_equal(y + s * out, expected, out * sizeof *y);
            }
        }
        hn_network_destroy(network);
        free(workspace);
        free(x);
        free(y);
    }
}

static void check_refused(hn_network_options options, const char *option, const char *part) {
    hn_network *network;
    hn_error error;
    assert_error(hn_network_create(&network, &options, &error), HN_INVALID, error, part);
    assert_string_equal(error.subject, option);
}

TEST(shapes_that_cannot_be_residual_or_normalised_are_refused) {
    check_refused(
        (hn_network_options){.inputs = 8, .outputs = 8, .hidden_count = 3, .hidden = {8, 7, 8}, .residual = 1},
        "residual", "two hidden layers in a row of the same width");
    check_refused((hn_network_options){.inputs = 8, .outputs = 8, .hidden_count = 1, .hidden = {8}, .residual = 1},
                  "residual", "two hidden layers in a row of the same width");
    check_refused((hn_network_options){.inputs = 8, .outputs = 8, .hidden_count = 2, .hidden = {8, 1}, .layer_norm = 1},
                  "layer_norm", "hidden layer 1 has one neuron");
}

TEST(memory_beyond_counting_is_refused) {
    hn_network *network = make(shapes[0], HN_ACTIVATION_RELU);
    struct perceptron_memory memory = perceptron_memory_of(network, SIZE_MAX / 8);
    assert_null(layout_allocate(perceptron_place_training, &memory));
    hn_network_destroy(network);
}
