/* hardnet/kernel.h - compiles the arithmetic of a layer for one model with the system's C compiler, so
 * that batches run several times as fast. The bits stay the same.
 *
 * The listed kernels of the library interpret lists of offsets; a kernel is straight-line code for the
 * same steps. It is a shared object with a text at its end that says what it is for. Nothing is ever
 * compiled unasked: a program calls this, and gives the file to the layers that it makes.
 *
 *     hn_kernel_info kernel = {.size = sizeof kernel};
 *     hn_layer_options options = hn_layer_defaults();
 *     hn_kernel_compile(model, &options, NULL, &kernel, &error);           (or takes it from the cache)
 *     options.kernel = kernel.path;
 *     hn_layer_create(&layer, model, &options, &error);
 *
 * A kernel belongs to a model, a method, an instruction set and a version of the library; a layer
 * refuses one that is another's, that is damaged, or that other users may write to. Before its first
 * use it is run against the listed kernels, and refused where a bit differs. Tolerance and number of
 * steps do not matter to it.
 *
 * While it works the compiler has a process group of its own, so that it can be ended with all of its
 * children; a program that is to end on a signal says so by cancel.
 *
 * Still moving: what is here may change in a minor version.
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
    const char *out; /* the file to write; NULL: one in the user's cache, $XDG_CACHE_HOME/hardnet or ~/.cache/hardnet */
    const char *compiler; /* a command, its words parted by blanks; NULL: $CC, else cc. CFLAGS are not read */
    bool gradients;       /* compiled, too; else gradients take the listed kernels */
    bool again;           /* compile even if the cache has it */
    void (*begin)(void *context, const char *compiler, size_t text_bytes); /* a compiler is about to start; or NULL */
    void *context;
    double seconds;    /* that the compiler may take: then it is ended, HN_UNSUPPORTED; 600 */
    const int *cancel; /* polled while it works, by an atomic load; not 0 ends it, likewise; may be NULL */
    void (*waiting)(void *context, double seconds); /* while it works, about ten times a second; or NULL */
} hn_kernel_options;

/* What came of it. */
typedef struct hn_kernel_info {
    size_t size;                     /* sizeof(hn_kernel_info) */
    char path[HN_KERNEL_PATH_BYTES]; /* of the kernel */
    bool found;                      /* in the cache: nothing was compiled */
    bool gradients;                  /* are compiled, too */
    hn_instructions instructions;
    double seconds;    /* that the compiler took; 0 when found */
    size_t text_bytes; /* of generated C */
    size_t code_bytes; /* of machine code; 0 where that is not known */
    size_t left_bytes; /* of C, about, that parts would have which are too large: the listed kernels run them */
} hn_kernel_info;

/* The cache, the compiler of the environment, with gradients. */
hn_status hn_kernel_get_defaults(hn_kernel_options *out, hn_error *error);
static inline hn_kernel_options hn_kernel_defaults(void) {
    hn_kernel_options options;
    options.size = sizeof options;
    hn_kernel_get_defaults(&options, NULL);
    return options;
}

/* layer and options may be NULL: the defaults. HN_UNSUPPORTED: there is no compiler, it fails or is
 * ended, or the model is one that no code is generated for; HN_IO: a file or the cache cannot be used. */
hn_status hn_kernel_compile(const hn_model *model, const hn_layer_options *layer, const hn_kernel_options *options,
                            hn_kernel_info *out, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
