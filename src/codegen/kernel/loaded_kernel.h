/* loaded_kernel.h - generated code, compiled and loaded: an executor beside the listed ones.
 *
 * A kernel is a shared object that a C compiler made of generate_lanes' text. It is bound to a plan by the SHA-256 of that text: a
 * kernel of another model, other options, another library or another instruction set is refused. Before its first use it is run
 * against the listed kernels, entry by entry; where a bit differs it is refused as well. Loading a file runs code in it: whoever
 * names a path answers for whose file it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOADED_KERNEL_H
#define HN_CODEGEN_LOADED_KERNEL_H

#include "cpu/executor.h"

struct kernel;

/* Loads the file for this plan and tests it. path: as dlopen takes it, with a '/' in it. HN_IO: it cannot be loaded; HN_INVALID: it is
 * no kernel, or not of this plan and library; HN_UNSUPPORTED: this processor lacks the instructions, or the test failed. */
hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error);
void kernel_close(struct kernel *kernel);

/* Whether gradients are generated, too. */
bool kernel_has_adjoint(const struct kernel *kernel);

/* The executor over lanes whose entries the kernel computes; what is not generated is done by the listed kernels. The plan is the
 * one that the kernel was opened with, or a copy; plan and kernel outlive the executor. executor_close closes it. */
hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error);

#endif
