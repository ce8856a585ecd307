/* dlpack.h - how array libraries hand each other memory: the structs of DLPack that are used here, in our words.
 *
 * An object's __dlpack__() returns a capsule named "dltensor" with a pointer to dlpack_managed. Who takes it over
 * renames it to "used_dltensor" and calls the deleter in the end; a capsule that was not consumed does so itself. See
 * "Python Specification for DLPack". The layout is that of version 0, which all libraries still give unless asked
 * otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_DLPACK_H
#define HARDNET_PYTHON_DLPACK_H

#include <stdint.h>

enum { DLPACK_CUDA = 2 }; /* kinds of devices; another one is CUDA's managed memory */
enum { DLPACK_UNSIGNED = 1, DLPACK_REAL = 2, DLPACK_BOOL = 6 }; /* kinds of numbers */

typedef struct dlpack_tensor {
    void *data;
    int32_t device_kind, device;
    int32_t rank;
    uint8_t kind, bits;
    uint16_t lanes;
    int64_t *extents;
    int64_t *strides; /* in elements; NULL: contiguous, in C order */
    uint64_t offset;  /* in bytes */
} dlpack_tensor;

typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *owner;
    void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

#endif
