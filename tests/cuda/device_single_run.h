/* device_single_run.h - layers of precision float32, as the parts of test_device_single.c make and run them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_DEVICE_SINGLE_RUN_H
#define HN_TESTS_DEVICE_DEVICE_SINGLE_RUN_H

#include "hardnet/device.h"
#include "support/run_layer.h"

/* A model of a file, perhaps with a number of its own, or of a text; and the form that its kernels must have. */
struct single_subject {
    const char *name, *let, *text;
    hn_device_form form;
};

hn_model *single_read(const struct single_subject *subject, const hn_layer_options *options);
hn_device_layer *single_layer(const hn_model *model, hn_layer_options layer);

/* Corrections and gradients; results are of the size of the other layer's. */
struct layer_results single_run(const hn_device_layer *device, const hn_layer *like, size_t count, const double *x,
                                const double *raw, const double *grad_y);

#endif
