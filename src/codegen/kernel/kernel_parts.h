/* kernel_parts.h - a loaded kernel, and an executor over it, as the files of this module see them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_PARTS_H
#define HN_CODEGEN_KERNEL_PARTS_H

#include "codegen/kernel/loaded_kernel.h"
#include "cpu/kernel_table.h"
#include "cpu/lanes_executor.h"

struct kernel {
    void *object; /* of dlopen */
    const struct kernel_table *table;
    hn_instructions instructions;
};

/* What an executor of listed kernels has, and the table beside it. */
struct generated {
    struct lanes lanes; /* first: the listed kernels' executor works on it */
    const struct kernel_table *table;
};

/* Runs every entry of the kernel and of the listed executor on the same numbers; HN_UNSUPPORTED where a bit differs. */
hn_status kernel_test(const struct kernel *kernel, const struct plan *plan, hn_error *error);

#endif
