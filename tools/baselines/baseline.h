/* baseline.h - what hardnet is compared with: networks whose outputs nothing corrects (soft), and DC3.
 *
 * In comes a model, out goes a head (hardnet/head.h) for policies and trainers; nothing here is known to the library. This folder is
 * the only one of the command line that looks into the library's modules: a completion needs programs, factors and lanes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_BASELINE_H
#define HN_BASELINES_BASELINE_H

#include "hardnet/policy.h"

/* What becomes of a raw output: X(name, text). */
#define SCHEME_LIST(X)                                                                                                 \
    X(SCHEME_LAYER, "layer") /* it is corrected: no baseline */                                                        \
    X(SCHEME_NONE, "none")   /* it is the output, whatever it violates */                                              \
    X(SCHEME_DC3, "dc3")     /* equalities complete it, gradient steps correct inequalities */

#define SCHEME_NAME(name, text) name,
enum scheme { SCHEME_LIST(SCHEME_NAME) SCHEMES };
#undef SCHEME_NAME

const char *scheme_text(enum scheme scheme);

struct baseline {
    enum scheme scheme;
    int correction_steps; /* of dc3, on the squared violation: */
    double correction_rate, momentum;
};

/* The layer; for dc3 100 steps, 0.1, 0.5 */
struct baseline baseline_defaults(void);

/* A head, and what it is made of. NULL for schemes that need none. */
struct baseline_head;

/* The head of a scheme; HN_INVALID where the settings make no sense, or the equalities leave nothing to learn. */
hn_status baseline_head_create(struct baseline_head **out, const hn_model *model, const struct baseline *baseline,
                               hn_instructions instructions, hn_error *error);
void baseline_head_destroy(struct baseline_head *head);

/* Into a policy's options what the scheme asks for: a head, no correction, or neither. */
void baseline_apply(const struct baseline *baseline, const struct baseline_head *head, hn_policy_options *options);

/* A policy from a file, and its head, which outlives it. */
hn_status baseline_load(hn_policy **policy, struct baseline_head **head, const hn_model *model, const char *path,
                        int threads, hn_error *error);

/* What these options do with raw outputs. */
struct baseline baseline_of(const hn_policy_options *options);

#endif
