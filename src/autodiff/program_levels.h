/* program_levels.h - a program sorted by level: an instruction reads results of earlier levels only, so that the threads of a
 * block run those of one level in parallel (cuda/kernels/kernels_block.h).
 *
 * Input: a program whose slots hold one number. Output: the same instructions in another order. The program reuses slots of dead
 * values, which creates false dependencies: here each temporary has a separate slot, after all other numbers of a sample.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_LEVELS_H
#define HN_AUTODIFF_PROGRAM_LEVELS_H

#include "autodiff/program.h"

struct program_levels {
    struct program program; /* the given one, with other code, pairs and columns */
    uint32_t *level;        /* start of each level, and the end of the last */
    size_t level_first[PHASES + 1];
    size_t spare; /* temporaries beyond the program's slots */
};

/* Lists of the arena. spare: the offset of the first of those temporaries from the program's first slot. */
hn_status program_levels_create(struct program_levels *out, const struct program *program, size_t spare,
                                struct arena *arena, hn_error *error);

#endif
