/* hardnet/policy.h - a network and its layer as one function from inputs to outputs that satisfy the constraints.
 *
 *     y_raw = network(x): K candidates,   each corrected by the layer,   each refined,   the best kept
 *
 * The best is: ok before not ok, then the smallest objective. Refinement (hardnet/refine.h) takes steps along the
 * constraints that lower the objective; each is corrected again and accepted if it is ok and lower, so that it never
 * worsens an output. The same bits in any batch and on any number of threads. Policies without a layer, for comparison,
 * are in hardnet/baselines.h.
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_POLICY_H
#define HARDNET_POLICY_H

#include "hardnet/device.h"
#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, concurrent ones return HN_INVALID; a run uses the policy's threads. */
typedef struct hn_policy hn_policy;

/* Limits of options, which also apply to options in files; the tolerance is at most 1. */
enum { HN_POLICY_MOST_CANDIDATES = 1000, HN_POLICY_MOST_REFINE = 1000, HN_POLICY_MOST_ITERATIONS = 100000 };

typedef struct hn_policy_options {
    hn_layer_options layer;
    size_t candidates;               /* K, at least 1; the network has K times the model's outputs */
    int refine;                      /* steps; like several candidates, they need an objective */
    int threads;                     /* 0: one per core; not saved */
    const hn_device_options *device; /* NULL: the CPU. On a device, network, candidates, correction, refinement and
                                      * choice have the CPU's bits (hn_device_info.refines: whether refinement fits on
                                      * the device; else it runs on the CPU). Not saved */
} hn_policy_options;

/* auto, tolerance 1e-8, one candidate, no refinement */
void hn_policy_get_defaults(hn_policy_options *out);
static inline hn_policy_options hn_policy_defaults(void) {
    hn_policy_options options;
    hn_policy_get_defaults(&options);
    return options;
}

/* The caller owns model and network, which must outlive the policy; the network may change between runs. */
hn_status hn_policy_create(hn_policy **out, const hn_model *model, const hn_network *network,
                           const hn_policy_options *options, hn_error *error);
void hn_policy_destroy(hn_policy *policy);

/* The options of its creation; the defaults if policy is NULL. */
void hn_policy_get_options(const hn_policy *policy, hn_policy_options *out);
static inline hn_policy_options hn_policy_options_of(const hn_policy *policy) {
    hn_policy_options options;
    hn_policy_get_options(policy, &options);
    return options;
}

const hn_network *hn_policy_network(const hn_policy *policy);

/* The device it runs on; HN_INVALID if that is the CPU. */
hn_status hn_policy_get_device(const hn_policy *policy, hn_device_info *out, hn_error *error);

/* Reads count rows of x; writes count rows of y, objectives (minimised; NaN without one) and reports, each unless NULL.
 * A report's iterations include the layer's steps after refinements; violation_before and moved are those of the raw
 * output that became the best. */
hn_status hn_policy_run(hn_policy *policy, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                        hn_report *reports, hn_error *error);

/* The same, and the candidate of each output, counted from 0. HN_UNSUPPORTED on a device. */
hn_status hn_policy_run_chosen(hn_policy *policy, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                               hn_report *reports, size_t *chosen, hn_error *error);

/* ---- files: a network file with the settings of the policy and the model's fingerprint in its metadata ---- */

hn_status hn_policy_save(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts,
                         hn_error *error);

/* The policy owns the network it loads. A network of another model, or one whose settings are missing or invalid, is
 * refused with HN_INVALID. */
hn_status hn_policy_load(hn_policy **out, const hn_model *model, const char *path, int threads, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
