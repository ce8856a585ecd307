/* unload_kernel.h - from lanes to samples and back: numbers of each lane, side by side in the sample's own memory. One part of the
 * lanes; the text that the listed kernels (rows_kernel.h) and generated code (generate/) share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_UNLOAD_KERNEL_H
#define HN_CPU_UNLOAD_KERNEL_H

#include "base/simd.h"

#include <stddef.h>

/* count numbers from `from` on, of WIDTH lanes; to[lane] may be NULL: nobody wants it. */
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

/* The other way; from[lane] may be NULL: what such a lane gets does not matter. */
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
