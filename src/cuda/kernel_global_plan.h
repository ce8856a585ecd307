/* kernel_global_plan.h - kernels over slots in the device's memory, as device_layer.c and device_run.c see them: their lists, how many threads run
 * at once, what they need of a workspace.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_PLAN_H
#define HN_CUDA_KERNEL_GLOBAL_PLAN_H

#include "cuda/device_parts.h"
#include "cuda/print_global.h"

struct device_call;

/* The text of a kernel, with lists where it reads some; global_release releases it. layer->choice is made. */
hn_status device_print_chosen(struct global_code *out, const hn_device_layer *layer,
                              const struct device_subject *subject, hn_error *error);

/* After the kernel is loaded; the context is the thread's. */
hn_status device_give_lists(const hn_device_layer *layer, struct device_kernel *kernel, const struct global_code *code,
                            hn_error *error);

/* How many warps of a kernel run at once on a multiprocessor, at most. */
unsigned device_most_warps(const hn_device_layer *layer, const struct device_subject *subject);

/* Blocks that a call over so many samples starts. */
unsigned device_warps(const hn_device_layer *layer, const struct device_kernel *kernel, uint64_t count);

/* What slots take of a workspace; false when it does not fit a size_t. */
bool device_far_bytes(const hn_device_layer *layer, size_t count, size_t *bytes);

/* Places those of a kernel at `memory`. */
void device_far_place(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                      void *memory);

#endif
