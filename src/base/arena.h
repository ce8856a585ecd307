/* arena.h - an arena allocator, whose blocks are released together, and growable arrays.
 *
 * arena: for data with the lifetime of a model or a reader (names, lists). array_grow: for data that must stay
 * contiguous. The functions check the product of count and size for overflow. When out of memory they return NULL and
 * leave the existing contents unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARENA_H
#define HN_BASE_ARENA_H

#include "base/arena_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Uninitialised memory for count elements of the given size, aligned for any type. */
void *arena_take(struct arena *arena, size_t count, size_t size);
void *arena_zeros(struct arena *arena, size_t count, size_t size); /* zeroed memory */
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
void arena_release(struct arena *arena);

/* Grows the array, moving it if necessary, until *capacity >= needed (> 0) elements, by doubling. NULL leaves it
 * unchanged. */
void *array_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* The same; pointer is the address of the array pointer. False when out of memory. */
static inline bool array_room(void *pointer, size_t *capacity, size_t needed, size_t size) {
    void *array;
    memcpy(&array, pointer, sizeof array);
    array = array_grow(array, capacity, needed, size);
    if (array)
        memcpy(pointer, &array, sizeof array);
    return array != NULL;
}

#endif
