/* device_parts.h - internal interface of this module: a layer on a device.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_PARTS_H
#define HN_CUDA_DEVICE_PARTS_H

#include "autodiff/program.h"
#include "base/file.h"
#include "codegen/cuda/print_kernel.h"
#include "core/program_lists.h"
#include "cuda/cuda_driver.h"
#include "cuda/nvrtc.h"

struct device_call;

/* One loaded kernel. */
struct device_kernel {
    cuda_module module;
    cuda_function function;
    unsigned width;        /* samples of a warp, or of a thread block that shares one */
    unsigned threads;      /* threads that run these samples */
    unsigned warps;        /* most resident warps */
    bool together;         /* the warps of a multiprocessor form one block and iterate together */
    unsigned shared_bytes; /* shared memory of a warp */
    int registers;
    size_t local_bytes;
    cuda_address lists; /* its bytecode; 0: none */
    /* of a sample in global memory: its slots with the further numbers of its thread, or 0 for slots in registers; its slots */
    size_t sample_bytes, slot_bytes;
};

struct hn_device_layer {
    struct cuda_driver driver;
    cuda_device device;
    cuda_context context; /* the primary one; NULL: not retained */
    size_t memory;        /* bytes of global memory */
    int shared_most;      /* bytes of shared memory of a block, at most */
    int has_pools;        /* 1: memory can be allocated in stream order */
    struct plan *plan;
    hn_device_forecast choice;
    hn_layer_options layer; /* with the method's default numbers filled in */
    hn_device_options options;
    hn_device_info info;
    struct device_kernel run, pull;               /* pull: with gradients, if there are steps in double */
    struct device_kernel coarse_run, coarse_pull; /* in float, run first; precision float32 only */
    struct device_search *search;                 /* of the methods nearest and optimal */
};

/* Retains the primary context, until the layer is destroyed. */
hn_status device_hold(hn_device_layer *layer, hn_error *error);

/* The context is current to the thread during a call. */
hn_status device_enter(const hn_device_layer *layer, hn_error *error);
void device_leave(const hn_device_layer *layer);

/* ---- kernels ---- */

/* Retains the context and compiles and loads all kernels. The layer has its plan and its device. */
hn_status device_make_kernels(hn_device_layer *layer, const hn_model *model, hn_error *error);

/* Machine code for the text: from the cache, or compiled and stored there. */
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

/* Copies the bytecode of a loaded kernel to the device. The context is current. */
hn_status device_upload_bytecode(const hn_device_layer *layer, struct device_kernel *kernel,
                                 const struct kernel_code *code, hn_error *error);

/* Most resident warps of a kernel on a multiprocessor. */
unsigned device_most_warps(const hn_device_layer *layer, const struct device_subject *subject);

/* ---- calls ---- */

/* Rejects inputs shared by the batch. */
hn_status device_check_shared(const hn_batch *batch, hn_error *error);

/* Warps that a call with so many samples starts. */
unsigned device_warps(const hn_device_layer *layer, const struct device_kernel *kernel, uint64_t count);

/* Bytes of the workspace for slots in global memory; false if they do not fit a size_t. */
bool device_slot_bytes(const hn_device_layer *layer, size_t count, size_t *bytes);

/* Sets the pointers of a kernel's call to these bytes. */
void device_place_slots(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                        void *memory);

/* ---- the methods nearest and optimal (device_search.c): the constant data of their searches ---- */

/* Does nothing for other methods. The layer has its plan, its device and its context. */
hn_status device_search_create(hn_device_layer *layer, const hn_model *model, hn_error *error);
void device_search_destroy(hn_device_layer *layer);

/* Bytes of a thread in addition to its slots, and the data on the device; 0 and NULL for other methods. */
size_t device_search_bytes(const hn_device_layer *layer);
const struct search_places *device_search_places(const hn_device_layer *layer);

/* ---- uploads: host arrays copied into one block of the device's memory ---- */

/* An array, and the pointer that is set to its address on the device. */
struct device_list {
    const void *from; /* NULL: empty */
    size_t count, each;
    const void **to;
};

/* Arrays that contain pointers to other arrays come after them. */
struct device_lists {
    struct device_list list[160];
    size_t count;
};

#define DEVICE_ADD(lists, array, many, pointer)                                                                        \
    device_lists_add(lists, array, many, sizeof *(array), (const void **)(uintptr_t) & (pointer))

void device_lists_add(struct device_lists *all, const void *from, size_t count, size_t each, const void **to);

/* The lists of a program; `to` is filled and must exist until the upload. */
void device_lists_add_program(struct device_lists *all, const struct program *from, struct policy_program *to);

/* Waits for the copies. The context is current. *block is 0 if it cannot be allocated. */
hn_status device_upload(const struct cuda_driver *cu, cuda_address *block, const struct device_lists *all,
                        hn_error *error);

#endif
