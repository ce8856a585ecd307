/* print_kernel.h - from a plan to the source of a CUDA kernel, and the source of the kernels of policies.
 *
 * Input: a plan. Output: one text in the common subset of CUDA C++ (for NVRTC, without headers) and of C++20 for the host, where
 * DEVICE_HOST is defined and one thread runs all samples: tests run the same text without a GPU. In double the results have the
 * CPU's bits: no fused multiply-add, elementary functions of the library.
 *
 * Two variants: slots in registers and local memory, for short models; slots in global memory, whose statements are
 * code with rerolled loops (codegen/passes/loop_reroll.h) or bytecode (bytecode.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRINT_KERNEL_H
#define HN_CODEGEN_PRINT_KERNEL_H

#include "codegen/cuda/bytecode.h"
#include "codegen/emit/emission.h"
#include "hardnet/device.h"

/* Chooses the variant of a layer's kernels from the cost of its statements (kernel_variant.c):
 *
 *     straight code    slots in registers, fused iterations: short models
 *     rolled code      slots in global memory, repeated stages as loops: long models with repeated structure
 *     listed streams   slots in global memory, bytecode: long models without it
 *     dense loops      rolled or listed, with loops for the linear system: models with a dense factor
 *
 * HN_NO_MEMORY, or HN_LIMIT if a sample has too many numbers. */
hn_status form_choose(hn_device_forecast *out, const struct plan *plan, hn_error *error);

/* Whether an entry is short enough for rolled code. *failed is set when out of memory. */
bool form_is_rolled(const struct ir_module *ir, enum kernel_entry entry, bool *failed);

/* Threads of a warp; samples of a block of a search over slots in global memory: few, because one slow sample delays
 * the others. */
enum { DEVICE_THREADS = 32, THREAD_SEARCH_WARP = 8 };

/* A search with a large system has one sample per block: a warp for the leading thread, and helpers (kernels_block.h). */
enum { BLOCK_HELPERS = 64, BLOCK_BLOCKS = 5 }; /* blocks: resident on a multiprocessor */

struct device_subject {
    const struct plan *plan;
    bool single;   /* float instead of double */
    bool polish;   /* double after a float kernel (cuda/kernels/mixed_precision.h); the adjoint is the same */
    bool adjoint;  /* the kernel of gradients, hardnet_pull; else that of corrections, hardnet_run */
    bool global;   /* slots in global memory; else in registers */
    bool bytecode; /* global: all entries are bytecode, short ones too */
};

struct kernel_code {
    char *text;
    size_t length;
    /* slots in global memory: */
    struct bytecode bytecode;
    uint32_t slots;   /* of a sample */
    uint32_t row;     /* further numbers of a thread */
    uint32_t width;   /* samples of a block */
    uint32_t threads; /* of a block */
    /* slots in registers: */
    uint32_t shared; /* doubles of a thread in shared memory */
};

/* HN_UNSUPPORTED if the plan does not fit a register kernel. */
hn_status kernel_print(struct kernel_code *out, const struct device_subject *subject, hn_error *error);
void kernel_code_release(struct kernel_code *code); /* accepts zeros */

/* The kernels of policies, or those that refine: the same for all models and networks, so any plan and network will do.
 * base_release releases the text. */
hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error);

/* ---- fused iterations (print_iteration.c): evaluation, the decisions of kernel_registers.h and the step as one function
 * without loops ----
 *
 * Input: the statements of a layer. Output: the text of thread_round, or of thread_adjoint_round for gradients: statements
 * between decisions. Only values that decisions and the next iteration read are stored to slots. False: out of memory. */

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

/* ---- properties of a kernel ---- */

/* The methods nearest and optimal continue after auto's result; in double only. */
static inline bool device_searches(const struct device_subject *subject) {
    return subject->plan->tape_numbers > 0;
}

/* Whether a thread block shares a sample of such a search: if its systems are large. */
static inline bool device_is_team(const struct plan *plan) {
    enum { BLOCK_UNKNOWNS = 64 };
    return plan->tape_numbers > 0 && plan->outputs + plan->rows >= BLOCK_UNKNOWNS;
}

/* Whether rarely called functions are kept short and compiled in parallel: register kernels of methods with weights, and of
 * gradients. The forward kernel of paper has few of them, and its iterations would be slower. */
static inline bool device_is_apart(const struct device_subject *subject) {
    return subject->adjoint || subject->plan->options.weighted;
}

#endif
