/* perceptron.c - forward and backward pass of a multilayer perceptron; inference in a workspace of the caller.
 *
 *     forward    Z_k = b_k + H_k W_k',   H_(k+1) = activation(Z_k)              rows are samples
 *     backward   G = dL/dZ_k:   dL/dW_k += G' H_k,   dL/db_k += sum of rows of G,   dL/dH_k = G W_k
 *
 * A residual layer adds Z_(k-1) to Z_k, and G of Z_k to that of Z_(k-1): He, Zhang, Ren, Sun, "Identity mappings in
 * deep residual networks", 2016. With layer_norm a row of Z_k is normalised before the activation (normalize.h).
 *
 * All three products read W in place; no transposed copy is kept.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "core/network_task.h"
#include "nn/network_parts.h"

/* ---- memory ---- */

static size_t widest(const hn_network *network) {
    size_t most = 0;
    for (size_t k = 0; k <= network->layers; k++)
        most = network->width[k] > most ? network->width[k] : most;
    return most;
}

/* Allocates count rows of the given width, with an overflow check. */
static double *take_rows(struct layout *layout, size_t count, size_t width) {
    size_t bytes = width * sizeof(double); /* not wider than the parameters, whose size was checked */
    return layout_take(layout, count, bytes);
}

/* Additional arrays of residual and normalised networks. */
static void place_extras(struct layout *layout, struct perceptron_memory *memory) {
    const hn_network *network = memory->network;
    if (network->options.residual)
        memory->carried = take_rows(layout, memory->count, widest(network));
    for (size_t k = 0; network->options.layer_norm && k + 1 < network->layers; k++)
        memory->inverse[k] = take_rows(layout, memory->count, 1);
}

void perceptron_place_run(struct layout *layout, void *context) {
    struct perceptron_memory *memory = context;
    const hn_network *network = memory->network;
    size_t width = widest(network);
    double *turns[2];
    turns[0] = take_rows(layout, memory->count, width);
    turns[1] = take_rows(layout, memory->count, width);
    for (size_t k = 0; k < network->layers; k++) {
        memory->h[k] = turns[k % 2];
        memory->z[k] = turns[(k + 1) % 2];
    }
    place_extras(layout, memory);
}

void perceptron_place_training(struct layout *layout, void *context) {
    struct perceptron_memory *memory = context;
    const hn_network *network = memory->network;
    size_t width = widest(network);
    for (size_t k = 0; k < network->layers; k++) {
        memory->h[k] = take_rows(layout, memory->count, network->width[k]);
        if (k + 1 < network->layers)
            memory->z[k] = take_rows(layout, memory->count, network->width[k + 1]);
    }
    memory->gradient[0] = take_rows(layout, memory->count, width);
    memory->gradient[1] = take_rows(layout, memory->count, width);
    place_extras(layout, memory);
}

/* ---- operations on the CPU ---- */

#define ALL_ELEMENTS(t, compute)                                                                                       \
    for (size_t row = 0; row < (t)->rows; row++)                                                                       \
        for (size_t j = 0, i = row * (t)->width, width = (t)->width; j < width; j++)                                   \
    compute(t, i + j, j)

static void run_elements(enum network_operation operation, const struct element_task *t) {
    if (operation == NETWORK_input)
        ALL_ELEMENTS(t, network_input);
    else if (operation == NETWORK_output)
        ALL_ELEMENTS(t, network_output);
    else
        ALL_ELEMENTS(t, network_scale);
}

/* db += sum of rows of G; b follows W */
static void add_biases(const struct matrix_product *p) {
    double *biases = p->c + p->rows * p->columns;
    for (size_t s = 0; s < p->inner; s++)
        for (size_t j = 0; j < p->rows; j++)
            biases[j] += p->a.at[s * p->rows + j];
}

