/* layout.c - see layout.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"

#include "base/memory.h"
#include "base/size.h"

struct layout layout_measure(void) {
    return (struct layout){.block = NULL};
}

struct layout layout_over(void *block) {
    uintptr_t address = (uintptr_t)block;
    size_t gap = (size_t)(-address & (LAYOUT_ALIGNMENT - 1));
    return (struct layout){.block = (unsigned char *)block + gap};
}

void *layout_take(struct layout *layout, size_t count, size_t size) {
    size_t bytes, end;
    if (!size_multiply(count, size, &bytes) || !size_round_up(bytes, LAYOUT_ALIGNMENT, &bytes) ||
        !size_add(layout->used, bytes, &end)) {
        layout->overflow = true;
        return NULL;
    }
    void *place = layout->block ? layout->block + layout->used : NULL;
    layout->used = end;
    return place;
}

size_t layout_bytes(const struct layout *layout) {
    size_t bytes;
    bool fits = !layout->overflow && size_add(layout->used, LAYOUT_ALIGNMENT, &bytes);
    return fits ? bytes : 0;
}

size_t layout_size(layout_function *place, void *context) {
    struct layout layout = layout_measure();
    place(&layout, context);
    return layout_bytes(&layout);
}

void layout_place(layout_function *place, void *context, void *block) {
    struct layout layout = layout_over(block);
    place(&layout, context);
}

void *layout_allocate(layout_function *place, void *context) {
    size_t bytes = layout_size(place, context);
    void *block = bytes ? base_allocate(bytes) : NULL;
    if (block)
        layout_place(place, context, block);
    return block;
}
