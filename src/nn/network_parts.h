/* network_parts.h - what the files of this module know of a network.
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
    size_t width[MOST_LAYERS + 1]; /* layer k leads from width[k] to width[k + 1] numbers */
    size_t first[MOST_LAYERS + 1]; /* of layer k among the parameters: W, width[k + 1] x width[k], then b */
    double *parameters;
    struct network_affine input, output;
    struct backend backend;
    char *texts; /* key, 0, value, 0, key, 0, ... from base_allocate; NULL unless from a file */
    size_t text_bytes;
    hn_network *itself; /* in its block */
    void *block;        /* where the network stands, itself included */
};

static inline const double *layer_weights(const hn_network *network, size_t k) {
    return network->parameters + network->first[k];
}

static inline const double *layer_biases(const hn_network *network, size_t k) {
    return network->parameters + network->first[k + 1] - network->width[k + 1];
}

/* Whether what comes out of layer k has what came out of the one before it added. */
static inline bool layer_is_residual(const hn_network *network, size_t k) {
    return network->options.residual && k > 0 && k + 1 < network->layers && network->width[k] == network->width[k + 1];
}

hn_status network_check_options(const hn_network_options *options, hn_error *error);

/* A network whose parameters are not set yet; shifts are 0 and scales 1. */
hn_status network_allocate(hn_network **out, const hn_network_options *options, hn_error *error);

/* ---- its tensors, as a file names them: W and b of each layer, then shifts and scales ---- */

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

/* Names the first number that a file may not hold: not finite, or a scale of 0. */
hn_status network_check_numbers(const struct network_tensor *tensor, const char *path, hn_error *error);

/* ---- files ---- */

/* The second where something of what the two texts say is not plain: files of plain networks stay as they were. */
#define NETWORK_FORMAT         "hardnet network 1"
#define NETWORK_FORMAT_SHAPED  "hardnet network 2"
#define NETWORK_KEY_FORMAT     "format"
#define NETWORK_KEY_ACTIVATION "activation"
#define NETWORK_KEY_STRUCTURE  "structure" /* "plain" or "residual" */
#define NETWORK_KEY_NORM       "norm"      /* "none" or "layer" */

enum { NETWORK_WORD = 12 };
extern const char network_structures[2][NETWORK_WORD], network_norms[2][NETWORK_WORD];

enum { NETWORK_MOST_TEXTS = SAFETENSORS_MOST_TEXTS - 24 }; /* of the caller; the file has a few of its own */

/* hn_network_load from memory; the name is for messages. */
hn_status network_parse(hn_network **out, const char *name, const unsigned char *bytes, size_t count, hn_error *error);

/* ---- running ---- */

/* What a pass through the network keeps, for at most count samples; in rows, one per sample. */
struct perceptron_memory {
    const hn_network *network;
    struct perceptron_memory *itself; /* in its block; none where the caller has the memory */
    size_t count;
    double *h[MOST_LAYERS];       /* what goes into layer k */
    double *z[MOST_LAYERS];       /* what goes into the activation of layer k; none for the last */
    double *inverse[MOST_LAYERS]; /* of a layer's deviation, one per sample; with layer_norm only */
    double *carried;              /* what came out of a layer, for the next one to add to; with residual only */
    double *gradient[2];          /* by what comes out of a layer, and by what goes in */
    void *block;
};

/* A layout_function for a perceptron_memory that has its network and count: memory for the way there only, two arrays in turn. */
void perceptron_place_run(struct layout *layout, void *context);

#endif
