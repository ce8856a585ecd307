/* kernels_block.h - one sample of the methods nearest and optimal per thread block: a leading thread, alone in the first warp, runs
 * the search, and the threads of the other warps help with the library's kernels.
 *
 * The leader publishes an order, the helpers execute it, and the leader waits (block_do, block_help). Each number is computed by
 * one thread, by the operations of the library's kernel in the same order: the bits are those of one thread.
 *
 *     program    independent instructions in parallel: autodiff/program_levels.h
 *     factor     right-looking by columns: each is subtracted from all later ones. The products of an entry are subtracted in the
 *                order of columns, as in linalg/signed_kernel.h, which is left-looking by rows
 *     solve      forward by columns, likewise; backward a warp computes the products of a row, and each of its threads their sum,
 *                in order
 *     residual   by unknowns
 *
 * On the host a block is one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNELS_BLOCK_H
#define HN_CUDA_KERNELS_BLOCK_H

#include "core/program_run.h"
#include "cuda/kernels/search_layout.h"
#include "linalg/signed_factor.h"

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

/* ---- the factor ---- */

/* The entry of L in this row of a column; it must exist. */
static size_t block_entry(const struct signed_system *s, size_t column, uint32_t row) {
    size_t first = s->column_first[column], end = s->column_first[column + 1];
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (s->row_number[middle] <= row)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* L = the matrix below its diagonal, 0 where only L has an entry; d = its diagonal, in the order of elimination. */
static void block_gather(const struct signed_system *s, double *slots) {
    BLOCK_EACH(e, 0, s->nonzeros)
    *SLOT_AT(slots, s->lower + e) = 0;
    BLOCK_EACH(k, 0, s->order)
    *SLOT_AT(slots, s->work + k) = *SLOT_AT(slots, s->diagonal + s->permutation[k]);
    BLOCK_WAIT;
    BLOCK_EACH(p, 0, s->entries)
    *SLOT_AT(slots, s->lower + s->own_entry[p]) = *SLOT_AT(slots, s->own_offset[p]);
    BLOCK_WAIT;
}

enum { BLOCK_AT_ONCE = 4 }; /* loads of a thread before the first store */

/* Subtracts column j, which is not divided by its pivot yet, from later ones. Rows of j after k are rows of k. */
static void block_eliminate(const struct signed_system *s, double *slots, size_t j, double inverse) {
    double *lower = SLOT_AT(slots, s->lower), *d = SLOT_AT(slots, s->work);
    size_t end = s->column_first[j + 1];
    for (size_t b = s->column_first[j] + BLOCK_WARP; b < end; b += BLOCK_HAS_WARPS) {
        size_t k = s->row_number[b], first = s->column_first[k], rows = end - b - 1;
        bool same = s->column_first[k + 1] - first == rows;
        double n = *SLOT_AT(lower, b), l = n * inverse;
        if (BLOCK_LANE == 0)
            *SLOT_AT(d, k) -= l * n;
        for (size_t a = BLOCK_LANE; a < rows; a += BLOCK_AT_ONCE * BLOCK_LANES) {
            size_t to[BLOCK_AT_ONCE];
            double product[BLOCK_AT_ONCE], old[BLOCK_AT_ONCE];
            for (size_t q = 0; q < BLOCK_AT_ONCE; q++) {
                size_t row = a + q * BLOCK_LANES < rows ? a + q * BLOCK_LANES : a;
                to[q] = same ? first + row : block_entry(s, k, s->row_number[b + 1 + row]);
                product[q] = l * *SLOT_AT(lower, b + 1 + row);
                old[q] = *SLOT_AT(lower, to[q]);
            }
            for (size_t q = 0; q < BLOCK_AT_ONCE && a + q * BLOCK_LANES < rows; q++)
                *SLOT_AT(lower, to[q]) = old[q] - product[q];
        }
    }
}

static void block_factor(const struct signed_system *s, double *slots) {
    double positive = 0, lost = 0;
    block_gather(s, slots);
    for (size_t j = 0; j < s->order; j++) {
        double whole = *SLOT_AT(slots, s->diagonal + s->permutation[j]), d = *SLOT_AT(slots, s->work + j);
        simd_bits kept = simd_less(simd_abs(whole) * simd_all(0x1p-50), simd_abs(d));
        double inverse = simd_keep(kept, simd_all(1) / d);
        positive += simd_keep(simd_less(simd_all(0), d), simd_all(1));
        lost += simd_keep(~kept, simd_all(1));
        block_eliminate(s, slots, j, inverse);
        BLOCK_WAIT;
        BLOCK_EACH(e, s->column_first[j], s->column_first[j + 1])
        *SLOT_AT(slots, s->lower + e) *= inverse;
        if (BLOCK_RANK == 0)
            *SLOT_AT(slots, s->inverse + j) = inverse;
    }
    if (BLOCK_RANK == 0) {
        *SLOT_AT(slots, s->summary + SIGNED_POSITIVE) = positive;
        *SLOT_AT(slots, s->summary + SIGNED_LOST) = lost;
    }
}

/* ---- solves and residuals ---- */

static void block_solve_forward(const struct signed_system *s, double *slots, uint32_t to) {
    for (size_t k = 0; k < s->order; k++) {
        size_t first = s->column_first[k], end = s->column_first[k + 1];
        double x = *SLOT_AT(slots, to + s->permutation[k]);
        if (first == end)
            continue;
        BLOCK_EACH(e, first, end)
        *SLOT_AT(slots, to + s->row_offset[e]) -= *SLOT_AT(slots, s->lower + e) * x;
        BLOCK_WAIT;
    }
}

/* Run by one warp. */
static void block_solve_back(const struct signed_system *s, double *slots, uint32_t to) {
    for (size_t k = s->order; k-- > 0;) {
        size_t end = s->column_first[k + 1];
        double sum = *SLOT_AT(slots, to + s->permutation[k]) * *SLOT_AT(slots, s->inverse + k);
        for (size_t e = s->column_first[k]; e < end; e += BLOCK_LANES) {
            size_t own = e + BLOCK_LANE < end ? e + BLOCK_LANE : e;
            double product = *SLOT_AT(slots, s->lower + own) * *SLOT_AT(slots, to + s->row_offset[own]);
            for (uint32_t lane = 0; lane < BLOCK_LANES && e + lane < end; lane++)
                sum -= BLOCK_OF_LANE(product, lane);
        }
        BLOCK_WAIT_WARP;
        if (BLOCK_LANE == 0)
            *SLOT_AT(slots, to + s->permutation[k]) = sum;
        BLOCK_WAIT_WARP;
    }
}

static void block_solve(const struct signed_system *s, double *slots, uint32_t from, uint32_t to) {
    BLOCK_EACH(k, 0, from == to ? 0 : s->order)
    *SLOT_AT(slots, to + k) = *SLOT_AT(slots, from + k);
    BLOCK_WAIT;
    block_solve_forward(s, slots, to);
    if (BLOCK_WARP == 0)
        block_solve_back(s, slots, to);
}

static void block_residual(const struct signed_system *s, double *slots, uint32_t right, uint32_t x, uint32_t to) {
    BLOCK_EACH(k, 0, s->order) {
        double sum = *SLOT_AT(slots, right + k) - *SLOT_AT(slots, s->diagonal + k) * *SLOT_AT(slots, x + k);
        for (size_t t = s->touch_first[k]; t < s->touch_first[k + 1]; t++)
            sum -= *SLOT_AT(slots, s->touch[2 * t + 1]) * *SLOT_AT(slots, x + s->touch[2 * t]);
        *SLOT_AT(slots, to + k) = sum;
    }
}

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
