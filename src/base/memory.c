/* memory.c - implements memory.h with the C library's allocator.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdlib.h>

void *base_allocate(size_t bytes) {
    return malloc(bytes);
}

void *base_reallocate(void *block, size_t bytes) {
    return realloc(block, bytes);
}

void base_release(void *block) {
    free(block);
}
