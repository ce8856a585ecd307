/* print_global.h - from a plan to kernels over slots in the device's memory: for models that are too long for straight code.
 *
 * In comes a plan; out goes one text (see print_kernel.h), and lists that it reads from the device's memory. Each entry of the layer is
 * one of two things: statements whose repeated parts are loops (codegen/passes/loop_reroll.h), where that text is short, else statements
 * that are listed (bytecode.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_GLOBAL_H
#define HN_CUDA_PRINT_GLOBAL_H

#include "cuda/bytecode.h"
#include "cuda/print_kernel.h"

/* Threads of a block, whose numbers lie side by side: GLOBAL_WIDTH of the text on a device. Searches go in narrow blocks: a sample that takes
 * long holds up few others, and their numbers stay in the cache. */
enum { GLOBAL_WARP = 32, THREAD_SEARCH_WARP = 8 };

/* Of a search whose systems are large a block has one sample: a warp for the thread that leads, and those that help (kernels_block.h). */
enum { BLOCK_HELPERS = 64, BLOCK_BLOCKS = 5 }; /* blocks: on a multiprocessor at once */

struct global_code {
    char *text;
    size_t length;
    struct bytecode listed;
    uint32_t slots;   /* of a sample */
    uint32_t row;     /* further numbers of a thread, of its own */
    uint32_t width;   /* samples of a block; 0: as many as a warp has threads */
    uint32_t threads; /* of a block; 0: one for each sample */
    uint32_t near;    /* numbers of a thread in the memory that threads of a block share */
};

hn_status global_print(struct global_code *out, const struct device_subject *subject, hn_error *error);
void global_release(struct global_code *code); /* zeros are none */

#endif
