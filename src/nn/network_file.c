/* network_file.c - a network and its texts as the tensors of a safetensors file.
 *
 * The shapes of the weights determine the widths, and these determine the exact set of tensors in the
 * file. Tensors are in the order of the layers, texts in the caller's order.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/utf8.h"
#include "nn/network_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30, MOST_TENSORS = 2 * MOST_LAYERS + 4 };

/* Format 2 is used only for networks that need the last two texts; files of plain networks are unchanged. */
#define FORMAT         "hardnet network 1"
#define FORMAT_SHAPED  "hardnet network 2"
#define KEY_FORMAT     "format"
#define KEY_ACTIVATION "activation"
#define KEY_STRUCTURE  "structure"
#define KEY_NORM       "norm"

static const char structures[2][12] = {"plain", "residual"}, norms[2][12] = {"none", "layer"};

/* ---- tensors ---- */

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

static hn_status check_numbers(const struct network_tensor *tensor, const char *path, hn_error *error) {
    size_t count = tensor->shape[0] * tensor->shape[1];
    for (size_t i = 0; i < count; i++) {
        double number = tensor->numbers[i];
        if (isfinite(number) && !(tensor->scale && number == 0))
            continue;
        return error_in_file(error, HN_INVALID, path, "tensor %s: number %zu is %s", tensor->name, i,
                             error_number(number).text);
    }
    return HN_OK;
}

/* ---- loading: the kind of network ---- */

/* Reads one of two words for the key: the second sets *second. */
static hn_status read_choice(const struct safetensors *file, const char *key, const char words[2][12], bool *second) {
    const char *text = safetensors_text(file, key);
    for (int i = 0; text && i < 2; i++)
        if (strcmp(text, words[i]) == 0) {
            *second = i == 1;
            return HN_OK;
        }
    return error_in_file(file->error, HN_UNSUPPORTED, file->name, "its %s is \"%s\", not \"%s\" or \"%s\"", key,
                         show_name(text ? text : "").text, words[0], words[1]);
}

/* For files with these texts: FORMAT_SHAPED. */
static hn_status read_shape(hn_network_options *options, const struct safetensors *file) {
    hn_status status = read_choice(file, KEY_STRUCTURE, structures, &options->residual);
    return status == HN_OK ? read_choice(file, KEY_NORM, norms, &options->layer_norm) : status;
}

static hn_status read_metadata(hn_network_options *options, const struct safetensors *file) {
    const char *format = safetensors_text(file, KEY_FORMAT);
    const char *activation = safetensors_text(file, KEY_ACTIVATION);
    bool shaped = format && strcmp(format, FORMAT_SHAPED) == 0;
    if (!format || (!shaped && strcmp(format, FORMAT) != 0))
        return error_in_file(file->error, HN_UNSUPPORTED, file->name,
                             "its format is \"%s\", not \"" FORMAT "\" or \"" FORMAT_SHAPED "\"",
                             show_name(format ? format : "").text);
    if (!hn_activation_find(activation, &options->activation))
        return error_in_file(file->error, HN_UNSUPPORTED, file->name, "unknown activation \"%s\"",
                             show_name(activation ? activation : "").text);
    return shaped ? read_shape(options, file) : HN_OK;
}

/* The weights of layer k; NULL if missing. */
static const struct tensor *find_weights(const struct safetensors *file, size_t k) {
    char name[32];
    snprintf(name, sizeof name, "layer.%u.weight", (unsigned)k);
    return safetensors_find(file, name);
}

/* Reads the widths layer by layer and checks that consecutive layers match; so the file has the bytes for every
 * shape. */
static hn_status read_widths(hn_network_options *options, const struct safetensors *file) {
    const struct tensor *weights = find_weights(file, 0), *next;
    if (!weights)
        return error_in_file(file->error, HN_SYNTAX, file->name, "tensor layer.0.weight is missing");
    options->inputs = weights->shape[1];
    for (size_t k = 1; (next = find_weights(file, k)) != NULL; k++) {
        if (k > HN_NETWORK_MOST_HIDDEN)
            return error_in_file(file->error, HN_LIMIT, file->name, "tensor %s: at most %d hidden layers are possible",
                                 next->name, HN_NETWORK_MOST_HIDDEN);
        if (next->shape[1] != weights->shape[0])
            return error_in_file(file->error, HN_SYNTAX, file->name, "tensor %s has %zu inputs, but %s has %zu outputs",
                                 next->name, next->shape[1], weights->name, weights->shape[0]);
        options->hidden[options->hidden_count++] = weights->shape[0];
        weights = next;
    }
    options->outputs = weights->shape[0];
    return HN_OK;
}

static hn_status read_options(hn_network_options *options, const struct safetensors *file) {
    hn_error inner;
    *options = (hn_network_options){.inputs = 0};
    hn_status status = read_metadata(options, file);
    if (status == HN_OK)
        status = read_widths(options, file);
    if (status != HN_OK)
        return status;
    if (network_check_options(options, &inner) != HN_OK)
        return error_in_file(file->error, HN_SYNTAX, file->name, "%.400s", inner.text);
    return HN_OK;
}

/* ---- loading: numbers ---- */

