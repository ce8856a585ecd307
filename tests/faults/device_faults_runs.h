/* device_faults_runs.h - parts of test_device_faults.c: faults in calls of layers and policies that are there already, and in printing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_FAULTS_DEVICE_FAULTS_RUNS_H
#define HN_TESTS_FAULTS_DEVICE_FAULTS_RUNS_H

#include "cuda/fake_device.h"
#include "hardnet/hardnet.h"

/* The model has one input and two outputs. Every call of the driver fails in turn, once and for ever. */
void runs_fail(const hn_model *model, struct fake_device *device);
void training_fails(const hn_model *model, struct fake_device *device);

/* Calls and allocations fail while a layer or a policy is made whose kernels are in the cache. */
void making_fails(const hn_model *model, struct fake_device *device);

/* Allocations fail while texts of kernels are printed and forms are chosen. */
void printing_fails(const hn_model *model);

/* Compilers and drivers that are the test's own. */

#endif
