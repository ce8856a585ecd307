/* device_upload.c - see device_upload.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_upload.h"

#include "base/layout.h"

#include <string.h>

_Static_assert(IS_32_BIT || sizeof(struct policy_instruction) == sizeof(struct instruction),
               "instructions are copied as they are");
_Static_assert(IS_32_BIT || sizeof(size_t) == sizeof(uint64_t), "and so are sizes");

void device_lists_add(struct device_lists *all, const void *from, size_t count, size_t each, const void **to) {
    all->list[all->count++] = (struct device_list){from, count, each, to};
}

void device_lists_add_program(struct device_lists *all, const struct program *from, struct policy_program *to) {
    DEVICE_ADD(all, from->code, from->first[PHASES], to->code);
    DEVICE_ADD(all, from->pairs, 2 * from->pair_count, to->pairs);
    DEVICE_ADD(all, from->columns, from->column_count, to->columns);
    DEVICE_ADD(all, from->coefficients, from->coefficient_count, to->coefficients);
    DEVICE_ADD(all, from->constants, from->constant_count, to->constants);
    for (int i = 0; i <= PHASES; i++)
        to->first[i] = from->first[i];
    to->constant_count = from->constant_count;
    to->slots = from->slots;
}

static size_t bytes_of(const struct device_list *list) {
    return list->from ? list->count * list->each : 0;
}

static size_t room_for(const struct device_list *list) {
    return (bytes_of(list) / LAYOUT_ALIGNMENT + 1) * LAYOUT_ALIGNMENT;
}

hn_status device_upload(const struct cuda_driver *driver, cuda_stream stream, cuda_address *block,
                        const struct device_lists *all, hn_error *error) {
    const struct device_list *lists = all->list;
    size_t bytes = LAYOUT_ALIGNMENT;
    for (size_t i = 0; i < all->count; i++)
        bytes += room_for(&lists[i]);
    hn_status status = driver_status(driver, driver->allocate(block, bytes), "take memory for the model", error);
    if (status != HN_OK)
        *block = 0;
    cuda_address at = *block;
    for (size_t i = 0; i < all->count && status == HN_OK; i++) {
        size_t own = bytes_of(&lists[i]);
        uintptr_t address = (uintptr_t)at;
        if (own > 0)
            status = driver_status(driver, driver->copy_in(at, lists[i].from, own, stream), "copy to it", error);
        memcpy(lists[i].to, &address, sizeof address); /* an address of the device has the form of a pointer */
        at += room_for(&lists[i]);
    }
    return status;
}
