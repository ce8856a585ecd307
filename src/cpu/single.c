/* single.c - the kernels for one sample at a time, in scalar doubles.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 1
#define ONE_LANE
#include "cpu/kernels.h"

struct backend backend_single(void) {
    return kernel_table("single");
}