static void perceptron_run(const struct perceptron_memory *memory, const struct network_task *task) {
    const struct backend *backend = &memory->network->backend;
    const struct element_task *element = &task->of.element;
    switch (task->operation) {
    case NETWORK_multiply:
        backend->multiply_matrix(&task->of.product);
        break;
    case NETWORK_activate:
        backend->activate(&task->of.activation);
        break;
    case NETWORK_activate_back:
        backend->activate_back(&task->of.activation);
        break;
    case NETWORK_normalize:
        backend->normalize(&task->of.normal);
        break;
    case NETWORK_normalize_back:
        backend->normalize_back(&task->of.normal);
        break;
    case NETWORK_parameters:
        backend->multiply_matrix(&task->of.product);
        add_biases(&task->of.product);
        break;
    case NETWORK_add:
        for (size_t i = 0; i < element->rows * element->width; i++)
            network_add(element, i);
        break;
    case NETWORK_carry:
        for (size_t i = 0; i < element->rows * element->width; i++)
            network_carry(element, i);
        break;
    default:
        run_elements(task->operation, element);
    }
}

struct perceptron_memory perceptron_memory_of(const hn_network *network, size_t count) {
    return (struct perceptron_memory){.network = network,
                                      .run = perceptron_run,
                                      .parameters = network->parameters,
                                      .input = network->input,
                                      .output = network->output,
                                      .count = count};
}

/* ---- forward ---- */

