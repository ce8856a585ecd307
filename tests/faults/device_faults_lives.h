/* device_faults_lives.h - parts of test_device_faults.c: layers and policies from their beginning on a device to their end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_FAULTS_DEVICE_FAULTS_LIVES_H
#define HN_TESTS_FAULTS_DEVICE_FAULTS_LIVES_H

#include "hardnet/hardnet.h"

enum { SAMPLES = 5, INPUTS = 1, OUTPUTS = 2 };

extern const double faults_x[SAMPLES * INPUTS];

struct results {
    double y[SAMPLES * OUTPUTS], gradient[SAMPLES * OUTPUTS]; /* of a policy: its parameters */
    hn_report reports[SAMPLES];
};

/* One of a model with that many inputs and outputs: a layer with gradients; one that searches where auto ends, in memory of its own; a
 * policy that is trained; one that refines, too, in training and after it. */
hn_status live_layer(const hn_model *model, struct results *r, hn_error *error);
hn_status live_searching(const hn_model *model, struct results *r, hn_error *error);
hn_status live_policy(const hn_model *model, struct results *r, hn_error *error);
hn_status live_refining(const hn_model *model, struct results *r, hn_error *error);

/* Of a model with one input and 2500 outputs: its slots lie in the device's memory, its start values come from lists. Of floats with steps
 * in double behind them: four kernels, two tapes. */
hn_status live_long(const hn_model *model, struct results *r, hn_error *error);
hn_status live_floats(const hn_model *model, struct results *r, hn_error *error);

#endif
