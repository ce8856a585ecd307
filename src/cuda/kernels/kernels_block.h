/* kernels_block.h - one sample of the methods nearest and optimal per thread block: a leading thread, alone in the first warp, runs
 * the search, and the threads of the other warps help with the library's kernels.
 *
 * The leader publishes an order, the helpers execute it, and the leader waits (block_do, block_help). Each number is computed by
 * one thread, by the operations of the library's kernel in the same order: the bits are those of one thread.
 *
 * Programs run level by level (autodiff/program_levels.h); linalg/signed_block_kernel.h has the linear systems.
 * On the host a block is one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNELS_BLOCK_H
#define HN_CUDA_KERNELS_BLOCK_H

#include "core/program_run.h"
#include "cuda/kernels/search_layout.h"

#ifdef DEVICE_HOST
enum { BLOCK_LANES = 1, BLOCK_HAS_WARPS = 1 };
#define BLOCK_RANK                 0U
#define BLOCK_WAIT                 ((void)0)
#define BLOCK_WAIT_WARP            ((void)0)
#define BLOCK_OF_LANE(value, lane) (value)
#else
enum { BLOCK_LANES = 32, BLOCK_HAS_WARPS = BLOCK_HELPERS / BLOCK_LANES };
#define BLOCK_RANK                 (threadIdx.x - BLOCK_LANES)
#define BLOCK_WAIT                 asm volatile("barrier.sync 1, %0;" ::"n"(BLOCK_HELPERS) : "memory")
#define BLOCK_WAIT_WARP            __syncwarp()
#define BLOCK_OF_LANE(value, lane) __shfl_sync(0xffffffffU, value, lane)
#endif
enum { BLOCK_SIZE = BLOCK_LANES * BLOCK_HAS_WARPS };
#define BLOCK_LANE (BLOCK_RANK % BLOCK_LANES)
#define BLOCK_WARP (BLOCK_RANK / BLOCK_LANES)

/* This thread's share of first..end. */
#define BLOCK_EACH(i, first, end) for (size_t i = (first) + BLOCK_RANK; i < (end); i += BLOCK_SIZE)

/* ---- a program ---- */

static void block_program(const struct block_program *p, int phase, double *slots) {
    for (size_t k = p->level_first[phase]; k < p->level_first[phase + 1]; k++) {
        BLOCK_EACH(i, p->level[k], p->level[k + 1])
        program_instruction(&p->own, i, slots, SLOT_STEP);
        BLOCK_WAIT;
    }
}

static void block_add(double *slots, uint32_t a, uint32_t to, size_t count) {
    BLOCK_EACH(j, 0, count)
    *SLOT_AT(slots, to + j) += *SLOT_AT(slots, a + j);
}

#include "linalg/signed_block_kernel.h"

/* ---- orders ---- */

enum block_task { BLOCK_ENDS, BLOCK_RUNS, BLOCK_ADDS, BLOCK_FACTORS, BLOCK_SOLVES, BLOCK_FINDS_RESIDUAL };

struct block_order {
    enum block_task task;
    const void *subject; /* a program, or a system */
    double *slots;
    uint32_t a, b, c;
};

static GENERATED void block_work(const struct block_order *o) {
    double *slots = o->slots;
    const struct signed_system *system = (const struct signed_system *)o->subject;
    DEVICE_GLOBAL(slots);
    if (o->task == BLOCK_RUNS)
        block_program((const struct block_program *)o->subject, (int)o->a, slots);
    else if (o->task == BLOCK_ADDS)
        block_add(slots, o->a, o->b, o->c);
    else if (o->task == BLOCK_FACTORS)
        block_factor(system, slots);
    else if (o->task == BLOCK_SOLVES)
        block_solve(system, slots, o->a, o->b);
    else if (o->task == BLOCK_FINDS_RESIDUAL)
        block_residual(system, slots, o->a, o->b, o->c);
}

#ifdef DEVICE_HOST
static void block_do(struct block_order order) {
    block_work(&order);
}
#else
__shared__ struct block_order block_orders;

/* All threads of the block; those of the leader's warp separately. */
#define BLOCK_MEET asm volatile("barrier.sync 0;" ::: "memory")

/* Called by the leader: waits until the helpers have finished. */
static void block_do(struct block_order order) {
    block_orders = order;
    BLOCK_MEET;
    BLOCK_MEET;
}

/* Called by the leader at the end. */
static void block_end(void) {
    block_orders.task = BLOCK_ENDS;
    BLOCK_MEET;
}

/* Called by the other threads. The other threads of the leader's warp only wait, because they would slow it down. */
static void block_help(void) {
    for (;;) {
        BLOCK_MEET;
        const struct block_order order = block_orders;
        if (order.task == BLOCK_ENDS)
            return;
        if (threadIdx.x >= BLOCK_LANES)
            block_work(&order);
        BLOCK_MEET;
    }
}

/* True for the leader; others return at the end. */
static bool block_begin(void) {
    if (threadIdx.x > 0)
        block_help();
    return threadIdx.x == 0;
}
#endif

/* ---- kernels under the names that core/search.h calls ---- */

struct backend {
    GENERATED static void run(const struct program *program, int phase, double *slots) {
        const struct block_order order = {BLOCK_RUNS, program, slots, (uint32_t)phase, 0, 0};
        block_do(order);
    }
    GENERATED static void add(double *slots, uint32_t a, uint32_t to, size_t count) {
        const struct block_order order = {BLOCK_ADDS, 0, slots, a, to, (uint32_t)count};
        block_do(order);
    }
    GENERATED static void signed_factor(const struct signed_system *system, double *slots) {
        const struct block_order order = {BLOCK_FACTORS, system, slots, 0, 0, 0};
        block_do(order);
    }
    GENERATED static void signed_solve(const struct signed_system *system, double *slots, uint32_t from, uint32_t to) {
        const struct block_order order = {BLOCK_SOLVES, system, slots, from, to, 0};
        block_do(order);
    }
    GENERATED static void signed_residual(const struct signed_system *system, double *slots, uint32_t right, uint32_t x,
                                          uint32_t to) {
        const struct block_order order = {BLOCK_FINDS_RESIDUAL, system, slots, right, x, to};
        block_do(order);
    }
};

#endif
