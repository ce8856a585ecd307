/* hardnet/network.h - multilayer perceptrons: from inputs x to raw outputs y, and their files.
 *
 *     h_0 = (x - input_shift) * input_scale,   z_k = W_k h_(k-1) + b_k,   h_k = activation(z_k)
 *     y = output_shift + output_scale * (W h + b)
 *
 *     residual      z_k = z_(k-1) + W_k h_(k-1) + b_k  between hidden layers of the same width
 *     layer_norm    h_k = activation((z_k - mean) / sqrt(variance + 1e-5)),  both over the neurons of
 *                   layer k; without gains and shifts, which the weights can represent
 *
 * Sums run over the inputs of a neuron in ascending order, starting from its bias, and over the neurons of a layer in
 * ascending order: the same bits in any batch, on every instruction set. A network file is a safetensors file; further
 * data (settings of a layer, the model's fingerprint, the record of a training) are stored as metadata beside the
 * weights. Loading never executes anything and refuses damaged files: a checksum over the whole, shapes, and finite
 * weights are checked.
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_NETWORK_H
#define HARDNET_NETWORK_H

#include "hardnet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any number of threads may run or query it, unless one changes it. */
typedef struct hn_network hn_network;

#define HN_ACTIVATION_LIST(X)                                                                                          \
    X(HN_ACTIVATION_RELU, "relu")                                                                                      \
    X(HN_ACTIVATION_TANH, "tanh")                                                                                      \
    X(HN_ACTIVATION_SILU, "silu")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_activation { HN_ACTIVATION_LIST(HN_ENUMERATE) HN_ACTIVATION_COUNT } hn_activation;
#undef HN_ENUMERATE

const char *hn_activation_text(hn_activation activation);
bool hn_activation_find(const char *text, hn_activation *activation);

enum { HN_NETWORK_MOST_HIDDEN = 16 };

typedef struct hn_network_options {
    size_t inputs, outputs;
    size_t hidden_count;
    size_t hidden[HN_NETWORK_MOST_HIDDEN]; /* widths */
    hn_activation activation;
    uint64_t seed; /* of the initial weights */
    bool uniform;  /* initial weights and biases uniform up to 1 / sqrt(inputs); else normal, and 0 */
    bool residual, layer_norm;
} hn_network_options;

/* ---- creation ---- */

hn_status hn_network_create(hn_network **out, const hn_network_options *options, hn_error *error);
void hn_network_destroy(hn_network *network);

/* The options of its creation; seed and uniform are 0 for a network from a file, everything is 0 if network is NULL. */
void hn_network_get_options(const hn_network *network, hn_network_options *out);
static inline hn_network_options hn_network_options_of(const hn_network *network) {
    hn_network_options options;
    hn_network_get_options(network, &options);
    return options;
}

/* ---- numbers: for each layer of weights W (row by row: one row per neuron), then b ---- */

size_t hn_network_parameter_count(const hn_network *network);
hn_real *hn_network_parameters(hn_network *network);
const hn_real *hn_network_parameters_of(const hn_network *network);

/* Shifts and scales; initially zeros and ones. Scales must be finite and nonzero. */
hn_status hn_network_set_input(hn_network *network, const hn_real *shift, const hn_real *scale, hn_error *error);
hn_status hn_network_set_output(hn_network *network, const hn_real *shift, const hn_real *scale, hn_error *error);

/* Copies them to arrays of the caller. */
hn_status hn_network_get_input(const hn_network *network, hn_real *shift, hn_real *scale, hn_error *error);
hn_status hn_network_get_output(const hn_network *network, hn_real *shift, hn_real *scale, hn_error *error);

/* ---- running: with the caller's memory, no allocation ---- */

size_t hn_network_workspace_bytes(const hn_network *network);
hn_status hn_network_run(const hn_network *network, size_t count, const hn_real *x, hn_real *y, void *workspace,
                         size_t bytes, hn_error *error);

/* ---- files ---- */

/* A string stored with the weights. */
typedef struct hn_metadata {
    const char *key, *value;
} hn_metadata;

hn_status hn_network_save(const hn_network *network, const char *path, size_t count, const hn_metadata *texts,
                          hn_error *error);
hn_status hn_network_load(hn_network **out, const char *path, hn_error *error);

/* The string for this key in a loaded network, valid as long as the network; NULL if it is absent. */
const char *hn_network_metadata(const hn_network *network, const char *key);

/* All strings of a loaded network by index, in the order of its file; NULLs beyond the last. */
size_t hn_network_metadata_count(const hn_network *network);
hn_metadata hn_network_metadata_at(const hn_network *network, size_t index);

#ifdef __cplusplus
}
#endif

#endif
