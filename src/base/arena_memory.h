/* arena_memory.h - the arena struct as plain data: structs that contain one are also compiled for devices. See arena.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARENA_MEMORY_H
#define HN_BASE_ARENA_MEMORY_H

struct arena_block;

struct arena {
    struct arena_block *newest;
};

#endif
