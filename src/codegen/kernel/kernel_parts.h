/* kernel_parts.h - a loaded kernel, and an executor over it, for the files of this module.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_PARTS_H
#define HN_CODEGEN_KERNEL_PARTS_H

#include "codegen/kernel/compile.h"
#include "cpu/kernel_table.h"
#include "cpu/lanes_executor.h"

struct kernel {
    void *object; /* of dlopen */
    const struct kernel_table *table;
    hn_instructions instructions;
    int copy; /* the file in memory, or -1; open for as long as the kernel is loaded, so that its name is not reused */
};

/* The executor of the listed kernels, with the table. */
struct generated {
    struct lanes lanes; /* first: the executor of the listed kernels works on it */
    const struct kernel_table *table;
};

/* Runs every entry of the kernel and of the listed executor on the same numbers; HN_UNSUPPORTED if a bit differs. */
hn_status kernel_test(const struct kernel *kernel, const struct plan *plan, hn_error *error);

#endif
