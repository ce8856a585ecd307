/* print_iteration.h - a fused iteration: evaluation, the decisions of kernel_registers.h and the step as one function without
 * loops.
 *
 * Input: the statements of a layer. Output: the text of thread_round, or of thread_adjoint_round for gradients: statements between
 * decisions. Only values that decisions and the next iteration read are stored to slots. False: out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PRINT_ITERATION_H
#define HN_CUDA_PRINT_ITERATION_H

#include "codegen/emit/emission.h"

/* Spilled values: in shared memory, which is as fast as the L1 cache; the others in local memory. */
struct round_room {
    bool single;
    uint32_t task; /* doubles of the task of a thread in shared memory */
    uint32_t near; /* out: doubles of a thread there, with spilled values */
};

/* near: the same statements with constant weights (ir_create_assumed), used if there are any. */
bool round_print(struct text *out, const struct ir_module *ir, const struct ir_module *near, struct round_room *room);
bool round_print_back(struct text *out, const struct ir_module *ir, const struct ir_module *near,
                      struct round_room *room);

/* thread_weights and thread_residuals of kernel_registers.h, which run once per sample. */
bool round_print_once(struct text *out, const struct ir_module *ir);

#endif
