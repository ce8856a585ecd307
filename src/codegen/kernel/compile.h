/* compile.h - from a plan to a kernel that a layer can run: text, compiler, file, and loading it again.
 *
 * compile_kernel takes a kernel from the user's cache, or has the generated text compiled and tests the result before it is written
 * anywhere. kernel_load gives an executor its code. Nothing is loaded from a path: a file is read, checked, and loaded from a
 * private copy in memory, so that what was checked is what runs, and a path that gets another kernel later is no danger.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_COMPILE_H
#define HN_CODEGEN_COMPILE_H

#include "codegen/kernel/loaded_kernel.h"
#include "hardnet/kernel.h"

/* A layer as far as its kernel is concerned. */
struct kernel_subject {
    const struct plan *plan;
    const hn_layer_options *options; /* complete: the instruction set is chosen */
    const char *model;               /* its fingerprint */
};

hn_status compile_kernel(hn_kernel_info *out, const struct kernel_subject *subject, const hn_kernel_options *options,
                         hn_error *error);

struct loaded_kernel {
    struct kernel *kernel;
    int file; /* the copy in memory; open for as long as the kernel is loaded, so that its name is not given to another */
};

hn_status kernel_load(struct loaded_kernel *out, const char *path, const struct kernel_subject *subject,
                      hn_error *error);
void kernel_unload(struct loaded_kernel *loaded); /* zeros are none */

#endif
