/* failing_malloc.c - malloc, calloc and realloc that fail on request, for calls that come from the extension alone; to be preloaded.
 *
 * malloc_watch says where the extension lies, malloc_fail_at which of its calls fails (0: none), and whether all after it do.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static uintptr_t begin, end;
static long fail_at, asked, failed;
static bool for_ever;

void malloc_watch(uintptr_t first, uintptr_t last) {
    begin = first;
    end = last;
}

void malloc_fail_at(long k, int and_after) {
    __atomic_store_n(&fail_at, 0, __ATOMIC_SEQ_CST);
    asked = failed = 0;
    for_ever = and_after;
    __atomic_store_n(&fail_at, k, __ATOMIC_SEQ_CST);
}

/* How many calls have failed since. */
long malloc_failed(void) {
    return failed;
}

static bool fails(const void *caller) {
    long k = __atomic_load_n(&fail_at, __ATOMIC_SEQ_CST);
    if (k == 0 || (uintptr_t)caller < begin || (uintptr_t)caller >= end)
        return false;
    long now = __atomic_add_fetch(&asked, 1, __ATOMIC_SEQ_CST);
    if (now != k && !(for_ever && now > k))
        return false;
    __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
