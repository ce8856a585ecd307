/* hardnet/baselines.h - policies without the layer, for comparison (docs/method.md, Baselines): the raw network, and
 * DC3.
 *
 * Policies (hardnet/policy.h) and trainers (hardnet/train.h) created here are used, saved, loaded and destroyed like
 * all others. They have no refinement. Their loss is the objective, differentiated through the baseline instead of the
 * layer; the scheme `none` can also learn from targets.
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_BASELINES_H
#define HARDNET_BASELINES_H

#include "hardnet/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Postprocessing of a raw output: X(name, text). */
#define HN_SCHEME_LIST(X)                                                                                              \
    X(HN_SCHEME_LAYER, "layer") /* corrected by the layer: not a baseline */                                           \
    X(HN_SCHEME_NONE, "none")   /* unchanged, even if it violates constraints */                                       \
    X(HN_SCHEME_DC3, "dc3")     /* completion by equalities, then gradient steps on violated inequalities */

#define HN_ENUMERATE(name, text) name,
typedef enum hn_scheme { HN_SCHEME_LIST(HN_ENUMERATE) HN_SCHEME_COUNT } hn_scheme;
#undef HN_ENUMERATE

const char *hn_scheme_text(hn_scheme scheme); /* "unknown" for other numbers */
bool hn_scheme_find(const char *text, hn_scheme *scheme);

typedef struct hn_baseline {
    hn_scheme scheme;
    int correction_steps; /* of dc3, on the squared violation: */
    hn_real correction_rate, momentum;
} hn_baseline;

/* the layer; for dc3 100 steps, 0.1, 0.5 */
void hn_baseline_get_defaults(hn_baseline *out);
static inline hn_baseline hn_baseline_defaults(void) {
    hn_baseline baseline;
    hn_baseline_get_defaults(&baseline);
    return baseline;
}

/* The model outputs that a network predicts per candidate, ascending: their count, and unless columns is NULL their
 * indices, in an array with one element per model output. All outputs, except for dc3: those that are neither fixed nor
 * solved for by the equalities. */
hn_status hn_baseline_columns(const hn_model *model, const hn_baseline *baseline, size_t *columns, size_t *count,
                              hn_error *error);

/* Like hn_policy_create and hn_trainer_create. Unless the scheme is the layer, only tolerance, relative and
 * instructions of the layer's options are used: they define ok. */
hn_status hn_baseline_policy(hn_policy **out, const hn_model *model, const hn_network *network,
                             const hn_policy_options *options, const hn_baseline *baseline, hn_error *error);
hn_status hn_baseline_trainer(hn_trainer **out, const hn_model *model, hn_network *network,
                              const hn_train_options *options, const hn_baseline *baseline, hn_error *error);

/* The scheme of a policy, also of a loaded one; the defaults if policy is NULL. */
void hn_policy_get_baseline(const hn_policy *policy, hn_baseline *out);
static inline hn_baseline hn_policy_baseline(const hn_policy *policy) {
    hn_baseline baseline;
    hn_policy_get_baseline(policy, &baseline);
    return baseline;
}

#ifdef __cplusplus
}
#endif

#endif
