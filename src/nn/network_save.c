/* network_save.c - a network and its texts as the tensors of a safetensors file (safetensors_write.h).
 *
 * Deterministic: tensors are in the order of the layers, texts in the caller's order.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "nn/network_parts.h"
#include "nn/safetensors_write.h"

enum { MOST_TENSORS = 2 * MOST_LAYERS + 4 };

static hn_status network_save_check_numbers(const hn_network *network, const char *path, hn_error *error) {
    for (size_t i = 0; i < network_tensor_count(network); i++) {
        struct network_tensor tensor = network_tensor(network, i);
        hn_status status = network_check_numbers(&tensor, path, error);
        if (status != HN_OK)
            return status;
    }
    return HN_OK;
}

static hn_status write_network(const hn_network *network, const char *path, size_t count, const hn_metadata *texts,
                               hn_error *error) {
    enum { PLAIN = 2, ALL = 4 }; /* texts */
    const hn_network_options *o = &network->options;
    bool shaped = o->residual || o->layer_norm;
    const hn_metadata own[ALL] = {{NETWORK_KEY_FORMAT, shaped ? NETWORK_FORMAT_SHAPED : NETWORK_FORMAT},
                                  {NETWORK_KEY_ACTIVATION, hn_activation_text(o->activation)},
                                  {NETWORK_KEY_STRUCTURE, network_structures[o->residual]},
                                  {NETWORK_KEY_NORM, network_norms[o->layer_norm]}};
    struct network_tensor named[MOST_TENSORS];
    struct memory_tensor tensors[MOST_TENSORS];
    struct safetensors_content content = {.own_count = shaped ? ALL : PLAIN,
                                          .own = own,
                                          .text_count = count,
                                          .texts = texts,
                                          .tensor_count = network_tensor_count(network),
                                          .tensors = tensors};
    for (size_t i = 0; i < content.tensor_count; i++) {
        const struct network_tensor *tensor = &named[i];
        named[i] = network_tensor(network, i);
        tensors[i] = (struct memory_tensor){.name = tensor->name,
                                            .dimensions = tensor->dimensions,
                                            .shape = {tensor->shape[0], tensor->shape[1]},
                                            .numbers = tensor->numbers};
    }
    return safetensors_write(&content, path, error);
}

hn_status hn_network_save(const hn_network *network, const char *path, size_t count, const hn_metadata *texts,
                          hn_error *error) {
    if (!network || !path)
        return error_about(error, HN_INVALID, error_argument(network ? "path" : "network"), "there is no %s to save",
                           network ? "path" : "network");
    hn_status status = network_save_check_numbers(network, path, error);
    return status == HN_OK ? write_network(network, path, count, texts, error) : status;
}
