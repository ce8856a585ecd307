/* network_tensors.c - the tensors of a network with their names in a file.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "nn/network_parts.h"

#include <math.h>
#include <stdio.h>

const char network_structures[2][NETWORK_WORD] = {"plain", "residual"},
           network_norms[2][NETWORK_WORD] = {"none", "layer"};

size_t network_tensor_count(const hn_network *network) {
    return 2 * network->layers + 4;
}

static struct network_tensor layer_tensor(const hn_network *network, size_t k, bool bias) {
    size_t in = network->width[k], out = network->width[k + 1];
    struct network_tensor tensor = {.dimensions = bias ? 1 : 2, .shape = {out, bias ? 1 : in}};
    snprintf(tensor.name, sizeof tensor.name, "layer.%u.%s", (unsigned)k, bias ? "bias" : "weight");
    tensor.numbers = network->parameters + network->first[k] + (bias ? in * out : 0);
    return tensor;
}

static struct network_tensor affine_tensor(const struct network_affine *affine, const char *side, size_t count,
                                           bool scale) {
    struct network_tensor tensor = {.dimensions = 1, .shape = {count, 1}, .scale = scale};
    snprintf(tensor.name, sizeof tensor.name, "%s.%s", side, scale ? "scale" : "shift");
    tensor.numbers = scale ? affine->scale : affine->shift;
    return tensor;
}

struct network_tensor network_tensor(const hn_network *network, size_t i) {
    size_t k = i / 2;
    bool second = i % 2;
    if (k < network->layers)
        return layer_tensor(network, k, second);
    if (k == network->layers)
        return affine_tensor(&network->input, "input", network->options.inputs, second);
    return affine_tensor(&network->output, "output", network->options.outputs, second);
}

hn_status network_check_numbers(const struct network_tensor *tensor, const char *path, hn_error *error) {
    size_t count = tensor->shape[0] * tensor->shape[1];
    for (size_t i = 0; i < count; i++) {
        double number = tensor->numbers[i];
        if (isfinite(number) && !(tensor->scale && number == 0))
            continue;
        return error_about(error, HN_INVALID, error_file(path), "%s: tensor %s: number %zu is %s", path, tensor->name,
                           i, error_number(number).text);
    }
    return HN_OK;
}
