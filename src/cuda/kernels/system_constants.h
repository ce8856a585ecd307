/* system_constants.h - constants of the program go to their slots from the numbers of bytecode_run.h: dense models
 * have thousands, too many for a text. Behind kernel_global_main.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SYSTEM_CONSTANTS_H
#define HN_CUDA_SYSTEM_CONSTANTS_H

#include "cuda/kernels/bytecode_run.h"
#include "cuda/kernels/global_block_sizes.h"
#include "cuda/kernels/kernel_global_main.h"

static void system_begin(struct global_state *f, real *slots, real *row) {
    global_begin(f, slots, row);
    LOOP_ROLLED
    for (size_t i = 0; i < SYSTEM_CONSTANTS; i++)
        *SLOT_AT(slots, i) = hardnet_listed.numbers[SYSTEM_FIRST_CONSTANT + i];
}
#define global_begin system_begin

#endif
