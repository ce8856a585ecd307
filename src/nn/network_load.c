/* network_load.c - makes a network from the tensors of a file.
 *
 * The shapes of the weights determine the widths, and these determine the tensors that the file must contain, without
 * others.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "nn/network_parts.h"
#include "nn/safetensors.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* ---- kind of network ---- */

/* Reads one of two words for the key: the second sets *second. */
static hn_status read_choice(const struct safetensors *file, const char *key, const char words[2][NETWORK_WORD],
                             bool *second, const char *name, hn_error *error) {
    const char *text = texts_find(file->texts, file->text_bytes, key);
    for (int i = 0; text && i < 2; i++)
        if (strcmp(text, words[i]) == 0) {
            *second = i == 1;
            return HN_OK;
        }
    return error_about(error, HN_UNSUPPORTED, error_file(name), "%s: its %s is \"%s\", not \"%s\" or \"%s\"", name, key,
                       show_name(text ? text : "").text, words[0], words[1]);
}

/* For files with these texts: NETWORK_FORMAT_SHAPED. */
static hn_status read_shape(hn_network_options *options, const struct safetensors *file, const char *name,
                            hn_error *error) {
    hn_status status = read_choice(file, NETWORK_KEY_STRUCTURE, network_structures, &options->residual, name, error);
    return status == HN_OK ? read_choice(file, NETWORK_KEY_NORM, network_norms, &options->layer_norm, name, error)
                           : status;
}

static hn_status read_metadata(hn_network_options *options, const struct safetensors *file, const char *name,
                               hn_error *error) {
    const char *format = texts_find(file->texts, file->text_bytes, NETWORK_KEY_FORMAT);
    const char *activation = texts_find(file->texts, file->text_bytes, NETWORK_KEY_ACTIVATION);
    bool shaped = format && strcmp(format, NETWORK_FORMAT_SHAPED) == 0;
    if (!format || (!shaped && strcmp(format, NETWORK_FORMAT) != 0))
        return error_about(error, HN_UNSUPPORTED, error_file(name),
                           "%s: its format is \"%s\", not \"" NETWORK_FORMAT "\" or \"" NETWORK_FORMAT_SHAPED "\"",
                           name, show_name(format ? format : "").text);
    if (!hn_activation_find(activation, &options->activation))
        return error_about(error, HN_UNSUPPORTED, error_file(name), "%s: unknown activation \"%s\"", name,
                           show_name(activation ? activation : "").text);
    return shaped ? read_shape(options, file, name, error) : HN_OK;
}

/* The weights of layer k; NULL if missing. */
static const struct tensor *find_weights(const struct safetensors *file, size_t k) {
    char name[32];
    snprintf(name, sizeof name, "layer.%u.weight", (unsigned)k);
    return safetensors_find(file, name);
}

/* Reads the widths layer by layer and checks that consecutive layers match; so the file has the bytes for every
 * shape. */
static hn_status read_widths(hn_network_options *options, const struct safetensors *file, const char *name,
                             hn_error *error) {
    const struct tensor *weights = find_weights(file, 0), *next;
    if (!weights)
        return error_about(error, HN_SYNTAX, error_file(name), "%s: tensor layer.0.weight is missing", name);
    options->inputs = weights->shape[1];
    for (size_t k = 1; (next = find_weights(file, k)) != NULL; k++) {
        if (k > HN_NETWORK_MOST_HIDDEN)
            return error_about(error, HN_LIMIT, error_file(name),
                               "%s: tensor %s: at most %d hidden layers are possible", name, next->name,
                               HN_NETWORK_MOST_HIDDEN);
        if (next->shape[1] != weights->shape[0])
            return error_about(error, HN_SYNTAX, error_file(name),
                               "%s: tensor %s has %zu inputs, but %s has %zu outputs", name, next->name, next->shape[1],
                               weights->name, weights->shape[0]);
        options->hidden[options->hidden_count++] = weights->shape[0];
        weights = next;
    }
    options->outputs = weights->shape[0];
    return HN_OK;
}

