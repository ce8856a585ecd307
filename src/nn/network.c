/* network.c - creation, parameters and initial weights of a network.
 *
 * Initial weights are normal with mean 0: He, Zhang, Ren and Sun (2015), variance 2 / inputs, for relu and silu; Glorot
 * and Bengio (2010), variance 2 / (inputs + outputs), for tanh. The last layer is scaled by a tenth of 1 /
 * sqrt(inputs), so that a new network's output is close to its output shift. Weights of L residual layers are divided
 * by sqrt(L), so that their sum is as large as that of one (Zhang, Dauphin, Ma, 2019). The option `uniform` makes
 * weights and biases uniform up to 1 / sqrt(inputs) in all layers, as in many published experiments. Each layer draws
 * from a separate random stream.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "nn/network_parts.h"
#include "nn/safetensors.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 8 };

static const uint64_t FIRST_STREAM = UINT64_C(0x7765696768747300); /* "weights" */

#define ACTIVATION_TEXT(name, text) text,
static const char texts[HN_ACTIVATION_COUNT][LONGEST] = {HN_ACTIVATION_LIST(ACTIVATION_TEXT)};
#undef ACTIVATION_TEXT

const char *hn_activation_text(hn_activation activation) {
    return (unsigned)activation < HN_ACTIVATION_COUNT ? texts[activation] : "unknown";
}

bool hn_activation_find(const char *text, hn_activation *activation) {
    for (int i = 0; text && activation && i < HN_ACTIVATION_COUNT; i++)
        if (strcmp(texts[i], text) == 0) {
            *activation = (hn_activation)i;
            return true;
        }
    return false;
}

/* ---- creation ---- */

/* Checks the widths of residual and normalised layers. */
static hn_status check_shape(const hn_network_options *options, hn_error *error) {
    bool pair = false;
    for (size_t i = 0; i < options->hidden_count; i++) {
        pair = pair || (i > 0 && options->hidden[i] == options->hidden[i - 1]);
        if (options->layer_norm && options->hidden[i] < 2)
            return error_about(error, HN_INVALID, error_option("layer_norm"),
                               "network: hidden layer %zu has one neuron, which layer normalisation makes 0", i);
    }
    if (options->residual && !pair)
        return error_about(error, HN_INVALID, error_option("residual"),
                           "network: a residual one needs two hidden layers in a row of the same width");
    return HN_OK;
}

hn_status network_check_options(const hn_network_options *options, hn_error *error) {
    if (!options)
        return error_about(error, HN_INVALID, error_argument("options"), "network: the options are missing");
    if ((unsigned)options->activation >= HN_ACTIVATION_COUNT)
        return error_about(error, HN_INVALID, error_option("activation"), "activation %d: unknown activation",
                           (int)options->activation);
    if (options->inputs == 0 || options->outputs == 0)
        return error_set(error, HN_INVALID, "network: it needs at least one %s",
                         options->inputs == 0 ? "input" : "output");
    if (options->hidden_count > HN_NETWORK_MOST_HIDDEN)
        return error_about(error, HN_LIMIT, error_option("hidden_count"),
                           "network: %zu hidden layers; at most %d are possible", options->hidden_count,
                           HN_NETWORK_MOST_HIDDEN);
    for (size_t i = 0; i < options->hidden_count; i++)
        if (options->hidden[i] == 0)
            return error_about(error, HN_INVALID, error_option("hidden"), "network: hidden layer %zu has no neurons",
                               i);
    return check_shape(options, error);
}

/* Computes the offsets of the layers' parameters; false on overflow. */
static bool plan_layers(hn_network *plan) {
    const hn_network_options *options = &plan->options;
    plan->layers = options->hidden_count + 1;
    plan->width[0] = options->inputs;
    plan->width[plan->layers] = options->outputs;
    memcpy(plan->width + 1, options->hidden, options->hidden_count * sizeof *plan->width);
    for (size_t k = 0; k < plan->layers; k++) {
        size_t columns, own;
        if (!size_add(plan->width[k], 1, &columns) || !size_multiply(columns, plan->width[k + 1], &own) ||
            !size_add(plan->first[k], own, &plan->first[k + 1]))
            return false;
    }
    return true;
}

