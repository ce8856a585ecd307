/* mlp_adjoint.h - the gradient of a multilayer perceptron with respect to its inputs for one sample, in an emitted file.
 *
 *     g = scale * grad_y,   g_(k-1) = activation'(z_k) * (W_k' g_k),   grad_x += scale * W_0' g
 *
 * With NETWORK_SHAPED, residual layers add g_k to g_(k-1), and normalised ones use normalize_back.
 *
 * The values of inner layers are recomputed. Sums run over the neurons of a layer in ascending order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_MLP_ADJOINT_H
#define HN_CORE_MLP_ADJOINT_H

#include "base/real.h"
#include "core/mlp.h"

/* back = W' g */
static void network_multiply_back(const struct network_layer *layer, const real *g, real *back) {
    for (size_t i = 0; i < layer->inputs; i++) {
        const real *w = layer->weights + i * NETWORK_BLOCK;
        real sum = 0;
        for (size_t j = 0; j < layer->outputs; j++)
            sum += g[j] * w[j / NETWORK_BLOCK * NETWORK_BLOCK * layer->inputs + j % NETWORK_BLOCK];
        back[i] = sum;
    }
}

static size_t network_whole(size_t count) {
    return (count + NETWORK_BLOCK - 1) / NETWORK_BLOCK * NETWORK_BLOCK;
}

/* Distance between the stored values of consecutive layers. */
static size_t network_apart(size_t outputs) {
#ifdef NETWORK_SHAPED
    return network_whole(outputs) + 1; /* the result of normalize */
#else
    return network_whole(outputs);
#endif
}

/* The inputs of the activations of inner layers, one layer after the other in whole blocks. */
static void network_inner(const real *x, real *hidden, real *h, real *const turns[]) {
    (void)turns;
    for (size_t i = 0; i < network_layers[0].inputs; i++)
        h[i] = (x[i] - network_input_shift[i]) * network_input_scale[i];
    for (size_t k = 0; k + 1 < NETWORK_LAYERS; k++) {
        network_multiply(&network_layers[k], h, hidden);
#ifdef NETWORK_SHAPED
        hidden[network_whole(network_layers[k].outputs)] = network_finish(&network_layers[k], hidden, turns[2]);
#endif
        for (size_t i = 0; i < network_layers[k].outputs; i++)
            h[i] = kernel_activation(NETWORK_ACTIVATION, hidden[i]);
        hidden += network_apart(network_layers[k].outputs);
    }
}

/* back: from the gradient with respect to the output of the activation before layer k to that of the weights before it; g: that of
 * layer k. */
static void network_pull_activation(size_t k, const real *z, const real *g, real *back) {
    const struct network_layer *layer = &network_layers[k];
    (void)g;
    for (size_t i = 0; i < layer->inputs; i++)
        back[i] = kernel_activation_back(NETWORK_ACTIVATION, z[i], back[i]);
#ifdef NETWORK_SHAPED
    if (NETWORK_NORM)
        normalize_back(z, layer->inputs, z[network_whole(layer->inputs)], back);
    for (size_t i = 0; layer->residual && i < layer->inputs; i++)
        back[i] += g[i];
#endif
}

/* turns: as in network_run; hidden: space for all inner layers. */
static void network_pull(const real *x, const real *grad_y, real *grad_x, real *hidden, real *const turns[]) {
    real *g = turns[0], *back = turns[1];
    const real *z = hidden;
    network_inner(x, hidden, turns[0], turns);
    for (size_t k = 0; k + 1 < NETWORK_LAYERS; k++)
        z += network_apart(network_layers[k].outputs);
    for (size_t j = 0; j < network_layers[NETWORK_LAYERS - 1].outputs; j++)
        g[j] = grad_y[j] * network_output_scale[j];
    for (size_t k = NETWORK_LAYERS; k-- > 0;) {
        real *other = g;
        network_multiply_back(&network_layers[k], g, back);
        if (k > 0) {
            z -= network_apart(network_layers[k].inputs);
            network_pull_activation(k, z, g, back);
        }
        g = back;
        back = other;
    }
    for (size_t i = 0; i < network_layers[0].inputs; i++)
        grad_x[i] += g[i] * network_input_scale[i];
}

#endif
