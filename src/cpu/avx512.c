/* avx512.c - the kernels compiled for AVX-512 (F, DQ, VL).
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 8
#include "cpu/kernels.h"

struct backend backend_avx512(void) {
    return kernel_table("avx512");
}
