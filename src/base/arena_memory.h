/* arena_memory.h - what an arena is, as plain data: structs that hold one are compiled for devices, too. See arena.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARENA_MEMORY_H
#define HN_BASE_ARENA_MEMORY_H

struct arena_block;

struct arena {
    struct arena_block *newest;
};

#endif
