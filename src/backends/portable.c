/* portable.c - the kernels compiled for what every x86-64 and every other processor has.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 2
#include "program/program_kernel.h"

#include "backends/backend.h"

struct backend backend_portable(void) {
    return (struct backend){.name = "portable", .run = kernel_program};
}
