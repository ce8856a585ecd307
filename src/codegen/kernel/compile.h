/* compile.h - kernels: generated code, compiled to a shared object. From a plan to a kernel file, from a file to an
 * executor.
 *
 * compile_kernel finds a kernel in the user's cache, or compiles the generated text and tests the result before writing
 * it. kernel_load loads a file for a layer. A file is never loaded by its path: it is read, checked, and loaded from a
 * private copy in memory. So the checked bytes run, even if the file is replaced later.
 *
 * A kernel is bound to a plan by the SHA-256 of its text (kernel_source.h): a kernel of another model, other options,
 * another library version or another instruction set is rejected. Before its first use every entry is compared with the
 * listed kernels; a kernel with a different bit is rejected, too. Loading a file runs code in it: the caller is
 * responsible for its origin.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_COMPILE_H
#define HN_CODEGEN_COMPILE_H

#include "cpu/executor.h"
#include "hardnet/kernel.h"

/* The properties of a layer that determine its kernel. */
struct kernel_subject {
    const struct plan *plan;
    const hn_layer_options *options; /* with a definite instruction set */
    const char *model;               /* its fingerprint */
};

hn_status compile_kernel(hn_kernel_info *out, const struct kernel_subject *subject, const hn_kernel_options *options,
                         hn_error *error);

struct kernel;
hn_status kernel_load(struct kernel **out, const char *path, const struct kernel_subject *subject, hn_error *error);

/* Loads a shared object for this plan and tests it. path: as for dlopen, with a '/' in it. HN_IO: it cannot be loaded;
 * HN_INVALID: not a kernel, or of another plan or library version; HN_UNSUPPORTED: this processor lacks the
 * instructions, or the test failed. */
hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error);
void kernel_close(struct kernel *kernel); /* accepts NULL */

/* Whether the kernel contains the adjoint. */
bool kernel_has_adjoint(const struct kernel *kernel);

/* The executor over lanes with the entries of the kernel; the listed kernels run the other entries. plan: the plan
 * passed to kernel_open, or a copy. Plan and kernel must outlive the executor. executor_close closes it. */
hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error);

#endif
