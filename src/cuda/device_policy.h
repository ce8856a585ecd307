/* device_policy.h - a network, its candidates and their correction on a device; and what training does with them.
 *
 * In comes a model, a network and a layer's options; a batch goes through network, layer, objective and choice in the device's memory, with
 * the CPU's bits: training/policy.c and training/loss_gradient.c say what is computed. So does refinement, where the device has room for it; else
 * device_policy_candidates gives every candidate to whoever refines, device_policy_back takes gradients by the network's outputs.
 *
 * The network may change between calls. One call at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_POLICY_H
#define HN_CUDA_DEVICE_POLICY_H

#include "hardnet/device.h"
#include "hardnet/network.h"

struct device_policy;

/* Model and options need not outlive the policy, the network does. */
struct device_policy_request {
    const hn_model *model;
    const hn_network *network;
    const hn_layer_options *layer;
    const hn_layer_options *through; /* that the loss goes through; NULL: none does */
    const hn_device_options *device;
    size_t candidates;
    size_t chunk;   /* inputs whose gradients by parameters are summed up first */
    bool corrected; /* the layer is no mere judge */
    bool learns;
    bool refines;  /* in runs or in lessons; the model has an objective */
    size_t bounds; /* rows that bound an output by itself, and that output; for learning */
    const size_t *bound_row, *bound_column;
};

hn_status device_policy_create(struct device_policy **out, const struct device_policy_request *request,
                               hn_error *error);
void device_policy_destroy(struct device_policy *policy);
const hn_device_layer *device_policy_layer(const struct device_policy *policy); /* to look at */

/* Whether it does: where it was asked to, and an eighth of the device's memory holds what 32 samples need for it. */
bool device_policy_refines(const struct device_policy *policy);

/* hn_policy_run. */
struct device_policy_run {
    size_t count;
    const double *x;
    double *y, *objective; /* each unless NULL */
    hn_report *reports;
    int refine; /* steps; 0 where device_policy_refines says no */
};
hn_status device_policy_run(struct device_policy *policy, const struct device_policy_run *run, hn_error *error);

/* All candidates, corrected: candidate k of input i is row k * count + i. None is NULL. */
struct device_policy_samples {
    size_t count;
    const double *x;
    double *raw, *y, *objective, *residual;
    hn_report *reports;
};
hn_status device_policy_candidates(struct device_policy *policy, const struct device_policy_samples *samples,
                                   hn_error *error);

/* ---- training ---- */

struct device_lesson {
    size_t count;
    const double *x, *targets; /* targets: NULL, the loss is that of the objective */
    double residual_weight, square_weight, move_weight, inward, clip, huber, others;
    /* the loss `improve`, where device_policy_refines, of nn/improver.h */
    int improve; /* steps; 0: it is another loss */
    bool explores;
    double explore;
    size_t distance;
    const double *starts; /* rows of inputs, or NULL */
    /* comes back, a number per sample, and the best sample of each input */
    double *total, *objective, *residual, *moved;
    hn_report *reports;
    bool *dropped;
    size_t *best;
    double norm; /* of the gradient by parameters */
};
hn_status device_policy_learn(struct device_policy *policy, struct device_lesson *lesson, hn_error *error);

/* The way back alone, after device_policy_candidates: rows of gradients by the network's outputs. */
hn_status device_policy_back(struct device_policy *policy, size_t count, const double *rows, double *norm,
                             hn_error *error);

/* A step of Adam with the gradient that is there; parameters and moments go there and come back. */
struct device_adam {
    double *parameters, *first, *second;
    double scale, rate, first_share, second_share, beta[2], eps;
};
hn_status device_policy_adam(struct device_policy *policy, const struct device_adam *adam, hn_error *error);

#endif
