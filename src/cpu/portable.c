/* portable.c - the kernels compiled for the baseline instruction set of the target.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 2
#include "cpu/kernels.h"

struct backend backend_portable(void) {
    return kernel_table("portable");
}
