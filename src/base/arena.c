/* arena.c - see arena.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "base/memory.h"
#include "base/size.h"

#include <stdalign.h>
#include <string.h>

enum { ALIGNMENT = alignof(max_align_t), BLOCK_BYTES = 64 * 1024, FIRST_CAPACITY = 16 };

struct arena_block {
    struct arena_block *older;
    size_t used, bytes;
    alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_create(struct arena_block *older, size_t bytes) {
    size_t total;
    if (bytes < BLOCK_BYTES)
        bytes = BLOCK_BYTES;
    if (!size_add(sizeof(struct arena_block), bytes, &total))
        return NULL;
    struct arena_block *block = base_allocate(total);
    if (block) {
        block->older = older;
        block->used = 0;
        block->bytes = bytes;
    }
    return block;
}

void *arena_take(struct arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (!size_multiply(count, size, &bytes) || !size_round_up(bytes, ALIGNMENT, &bytes))
        return NULL;
    struct arena_block *block = arena->newest;
    if (!block || block->bytes - block->used < bytes) {
        block = block_create(block, bytes);
        if (!block)
            return NULL;
        arena->newest = block;
    }
    void *place = block->data + block->used;
    block->used += bytes;
    return place;
}

void *arena_zeros(struct arena *arena, size_t count, size_t size) {
    void *place = arena_take(arena, count, size);
    if (place)
        memset(place, 0, count * size);
    return place;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length) {
    size_t bytes;
    char *copy = size_add(length, 1, &bytes) ? arena_take(arena, bytes, 1) : NULL;
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
    size_t wanted = *capacity ? *capacity : FIRST_CAPACITY, bytes;
    if (needed <= *capacity)
        return array;
    while (wanted < needed)
        if (!size_multiply(wanted, 2, &wanted))
            return NULL;
    if (!size_multiply(wanted, size, &bytes))
        return NULL;
    void *moved = base_reallocate(array, bytes);
    if (moved)
        *capacity = wanted;
    return moved;
}
