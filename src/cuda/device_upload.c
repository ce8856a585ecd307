/* device_upload.c - see device_upload.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_upload.h"

#include "base/layout.h"

#include <string.h>

static size_t bytes_of(const struct device_list *list) {
    return list->from ? list->count * list->each : 0;
}

static size_t room_for(const struct device_list *list) {
    return (bytes_of(list) / LAYOUT_ALIGNMENT + 1) * LAYOUT_ALIGNMENT;
}

hn_status device_upload(const struct cuda_driver *driver, cuda_stream stream, cuda_address *block,
                        const struct device_list *lists, size_t count, hn_error *error) {
    size_t bytes = LAYOUT_ALIGNMENT;
    for (size_t i = 0; i < count; i++)
        bytes += room_for(&lists[i]);
    hn_status status = driver_status(driver, driver->allocate(block, bytes), "take memory for the model", error);
    if (status != HN_OK)
        *block = 0;
    cuda_address at = *block;
    for (size_t i = 0; i < count && status == HN_OK; i++) {
        size_t own = bytes_of(&lists[i]);
        uintptr_t address = (uintptr_t)at;
        if (own > 0)
            status = driver_status(driver, driver->copy_in(at, lists[i].from, own, stream), "copy to it", error);
        memcpy(lists[i].to, &address, sizeof address); /* an address of the device has the form of a pointer */
        at += room_for(&lists[i]);
    }
    return status;
}
