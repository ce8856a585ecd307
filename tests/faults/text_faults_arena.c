/* text_faults_arena.c - the functions of base/arena.h once more, with an allocation for everything that is asked for.
 *
 * The library's own arena allocates for a few in a thousand, and its arrays grow by doubling: of the calls that could find memory out
 * most never would.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "base/memory.h"
#include "base/size.h"

#include <stdalign.h>
#include <string.h>

enum { FEW = 64 /* elements of an array, which grows by one up to here */ };

struct arena_block {
    struct arena_block *older;
    alignas(max_align_t) unsigned char data[];
};

void *arena_take(struct arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (!size_multiply(count, size, &bytes) || !size_add(bytes, sizeof(struct arena_block), &bytes))
        return NULL;
    struct arena_block *block = base_allocate(bytes);
    if (!block)
        return NULL;
    block->older = arena->newest;
    arena->newest = block;
    return block->data;
}

void *arena_zeros(struct arena *arena, size_t count, size_t size) {
    void *zeros = arena_take(arena, count, size);
    if (zeros)
        memset(zeros, 0, count * size);
    return zeros;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_take(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void arena_release(struct arena *arena) {
    while (arena->newest) {
        struct arena_block *block = arena->newest;
        arena->newest = block->older;
        base_release(block);
    }
}

void *array_grow(void *array, size_t *capacity, size_t needed, size_t size) {
    size_t wanted = needed < FEW ? needed : size_product(2, needed), bytes;
    if (needed <= *capacity)
        return array;
    if (!size_multiply(wanted, size, &bytes))
        return NULL;
    void *moved = base_reallocate(array, bytes);
    if (moved)
        *capacity = wanted;
    return moved;
}
