/* perceptron.c - forward and backward pass of a multilayer perceptron.
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
#include "nn/perceptron.h"

#include "base/error.h"
#include "base/memory.h"
#include "nn/matrix_product.h"
#include "nn/network_parts.h"

#include <string.h>

/* ---- memory ---- */

static size_t widest(const hn_network *network) {
    size_t most = 0;
    for (size_t k = 0; k <= network->layers; k++)
        most = network->width[k] > most ? network->width[k] : most;
    return most;
}

/* Allocates count rows of the given width, with an overflow check. */
static double *take_rows(struct layout *layout, size_t count, size_t width) {
    size_t bytes = width * sizeof(double); /* at most as wide as the parameters, whose size was checked */
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

static void place_training(struct layout *layout, void *context) {
    struct perceptron_memory *memory = context;
    const hn_network *network = memory->network;
    size_t width = widest(network);
    memory->itself = layout_take(layout, 1, sizeof *memory);
    for (size_t k = 0; k < network->layers; k++) {
        memory->h[k] = take_rows(layout, memory->count, network->width[k]);
        if (k + 1 < network->layers)
            memory->z[k] = take_rows(layout, memory->count, network->width[k + 1]);
    }
    memory->gradient[0] = take_rows(layout, memory->count, width);
    memory->gradient[1] = take_rows(layout, memory->count, width);
    place_extras(layout, memory);
}

hn_status perceptron_memory_create(struct perceptron_memory **out, const hn_network *network, size_t count,
                                   hn_error *error) {
    struct perceptron_memory plan = {.network = network, .count = count};
    *out = NULL;
    plan.block = layout_allocate(place_training, &plan);
    if (!plan.block)
        return error_no_memory(error, "network: memory of a pass");
    *out = plan.itself;
    **out = plan;
    return HN_OK;
}

void perceptron_memory_destroy(struct perceptron_memory *memory) {
    if (memory)
        base_release(memory->block);
}

/* ---- there ---- */

static void shift_and_scale(const hn_network *network, size_t count, const double *x, double *h) {
    size_t width = network->width[0];
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < width; i++)
            h[s * width + i] = (x[s * width + i] - network->input.shift[i]) * network->input.scale[i];
}

static void scale_and_shift(const hn_network *network, size_t count, double *y) {
    size_t width = network->width[network->layers];
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < width; i++)
            y[s * width + i] = network->output.shift[i] + network->output.scale[i] * y[s * width + i];
}

/* Z = b + H W' */
static void multiply_layer(const hn_network *network, size_t k, size_t count, const double *h, double *z) {
    size_t in = network->width[k], out = network->width[k + 1];
    network->backend.multiply_matrix(&(struct matrix_product){.rows = count,
                                                              .columns = out,
                                                              .inner = in,
                                                              .a = {h, in, 1},
                                                              .b = {layer_weights(network, k), 1, in},
                                                              .c = z,
                                                              .c_row = out,
                                                              .start = MATRIX_FROM_ROW,
                                                              .first = layer_biases(network, k)});
}

/* To += from */
static void add_rows(double *to, const double *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* From the output of layer k's weights to the input of its activation: residual addition and normalisation. */
static void finish_layer(const hn_network *network, const struct perceptron_memory *memory, size_t k, size_t count) {
    size_t width = network->width[k + 1], numbers = count * width;
    if (layer_is_residual(network, k))
        add_rows(memory->z[k], memory->carried, numbers);
    if (network->options.residual)
        memcpy(memory->carried, memory->z[k], numbers * sizeof *memory->carried);
    if (network->options.layer_norm)
        network->backend.normalize(
            &(struct normalize_task){.rows = count, .width = width, .z = memory->z[k], .inverse = memory->inverse[k]});
}

void perceptron_forward(const hn_network *network, struct perceptron_memory *memory, size_t count, const double *x,
                        double *y) {
    size_t last = network->layers - 1;
    shift_and_scale(network, count, x, memory->h[0]);
    for (size_t k = 0; k < last; k++) {
        multiply_layer(network, k, count, memory->h[k], memory->z[k]);
        finish_layer(network, memory, k, count);
        network->backend.activate(&(struct activation_task){.kind = network->options.activation,
                                                            .count = count * network->width[k + 1],
                                                            .z = memory->z[k],
                                                            .out = memory->h[k + 1]});
    }
    multiply_layer(network, last, count, memory->h[last], y);
    scale_and_shift(network, count, y);
}

/* ---- back ---- */

/* dL/dW += G' H,  dL/db += sum of rows of G */
static void add_parameters(const hn_network *network, size_t k, size_t count, const double *h, const double *g,
                           double *grad_parameters) {
    size_t in = network->width[k], out = network->width[k + 1];
    double *weights = grad_parameters + network->first[k], *biases = weights + in * out;
    network->backend.multiply_matrix(&(struct matrix_product){.rows = out,
                                                              .columns = in,
                                                              .inner = count,
                                                              .a = {g, 1, out},
                                                              .b = {h, in, 1},
                                                              .c = weights,
                                                              .c_row = in,
                                                              .start = MATRIX_ONTO_C});
    for (size_t s = 0; s < count; s++)
        for (size_t j = 0; j < out; j++)
            biases[j] += g[s * out + j];
}

/* dL/dH = G W */
static void pull_layer(const hn_network *network, size_t k, size_t count, const double *g, double *grad_h) {
    size_t in = network->width[k], out = network->width[k + 1];
    network->backend.multiply_matrix(&(struct matrix_product){.rows = count,
                                                              .columns = in,
                                                              .inner = out,
                                                              .a = {g, out, 1},
                                                              .b = {layer_weights(network, k), in, 1},
                                                              .c = grad_h,
                                                              .c_row = in});
}

/* From the gradient with respect to the output of layer k's activation to that with respect to the output of its
 * weights, in place. */
static void pull_activation(const hn_network *network, const struct perceptron_memory *memory, size_t k, size_t count,
                            double *g) {
    size_t width = network->width[k + 1];
    network->backend.activate_back(&(struct activation_task){
        .kind = network->options.activation, .count = count * width, .z = memory->z[k], .gradient = g, .out = g});
    if (network->options.layer_norm)
        network->backend.normalize_back(&(struct normalize_task){
            .rows = count, .width = width, .z = memory->z[k], .inverse = memory->inverse[k], .gradient = g});
}

void perceptron_backward(const hn_network *network, struct perceptron_memory *memory, size_t count,
                         const double *grad_y, double *grad_parameters) {
    size_t last = network->layers - 1, outputs = network->width[network->layers];
    double *g = memory->gradient[0], *next = memory->gradient[1];
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < outputs; i++)
            g[s * outputs + i] = network->output.scale[i] * grad_y[s * outputs + i];
    for (size_t k = last;; k--) {
        add_parameters(network, k, count, memory->h[k], g, grad_parameters);
        if (k == 0)
            return;
        pull_layer(network, k, count, g, next);
        pull_activation(network, memory, k - 1, count, next);
        if (layer_is_residual(network, k))
            add_rows(next, g, count * network->width[k]);
        double *other = g;
        g = next;
        next = other;
    }
}
