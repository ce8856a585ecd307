/* hardnet/policy.h - a network and its layer as one thing that is applied: inputs in, outputs that
 * hold the constraints out.
 *
 *     y_raw = network(x): K candidates,   each corrected by the layer,   each refined,   the best kept
 *
 * The best is: ok before not ok, then the smallest objective. Refinement (hardnet/refine.h) takes
 * steps along the constraints that lower the objective; each is corrected again and kept where it
 * is ok and lower, so that it never makes an output worse. The same bits in any batch and on any
 * number of threads. Something else than the layer may stand in its place: hardnet/head.h.
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_POLICY_H
#define HARDNET_POLICY_H

#include "hardnet/device.h"
#include "hardnet/head.h"
#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call at a time, others return HN_INVALID; a run starts its own threads. */
typedef struct hn_policy hn_policy;

/* Limits of options, which also hold for what a file asks for; the tolerance is at most 1. */
enum { HN_POLICY_MOST_CANDIDATES = 1000, HN_POLICY_MOST_REFINE = 1000, HN_POLICY_MOST_ITERATIONS = 100000 };

typedef struct hn_policy_options {
    hn_layer_options layer;
    size_t candidates;               /* K, at least 1; the network has K times the model's outputs */
    int refine;                      /* steps; they need an objective, as several candidates do */
    int threads;                     /* 0: one per core; no part of what is saved */
    const hn_device_options *device; /* NULL: the CPU. On a device network, candidates, correction, refinement and
                                      * choice have the CPU's bits (hn_device_info.refines: whether there is room
                                      * for refinement, which else stays with the CPU). No part of what is saved */
    bool uncorrected;                /* without a layer: outputs are the network's and are judged only, to compare with.
                                      * Of the layer's options tolerance, relative and instructions count */
    const hn_head *head;             /* likewise, but for what this head does; NULL: none */
} hn_policy_options;

/* auto to 1e-8, one candidate, no refinement */
void hn_policy_get_defaults(hn_policy_options *out);
static inline hn_policy_options hn_policy_defaults(void) {
    hn_policy_options options;
    hn_policy_get_defaults(&options);
    return options;
}

/* Model and network are the caller's and outlive the policy; the network may change between
 * runs. */
hn_status hn_policy_create(hn_policy **out, const hn_model *model, const hn_network *network,
                           const hn_policy_options *options, hn_error *error);
void hn_policy_destroy(hn_policy *policy);

/* The options it was made with; the defaults without a policy. */
void hn_policy_get_options(const hn_policy *policy, hn_policy_options *out);
static inline hn_policy_options hn_policy_options_of(const hn_policy *policy) {
    hn_policy_options options;
    hn_policy_get_options(policy, &options);
    return options;
}

const hn_network *hn_policy_network(const hn_policy *policy);

/* What it runs on, where that is a device; HN_INVALID where it is the CPU. */
hn_status hn_policy_get_device(const hn_policy *policy, hn_device_info *out, hn_error *error);

/* Takes count rows of x; gives count rows of y, objectives (as they are minimised; NaN without one)
 * and reports, each unless NULL. A report's iterations count the steps of the layer after
 * refinements too; violation_before and moved are those of the raw output that became the best. */
hn_status hn_policy_run(hn_policy *policy, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                        hn_report *reports, hn_error *error);

/* The same, and which candidate each output comes from, counted from 0. Not on a device: HN_UNSUPPORTED. */
hn_status hn_policy_run_chosen(hn_policy *policy, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                               hn_report *reports, size_t *chosen, hn_error *error);

/* ---- files: a network file with the settings of the policy and the model's fingerprint in its metadata
 * ---- */

hn_status hn_policy_save(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts,
                         hn_error *error);

/* The policy owns the network it loads. A network of another model, or one whose settings are
 * missing or make no sense, is refused with HN_INVALID. */
hn_status hn_policy_load(hn_policy **out, const hn_model *model, const char *path, int threads, hn_error *error);

/* The same, and where the file asks for a head, `find` gives it, by the texts of the network:
 * policy.scheme is its name. Name and texts of the head must be those of the file. */
typedef hn_status (*hn_head_find)(void *context, const hn_network *network, const hn_policy_options *options,
                                  const hn_head **head, hn_error *error);
hn_status hn_policy_load_with(hn_policy **out, const hn_model *model, const char *path, int threads, hn_head_find find,
                              void *context, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
