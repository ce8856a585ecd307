/* print_kernel.h - from a plan to the text of a device's kernels.
 *
 * In comes a plan; out goes one text in the common subset of CUDA C++ (as NVRTC takes it, without a header) and of C++20 for the host,
 * where DEVICE_HOST is defined: one thread runs all samples there, so that the same text can be judged without a device. The numbers
 * have the library's bits in double: no product is fused with a sum, elementary functions are the library's own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_KERNEL_H
#define HN_CUDA_PRINT_KERNEL_H

#include "codegen/emit/emission.h"

struct device_subject {
    const struct plan *plan;
    bool single; /* float instead of double */
    bool
        polish; /* double, after a kernel of floats: cuda/kernels/mixed_precision.h; the adjoint is the same with and without */
    bool adjoint; /* the kernel of gradients, hardnet_pull; else that of corrections, hardnet_run */
    bool listed;  /* print_global.h: every entry is listed, the short ones, too */
};

/* Whether its method goes on where auto ends: nearest and optimal; in double only. */
static inline bool device_searches(const struct device_subject *subject) {
    return subject->plan->tape_numbers > 0;
}

/* Whether the threads of a block share a sample of such a method: where the systems of its search are large. */
static inline bool device_is_team(const struct plan *plan) {
    enum { BLOCK_UNKNOWNS = 64 };
    return plan->tape_numbers > 0 && plan->outputs + plan->rows >= BLOCK_UNKNOWNS;
}

/* Whether functions that hardly ever run are short and compiled side by side: straight code of methods with weights, and of gradients. The
 * paper's way forward has few of them, and its rounds would be slower. */
bool device_is_apart(const struct device_subject *subject);

/* near: how many doubles of a thread lie in the memory that the threads of a block share. base_release releases the text.
 * HN_UNSUPPORTED where the plan has no straight code. */
hn_status device_print(char **text, size_t *length, uint32_t *near, const struct device_subject *subject,
                       hn_error *error);

#endif
