/* kernel_parts.h - a loaded kernel and its executor; internal to this module.
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
    int copy; /* descriptor of the in-memory copy, or -1; open while the kernel is loaded, so that its name is unique */
};

/* The executor of the listed kernels, with the kernel's table. */
struct generated {
    struct lanes lanes; /* first member: the executor of the listed kernels uses it */
    const struct kernel_table *table;
};

/* Runs every entry of the kernel and of the listed executor on the same data; HN_UNSUPPORTED if a bit differs. */
hn_status kernel_test(const struct kernel *kernel, const struct plan *plan, hn_error *error);

#endif
