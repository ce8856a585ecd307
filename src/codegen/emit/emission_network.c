/* emission_network.c - the network's constant data: weights in blocks of neurons, as mlp.h reads them.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

#include <string.h>

static size_t whole_blocks(size_t count) {
    return (count + EMIT_BLOCK - 1) / EMIT_BLOCK * EMIT_BLOCK;
}

bool emission_network_is_shaped(const struct emission *e) {
    return e->network && (e->network->options.residual || e->network->options.layer_norm);
}

const char *emission_network_turns(const struct emission *e) {
    return emission_network_is_shaped(e) ? "    real *const turns[3] = {work->turn_1, work->turn_2, work->turn_3};\n"
                                         : "    real *const turns[2] = {work->turn_1, work->turn_2};\n";
}

size_t emission_network_bytes(const struct emission *e) {
    const hn_network *n = e->network;
    size_t numbers = 0;
    if (!n)
        return 0;
    for (size_t k = 0; k < n->layers; k++)
        numbers += whole_blocks(n->width[k + 1]) * (n->width[k] + 1);
    return (numbers + 2 * (n->width[0] + n->width[n->layers])) * emission_real(e);
}

/* A number and what separates it from the next. */
static void print_entry_of(const struct emission *e, struct text *out, size_t i, double value) {
    enum { PER_LINE = 6 };
    text_add(out, "%s", i % PER_LINE ? " " : "\n    ");
    emission_number(e, out, value);
    text_add(out, ",");
}

static void print_vector(const struct emission *e, struct text *out, const char *name, const double *values,
                         size_t count) {
    text_add(out, "static const real %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        print_entry_of(e, out, i, values[i]);
    text_add(out, "\n};\n");
}

static void print_layer(const struct emission *e, struct text *out, size_t k) {
    const hn_network *n = e->network;
    const double *weights = layer_weights(n, k), *biases = layer_biases(n, k);
    size_t in = n->width[k], neurons = n->width[k + 1], whole = whole_blocks(neurons), printed = 0;
    text_add(out, "static const real network_weights_%zu[] = {", k);
    for (size_t j = 0; j < whole; j += EMIT_BLOCK)
        for (size_t i = 0; i < in; i++)
            for (size_t b = 0; b < EMIT_BLOCK; b++)
                print_entry_of(e, out, printed++, j + b < neurons ? weights[(j + b) * in + i] : 0);
    text_add(out, "\n};\nstatic const real network_biases_%zu[] = {", k);
    for (size_t j = 0; j < whole; j++)
        print_entry_of(e, out, j, j < neurons ? biases[j] : 0);
    text_add(out, "\n};\n");
}

void emission_print_network(const struct emission *e, struct text *out) {
    const hn_network *n = e->network;
    text_add(out, "\n/* The network: %zu layers of weights. */\n\n", n->layers);
    for (size_t k = 0; k < n->layers; k++)
        print_layer(e, out, k);
    print_vector(e, out, "network_input_shift", n->input.shift, n->width[0]);
    print_vector(e, out, "network_input_scale", n->input.scale, n->width[0]);
    print_vector(e, out, "network_output_shift", n->output.shift, n->width[n->layers]);
    print_vector(e, out, "network_output_scale", n->output.scale, n->width[n->layers]);
    text_add(out,
             "\nstruct network_layer {\n    const real *weights, *biases;\n"
             "    size_t inputs, outputs; /* without what fills the last block */\n%s};\n\n",
             emission_network_is_shaped(e) ? "    int residual;\n" : "");
    if (emission_network_is_shaped(e))
        text_add(out, "#define NETWORK_SHAPED\nenum { NETWORK_NORM = %d };\n", n->options.layer_norm);
    text_add(out, "enum { NETWORK_LAYERS = %zu };\n#define NETWORK_ACTIVATION %s\n\n", n->layers,
             n->options.activation == HN_ACTIVATION_TANH   ? "HN_ACTIVATION_TANH"
             : n->options.activation == HN_ACTIVATION_SILU ? "HN_ACTIVATION_SILU"
                                                           : "HN_ACTIVATION_RELU");
    text_add(out, "static const struct network_layer network_layers[NETWORK_LAYERS] = {\n");
    for (size_t k = 0; k < n->layers; k++)
        text_add(out, "    {network_weights_%zu, network_biases_%zu, %zu, %zu%s},\n", k, k, n->width[k],
                 n->width[k + 1],
                 !emission_network_is_shaped(e) ? ""
                 : layer_is_residual(n, k)      ? ", 1"
                                                : ", 0");
    text_add(out, "};\n");
}

/* ---- fewer outputs ---- */

hn_status emission_network_first(hn_network **out, const hn_network *network, size_t outputs, hn_error *error) {
    hn_network_options options = network->options;
    size_t last = network->layers - 1, before = network->first[last], weights = outputs * network->width[last];
    options.outputs = outputs;
    hn_status status = network_allocate(out, &options, error);
    if (status != HN_OK)
        return status;
    double *own = (*out)->parameters;
    memcpy(own, network->parameters, before * sizeof *own);
    memcpy(own + before, layer_weights(network, last), weights * sizeof *own);
    memcpy(own + before + weights, layer_biases(network, last), outputs * sizeof *own);
    memcpy((*out)->input.shift, network->input.shift, network->width[0] * sizeof *own);
    memcpy((*out)->input.scale, network->input.scale, network->width[0] * sizeof *own);
    memcpy((*out)->output.shift, network->output.shift, outputs * sizeof *own);
    memcpy((*out)->output.scale, network->output.scale, outputs * sizeof *own);
    return HN_OK;
}
