/* kernels_block.h - one sample of the methods nearest and optimal, a thread that leads and others that help: what the search asks of the
 * library's kernels is shared between them. Blocks are teams; the first warp has the leader alone.
 *
 * The leader leaves an order, the others carry it out, and it goes on when they have (team_do, team_help). Every number is computed by one
 * of them, with the operations of the library's kernel in the same order: the bits are those of one thread.
 *
 *     program    instructions that do not wait for each other at once: cuda/level_schedule.h
 *     factor     columns from left to right: each, with its pivot, is taken out of all behind it. An entry loses its products in the order
 *                of columns, as in linalg/signed_kernel.h, which goes by rows
 *     solve      forward by columns, likewise; back a warp computes the products of a row, and each thread of it their sum, in order
 *     residual   by unknowns
 *
 * On the host a team is one thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNELS_BLOCK_H
#define HN_CUDA_KERNELS_BLOCK_H

#ifdef DEVICE_HOST
enum { TEAM_LANES = 1, TEAM_WARPS = 1 };
#define TEAM_RANK                 0U
#define TEAM_WAIT                 ((void)0)
#define TEAM_WAIT_WARP            ((void)0)
#define TEAM_OF_LANE(value, lane) (value)
#else
enum { TEAM_LANES = 32, TEAM_WARPS = TEAM_HELPERS / TEAM_LANES };
#define TEAM_RANK                 (threadIdx.x - TEAM_LANES)
#define TEAM_WAIT                 asm volatile("barrier.sync 1, %0;" ::"n"(TEAM_HELPERS) : "memory")
#define TEAM_WAIT_WARP            __syncwarp()
#define TEAM_OF_LANE(value, lane) __shfl_sync(0xffffffffU, value, lane)
#endif
enum { TEAM_SIZE = TEAM_LANES * TEAM_WARPS };
#define TEAM_LANE (TEAM_RANK % TEAM_LANES)
#define TEAM_WARP (TEAM_RANK / TEAM_LANES)

/* Numbers from first up to end: this thread's share. */
#define TEAM_EACH(i, first, end) for (size_t i = (first) + TEAM_RANK; i < (end); i += TEAM_SIZE)

/* ---- a program ---- */

static void team_program(const struct team_program *p, int phase, double *slots) {
    for (size_t k = p->level_first[phase]; k < p->level_first[phase + 1]; k++) {
        TEAM_EACH(i, p->level[k], p->level[k + 1])
        program_instruction(&p->own, i, slots, SLOT_STEP);
        TEAM_WAIT;
    }
}

static void team_add(double *slots, uint32_t a, uint32_t to, size_t count) {
    TEAM_EACH(j, 0, count)
    *SLOT_AT(slots, to + j) += *SLOT_AT(slots, a + j);
}

/* ---- the factor ---- */

