/* portable.c - the kernels compiled for what every x86-64 and every other processor has.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 2
#include "cpu/kernels.h"

struct backend backend_portable(void) {
    return kernel_table("portable");
}
