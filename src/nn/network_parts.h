/* network_parts.h - internal interface of this module: the struct of a network.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_NETWORK_PARTS_H
#define HN_NN_NETWORK_PARTS_H

#include "base/layout.h"
#include "cpu/backend.h"
#include "hardnet/network.h"
#include "nn/safetensors.h"

enum { MOST_LAYERS = HN_NETWORK_MOST_HIDDEN + 1 };

/* x -> (x - shift) * scale before the first layer, y -> shift + scale * y after the last. */
struct network_affine {
    double *shift, *scale;
};

struct hn_network {
    hn_network_options options;
    size_t layers;                 /* of weights */
    size_t width[MOST_LAYERS + 1]; /* layer k maps width[k] numbers to width[k + 1] */
    size_t first[MOST_LAYERS + 1]; /* offset of layer k's parameters: W, width[k + 1] x width[k], then b */
    double *parameters;
    struct network_affine input, output;
    struct backend backend;
    char *texts; /* key, 0, value, 0, key, 0, ... from base_allocate; NULL unless from a file */
    size_t text_bytes;
    hn_network *itself; /* address within its block */
    void *block;        /* the memory of the network, this struct included */
};

static inline const double *layer_weights(const hn_network *network, size_t k) {
    return network->parameters + network->first[k];
}

static inline const double *layer_biases(const hn_network *network, size_t k) {
    return network->parameters + network->first[k + 1] - network->width[k + 1];
}

/* Whether layer k adds the output of the previous layer to its own. */
static inline bool layer_is_residual(const hn_network *network, size_t k) {
    return network->options.residual && k > 0 && k + 1 < network->layers && network->width[k] == network->width[k + 1];
}

hn_status network_check_options(const hn_network_options *options, hn_error *error);

/* A network with unset parameters, shifts 0 and scales 1. */
hn_status network_allocate(hn_network **out, const hn_network_options *options, hn_error *error);

/* ---- its tensors with their names in a file: W and b of each layer, then shifts and scales ---- */

struct network_tensor {
    char name[32];
    int dimensions;
    size_t shape[2]; /* one dimension: the second is 1 */
    double *numbers;
    bool scale; /* must not be 0 */
};

/* Tensor i of network_tensor_count. */
size_t network_tensor_count(const hn_network *network);
struct network_tensor network_tensor(const hn_network *network, size_t i);

enum { NETWORK_MOST_TEXTS = SAFETENSORS_MOST_TEXTS - SAFETENSORS_OWN_TEXTS }; /* of the caller */

/* hn_network_load from memory; the name is for messages. */
hn_status network_parse(hn_network **out, const char *name, const unsigned char *bytes, size_t count, hn_error *error);

/* ---- running ---- */

struct network_task;

/* A network's numbers, how its operations run, and the activations of at most count samples, one per row; all of it on
 * a device if `run` launches kernels there. */
struct perceptron_memory {
    const hn_network *network;
    void (*run)(const struct perceptron_memory *memory, const struct network_task *task);
    void *context; /* of run */
    const double *parameters;
    struct network_affine input, output;
    size_t count;
    double *h[MOST_LAYERS];       /* input of layer k */
    double *z[MOST_LAYERS];       /* input of the activation of layer k; NULL for the last */
    double *inverse[MOST_LAYERS]; /* inverse standard deviation per sample; with layer_norm only */
    double *carried;              /* output of a layer that the next one adds; with residual only */
    double *gradient[2];          /* with respect to the output and the input of a layer */
};

/* For the CPU, without arrays. */
struct perceptron_memory perceptron_memory_of(const hn_network *network, size_t count);

/* Layout functions for a perceptron_memory with network and count set: for the forward pass only, with two alternating
 * arrays; and for both passes. */
void perceptron_place_run(struct layout *layout, void *context);
void perceptron_place_training(struct layout *layout, void *context);

/* y = network(x) for count samples, rows of x and y; keeps the activations for the backward pass. */
void perceptron_forward(const struct perceptron_memory *memory, size_t count, const double *x, double *y);

/* Adds to grad_parameters (ordered as hn_network_parameters) the gradient of a loss, given its gradient grad_y with
 * respect to y; sums over samples run in ascending order. Uses the last forward pass. */
void perceptron_backward(const struct perceptron_memory *memory, size_t count, const double *grad_y,
                         double *grad_parameters);

#endif
