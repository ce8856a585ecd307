/* memory_bound.c - see memory_bound.h.
 *
 * Every block has its size in front of it. Targets have one thread; the threads of a pool are counted, too.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_bound.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct block {
    size_t bytes;
    alignas(max_align_t) unsigned char data[];
};

static atomic_size_t held, most = SIZE_MAX;
static const char *doing = "";

void memory_bound_begin(const char *what, size_t bytes) {
    doing = what;
    most = held + bytes;
}

void memory_bound_end(void) {
    most = SIZE_MAX;
}

static void hold(size_t bytes) {
    size_t now = atomic_fetch_add(&held, bytes) + bytes;
    if (now <= most)
        return;
    fprintf(stderr, "memory: %s holds %zu bytes more than it may\n", doing, now - most);
    abort();
}

static struct block *block_of(void *data) {
    return (struct block *)(void *)((unsigned char *)data - offsetof(struct block, data));
}

static void *data_of(struct block *block, size_t bytes) {
    if (!block)
        return NULL;
    block->bytes = bytes;
    hold(bytes);
    return block->data;
}

void *base_allocate(size_t bytes) {
    return bytes > PTRDIFF_MAX - sizeof(struct block) ? NULL : data_of(malloc(sizeof(struct block) + bytes), bytes);
}

/* While a block moves both are there. */
void *base_reallocate(void *block, size_t bytes) {
    if (!block)
        return base_allocate(bytes);
    struct block *old = block_of(block);
    size_t before = old->bytes;
    struct block *moved = bytes > PTRDIFF_MAX - sizeof *old ? NULL : realloc(old, sizeof *old + bytes);
    void *data = data_of(moved, bytes);
    if (data)
        atomic_fetch_sub(&held, before);
    return data;
}

void base_release(void *block) {
    if (!block)
        return;
    atomic_fetch_sub(&held, block_of(block)->bytes);
    free(block_of(block));
}