static hn_status read_options(hn_network_options *options, const struct safetensors *file, const char *name,
                              hn_error *error) {
    hn_error inner;
    *options = (hn_network_options){.inputs = 0};
    hn_status status = read_metadata(options, file, name, error);
    if (status == HN_OK)
        status = read_widths(options, file, name, error);
    if (status != HN_OK)
        return status;
    if (network_check_options(options, &inner) != HN_OK)
        return error_about(error, HN_SYNTAX, error_file(name), "%s: %.400s", name, inner.text);
    return HN_OK;
}

/* ---- its numbers ---- */

static hn_status refuse_shape(const struct network_tensor *tensor, const struct tensor *found, const char *name,
                              hn_error *error) {
    return error_about(
        error, HN_SYNTAX, error_file(name),
        "%s: tensor %s has %d dimensions and %zu x %zu numbers; the other weights require %d and %zu x %zu", name,
        tensor->name, found->dimensions, found->shape[0], found->shape[1], tensor->dimensions, tensor->shape[0],
        tensor->shape[1]);
}

static hn_status read_tensor(const struct network_tensor *tensor, const struct safetensors *file, const char *name,
                             hn_error *error) {
    const struct tensor *found = safetensors_find(file, tensor->name);
    if (!found)
        return error_about(error, HN_SYNTAX, error_file(name), "%s: tensor %s is missing", name, tensor->name);
    if (found->dimensions != tensor->dimensions || found->shape[0] != tensor->shape[0] ||
        found->shape[1] != tensor->shape[1])
        return refuse_shape(tensor, found, name, error);
    for (size_t i = 0; i < tensor->shape[0] * tensor->shape[1]; i++)
        tensor->numbers[i] = tensor_number(file, found, i);
    return network_check_numbers(tensor, name, error);
}

static bool has_tensor(const hn_network *network, const char *name) {
    for (size_t i = 0; i < network_tensor_count(network); i++)
        if (strcmp(network_tensor(network, i).name, name) == 0)
            return true;
    return false;
}

static hn_status read_tensors(hn_network *network, const struct safetensors *file, const char *name, hn_error *error) {
    for (size_t i = 0; i < network_tensor_count(network); i++) {
        struct network_tensor tensor = network_tensor(network, i);
        hn_status status = read_tensor(&tensor, file, name, error);
        if (status != HN_OK)
            return status;
    }
    for (size_t i = 0; i < file->tensor_count; i++)
        if (!has_tensor(network, file->tensors[i].name))
            return error_about(error, HN_SYNTAX, error_file(name), "%s: tensor %s is not part of a network", name,
                               show_name(file->tensors[i].name).text);
    return HN_OK;
}

/* ---- the whole ---- */

/* Takes the texts of the file, or releases them on failure. The file contains the bytes of the weights, so it limits
 * the size of the network. */
static hn_status network_load_build(hn_network **out, const struct safetensors *file, const char *name,
                                    hn_error *error) {
    hn_network_options options;
    hn_network *network = NULL;
    hn_status status = read_options(&options, file, name, error);
    if (status == HN_OK && network_allocate(&network, &options, NULL) != HN_OK)
        status = error_no_memory(error, name);
    if (status == HN_OK)
        status = read_tensors(network, file, name, error);
    if (status != HN_OK) {
        hn_network_destroy(network);
        base_release(file->texts);
        return status;
    }
    network->texts = file->texts;
    network->text_bytes = file->text_bytes;
    *out = network;
    return HN_OK;
}

hn_status network_parse(hn_network **out, const char *name, const unsigned char *bytes, size_t count, hn_error *error) {
    struct safetensors file;
    *out = NULL;
    hn_status status = safetensors_parse(&file, name, bytes, count, error);
    return status == HN_OK ? network_load_build(out, &file, name, error) : status;
}

hn_status hn_network_load(hn_network **out, const char *path, hn_error *error) {
    struct file_bytes bytes;
    struct safetensors file;
    if (!out)
        return error_missing(error, "hn_network_load", "out");
    *out = NULL;
    if (!path)
        return error_about(error, HN_INVALID, error_argument("path"), "there is no path to load a network from");
    hn_status status = safetensors_read(&file, &bytes, path, MOST_BYTES, error);
    if (status != HN_OK)
        return status;
    status = network_load_build(out, &file, path, error);
    base_release(bytes.data);
    return status;
}
