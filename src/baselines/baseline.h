/* baseline.h - the settings of hardnet/baselines.h: what they allow, and which layer stands beside them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_BASELINE_H
#define HN_BASELINES_BASELINE_H

#include "baselines/dc3.h"
#include "hardnet/baselines.h"

/* Whether the settings make sense. */
hn_status baseline_check(const hn_baseline *baseline, hn_error *error);

/* The layer of a policy: the one that is asked for, or one without steps that judges. */
hn_layer_options baseline_layer(const hn_baseline *baseline, const hn_layer_options *options);

/* Correction steps, their rate and momentum. */
struct dc3_settings baseline_dc3(const hn_baseline *baseline);

#endif
