/* level_schedule.h - the program and the linear system of a search for a thread block (kernels_block.h).
 *
 * Input: a program and a system of the library. Output: the same instructions sorted by level, and lists of the system by entries
 * and by unknowns. The program reuses slots of dead values, which creates false dependencies: here each
 * temporary has a separate slot, after all other numbers of a sample.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_LEVEL_SCHEDULE_H
#define HN_CUDA_LEVEL_SCHEDULE_H

#include "autodiff/program.h"
#include "base/arena.h"
#include "linalg/signed_factor.h"

#include "hardnet/base.h"

/* Lists of the arena. */
struct block_code {
    struct instruction *code;
    uint32_t *pairs, *columns; /* as many as the program has */
    uint32_t *level;           /* start of each level, and the end of the last */
    size_t level_first[PHASES + 1];
    size_t spare; /* temporaries beyond the program's slots */
};

/* A program whose slots hold one number; spare: the offset of the first of those temporaries from its first slot. */
hn_status block_code_create(struct block_code *out, const struct program *program, size_t spare, struct arena *arena,
                            hn_error *error);

/* Fills own_entry, touch_first and touch. */
hn_status block_system_create(struct signed_system *out, const struct signed_system *system, struct arena *arena,
                              hn_error *error);

#endif
