/* device_parts.h - a layer on a device, as the files of this module see it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_PARTS_H
#define HN_CUDA_DEVICE_PARTS_H

#include "base/file.h"
#include "cuda/cuda_driver.h"
#include "cuda/kernel_variant.h"
#include "cuda/nvrtc.h"
#include "cuda/print_kernel.h"

enum { DEVICE_THREADS = 32 }; /* of a warp */

/* One kernel, loaded. */
struct device_kernel {
    cuda_module module;
    cuda_function function;
    unsigned width;      /* samples of a warp: fewer than the device's threads where it is narrow */
    unsigned threads;    /* that they take: one each, or those of a team */
    unsigned warps;      /* at most: what runs at once */
    bool together;       /* warps of a multiprocessor are one block, and begin their rounds together */
    unsigned near_bytes; /* of a warp, of the memory that the threads of a block share */
    int registers;
    size_t local_bytes;
    cuda_address lists; /* that it reads; 0: none */
    size_t
        sample_bytes; /* of a sample whose slots lie in the device's memory, with what its thread has beside them; 0: none does */
    size_t slot_bytes; /* those of its slots */
};

struct hn_device_layer {
    struct cuda_driver driver;
    cuda_device device;
    cuda_context context; /* the primary one; NULL: not held */
    size_t memory;        /* bytes that the device has */
    int near_most;        /* bytes that the threads of a block can share */
    int has_pools;        /* 1: memory can be taken in the order of a stream */
    struct plan *plan;
    hn_device_forecast choice;
    hn_layer_options layer; /* with the method's own numbers filled in */
    hn_device_options options;
    hn_device_info info;
    struct device_kernel run, pull; /* the second where gradients are wanted, and there are steps in double */
    struct device_kernel coarse_run, coarse_pull; /* in float, ahead of those; precision float32 only */
    struct device_search *search;                 /* of the methods nearest and optimal: device_search.h */
};

/* The primary context, for as long as the layer lives. */
hn_status device_hold(hn_device_layer *layer, hn_error *error);

/* The context is the thread's while a call lasts. */
hn_status device_enter(const hn_device_layer *layer, hn_error *error);
void device_leave(const hn_device_layer *layer);

/* All that the layer needs, where its plan and its device are there: its context, too. */
hn_status device_make_kernels(hn_device_layer *layer, const hn_model *model, hn_error *error);

/* Machine code for the text: from the cache, or compiled and put there. */
struct code_subject {
    const char *text;
    size_t length;
    int capability;
    bool gradients;
    struct nvrtc_way way;
    const hn_layer_options *layer;
    const char *model; /* its fingerprint */
};
hn_status device_code(struct file_bytes *code, hn_device_layer *layer, const struct code_subject *subject,
                      hn_error *error);

#endif
