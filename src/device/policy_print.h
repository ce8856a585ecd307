/* policy_print.h - the text of the kernels of policies: the same for all models and networks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_POLICY_PRINT_H
#define HN_DEVICE_POLICY_PRINT_H

#include "device/device_print.h"

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

#define POLICY_ENUMERATE(name) POLICY_##name,
enum policy_kernel { POLICY_KERNEL_LIST(POLICY_ENUMERATE) POLICY_KERNELS };
#undef POLICY_ENUMERATE

const char *policy_kernel_name(enum policy_kernel kernel); /* in the text */

/* base_release releases the text. Plan and network: any. */
hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network,
                       hn_error *error);

#endif
