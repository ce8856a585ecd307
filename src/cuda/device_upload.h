/* device_upload.h - lists of the host, moved to a device: one block of its memory, and pointers that become addresses
 * there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_UPLOAD_H
#define HN_CUDA_DEVICE_UPLOAD_H

#include "autodiff/program.h"
#include "core/program_lists.h"
#include "cuda/cuda_driver.h"

/* An array to copy, and the pointer that is set to its address on the device. */
struct device_list {
    const void *from; /* NULL: empty */
    size_t count, each;
    const void **to;
};

/* Arrays that contain pointers to others come after those. */
struct device_lists {
    struct device_list list[160];
    size_t count;
};

#define DEVICE_ADD(lists, array, many, pointer)                                                                        \
    device_lists_add(lists, array, many, sizeof *(array), (const void **)(uintptr_t) & (pointer))

void device_lists_add(struct device_lists *all, const void *from, size_t count, size_t each, const void **to);

/* A program's lists; `to` is filled and must be there until the upload. */
void device_lists_add_program(struct device_lists *all, const struct program *from, struct policy_program *to);

/* One block of all lists. The context is the thread's. *block is 0 if there is no memory for it. */
hn_status device_upload(const struct cuda_driver *driver, cuda_stream stream, cuda_address *block,
                        const struct device_lists *all, hn_error *error);

#endif
