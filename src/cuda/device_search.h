/* device_search.h - the methods nearest and optimal on a device: what their search walks, there, and its memory. The kernels are
 * search.h and search_back_text.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_SEARCH_H
#define HN_CUDA_DEVICE_SEARCH_H

#include "cuda/device_parts.h"

/* Nothing for other methods. The layer has its plan, its device and its context. */
hn_status device_search_create(hn_device_layer *layer, const hn_model *model, hn_error *error);
void device_search_destroy(hn_device_layer *layer);

/* Bytes that a thread needs besides its slots; 0 for other methods. */
size_t device_search_bytes(const hn_device_layer *layer);

/* Where the device has what is walked; NULL for other methods. */
const struct search_places *device_search_places(const hn_device_layer *layer);

#endif
