/* hardnet/baselines.h - policies without the layer, to compare with (docs/method.md, Baselines):
 * nothing at all, and DC3.
 *
 * Policies (hardnet/policy.h) and trainers (hardnet/train.h) that are made here are used, saved,
 * loaded and destroyed as all others. They have no refinement. Their loss is the objective,
 * differentiated through what they do instead of the layer; the scheme `none` can also learn from
 * targets.
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_BASELINES_H
#define HARDNET_BASELINES_H

#include "hardnet/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a raw output: X(name, text). */
#define HN_SCHEME_LIST(X)                                                                                              \
    X(HN_SCHEME_LAYER, "layer") /* it is corrected: no baseline */                                                     \
    X(HN_SCHEME_NONE, "none")   /* it is the output, whatever it violates */                                           \
    X(HN_SCHEME_DC3, "dc3")     /* equalities complete it, gradient steps correct inequalities */

#define HN_ENUMERATE(name, text) name,
typedef enum hn_scheme { HN_SCHEME_LIST(HN_ENUMERATE) HN_SCHEME_COUNT } hn_scheme;
#undef HN_ENUMERATE

const char *hn_scheme_text(hn_scheme scheme); /* "unknown" for a number that is none */
bool hn_scheme_find(const char *text, hn_scheme *scheme);

typedef struct hn_baseline {
    hn_scheme scheme;
    int correction_steps; /* of dc3, on the squared violation: */
    hn_real correction_rate, momentum;
} hn_baseline;

/* The layer; for dc3 100 steps, 0.1, 0.5 */
void hn_baseline_get_defaults(hn_baseline *out);
static inline hn_baseline hn_baseline_defaults(void) {
    hn_baseline baseline;
    hn_baseline_get_defaults(&baseline);
    return baseline;
}

/* Which of the model's outputs a network has to give for one candidate, ascending: their count, and
 * unless columns is NULL their numbers, in an array with an element for each output of the model.
 * All outputs, except with dc3: there those that the equalities are not solved for and that are not
 * fixed. */
hn_status hn_baseline_columns(const hn_model *model, const hn_baseline *baseline, size_t *columns, size_t *count,
                              hn_error *error);

/* As hn_policy_create and hn_trainer_create. Of the layer's options only tolerance, relative and
 * instructions count, unless the scheme is the layer: they say what is ok. */
hn_status hn_baseline_policy(hn_policy **out, const hn_model *model, const hn_network *network,
                             const hn_policy_options *options, const hn_baseline *baseline, hn_error *error);
hn_status hn_baseline_trainer(hn_trainer **out, const hn_model *model, hn_network *network,
                              const hn_train_options *options, const hn_baseline *baseline, hn_error *error);

/* What a policy, from a file too, does with raw outputs; the defaults without a policy. */
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
