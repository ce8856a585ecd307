/* device_upload.c - copies host arrays to a device; see device_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"
#include "cuda/device_parts.h"

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

static size_t padded_bytes(const struct device_list *list) {
    return (bytes_of(list) / LAYOUT_ALIGNMENT + 1) * LAYOUT_ALIGNMENT;
}

static hn_status copy_lists(const struct cuda_driver *cu, cuda_address at, const struct device_lists *all,
                            hn_error *error) {
    hn_status status = HN_OK;
    for (size_t i = 0; i < all->count && status == HN_OK; i++) {
        const struct device_list *list = &all->list[i];
        uintptr_t address = (uintptr_t)at;
        if (bytes_of(list) > 0)
            status = driver_status(cu, cu->copy_in(at, list->from, bytes_of(list), NULL), "copy to it", error);
        memcpy(list->to, &address, sizeof address); /* device addresses have the size of pointers */
        at += padded_bytes(list);
    }
    hn_status waited = driver_status(cu, cu->stream_wait(NULL), "copy to it", status == HN_OK ? error : NULL);
    return status == HN_OK ? waited : status;
}

hn_status device_upload(const struct cuda_driver *cu, cuda_address *block, const struct device_lists *all,
                        hn_error *error) {
    size_t bytes = LAYOUT_ALIGNMENT;
    for (size_t i = 0; i < all->count; i++)
        bytes += padded_bytes(&all->list[i]);
    hn_status status = driver_status(cu, cu->allocate(block, bytes), "take memory for the model", error);
    if (status == HN_OK)
        return copy_lists(cu, *block, all, error);
    *block = 0;
    return status;
}
