/* arena.h - memory that grows in blocks and is released all at once, and arrays that grow.
 *
 * arena: for data that a model or a reader keeps until it is destroyed (names, lists). array_grow: for data that must
 * stay contiguous. Counts are multiplied by sizes inside, with an overflow check. Everything returns NULL when out of
 * memory, and leaves the existing contents unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARENA_H
#define HN_BASE_ARENA_H

#include "base/arena_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Memory for count elements of the given size, aligned for any type, not initialised. */
void *arena_take(struct arena *arena, size_t count, size_t size);
void *arena_zeros(struct arena *arena, size_t count, size_t size); /* all bytes are 0 */
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
void arena_release(struct arena *arena);

/* Grows the array, moving it if necessary, until *capacity >= needed (> 0) elements, by doubling. NULL leaves it
 * unchanged. */
void *array_grow(void *array, size_t *capacity, size_t needed, size_t size);

/* The same for the array behind a pointer, given by the pointer's address; false when out of memory. */
static inline bool array_room(void *pointer, size_t *capacity, size_t needed, size_t size) {
    void *array;
    memcpy(&array, pointer, sizeof array);
    array = array_grow(array, capacity, needed, size);
    if (array)
        memcpy(pointer, &array, sizeof array);
    return array != NULL;
}

#endif