/* The struct comes first in its block. */
static void network_place(struct layout *layout, void *context) {
    hn_network *plan = context;
    plan->itself = layout_take(layout, 1, sizeof *plan);
    plan->parameters = layout_take(layout, plan->first[plan->layers], sizeof *plan->parameters);
    plan->input.shift = layout_take(layout, plan->options.inputs, sizeof *plan->input.shift);
    plan->input.scale = layout_take(layout, plan->options.inputs, sizeof *plan->input.scale);
    plan->output.shift = layout_take(layout, plan->options.outputs, sizeof *plan->output.shift);
    plan->output.scale = layout_take(layout, plan->options.outputs, sizeof *plan->output.scale);
}

static void leave_alone(const struct network_affine *affine, size_t count) {
    for (size_t i = 0; i < count; i++) {
        affine->shift[i] = 0;
        affine->scale[i] = 1;
    }
}

hn_status network_allocate(hn_network **out, const hn_network_options *options, hn_error *error) {
    hn_network plan = {.options = *options};
    *out = NULL;
    backend_at(0, &plan.backend); /* the fastest backend; one is always available */
    plan.block = plan_layers(&plan) ? layout_allocate(network_place, &plan) : NULL;
    if (!plan.block)
        return error_no_memory(error, "network");
    hn_network *network = plan.itself;
    *network = plan;
    leave_alone(&network->input, options->inputs);
    leave_alone(&network->output, options->outputs);
    *out = network;
    return HN_OK;
}

static double residual_layers(const hn_network *network) {
    double count = 0;
    for (size_t k = 0; k < network->layers; k++)
        count += layer_is_residual(network, k);
    return count;
}

static double first_deviation(const hn_network *network, size_t k) {
    double inputs = (double)network->width[k], outputs = (double)network->width[k + 1];
    if (k + 1 == network->layers)
        return 0.1 * sqrt(1 / inputs);
    double usual = network->options.activation == HN_ACTIVATION_TANH ? sqrt(2 / (inputs + outputs)) : sqrt(2 / inputs);
    return layer_is_residual(network, k) ? usual / sqrt(residual_layers(network)) : usual;
}

static void draw_normal(hn_network *network, size_t k, struct random *random) {
    double deviation = first_deviation(network, k);
    size_t biases = network->first[k + 1] - network->width[k + 1];
    for (size_t i = network->first[k]; i < network->first[k + 1]; i++)
        network->parameters[i] = i < biases ? deviation * random_normal(random) : 0;
}

static void draw_uniform(hn_network *network, size_t k, struct random *random) {
    double most = 1 / sqrt((double)network->width[k]);
    for (size_t i = network->first[k]; i < network->first[k + 1]; i++)
        network->parameters[i] = random_between(random, -most, most);
}

static void draw_weights(hn_network *network) {
    for (size_t k = 0; k < network->layers; k++) {
        struct random random = random_start(network->options.seed, FIRST_STREAM + k);
        if (network->options.uniform)
            draw_uniform(network, k, &random);
        else
            draw_normal(network, k, &random);
    }
}

