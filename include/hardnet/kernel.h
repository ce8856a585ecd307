/* hardnet/kernel.h - compiles the arithmetic of a layer for one model with the system's C compiler, which makes batches
 * several times as fast, with the same bits.
 *
 * The library's default kernels interpret lists of offsets; a compiled kernel is straight-line code for the same steps.
 * It is a shared object followed by a text that identifies it. Nothing is compiled unless a program calls this and
 * passes the file to the layers that it creates.
 *
 *     hn_kernel_info kernel = {.size = sizeof kernel};
 *     hn_layer_options options = hn_layer_defaults();
 *     hn_kernel_compile(model, &options, NULL, &kernel, &error);           (or takes it from the cache)
 *     options.kernel = kernel.path;
 *     hn_layer_create(&layer, model, &options, &error);
 *
 * A kernel belongs to a model, a method, an instruction set and a version of the library; a layer refuses one that does
 * not match, that is damaged, or that other users may write to. Before its first use its results are compared with the
 * default kernels, and it is refused if a bit differs. It does not depend on the tolerance and the number of steps.
 *
 * The compiler runs in a separate process group, so that it can be terminated with all its children; use cancel to stop
 * it on a signal.
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_KERNEL_H
#define HARDNET_KERNEL_H

#include "hardnet/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_KERNEL_PATH_BYTES = 4096 };

/* Start from hn_kernel_defaults(). */
typedef struct hn_kernel_options {
    size_t size;     /* sizeof(hn_kernel_options) */
    const char *out; /* the file to write; NULL: in the user's cache, $XDG_CACHE_HOME/hardnet or ~/.cache/hardnet */
    const char *compiler; /* a command, words separated by blanks; NULL: $CC, else cc. CFLAGS are ignored */
    bool gradients;       /* compile gradients too; else they use the default kernels */
    bool again;           /* compile even if the kernel is cached */
    void (*begin)(void *context, const char *compiler, size_t text_bytes); /* called before a compiler starts; or
                                                                            * NULL */
    void *context;
    double seconds;    /* time limit of the compiler: then it is terminated, HN_UNSUPPORTED; 600 */
    const int *cancel; /* polled by an atomic load; a nonzero value terminates the compiler, likewise; may be NULL */
    void (*waiting)(void *context, double seconds); /* called about ten times per second while it runs; or NULL */
} hn_kernel_options;

/* The result. */
typedef struct hn_kernel_info {
    size_t size;                     /* sizeof(hn_kernel_info) */
    char path[HN_KERNEL_PATH_BYTES]; /* of the kernel */
    bool found;                      /* it was cached: nothing was compiled */
    bool gradients;                  /* gradients are compiled too */
    hn_instructions instructions;
    double seconds;    /* spent by the compiler; 0 if found */
    size_t text_bytes; /* of generated C */
    size_t code_bytes; /* of machine code; 0 if unknown */
    size_t left_bytes; /* estimated size of C for parts that are too large: they use the default kernels */
} hn_kernel_info;

/* The cache, the compiler of the environment, with gradients. */
hn_status hn_kernel_get_defaults(hn_kernel_options *out, hn_error *error);
static inline hn_kernel_options hn_kernel_defaults(void) {
    hn_kernel_options options;
    options.size = sizeof options;
    hn_kernel_get_defaults(&options, NULL);
    return options;
}

/* layer and options may be NULL: the defaults. HN_UNSUPPORTED: the compiler is missing, fails or was terminated, or
 * code generation does not support the model; HN_IO: a file or the cache cannot be used. */
hn_status hn_kernel_compile(const hn_model *model, const hn_layer_options *layer, const hn_kernel_options *options,
                            hn_kernel_info *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