static hn_status refuse_shape(const struct safetensors *file, const struct network_tensor *tensor,
                              const struct tensor *found) {
    return error_in_file(
        file->error, HN_SYNTAX, file->name,
        "tensor %s has %d dimensions and %zu x %zu numbers; the other weights require %d and %zu x %zu", tensor->name,
        found->dimensions, found->shape[0], found->shape[1], tensor->dimensions, tensor->shape[0], tensor->shape[1]);
}

static hn_status read_tensor(const struct network_tensor *tensor, const struct safetensors *file) {
    const struct tensor *found = safetensors_find(file, tensor->name);
    if (!found)
        return error_in_file(file->error, HN_SYNTAX, file->name, "tensor %s is missing", tensor->name);
    if (found->dimensions != tensor->dimensions || found->shape[0] != tensor->shape[0] ||
        found->shape[1] != tensor->shape[1])
        return refuse_shape(file, tensor, found);
    for (size_t i = 0; i < tensor->shape[0] * tensor->shape[1]; i++)
        tensor->numbers[i] = tensor_number(file, found, i);
    return check_numbers(tensor, file->name, file->error);
}

static bool has_tensor(const hn_network *network, const char *name) {
    for (size_t i = 0; i < network_tensor_count(network); i++)
        if (strcmp(network_tensor(network, i).name, name) == 0)
            return true;
    return false;
}

static hn_status read_tensors(hn_network *network, const struct safetensors *file) {
    for (size_t i = 0; i < network_tensor_count(network); i++) {
        struct network_tensor tensor = network_tensor(network, i);
        hn_status status = read_tensor(&tensor, file);
        if (status != HN_OK)
            return status;
    }
    for (size_t i = 0; i < file->tensor_count; i++)
        if (!has_tensor(network, file->tensors[i].name))
            return error_in_file(file->error, HN_SYNTAX, file->name, "tensor %s is not part of a network",
                                 show_name(file->tensors[i].name).text);
    return HN_OK;
}

/* ---- loading ---- */

/* Moves the texts of the file into the network. The file contains the bytes of the weights, so it limits the size of the
 * network. */
static hn_status network_of(hn_network **out, struct safetensors *file) {
    hn_network_options options;
    hn_network *network = NULL;
    hn_status status = read_options(&options, file);
    if (status == HN_OK && network_allocate(&network, &options, NULL) != HN_OK)
        status = error_no_memory(file->error, file->name);
    if (status == HN_OK)
        status = read_tensors(network, file);
    if (status != HN_OK) {
        hn_network_destroy(network);
        return status;
    }
    network->texts = file->texts;
    network->text_bytes = file->text_bytes;
    file->texts = NULL;
    *out = network;
    return HN_OK;
}

hn_status network_parse(hn_network **out, const char *name, const unsigned char *bytes, size_t count, hn_error *error) {
    struct safetensors file;
    *out = NULL;
    hn_status status = safetensors_parse(&file, name, bytes, count, error);
    if (status == HN_OK)
        status = network_of(out, &file);
    safetensors_release(&file);
    return status;
}

hn_status hn_network_load(hn_network **out, const char *path, hn_error *error) {
    struct safetensors file = {.texts = NULL};
    if (!out)
        return error_missing(error, "hn_network_load", "out");
    *out = NULL;
    if (!path)
        return error_about(error, HN_INVALID, error_argument("path"), "there is no path to load a network from");
    hn_status status = safetensors_read(&file, path, MOST_BYTES, error);
    if (status == HN_OK)
        status = network_of(out, &file);
    safetensors_release(&file);
    return status;
}

/* ---- saving ---- */

static hn_status write_network(const hn_network *network, const char *path, size_t count, const hn_metadata *texts,
                               hn_error *error) {
    enum { PLAIN = 2, ALL = 4 }; /* texts */
    const hn_network_options *o = &network->options;
    bool shaped = o->residual || o->layer_norm;
    const hn_metadata own[ALL] = {{KEY_FORMAT, shaped ? FORMAT_SHAPED : FORMAT},
                                  {KEY_ACTIVATION, hn_activation_text(o->activation)},
                                  {KEY_STRUCTURE, structures[o->residual]},
                                  {KEY_NORM, norms[o->layer_norm]}};
    struct network_tensor named[MOST_TENSORS];
    struct memory_tensor tensors[MOST_TENSORS];
    struct safetensors_content content = {.own_count = shaped ? ALL : PLAIN,
                                          .own = own,
                                          .text_count = count,
                                          .texts = texts,
                                          .tensor_count = network_tensor_count(network),
                                          .tensors = tensors};
    for (size_t i = 0; i < content.tensor_count; i++) {
        const struct network_tensor *t = &named[i];
        named[i] = network_tensor(network, i);
        hn_status status = check_numbers(t, path, error);
        if (status != HN_OK)
            return status;
        tensors[i] = (struct memory_tensor){t->name, t->dimensions, {t->shape[0], t->shape[1]}, t->numbers};
    }
    return safetensors_write(&content, path, error);
}

hn_status hn_network_save(const hn_network *network, const char *path, size_t count, const hn_metadata *texts,
                          hn_error *error) {
    if (!network || !path)
        return error_about(error, HN_INVALID, error_argument(network ? "path" : "network"), "there is no %s to save",
                           network ? "path" : "network");
    return write_network(network, path, count, texts, error);
}