hn_status hn_network_create(hn_network **out, const hn_network_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_network_create", "out");
    *out = NULL;
    hn_status status = network_check_options(options, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    if (status == HN_OK)
        status = network_allocate(out, options, error);
    if (status == HN_OK)
        draw_weights(*out);
    return status;
}

void hn_network_destroy(hn_network *network) {
    if (!network)
        return;
    base_release(network->texts);
    base_release(network->block);
}

/* ---- queries ---- */

void hn_network_get_options(const hn_network *network, hn_network_options *out) {
    if (out)
        *out = network ? network->options : (hn_network_options){.inputs = 0};
}

size_t hn_network_parameter_count(const hn_network *network) {
    return network ? network->first[network->layers] : 0;
}

hn_real *hn_network_parameters(hn_network *network) {
    return network ? network->parameters : NULL;
}

const hn_real *hn_network_parameters_of(const hn_network *network) {
    return network ? network->parameters : NULL;
}

const char *hn_network_metadata(const hn_network *network, const char *key) {
    return network && key ? texts_find(network->texts, network->text_bytes, key) : NULL;
}

size_t hn_network_metadata_count(const hn_network *network) {
    size_t zeros = 0;
    for (size_t i = 0; network && network->texts && i < network->text_bytes; i++)
        zeros += network->texts[i] == '\0';
    return zeros / 2;
}

hn_metadata hn_network_metadata_at(const hn_network *network, size_t index) {
    if (index >= hn_network_metadata_count(network))
        return (hn_metadata){NULL, NULL};
    const char *key = network->texts;
    for (size_t i = 0; i < 2 * index; i++)
        key += strlen(key) + 1;
    return (hn_metadata){key, key + strlen(key) + 1};
}

/* ---- shifts and scales ---- */

static hn_status check_affine(const char *side, size_t count, const double *shift, const double *scale,
                              hn_error *error) {
    if (!shift || !scale)
        return error_set(error, HN_INVALID, "%s %s: it is missing", side, shift ? "scale" : "shift");
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(shift[i]))
            return error_set(error, HN_INVALID, "%s shift %zu is %s: it must be finite", side, i,
                             error_number(shift[i]).text);
        if (!isfinite(scale[i]) || scale[i] == 0)
            return error_set(error, HN_INVALID, "%s scale %zu is %s: it must be finite and not 0", side, i,
                             error_number(scale[i]).text);
    }
    return HN_OK;
}

static hn_status set_affine(hn_network *network, bool input, const double *shift, const double *scale,
                            hn_error *error) {
    if (!network)
        return error_about(error, HN_INVALID, error_argument("network"), "there is no network to set");
    const struct network_affine *to = input ? &network->input : &network->output;
    size_t count = input ? network->options.inputs : network->options.outputs;
    hn_status status = check_affine(input ? "input" : "output", count, shift, scale, error);
    if (status != HN_OK)
        return status;
    memmove(to->shift, shift, count * sizeof *shift);
    memmove(to->scale, scale, count * sizeof *scale);
    return HN_OK;
}

static hn_status get_affine(const hn_network *network, bool input, double *shift, double *scale, hn_error *error) {
    if (!network)
        return error_about(error, HN_INVALID, error_argument("network"), "there is no network to look at");
    if (!shift || !scale)
        return error_about(error, HN_INVALID, error_argument(shift ? "scale" : "shift"),
                           "there is no array for the network's %s", shift ? "scales" : "shifts");
    const struct network_affine *from = input ? &network->input : &network->output;
    size_t count = input ? network->options.inputs : network->options.outputs;
    memcpy(shift, from->shift, count * sizeof *shift);
    memcpy(scale, from->scale, count * sizeof *scale);
    return HN_OK;
}

hn_status hn_network_set_input(hn_network *network, const hn_real *shift, const hn_real *scale, hn_error *error) {
    return set_affine(network, true, shift, scale, error);
}

hn_status hn_network_set_output(hn_network *network, const hn_real *shift, const hn_real *scale, hn_error *error) {
    return set_affine(network, false, shift, scale, error);
}

hn_status hn_network_get_input(const hn_network *network, hn_real *shift, hn_real *scale, hn_error *error) {
    return get_affine(network, true, shift, scale, error);
}

hn_status hn_network_get_output(const hn_network *network, hn_real *shift, hn_real *scale, hn_error *error) {
    return get_affine(network, false, shift, scale, error);
}
