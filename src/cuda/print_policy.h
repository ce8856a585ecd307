/* print_policy.h - the texts of the kernels of policies, the same for all models and networks: what every policy runs, and what those
 * run that refine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_POLICY_H
#define HN_CUDA_PRINT_POLICY_H

#include "cuda/print_kernel.h"

/* X(name): kernel hardnet_NAME runs policy_NAME. */
#define POLICY_KERNEL_LIST(X)                                                                                          \
    X(shift_scale)                                                                                                     \
    X(scale_shift)                                                                                                     \
    X(scale)                                                                                                           \
    X(activate)                                                                                                        \
    X(activate_back)                                                                                                   \
    X(join)                                                                                                            \
    X(normalize)                                                                                                       \
    X(normalize_back)                                                                                                  \
    X(multiply)                                                                                                        \
    X(parameters)                                                                                                      \
    X(norm)                                                                                                            \
    X(adam)                                                                                                            \
    X(loss_run)                                                                                                        \
    X(spread)                                                                                                          \
    X(value)                                                                                                           \
    X(choose)                                                                                                          \
    X(give)                                                                                                            \
    X(total)                                                                                                           \
    X(inside)                                                                                                          \
    X(draw)                                                                                                            \
    X(finish)

/* The same in the text of those that refine. */
#define REFINE_KERNEL_LIST(X)                                                                                          \
    X(refine_step)                                                                                                     \
    X(refine_keep)                                                                                                     \
    X(refine_end)                                                                                                      \
    X(improve_begin)                                                                                                   \
    X(improve_targets)                                                                                                 \
    X(improve_elsewhere)                                                                                               \
    X(improve_adopt)                                                                                                   \
    X(improve_draw)

#define POLICY_ENUMERATE(name) POLICY_##name,
enum policy_kernel {
    POLICY_KERNEL_LIST(POLICY_ENUMERATE) POLICY_PLAIN, /* kernels of every policy */
    POLICY_LAST_PLAIN = POLICY_PLAIN - 1,
    REFINE_KERNEL_LIST(POLICY_ENUMERATE) POLICY_KERNELS
};
#undef POLICY_ENUMERATE

/* Of refinement: threads of a warp, whose numbers lie side by side, at most and at least, and warps on a multiprocessor at once: what 128
 * registers each let be, which hold all that a thread has. */
enum { REFINE_WARP = 32, REFINE_LEAST = 4, REFINE_WARPS_EACH = 16 };

const char *policy_kernel_name(enum policy_kernel kernel); /* in the text */

/* refines: the text of those that refine. base_release releases it. Plan and network: any. */
hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error);

#endif