/* Where L has this row in a column that has it. */
static size_t team_entry(const struct signed_system *s, size_t column, uint32_t row) {
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
static void team_gather(const struct signed_system *s, double *slots) {
    TEAM_EACH(e, 0, s->nonzeros)
    *SLOT_AT(slots, s->lower + e) = 0;
    TEAM_EACH(k, 0, s->order)
    *SLOT_AT(slots, s->work + k) = *SLOT_AT(slots, s->diagonal + s->permutation[k]);
    TEAM_WAIT;
    TEAM_EACH(p, 0, s->entries)
    *SLOT_AT(slots, s->lower + s->own_entry[p]) = *SLOT_AT(slots, s->own_offset[p]);
    TEAM_WAIT;
}

enum { TEAM_AT_ONCE = 4 }; /* numbers that a thread reads before it writes the first */

/* Takes column j, which is not divided by its pivot yet, out of those behind it. Rows of j behind k are rows of k. */
static void team_eliminate(const struct signed_system *s, double *slots, size_t j, double inverse) {
    double *lower = SLOT_AT(slots, s->lower), *d = SLOT_AT(slots, s->work);
    size_t end = s->column_first[j + 1];
    for (size_t b = s->column_first[j] + TEAM_WARP; b < end; b += TEAM_WARPS) {
        size_t k = s->row_number[b], first = s->column_first[k], rows = end - b - 1;
        bool same = s->column_first[k + 1] - first == rows;
        double n = *SLOT_AT(lower, b), l = n * inverse;
        if (TEAM_LANE == 0)
            *SLOT_AT(d, k) -= l * n;
        for (size_t a = TEAM_LANE; a < rows; a += TEAM_AT_ONCE * TEAM_LANES) {
            size_t to[TEAM_AT_ONCE];
            double product[TEAM_AT_ONCE], old[TEAM_AT_ONCE];
            for (size_t q = 0; q < TEAM_AT_ONCE; q++) {
                size_t row = a + q * TEAM_LANES < rows ? a + q * TEAM_LANES : a;
                to[q] = same ? first + row : team_entry(s, k, s->row_number[b + 1 + row]);
                product[q] = l * *SLOT_AT(lower, b + 1 + row);
                old[q] = *SLOT_AT(lower, to[q]);
            }
            for (size_t q = 0; q < TEAM_AT_ONCE && a + q * TEAM_LANES < rows; q++)
                *SLOT_AT(lower, to[q]) = old[q] - product[q];
        }
    }
}

static void team_factor(const struct signed_system *s, double *slots) {
    double positive = 0, lost = 0;
    team_gather(s, slots);
    for (size_t j = 0; j < s->order; j++) {
        double whole = *SLOT_AT(slots, s->diagonal + s->permutation[j]), d = *SLOT_AT(slots, s->work + j);
        wide_bits kept = wide_less(wide_abs(whole) * wide_all(0x1p-50), wide_abs(d));
        double inverse = wide_keep(kept, wide_all(1) / d);
        positive += wide_keep(wide_less(wide_all(0), d), wide_all(1));
        lost += wide_keep(~kept, wide_all(1));
        team_eliminate(s, slots, j, inverse);
        TEAM_WAIT;
        TEAM_EACH(e, s->column_first[j], s->column_first[j + 1])
        *SLOT_AT(slots, s->lower + e) *= inverse;
        if (TEAM_RANK == 0)
            *SLOT_AT(slots, s->inverse + j) = inverse;
    }
    if (TEAM_RANK == 0) {
        *SLOT_AT(slots, s->summary + SIGNED_POSITIVE) = positive;
        *SLOT_AT(slots, s->summary + SIGNED_LOST) = lost;
    }
}

/* ---- its systems ---- */

static void team_solve_forward(const struct signed_system *s, double *slots, uint32_t to) {
    for (size_t k = 0; k < s->order; k++) {
        size_t first = s->column_first[k], end = s->column_first[k + 1];
        double x = *SLOT_AT(slots, to + s->permutation[k]);
        if (first == end)
            continue;
        TEAM_EACH(e, first, end)
        *SLOT_AT(slots, to + s->row_offset[e]) -= *SLOT_AT(slots, s->lower + e) * x;
        TEAM_WAIT;
    }
}

/* One warp. */
static void team_solve_back(const struct signed_system *s, double *slots, uint32_t to) {
    for (size_t k = s->order; k-- > 0;) {
        size_t end = s->column_first[k + 1];
        double sum = *SLOT_AT(slots, to + s->permutation[k]) * *SLOT_AT(slots, s->inverse + k);
        for (size_t e = s->column_first[k]; e < end; e += TEAM_LANES) {
            size_t own = e + TEAM_LANE < end ? e + TEAM_LANE : e;
            double product = *SLOT_AT(slots, s->lower + own) * *SLOT_AT(slots, to + s->row_offset[own]);
            for (uint32_t lane = 0; lane < TEAM_LANES && e + lane < end; lane++)
                sum -= TEAM_OF_LANE(product, lane);
        }
        TEAM_WAIT_WARP;
        if (TEAM_LANE == 0)
            *SLOT_AT(slots, to + s->permutation[k]) = sum;
        TEAM_WAIT_WARP;
    }
}

static void team_solve(const struct signed_system *s, double *slots, uint32_t from, uint32_t to) {
    TEAM_EACH(k, 0, from == to ? 0 : s->order)
    *SLOT_AT(slots, to + k) = *SLOT_AT(slots, from + k);
    TEAM_WAIT;
    team_solve_forward(s, slots, to);
    if (TEAM_WARP == 0)
        team_solve_back(s, slots, to);
}

static void team_residual(const struct signed_system *s, double *slots, uint32_t right, uint32_t x, uint32_t to) {
    TEAM_EACH(k, 0, s->order) {
        double sum = *SLOT_AT(slots, right + k) - *SLOT_AT(slots, s->diagonal + k) * *SLOT_AT(slots, x + k);
        for (size_t t = s->touch_first[k]; t < s->touch_first[k + 1]; t++)
            sum -= *SLOT_AT(slots, s->touch[2 * t + 1]) * *SLOT_AT(slots, x + s->touch[2 * t]);
        *SLOT_AT(slots, to + k) = sum;
    }
}

/* ---- orders ---- */

enum team_task { TEAM_ENDS, TEAM_RUNS, TEAM_ADDS, TEAM_FACTORS, TEAM_SOLVES, TEAM_FINDS_RESIDUAL };

struct team_order {
    enum team_task task;
    const void *subject; /* a program, or a system */
    double *slots;
    uint32_t a, b, c;
};

static GENERATED void team_work(const struct team_order *o) {
    double *slots = o->slots;
    const struct signed_system *system = (const struct signed_system *)o->subject;
    DEVICE_GLOBAL(slots);
    if (o->task == TEAM_RUNS)
        team_program((const struct team_program *)o->subject, (int)o->a, slots);
    else if (o->task == TEAM_ADDS)
        team_add(slots, o->a, o->b, o->c);
    else if (o->task == TEAM_FACTORS)
        team_factor(system, slots);
    else if (o->task == TEAM_SOLVES)
        team_solve(system, slots, o->a, o->b);
    else if (o->task == TEAM_FINDS_RESIDUAL)
        team_residual(system, slots, o->a, o->b, o->c);
}

#ifdef DEVICE_HOST
static void team_do(struct team_order order) {
    team_work(&order);
}
#else
__shared__ struct team_order team_orders;

/* All threads of the block, those of the leader's warp one by one. */
#define TEAM_MEET asm volatile("barrier.sync 0;" ::: "memory")

/* The leader's: it waits until all have done it. */
static void team_do(struct team_order order) {
    team_orders = order;
    TEAM_MEET;
    TEAM_MEET;
}

/* The leader's last word. */
static void team_end(void) {
    team_orders.task = TEAM_ENDS;
    TEAM_MEET;
}

/* Of all others: those of the leader's warp, which would hold it up, only wait. */
static void team_help(void) {
    for (;;) {
        TEAM_MEET;
        const struct team_order order = team_orders;
        if (order.task == TEAM_ENDS)
            return;
        if (threadIdx.x >= TEAM_LANES)
            team_work(&order);
        TEAM_MEET;
    }
}

/* Whether this thread is the leader; the others are done. */
static bool team_begin(void) {
    if (threadIdx.x > 0)
        team_help();
    return threadIdx.x == 0;
}
#endif

/* ---- the kernels by the names that the texts of src/nearest call them by ---- */

struct backend {
    DEVICE GENERATED static void run(const struct program *program, int phase, double *slots) {
        const struct team_order order = {TEAM_RUNS, program, slots, (uint32_t)phase, 0, 0};
        team_do(order);
    }
    DEVICE GENERATED static void add(double *slots, uint32_t a, uint32_t to, size_t count) {
        const struct team_order order = {TEAM_ADDS, 0, slots, a, to, (uint32_t)count};
        team_do(order);
    }
    DEVICE GENERATED static void signed_factor(const struct signed_system *system, double *slots) {
        const struct team_order order = {TEAM_FACTORS, system, slots, 0, 0, 0};
        team_do(order);
    }
    DEVICE GENERATED static void signed_solve(const struct signed_system *system, double *slots, uint32_t from,
                                              uint32_t to) {
        const struct team_order order = {TEAM_SOLVES, system, slots, from, to, 0};
        team_do(order);
    }
    DEVICE GENERATED static void signed_residual(const struct signed_system *system, double *slots, uint32_t right,
                                                 uint32_t x, uint32_t to) {
        const struct team_order order = {TEAM_FINDS_RESIDUAL, system, slots, right, x, to};
        team_do(order);
    }
};

#endif
