/* device_calls_cache.h - a part of test_device_calls.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_DEVICE_CALLS_CACHE_H
#define HN_TESTS_DEVICE_DEVICE_CALLS_CACHE_H

#include "hardnet/model.h"

/* Kernels of a layer are found again; damaged and foreign ones are made anew, those that others may write to are refused. */
void check_cache(const hn_model *model, const char *cache);

#endif
