/* hardnet/device.h - a layer on an NVIDIA GPU: the same corrections and gradients, one thread per sample, in float64
 * bitwise identical to the CPU.
 *
 * The kernels are generated for one model and one method, compiled by NVRTC for the installed device, and cached
 * ($XDG_CACHE_HOME/hardnet or ~/.cache/hardnet). libcuda and libnvrtc are loaded when a device is requested; everything
 * else works without them. The primary context of the device is used, as in CUDA's run-time library, PyTorch and JAX:
 * their pointers can be used here.
 *
 *     hn_device_options o = hn_device_defaults();
 *     hn_device_layer *layer;
 *     hn_device_layer_create(&layer, model, NULL, &o, &error);      (compiles, or loads it from the cache)
 *     hn_batch batch = {.size = sizeof batch, .count = n, .x = x, .y_raw = raw, .y = y};  (device memory)
 *     hn_device_run(layer, &batch, workspace, stream, &error);      (asynchronous)
 *     hn_device_run_host(layer, &batch, NULL, &error);              (the same with host memory; synchronous)
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_DEVICE_H
#define HARDNET_DEVICE_H

#include "hardnet/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; any number of threads may use it. It does not refer to its model. */
typedef struct hn_device_layer hn_device_layer;

#define HN_PRECISION_LIST(X)                                                                                           \
    X(HN_PRECISION_FLOAT64, "float64")                                                                                 \
    X(HN_PRECISION_FLOAT32, "float32")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_precision { HN_PRECISION_LIST(HN_ENUMERATE) HN_PRECISION_COUNT } hn_precision;
#undef HN_ENUMERATE

const char *hn_precision_text(hn_precision precision);             /* "unknown" for other numbers */
bool hn_precision_find(const char *text, hn_precision *precision); /* false if unknown; *precision is unchanged then */

/* Start from hn_device_defaults(). */
typedef struct hn_device_options {
    size_t size;            /* sizeof(hn_device_options) */
    int device;             /* index of the device, 0 by default */
    hn_precision precision; /* float64: the CPU's bits. float32: computed in float, final evaluation in double */
    bool gradients;         /* also compile the kernel of hn_device_gradient */
    int tape_steps;         /* steps per sample in a tape; 0: as many as on the CPU */
    const char *compiler;   /* path of libnvrtc; NULL: found by name, in CUDA's folder, or beside loaded libraries,
                             * where PyPI packages have it */
    bool again;             /* compile even if the kernel is cached */
} hn_device_options;

hn_status hn_device_get_defaults(hn_device_options *out, hn_error *error);
static inline hn_device_options hn_device_defaults(void) {
    hn_device_options options;
    options.size = sizeof options;
    hn_device_get_defaults(&options, NULL);
    return options;
}

/* layer and options may be NULL: the defaults. HN_UNSUPPORTED: no driver, device or NVRTC, or the device is too old;
 * HN_NO_MEMORY: out of memory on the host or the device. */
hn_status hn_device_layer_create(hn_device_layer **out, const hn_model *model, const hn_layer_options *layer,
                                 const hn_device_options *options, hn_error *error);
void hn_device_layer_destroy(hn_device_layer *layer);

/* ---- the form of the kernel ----
 *
 * Predicted from the model alone, without a device. Straight-line code keeps a sample's numbers in registers and local
 * memory of its thread; rolled code and listed streams keep them in global memory, with repeated parts of the model as
 * loops, or with statements read from lists; dense loops likewise, with loops for a linear system that is dense or too
 * full for lists. */

#define HN_DEVICE_FORM_LIST(X)                                                                                         \
    X(HN_DEVICE_STRAIGHT, "straight code")                                                                             \
    X(HN_DEVICE_ROLLED, "rolled code")                                                                                 \
    X(HN_DEVICE_LISTED, "listed streams")                                                                              \
    X(HN_DEVICE_DENSE, "dense loops")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_device_form { HN_DEVICE_FORM_LIST(HN_ENUMERATE) HN_DEVICE_FORM_COUNT } hn_device_form;
#undef HN_ENUMERATE

const char *hn_device_form_text(hn_device_form form); /* "unknown" for other numbers */

typedef struct hn_device_forecast {
    size_t size; /* sizeof(hn_device_forecast) */
    hn_device_form form;
    size_t operands;      /* of the statements of a step, */
    size_t operands_most; /* and their limit for straight-line code */
    size_t bytes;         /* of code for the longest part of a step as rolled code, */
    size_t bytes_most;    /* and its limit; beyond it lists are used */
} hn_device_forecast;

/* layer may be NULL: the defaults. HN_INVALID for a method that is not available on devices. */
hn_status hn_device_predict(hn_device_forecast *out, const hn_model *model, const hn_layer_options *layer,
                            hn_error *error);

/* ---- with device memory, asynchronous ----
 *
 * Every pointer of batch and gradient is device memory; reports have the stride sizeof(hn_report). cancel, seconds,
 * watch and shared inputs are not supported: they must be NULL and 0. Results are valid when the stream has reached this point; the
 * caller must synchronise with inputs written on other streams. The stream is a CUstream or a cudaStream_t, NULL: the
 * default one. Nothing is allocated: both calls may be captured into a graph. */

size_t hn_device_workspace_bytes(const hn_device_layer *layer, size_t count); /* for either call; one call at a time */
size_t hn_device_tape_bytes(const hn_device_layer *layer, size_t count);      /* 0 on overflow of size_t */

hn_status hn_device_run(const hn_device_layer *layer, const hn_batch *batch, void *workspace, void *stream,
                        hn_error *error);
hn_status hn_device_gradient(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             void *workspace, void *stream, hn_error *error);

/* ---- with host memory, synchronous ---- */

/* batch.tape is not used. gradient: NULL, or the gradients to compute with the correction. */
hn_status hn_device_run_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             hn_error *error);

/* The same, and the seconds from the last input copy to the last kernel: without allocation and copies. */
hn_status hn_device_time_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                              double *seconds, hn_error *error);

/* ---- queries ---- */

enum { HN_DEVICE_NAME_BYTES = 96 };

typedef struct hn_device_info {
    size_t size; /* sizeof(hn_device_info) */
    char name[HN_DEVICE_NAME_BYTES];
    int capability;    /* the device's compute capability: 90 is 9.0 */
    int driver, nvrtc; /* versions of CUDA, 1000 times the major one plus 10 times the minor one; nvrtc is 0 if every
                        * kernel was cached */
    int multiprocessors;
    bool found;         /* every kernel was cached */
    double seconds;     /* spent on compiling */
    int registers;      /* per thread, of the correction kernel, */
    size_t local_bytes; /* and its local memory per thread */
    size_t inputs, outputs, rows;
    hn_precision precision;
    bool refines; /* of a policy (hn_policy_get_device): refinement runs on the device */
} hn_device_info;

hn_status hn_device_get_info(const hn_device_layer *layer, hn_device_info *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
