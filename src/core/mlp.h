/* mlp.h - a multilayer perceptron for one sample, in an emitted file.
 *
 *     h_0 = (x - shift) * scale,   h_k = activation(b_k + W_k h_(k-1)),   y = shift + scale * (b + W h)
 *
 * With NETWORK_SHAPED, layers may be residual, and with NETWORK_NORM 1 normalised: hardnet/network.h.
 *
 * Sums run over the inputs of a neuron in ascending order, starting from its bias: the bits of nn/matrix_kernel.h. Neurons are
 * computed NETWORK_BLOCK at a time; their weights are interleaved, block by block, with zeros beyond the last neuron.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_MLP_H
#define HN_CORE_MLP_H

#include "base/real.h"
#include "core/activation_kernel.h"
#include "core/normalize.h"

enum { NETWORK_BLOCK = 8 };

/* z has room for whole blocks. */
static void network_multiply(const struct network_layer *layer, const real *h, real *z) {
    const real *w = layer->weights;
    size_t inputs = layer->inputs,
           outputs = layer->outputs; /* copies: a termination proof need not exclude aliases of z */
    for (size_t j = 0; j < outputs; j += NETWORK_BLOCK) {
        real sum[NETWORK_BLOCK];
        for (size_t k = 0; k < NETWORK_BLOCK; k++)
            sum[k] = layer->biases[j + k];
        for (size_t i = 0; i < inputs; i++, w += NETWORK_BLOCK)
            for (size_t k = 0; k < NETWORK_BLOCK; k++)
                sum[k] += h[i] * w[k];
        for (size_t k = 0; k < NETWORK_BLOCK; k++)
            z[j + k] = sum[k];
    }
}

static void network_activate(real *z, size_t count) {
    for (size_t i = 0; i < count; i++)
        z[i] = kernel_activation(NETWORK_ACTIVATION, z[i]);
}

#ifdef NETWORK_SHAPED
/* From the output of a layer's weights to the input of its activation; returns that of normalize. */
static real network_finish(const struct network_layer *layer, real *z, real *carried) {
    for (size_t i = 0; i < layer->outputs; i++) {
        z[i] = layer->residual ? z[i] + carried[i] : z[i];
        carried[i] = z[i];
    }
    return NETWORK_NORM ? normalize(z, layer->outputs) : 1;
}
#endif

/* turns: two arrays (ping-pong), each wide enough for every layer; a third one with NETWORK_SHAPED. */
static void network_run(const real *x, real *y, real *const turns[]) {
    real *h = turns[0], *z = turns[1];
    for (size_t i = 0; i < network_layers[0].inputs; i++)
        h[i] = (x[i] - network_input_shift[i]) * network_input_scale[i];
    for (size_t k = 0; k < NETWORK_LAYERS; k++) {
        real *other = h;
        network_multiply(&network_layers[k], h, z);
#ifdef NETWORK_SHAPED
        if (k + 1 < NETWORK_LAYERS)
            network_finish(&network_layers[k], z, turns[2]);
#endif
        if (k + 1 < NETWORK_LAYERS)
            network_activate(z, network_layers[k].outputs);
        h = z;
        z = other;
    }
    for (size_t i = 0; i < network_layers[NETWORK_LAYERS - 1].outputs; i++)
        y[i] = network_output_shift[i] + network_output_scale[i] * h[i];
}

#endif
