/* baselines_making.h - policies, networks and trainers with a baseline's head, for test_baselines.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_BASELINES_MAKING_H
#define HN_TESTS_BASELINES_MAKING_H

#include "baselines/baseline.h"
#include "hardnet/hardnet.h"

enum { MOST = 64 };

/* A policy's settings, and a training's. */
struct applied {
    hn_policy_options policy;
    struct baseline baseline;
};

struct trained {
    hn_train_options train;
    struct baseline baseline;
};

hn_model *model_of(const char *text);
struct applied scheme_of(enum scheme scheme);
int destroy_heads(void **state);
struct baseline_head **next_head(void); /* where a head is put that destroy_heads destroys */
hn_status make_head(const hn_model *model, const struct baseline *baseline, hn_policy_options *policy, hn_error *error);
hn_policy_options headed(const hn_model *model, const struct baseline *baseline, hn_policy_options policy);
size_t width_of(const hn_model *model, const struct baseline *baseline, size_t columns[MOST]);
hn_network *network_for(const hn_model *model, struct applied settings, double level);
struct trained training_of(enum scheme scheme);
struct applied applied_by(const struct trained *options);
hn_trainer *trainer_of(const hn_model *model, hn_network *network, const struct trained *options);
hn_policy *policy_of(const hn_model *model, const hn_network *network, const struct applied *options);
void draw(const hn_model *model, double *x, size_t count, uint64_t stream);

#endif