#define PERCEPTRON_RUN(m, operation, member, ...)                                                                      \
    (m)->run(m, &(struct network_task){NETWORK_##operation, {.member = {__VA_ARGS__}}})

/* Z = b + H W' */
static void multiply_layer(const struct perceptron_memory *m, size_t k, size_t count, const double *h, double *z) {
    size_t in = m->network->width[k], out = m->network->width[k + 1];
    const double *weights = m->parameters + m->network->first[k];
    PERCEPTRON_RUN(m, multiply, product, .rows = count, .columns = out, .inner = in, .a = {h, in, 1},
                   .b = {weights, 1, in}, .c = z, .c_row = out, .start = MATRIX_FROM_ROW, .first = weights + in * out);
}

/* From the output of layer k's weights to the input of its activation: residual addition and normalisation. */
static void finish_layer(const struct perceptron_memory *m, size_t k, size_t count) {
    const hn_network *network = m->network;
    size_t width = network->width[k + 1];
    if (network->options.residual)
        PERCEPTRON_RUN(m, carry, element, .rows = count, .width = width, .to = m->z[k], .carried = m->carried,
                       .residual = layer_is_residual(network, k));
    if (network->options.layer_norm)
        PERCEPTRON_RUN(m, normalize, normal, count, width, m->z[k], .inverse = m->inverse[k]);
}

void perceptron_forward(const struct perceptron_memory *m, size_t count, const double *x, double *y) {
    const hn_network *network = m->network;
    size_t last = network->layers - 1, in = network->width[0], out = network->width[network->layers];
    PERCEPTRON_RUN(m, input, element, count, in, x, m->input.shift, m->input.scale, .to = m->h[0]);
    for (size_t k = 0; k < last; k++) {
        multiply_layer(m, k, count, m->h[k], m->z[k]);
        finish_layer(m, k, count);
        PERCEPTRON_RUN(m, activate, activation, .kind = network->options.activation,
                       .count = count * network->width[k + 1], .z = m->z[k], .out = m->h[k + 1]);
    }
    multiply_layer(m, last, count, m->h[last], y);
    PERCEPTRON_RUN(m, output, element, count, out, y, m->output.shift, m->output.scale, .to = y);
}

/* ---- backward ---- */

/* dL/dH = G W */
static void pull_layer(const struct perceptron_memory *m, size_t k, size_t count, const double *g, double *grad_h) {
    size_t in = m->network->width[k], out = m->network->width[k + 1];
    PERCEPTRON_RUN(m, multiply, product, .rows = count, .columns = in, .inner = out, .a = {g, out, 1},
                   .b = {m->parameters + m->network->first[k], in, 1}, .c = grad_h, .c_row = in);
}

/* dL/dW += G' H,  dL/db += sum of rows of G */
static void add_parameters(const struct perceptron_memory *m, size_t k, size_t count, const double *g, double *sums) {
    size_t in = m->network->width[k], out = m->network->width[k + 1];
    PERCEPTRON_RUN(m, parameters, product, .rows = out, .columns = in, .inner = count, .a = {g, 1, out},
                   .b = {m->h[k], in, 1}, .c = sums, .c_row = in, .start = MATRIX_ONTO_C);
}

/* From the gradient with respect to the output of layer k's activation to that with respect to the output of its
 * weights, in place; g is the gradient of the next layer. */
static void pull_activation(const struct perceptron_memory *m, size_t k, size_t count, const double *g, double *back) {
    const hn_network *network = m->network;
    size_t width = network->width[k + 1];
    PERCEPTRON_RUN(m, activate_back, activation, network->options.activation, count * width, m->z[k], back, back);
    if (network->options.layer_norm)
        PERCEPTRON_RUN(m, normalize_back, normal, count, width, m->z[k], m->inverse[k], back);
    if (layer_is_residual(network, k + 1))
        PERCEPTRON_RUN(m, add, element, .rows = count, .width = width, .from = g, .to = back);
}

void perceptron_backward(const struct perceptron_memory *m, size_t count, const double *grad_y,
                         double *grad_parameters) {
    const hn_network *network = m->network;
    size_t out = network->width[network->layers];
    double *g = m->gradient[0], *next = m->gradient[1];
    PERCEPTRON_RUN(m, scale, element, count, out, grad_y, .scale = m->output.scale, .to = g);
    for (size_t k = network->layers - 1;; k--) {
        add_parameters(m, k, count, g, grad_parameters + network->first[k]);
        if (k == 0)
            return;
        pull_layer(m, k, count, g, next);
        pull_activation(m, k - 1, count, g, next);
        double *other = g;
        g = next;
        next = other;
    }
}

/* ---- inference ---- */

/* Samples are processed in chunks, so the workspace does not grow with their number. */
enum { CHUNK = 64 };

size_t hn_network_workspace_bytes(const hn_network *network) {
    struct perceptron_memory memory = {.network = network, .count = CHUNK};
    return network ? layout_size(perceptron_place_run, &memory) : 0;
}

static hn_status check_run(const hn_network *network, const double *x, const double *y, hn_error *error) {
    if (!network)
        return error_about(error, HN_INVALID, error_argument("network"), "there is no network to run");
    if (!x)
        return error_about(error, HN_INVALID, error_argument("x"), "network: x is missing; it has %zu inputs",
                           network->options.inputs);
    if (!y)
        return error_about(error, HN_INVALID, error_argument("y"), "network: y, where its outputs go, is missing");
    return arithmetic_check(error);
}

hn_status hn_network_run(const hn_network *network, size_t count, const hn_real *x, hn_real *y, void *workspace,
                         size_t bytes, hn_error *error) {
    if (network && count == 0)
        return HN_OK;
    hn_status status = check_run(network, x, y, error);
    if (status != HN_OK)
        return status;
    size_t needed = hn_network_workspace_bytes(network);
    if (!workspace || needed == 0 || bytes < needed)
        return error_set(error, HN_INVALID, "the workspace has %zu bytes, the network needs %zu", workspace ? bytes : 0,
                         needed);
    struct perceptron_memory memory = perceptron_memory_of(network, CHUNK);
    layout_place(perceptron_place_run, &memory, workspace);
    for (size_t s = 0; s < count; s += CHUNK) {
        size_t chunk = count - s < CHUNK ? count - s : CHUNK;
        perceptron_forward(&memory, chunk, x + s * network->options.inputs, y + s * network->options.outputs);
    }
    return HN_OK;
}
