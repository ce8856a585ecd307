/* print_policy.h - the texts of the kernels of policies, the same for all models and networks: those of every policy,
 * and those of policies that refine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_POLICY_H
#define HN_CUDA_PRINT_POLICY_H

#include "cuda/print_kernel.h"

#include "cuda/kernels/kernel_args.h"
#include "cuda/kernels/policy_args.h"

/* The network's operations come first, in the order of enum network_operation. */
#define POLICY_ENUMERATE(name) POLICY_##name,
enum policy_kernel {
    POLICY_KERNEL_LIST(POLICY_ENUMERATE) POLICY_refine_step,
    REFINE_KERNEL_LIST(POLICY_ENUMERATE) POLICY_KERNELS,
    POLICY_PLAIN = POLICY_refine_step /* kernels of every policy */
};
#undef POLICY_ENUMERATE

const char *policy_kernel_name(enum policy_kernel kernel); /* in the text */

/* refines: the text of those that refine. base_release releases it. Plan and network: any. */
hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error);

#endif
