/* avx2.c - the kernels compiled for AVX2.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 4
#include "cpu/kernels.h"

struct backend backend_avx2(void) {
    return kernel_table("avx2");
}
