/* failing_memory.c - see failing_memory.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/failing_memory.h"

#include "support/failing_count.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { JUNK = 0xA5 };

struct block {
    size_t bytes;
    alignas(max_align_t) unsigned char data[];
};

static size_t fail_at, asked, live; /* fail_at 0: never */
static bool for_ever, failed;

void memory_fail_at(size_t k, bool and_after) {
    fail_at = k;
    for_ever = and_after;
    failed = false;
    asked = 0;
}

void memory_fail_never(void) {
    memory_fail_at(0, false);
}

bool memory_has_failed(void) {
    return failed;
}

size_t memory_allocations(void) {
    return asked;
}

size_t memory_live_blocks(void) {
    return live;
}

static bool fails_now(void) {
    asked++;
    bool now = fail_at != 0 && (asked == fail_at || (for_ever && asked > fail_at));
    if (now && !failed)
        fault_count(FAULT_ALLOCATION);
    failed = failed || now;
    return now;
}

static struct block *block_of(void *data) {
    return (struct block *)(void *)((unsigned char *)data - offsetof(struct block, data));
}

void *base_allocate(size_t bytes) {
    if (fails_now() || bytes > PTRDIFF_MAX - sizeof(struct block))
        return NULL;
    struct block *block = malloc(sizeof *block + bytes);
    if (!block)
        return NULL;
    block->bytes = bytes;
    memset(block->data, JUNK, bytes);
    live++;
    return block->data;
}

void *base_reallocate(void *old, size_t bytes) {
    void *moved = base_allocate(bytes);
    if (moved && old) {
        size_t kept = block_of(old)->bytes;
        memcpy(moved, old, kept < bytes ? kept : bytes);
        base_release(old);
    }
    return moved;
}

void base_release(void *data) {
    if (!data)
        return;
    struct block *block = block_of(data);
    memset(block->data, JUNK, block->bytes);
    free(block);
    live--;
}
