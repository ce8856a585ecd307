/* train_init.c - --init NET: starts from the weights of another network.
 *
 * The model may differ; the numbers of inputs and outputs must match. Widths, activation, shifts and scales are those
 * of the network, as is the number of candidates unless given. Its weights are validated before the first step, so that
 * a training never ends with a network that is worse on the validation inputs than the initial one.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "base/error.h"
#include "common/console.h"
#include "common/verbs.h"
#include "train/train.h"

#include <stdio.h>

/* ---- options that follow from it ---- */

static void take_shape(struct train_options *o, const hn_network_options *network, size_t model_outputs) {
    size_t used = 0, size = sizeof o->hidden_text;
    o->hidden_text[0] = '\0';
    for (size_t i = 0; i < network->hidden_count && used < size; i++)
        used += (size_t)snprintf(o->hidden_text + used, size - used, "%s%zu", i > 0 ? "," : "", network->hidden[i]);
    o->hidden = o->hidden_text;
    o->activation = hn_activation_text(network->activation);
    o->structure = train_structures[network->residual];
    o->norm = train_norms[network->layer_norm];
    o->network = *network;
    if (!o->candidates_given && model_outputs > 0 && network->outputs % model_outputs == 0)
        o->candidates = network->outputs / model_outputs;
}

int init_load(hn_network **network, struct train_options *o, const hn_model *model) {
    hn_error error;
    *network = NULL;
    if (!o->init)
        return o->steps > 0 ? VERB_OK
                            : verb_misuse("train", "--steps 0: needs --init, whose network is written as it is");
    if (o->shape_given)
        return verb_misuse("train",
                           "--hidden, --activation, --structure, --norm and --network exclude --init, whose network "
                           "has its own shape");
    if (hn_network_load(network, o->init, &error) != HN_OK)
        return verb_explain(&error);
    hn_network_options shape = hn_network_options_of(*network);
    take_shape(o, &shape, hn_model_output_count(model));
    return VERB_OK;
}

/* ---- whether it fits ---- */

hn_status init_check(const hn_network *network, const struct train_options *o, size_t inputs, size_t outputs,
                     hn_error *error) {
    hn_network_options shape = hn_network_options_of(network);
    if (shape.inputs != inputs)
        return error_set(error, HN_INVALID, "--init %s: the network has %zu inputs, and the model %zu", o->init,
                         shape.inputs, inputs);
    if (shape.outputs != outputs * o->candidates)
        return error_set(error, HN_INVALID,
                         "--init %s: the network has %zu outputs, and this training needs %zu for %zu %s", o->init,
                         shape.outputs, outputs * o->candidates, o->candidates,
                         o->candidates == 1 ? "candidate" : "candidates");
    return HN_OK;
}

void init_record(struct train_record *record, const hn_network *network) {
    size_t count = hn_network_parameter_count(network);
    const hn_real *numbers = hn_network_parameters_of(network);
    record_add(record, "--init", "%zu weights with checksum %08lx", count,
               (unsigned long)checksum_add(0, numbers, count * sizeof *numbers));
}
