/* print_iteration.h - a whole round as one function of straight code: evaluation, decisions of kernel_registers.h, step.
 *
 * In come the statements of a walk, out goes the text of thread_round or, on the way back, of thread_adjoint_round: statements
 * between decisions. Only what decisions and the next round read is put back into slots. False: out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_ITERATION_H
#define HN_CUDA_PRINT_ITERATION_H

#include "codegen/emit/emission.h"

/* Where values are that do not fit into registers. Threads of a block share memory that is as near as a cache; the rest is a thread's
 * own, which leaves the caches. */
struct round_room {
    bool single;
    uint32_t task; /* doubles of the task of a thread in shared memory */
    uint32_t near; /* out: doubles of a thread there, with these */
};

/* near: the same walk with constant weights (ir_create_assumed), which rounds are made of where it has statements. */
bool round_print(struct text *out, const struct ir_module *ir, const struct ir_module *near, struct round_room *room);
bool round_print_back(struct text *out, const struct ir_module *ir, const struct ir_module *near,
                      struct round_room *room);

/* What a sample needs once, where it begins and where it ends: thread_weights and thread_residuals of kernel_registers.h. */
bool round_print_once(struct text *out, const struct ir_module *ir);

#endif
