/* hardnet/device.h - a layer on an NVIDIA GPU: the same corrections and gradients, one sample per thread,
 * in float64 with the bits of the CPU.
 *
 * The kernels are generated for one model and one method, compiled by NVRTC for the device that is there,
 * and kept in the user's cache ($XDG_CACHE_HOME/hardnet or ~/.cache/hardnet). libcuda and libnvrtc are
 * opened when a device is asked for; without them everything else works. The primary context of the
 * device is used, as CUDA's run-time library, PyTorch and JAX do: their pointers are good here.
 *
 *     hn_device_options o = hn_device_defaults();
 *     hn_device_layer *layer;
 *     hn_device_layer_create(&layer, model, NULL, &o, &error);      (compiles, or takes it from the cache)
 *     hn_batch batch = {.size = sizeof batch, .count = n, .x = x, .y_raw = raw, .y = y};  (device memory)
 *     hn_device_run(layer, &batch, workspace, stream, &error);      (returns before it is done)
 *     hn_device_run_host(layer, &batch, NULL, &error);              (the same over the host's memory; waits)
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_DEVICE_H
#define HARDNET_DEVICE_H

#include "hardnet/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Constant once it is made; any number of threads may use it. It keeps nothing of its model. */
typedef struct hn_device_layer hn_device_layer;

#define HN_PRECISION_LIST(X)                                                                                           \
    X(HN_PRECISION_FLOAT64, "float64")                                                                                 \
    X(HN_PRECISION_FLOAT32, "float32")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_precision { HN_PRECISION_LIST(HN_ENUMERATE) HN_PRECISION_COUNT } hn_precision;
#undef HN_ENUMERATE

const char *hn_precision_text(hn_precision precision);             /* "unknown" for a number that is none */
bool hn_precision_find(const char *text, hn_precision *precision); /* false, and nothing set: unknown */

/* Start from hn_device_defaults(). */
typedef struct hn_device_options {
    size_t size;            /* sizeof(hn_device_options) */
    int device;             /* number of the device, 0 unless given */
    hn_precision precision; /* float64: the CPU's bits. float32: computed in float, the verdict in double */
    bool gradients;         /* hn_device_gradient is wanted: its kernel is compiled, too */
    int tape_steps;         /* steps of each sample that a tape holds; 0: as many as on the CPU */
    const char *compiler;   /* the path of libnvrtc; NULL: found by its name, in CUDA's folder, or beside what is
                             * loaded, where packages of PyPI have it */
    bool again;             /* compile even if the cache has it */
} hn_device_options;

hn_status hn_device_get_defaults(hn_device_options *out, hn_error *error);
static inline hn_device_options hn_device_defaults(void) {
    hn_device_options options;
    options.size = sizeof options;
    hn_device_get_defaults(&options, NULL);
    return options;
}

/* layer and options may be NULL: the defaults. HN_UNSUPPORTED: there is no driver, no such device, no NVRTC, the device
 * is too old; HN_NO_MEMORY: the host's or the device's is out. */
hn_status hn_device_layer_create(hn_device_layer **out, const hn_model *model, const hn_layer_options *layer,
                                 const hn_device_options *options, hn_error *error);
void hn_device_layer_destroy(hn_device_layer *layer);

/* ---- which kind of kernel it will be ----
 *
 * Found from the model alone: no device is needed. Straight code keeps a sample's numbers with its thread; rolled code and
 * listed streams keep them in the device's memory, repeated parts of the model as loops, or statements read from lists;
 * dense loops likewise, with loops for a linear system that is dense or too full for lists. */

#define HN_DEVICE_FORM_LIST(X)                                                                                         \
    X(HN_DEVICE_STRAIGHT, "straight code")                                                                             \
    X(HN_DEVICE_ROLLED, "rolled code")                                                                                 \
    X(HN_DEVICE_LISTED, "listed streams")                                                                              \
    X(HN_DEVICE_DENSE, "dense loops")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_device_form { HN_DEVICE_FORM_LIST(HN_ENUMERATE) HN_DEVICE_FORM_COUNT } hn_device_form;
#undef HN_ENUMERATE

const char *hn_device_form_text(hn_device_form form); /* "unknown" for a number that is none */

typedef struct hn_device_forecast {
    size_t size; /* sizeof(hn_device_forecast) */
    hn_device_form form;
    size_t operands;      /* of the statements of a step, */
    size_t operands_most; /* and as many straight code may have */
    size_t bytes;         /* of text that the longest part of a step has as rolled code, */
    size_t bytes_most;    /* and as many it may have; beyond that it is listed */
} hn_device_forecast;

/* layer may be NULL: the defaults. HN_INVALID for a method that a device does not have. */
hn_status hn_device_predict(hn_device_forecast *out, const hn_model *model, const hn_layer_options *layer,
                            hn_error *error);

/* ---- over the device's memory, without waiting ----
 *
 * Every pointer of batch and gradient is memory of the device; reports have the stride sizeof(hn_report). cancel, seconds
 * and watch are not there: they must be NULL and 0. What is written is there when the stream has come so far; what an
 * earlier kernel of another stream writes must be waited for by the caller. The stream is a CUstream or a cudaStream_t,
 * NULL: the default one. Nothing is allocated: both calls may be captured into a graph. */

size_t hn_device_workspace_bytes(const hn_device_layer *layer, size_t count); /* for either call; one call at a time */
size_t hn_device_tape_bytes(const hn_device_layer *layer, size_t count);      /* 0 when it does not fit a size_t */

hn_status hn_device_run(const hn_device_layer *layer, const hn_batch *batch, void *workspace, void *stream,
                        hn_error *error);
hn_status hn_device_gradient(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             void *workspace, void *stream, hn_error *error);

/* ---- over the host's memory: copies, runs, waits ---- */

/* batch.tape is not used. gradient: NULL, or what is wanted beside the correction. */
hn_status hn_device_run_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             hn_error *error);

/* The same, and the seconds that it takes once all that comes in is there, until all is done: without memory and copies. */
hn_status hn_device_time_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                              double *seconds, hn_error *error);

/* ---- looking at it ---- */

enum { HN_DEVICE_NAME_BYTES = 96 };

typedef struct hn_device_info {
    size_t size; /* sizeof(hn_device_info) */
    char name[HN_DEVICE_NAME_BYTES];
    int capability;    /* the device's compute capability: 90 is 9.0 */
    int driver, nvrtc; /* versions of CUDA, 1000 times the major one plus 10 times the minor one; nvrtc is 0 where the
                          * cache had everything */
    int multiprocessors;
    bool found;         /* the cache had every kernel */
    double seconds;     /* that compiling took */
    int registers;      /* of a thread, of the kernel of corrections, */
    size_t local_bytes; /* and its memory beside them */
    size_t inputs, outputs, rows;
    hn_precision precision;
    bool refines; /* of a policy (hn_policy_get_device): refinement runs there, too */
} hn_device_info;

hn_status hn_device_get_info(const hn_device_layer *layer, hn_device_info *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
