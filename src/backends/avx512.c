/* avx512.c - the kernels compiled for AVX-512 (F, DQ, VL).
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 8
#include "program/program_kernel.h"

#include "backends/backend.h"

struct backend backend_avx512(void) {
    return (struct backend){.name = "avx512", .run = kernel_program};
}
