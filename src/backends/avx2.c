/* avx2.c - the kernels compiled for AVX2.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 4
#include "program/program_kernel.h"

#include "backends/backend.h"

struct backend backend_avx2(void) {
    return (struct backend){.name = "avx2", .run = kernel_program};
}
