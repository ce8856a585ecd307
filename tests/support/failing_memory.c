/* failing_memory.c - see failing.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/failing.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { JUNK = 0xA5, CALLS = 1 << 16, MOST_STACK = 1 << 20 };

#ifdef __clang__
#define WHOLE_STACK __attribute__((no_sanitize("address", "memory"), noinline))
#else
#define WHOLE_STACK __attribute__((no_sanitize("address"), noinline))
#endif

extern const char __executable_start, etext; /* by the linker: where the program's code lies */

struct block {
    size_t bytes;
    alignas(max_align_t) unsigned char data[];
};

static size_t fail_at, asked, largest, live; /* fail_at 0: never */
static bool for_ever, failed, new_ways;
static uintptr_t calls[2][CALLS]; /* on ways that have failed, once and for ever: where they return to, hashed */
static uintptr_t stack_end;       /* of the deed that is to fail */

void memory_fail_at(size_t k, bool and_after) {
    fail_at = k;
    for_ever = and_after;
    failed = new_ways = false;
    asked = largest = 0;
}

void memory_fail_on_a_new_way(bool and_after) {
    memory_fail_at(0, and_after);
    new_ways = true;
    stack_end = (uintptr_t)__builtin_frame_address(0);
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

size_t memory_largest_block(void) {
    return largest;
}

size_t memory_live_blocks(void) {
    return live;
}

/* Whether this call is none that is on a way that failed; it is from now on. */
static bool add_call(uintptr_t call) {
    uintptr_t *known = calls[for_ever];
    size_t at = call * 2654435761U % CALLS, probes = 0;
    while (known[at] != call && known[at] != 0 && probes < CALLS) {
        at = (at + 1) % CALLS;
        probes++;
    }
    bool is_new = known[at] == 0;
    if (is_new)
        known[at] = call;
    return is_new;
}

/* Every word of the stack that is an address in the program's code counts as a call that will return: some are left over from calls
 * that did already, which costs a fault too many, and no unwinding is as quick. */
WHOLE_STACK static bool way_is_new(void) {
    const uintptr_t first = (uintptr_t)&__executable_start, end = (uintptr_t)&etext;
    const volatile uintptr_t *word = __builtin_frame_address(0);
    bool is_new = false;
    for (; (uintptr_t)word < stack_end && stack_end - (uintptr_t)word < MOST_STACK; word++)
        if (*word >= first && *word < end)
            is_new = add_call(*word) || is_new;
    return is_new;
}

static bool fails_now(void) {
    asked++;
    if (new_ways && fail_at == 0 && way_is_new())
        fail_at = asked;
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
    largest = bytes > largest ? bytes : largest;
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
