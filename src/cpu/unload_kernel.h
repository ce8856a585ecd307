/* unload_kernel.h - copies between lanes and samples: numbers of each lane, contiguous in the sample's memory. Handles
 * one part of the lanes; shared by the interpreting kernels (rows_kernel.h) and generated code (codegen/).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_UNLOAD_KERNEL_H
#define HN_CPU_UNLOAD_KERNEL_H

#include "base/simd.h"

#include <stddef.h>

/* Stores count numbers of WIDTH lanes, from `from` on; to[lane] may be NULL: the lane is skipped. */
SIMD_INLINE void kernel_unload_part(const double *from, size_t count, double *const *to) {
    size_t j = 0;
    for (; j + WIDTH <= count; j += WIDTH) {
        simd rows[WIDTH];
        for (size_t i = 0; i < WIDTH; i++)
            rows[i] = *(const simd *)(const void *)(from + (j + i) * SLOT_STRIDE);
        simd_transpose(rows);
        for (size_t i = 0; i < WIDTH; i++)
            if (to[i])
                memcpy(to[i] + j, &rows[i], sizeof rows[i]);
    }
    for (; j < count; j++)
        for (size_t lane = 0; lane < WIDTH; lane++)
            if (to[lane])
                to[lane][j] = from[j * SLOT_STRIDE + lane];
}

/* Loads; from[lane] may be NULL: the lane gets unspecified values. */
SIMD_INLINE void kernel_load_part(double *to, size_t count, const double *const *from) {
    size_t j = 0;
    for (; j + WIDTH <= count; j += WIDTH) {
        simd rows[WIDTH];
        for (size_t i = 0; i < WIDTH; i++) {
            rows[i] = simd_all(0);
            if (from[i])
                memcpy(&rows[i], from[i] + j, sizeof rows[i]);
        }
        simd_transpose(rows);
        for (size_t i = 0; i < WIDTH; i++)
            *(simd *)(void *)(to + (j + i) * SLOT_STRIDE) = rows[i];
    }
    for (; j < count; j++)
        for (size_t lane = 0; lane < WIDTH; lane++)
            if (from[lane])
                to[j * SLOT_STRIDE + lane] = from[lane][j];
}

#endif
