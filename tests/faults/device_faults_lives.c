/* device_faults_lives.c - see device_faults_lives.h.
 *
 * SPDX-License-Identifier: MIT */
#include "faults/device_faults_lives.h"

#include "support/check.h"
#include "support/run_layer.h"

const double faults_x[SAMPLES * INPUTS] = {1, 2, 1, 3, 1.5};

static hn_status run(const hn_device_layer *layer, struct results *r, hn_error *error) {
    static const double raw[SAMPLES * OUTPUTS] = {3, 1, -2, 0.5, 0, 0, 1e3, -1e3, 0.1, 0.2};
    static const double grad_y[SAMPLES * OUTPUTS] = {1, 2, -1, 0, 3, 1, 1, 1, 0.5, -2};
    const hn_batch batch = batch_of(SAMPLES, faults_x, raw, r->y, r->reports);
    const hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = r->gradient};
    double seconds;
    return hn_device_time_host(layer, &batch, &gradient, &seconds, error);
}

static hn_status live_with(const hn_model *model, struct results *r, const hn_layer_options *options, hn_error *error) {
    hn_device_layer *layer;
    hn_status status = hn_device_layer_create(&layer, model, options, NULL, error);
    if (status == HN_OK)
        status = run(layer, r, error);
    hn_device_layer_destroy(layer);
    return status;
}

hn_status live_layer(const hn_model *model, struct results *r, hn_error *error) {
    return live_with(model, r, NULL, error);
}

/* One that searches where auto ends, in memory of its own. */
hn_status live_searching(const hn_model *model, struct results *r, hn_error *error) {
    const hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    return live_with(model, r, &options, error);
}

static hn_status train(hn_network *network, hn_trainer *trainer, struct results *r, hn_error *error) {
    hn_status status = hn_trainer_step(trainer, SAMPLES, faults_x, NULL, NULL, error);
    if (status == HN_OK)
        status = hn_policy_run(hn_trainer_policy(trainer), SAMPLES, faults_x, r->y, NULL, r->reports, error);
    memcpy(r->gradient, hn_network_parameters(network), hn_network_parameter_count(network) * sizeof *r->gradient);
    return status;
}

static hn_status live_trained(const hn_model *model, struct results *r, int improve, hn_error *error) {
    static const hn_device_options options = {.size = sizeof options};
    const hn_network_options sizes = {
        .inputs = INPUTS, .outputs = OUTPUTS, .hidden_count = 1, .hidden = {2}, .seed = 4};
    hn_train_options how = hn_train_defaults();
    hn_trainer *trainer = NULL;
    hn_network *network = NULL;
    how.policy.device = &options;
    how.policy.threads = 1;
    how.policy.refine = how.improve = improve;
    hn_status status = hn_network_create(&network, &sizes, error);
    if (status == HN_OK)
        status = hn_trainer_create(&trainer, model, network, &how, error);
    if (status == HN_OK)
        status = train(network, trainer, r, error);
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    return status;
}

hn_status live_policy(const hn_model *model, struct results *r, hn_error *error) {
    return live_trained(model, r, 0, error);
}

/* One that refines, in training and after it. */
hn_status live_refining(const hn_model *model, struct results *r, hn_error *error) {
    return live_trained(model, r, 1, error);
}

/* A model that is long: its slots lie in the device's memory, its start values come from lists. */
static hn_status live_longer(const hn_model *model, struct results *r, hn_layer_options options, hn_precision precision,
                             hn_error *error) {
    enum { LENGTH = 2500, STRIDE = LENGTH / (SAMPLES * OUTPUTS) };
    static double y[LENGTH], gradient[LENGTH], grad_y[LENGTH];
    const hn_device_options device_options = {.size = sizeof device_options, .gradients = true, .precision = precision};
    hn_device_layer *layer = NULL;
    const hn_batch batch = batch_of(1, faults_x, NULL, y, r->reports);
    const hn_gradient pulled = {.size = sizeof pulled, .grad_y = grad_y, .grad_y_raw = gradient};
    for (size_t j = 0; j < LENGTH; j++)
        grad_y[j] = (double)(j % 7) - 3;
    hn_status status = hn_device_layer_create(&layer, model, &options, &device_options, error);
    if (status == HN_OK)
        status = hn_device_run_host(layer, &batch, &pulled, error);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++) {
        r->y[i] = y[i * STRIDE];
        r->gradient[i] = gradient[i * STRIDE];
    }
    hn_device_layer_destroy(layer);
    return status;
}

hn_status live_long(const hn_model *model, struct results *r, hn_error *error) {
    return live_longer(model, r, layer_steps(HN_METHOD_PAPER, 3), HN_PRECISION_FLOAT64, error);
}

/* Floats, and steps in double behind them: four kernels, two tapes. */
hn_status live_floats(const hn_model *model, struct results *r, hn_error *error) {
    return live_longer(model, r, layer_method(HN_METHOD_AUTO), HN_PRECISION_FLOAT32, error);
}
