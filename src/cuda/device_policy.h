/* device_policy.h - a network, its candidates and their correction on a device; and the passes of training.
 *
 * Input: a model, a network and a layer's options. A batch passes through network, layer, objective and choice in the
 * device's memory, with the CPU's bits: both run the formulas of core/. So does refinement if the device has room for
 * it; otherwise device_policy_candidates returns every candidate to the CPU, which refines them, and device_policy_back
 * takes the gradients with respect to the network's outputs.
 *
 * The network may change between calls. One call at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_POLICY_H
#define HN_CUDA_DEVICE_POLICY_H

#include "core/train_loss.h"
#include "hardnet/device.h"
#include "hardnet/network.h"

struct device_policy;

/* Model and options need not outlive the policy, the network does. */
struct device_policy_request {
    const hn_model *model;
    const hn_network *network;
    const hn_layer_options *layer;
    const hn_layer_options *through; /* layer options that the loss is differentiated through; NULL: no layer */
    const hn_device_options *device;
    size_t candidates;
    size_t chunk;   /* inputs whose parameter gradients are summed first */
    bool corrected; /* the layer corrects; false: it only evaluates */
    bool learns;
    bool refines;  /* in runs or in training; the model has an objective */
    size_t bounds; /* constraints that bound a single output, and that output; for training */
    const size_t *bound_row, *bound_column;
};

hn_status device_policy_create(struct device_policy **out, const struct device_policy_request *request,
                               hn_error *error);
void device_policy_destroy(struct device_policy *policy);
const hn_device_layer *device_policy_layer(const struct device_policy *policy); /* read-only */

/* Whether it refines: if requested, and an eighth of the device's memory holds the slots of 32 samples. */
bool device_policy_refines(const struct device_policy *policy);

/* Runs hn_policy_run on the device. */
struct device_policy_run {
    size_t count;
    const double *x;
    double *y, *objective; /* each unless NULL */
    hn_report *reports;
    int refine; /* steps; 0 if device_policy_refines returns false */
};
hn_status device_policy_run(struct device_policy *policy, const struct device_policy_run *run, hn_error *error);

/* All candidates, corrected, into arrays, all required except x: candidate k of input i is row k * count + i. */
hn_status device_policy_candidates(struct device_policy *policy, size_t count, const double *x,
                                   const struct samples *samples, hn_error *error);

/* ---- training ---- */

struct device_training {
    size_t count;
    const double *x, *targets; /* targets: NULL for the losses of the objective and of improved outputs */
    struct train_weights weights;
    /* the loss `improve` (nn/refiner.h), if device_policy_refines */
    int improve; /* steps; 0: another loss */
    bool explores;
    double explore;
    size_t distance;
    const double *starts; /* rows of inputs, or NULL */
    /* filled: objective, residual and reports of samples, moved, total, dropped, best */
    struct train_batch results;
    double norm; /* of the gradient with respect to the parameters */
};
hn_status device_policy_learn(struct device_policy *policy, struct device_training *training, hn_error *error);

/* The backward pass alone, after device_policy_candidates: rows of gradients with respect to the network's outputs. */
hn_status device_policy_back(struct device_policy *policy, size_t count, const double *rows, double *norm,
                             hn_error *error);

/* A step of Adam with the gradient on the device; parameters and moments are copied there and back. */
hn_status device_policy_adam(struct device_policy *policy, const struct adam *adam, hn_error *error);

#endif
