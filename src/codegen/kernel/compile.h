/* compile.h - kernels: generated code that a C compiler made a shared object of. From a plan to a kernel file, from a file to an executor.
 *
 * compile_kernel finds a kernel in the user's cache, or has the generated text compiled and tests the result before it is written
 * anywhere. kernel_load loads a file for a layer. A file is never loaded by its path: it is read, checked, and loaded from a private copy
 * in memory, so that the checked bytes run, and a path that gets another kernel later does no harm.
 *
 * A kernel is bound to a plan by the SHA-256 of its text (kernel_source.h): a kernel of another model, other options, another library or
 * another instruction set is refused. Before its first use it is run against the listed kernels, entry by entry; if a bit differs it is
 * refused, too. Loading a file runs code in it: the caller is responsible for its origin.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_COMPILE_H
#define HN_CODEGEN_COMPILE_H

#include "cpu/executor.h"
#include "hardnet/kernel.h"

/* The parts of a layer that a kernel depends on. */
struct kernel_subject {
    const struct plan *plan;
    const hn_layer_options *options; /* complete: the instruction set is chosen */
    const char *model;               /* its fingerprint */
};

hn_status compile_kernel(hn_kernel_info *out, const struct kernel_subject *subject, const hn_kernel_options *options,
                         hn_error *error);

struct kernel;
hn_status kernel_load(struct kernel **out, const char *path, const struct kernel_subject *subject, hn_error *error);

/* Loads a shared object for this plan and tests it. path: as for dlopen, with a '/' in it. HN_IO: it cannot be loaded; HN_INVALID: it is
 * not a kernel, or not of this plan and library; HN_UNSUPPORTED: this processor lacks the instructions, or the test failed. */
hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error);
void kernel_close(struct kernel *kernel); /* accepts NULL */

/* Whether gradients are generated, too. */
bool kernel_has_adjoint(const struct kernel *kernel);

/* The executor over lanes with the entries of the kernel; the listed kernels do the rest. The plan is the one that the kernel was opened
 * with, or a copy; plan and kernel outlive the executor. executor_close closes it. */
hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error);

#endif
