/* device_upload.h - lists of the host, moved to a device: one block of its memory, and pointers that become addresses there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_UPLOAD_H
#define HN_CUDA_DEVICE_UPLOAD_H

#include "cuda/cuda_driver.h"

/* An array that goes to the device, and the pointer that becomes one to it. */
struct device_list {
    const void *from;
    size_t count, each;
    const void **to;
};

#define DEVICE_LIST(array, many, pointer)                                                                              \
    { array, many, sizeof *(array), (const void **)(uintptr_t) & (pointer) }

/* One block of all lists, in their order: one may hold pointers to those before it. The context is the thread's. *block is 0 where there
 * is no memory for it. */
hn_status device_upload(const struct cuda_driver *driver, cuda_stream stream, cuda_address *block,
                        const struct device_list *lists, size_t count, hn_error *error);

#endif
