/* blocked_thread_kernel.h - a linear system that the host solves in blocks, for one thread per sample: rows of A, its
 * products, the factor and the solution. The same bits as blocked_ldl_kernel.h.
 *
 *     h = M M' + E,  M = A of the active rows, or A'      known rows, with J J' computed once, come first
 *     A x, A' x                                           known, nearly dense rows are dense matrices of numbers
 *
 * The including file defines the sizes and offsets TILED_..., tiled_words and tiled_numbers, the lists that all threads
 * read, and tiled_place, which fills a struct tiled with them. Which rows are active differs between threads. Zeros of M
 * are multiplied as on the host: an infinite number may meet them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_THREAD_KERNEL_H
#define HN_LINALG_BLOCKED_THREAD_KERNEL_H

#include "linalg/damped_kernel.h"

#define TILES_STEP SLOT_STEP
typedef real tiles_index; /* lists are slots, too */

/* One thread's system. */
struct tiles {
    const struct tiled *task;
    real *slots;
    size_t order, counted, known, prefix; /* prefix: of rows of L (struct dense) */
    real *m;                              /* active rows of A, zeros included */
    real *h, *weight, *inverse, *strip;   /* as in struct dense */
    real *d, *z, *out;                    /* pivots, unknowns, products of the block */
    real *count, *kept, *kept_shift;      /* active rows; blocked_solve_kernel.h */
    real shift;                           /* E of the active rows */
    bool recalls;                         /* A is W J, so that precomputed products are valid */
};

SIMD_INLINE bool tiles_mask(const real *slots, size_t offset) {
    return simd_to_bits(*SLOT_AT(slots, offset)) != 0;
}

#include "linalg/blocked_rows_kernel.h"

SIMD_INLINE void tiles_place(struct tiles *t, struct tiled *task, real *slots) {
    tiled_place(task);
    t->task = task;
    t->slots = slots;
    t->order = t->counted = t->known = t->prefix = 0;
    t->m = SLOT_AT(slots, TILED_M);
    t->h = SLOT_AT(slots, TILED_LOWER);
    t->weight = t->d = SLOT_AT(slots, TILED_WEIGHT);
    t->inverse = SLOT_AT(slots, TILED_INVERSE);
    t->strip = SLOT_AT(slots, TILED_STRIP);
    t->z = SLOT_AT(slots, TILED_Z);
    t->out = SLOT_AT(slots, TILED_OUT);
    t->count = SLOT_AT(slots, TILED_COUNT);
    t->kept = SLOT_AT(slots, TILED_KEPT);
    t->kept_shift = SLOT_AT(slots, TILED_KEPT_SHIFT);
    t->shift = 0;
    t->recalls = tiles_recalls(task, slots);
}

/* E of this row: eps, 1 on inactive rows. */
SIMD_INLINE real tiles_shift(const struct tiles *t, size_t row) {
    if (t->task->every_row)
        return t->task->fixed_shift;
    return t->task->outputs_side || tiles_counts(t, row) ? *SLOT_AT(t->slots, t->task->shift) : 1;
}

SIMD_INLINE size_t tiled_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- products ---- */

/* out = the sum of numbers times vectors, DENSE_DOWN entries at a time; fresh: starts with the first product, not with
 * 0. */
static void tiles_sum(const struct tiles *t, const struct tiled_sum *sum) {
    (void)t;
    LOOP_ROLLED
    for (size_t i = 0; i < sum->length; i += DENSE_DOWN) {
        const real *at[DENSE_DOWN];
        real sums[DENSE_DOWN];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++) {
            at[c] = sum->vectors + tiled_least(i + c, sum->length - 1);
            sums[c] = sum->fresh ? at[c][0] * sum->numbers[0] : 0 + at[c][0] * sum->numbers[0];
        }
        LOOP_UNROLL_FOUR
        for (size_t k = 1; k < sum->count; k++) {
            real own = sum->numbers[k * TILES_STEP];
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++)
                sums[c] += at[c][k * sum->apart] * own;
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (i + c < sum->length)
                sum->out[(i + c) * TILES_STEP] = sums[c];
    }
}

/* J x of the rows of the block, into t->out. */
SIMD_INLINE void tiles_multiply_block(const struct tiles *t, uint32_t x, bool fresh) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_columns,    block->down,   block->rows, 0,
                                  SLOT_AT(t->slots, x), TILED_COLUMNS, t->out,      fresh};
    tiles_sum(t, &sum);
}

/* to = A from */
static GENERATED void tiled_rows(real *slots, uint32_t from, uint32_t to) {
    struct tiled task;
    struct tiles t;
    tiles_place(&t, &task, slots);
    if (TILED_BLOCK_ROWS > 0 && t.recalls)
        tiles_multiply_block(&t, from, false);
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++)
        tiles_multiply_row(&t, i, from, to);
}

/* t->out += numbers times rows first..end of A, which are all in the block, some columns at a time. */
SIMD_INLINE void tiles_add_block(const struct tiles *t, size_t first, size_t end, uint32_t from, real sign) {
    const real *numbers = t->task->block.by_columns + t->task->block.number[first];
    LOOP_ROLLED
    for (size_t j = 0; j < TILED_COLUMNS; j += DENSE_DOWN) {
        const real *column[DENSE_DOWN];
        real sums[DENSE_DOWN];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++) {
            column[c] = numbers + tiled_least(j + c, TILED_COLUMNS - 1) * TILED_BLOCK_ROWS;
            sums[c] = t->out[tiled_least(j + c, TILED_COLUMNS - 1) * TILES_STEP];
        }
        LOOP_UNROLL_FOUR
        for (size_t i = first; i < end; i++) {
            real own = tiles_scale(t, i) * (sign * *SLOT_AT(t->slots, from + i));
            bool counts = tiles_counts(t, i);
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++) {
                real more = sums[c] + column[c][i - first] * own;
                sums[c] = counts ? more : sums[c];
            }
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (j + c < TILED_COLUMNS)
                t->out[(j + c) * TILES_STEP] = sums[c];
    }
}

SIMD_INLINE void tiles_add_row(const struct tiles *t, size_t row, real number) {
    const struct tiles_entries all = tiles_entries_of(t, row);
    tiles_add_entries(t, &all, 0, number * all.factor);
}

/* to = A' from, or to - A' from: rows first to last. */
static GENERATED void tiled_columns(real *slots, uint32_t from, uint32_t to, bool subtract) {
    real sign = subtract ? -1 : 1;
    struct tiled task;
    struct tiles t;
    tiles_place(&t, &task, slots);
    LOOP_ROLLED
    for (size_t j = 0; j < TILED_COLUMNS; j++)
        t.out[j * TILES_STEP] = subtract ? *SLOT_AT(slots, to + j) : 0;
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS;) {
        size_t end = tiled_words(TILED_RUN)[i]; /* end of this run of block rows */
        if (t.recalls && end > i) {
            tiles_add_block(&t, i, end, from, sign);
            i = end;
            continue;
        }
        if (tiles_counts(&t, i))
            tiles_add_row(&t, i, sign * *SLOT_AT(slots, from + i));
        i++;
    }
    tiles_copy(t.out, SLOT_AT(slots, to), TILED_COLUMNS);
}

/* ---- the matrix ---- */

/* Row i of h, after its prefix. */
SIMD_INLINE real *tiles_h(const struct tiles *t, size_t i) {
    return t->h + (i * t->prefix + i * (i + 1) / 2 + t->prefix) * TILES_STEP;
}

/* Active rows of A, consecutive, zeros included. */
SIMD_INLINE void tiles_gather(const struct tiles *t) {
    const uint32_t *first = t->task->first;
    LOOP_ROLLED
    for (size_t c = 0; c < t->counted; c++) {
        size_t row = tiles_active(t, c);
        real *into = t->m + c * TILED_COLUMNS * TILES_STEP;
        LOOP_ROLLED
        for (size_t k = 0; k < TILED_COLUMNS && first[row + 1] - first[row] < TILED_COLUMNS; k++)
            into[k * TILES_STEP] = 0;
        tiles_gather_row(t, row, into, TILES_STEP);
    }
}

/* h of rows i.. and columns j..: the sum over M's columns, starting with E on the diagonal. */
SIMD_INLINE void tiles_product(const struct tiles *t, size_t i, size_t j) {
    const size_t down = TILED_OUTPUTS_SIDE ? 1 : TILED_COLUMNS, along = TILED_OUTPUTS_SIDE ? TILED_COLUMNS : 1;
    const size_t depth = TILED_OUTPUTS_SIDE ? t->counted : TILED_COLUMNS, last = t->order - 1;
    const real *row[DENSE_DOWN], *column[DENSE_ACROSS];
    real sums[DENSE_DOWN][DENSE_ACROSS];
    LOOP_UNROLL
    for (size_t c = 0; c < DENSE_ACROSS; c++)
        column[c] = t->m + tiled_least(j + c, last) * down * TILES_STEP;
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        row[r] = t->m + tiled_least(i + r, last) * down * TILES_STEP;
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            sums[r][c] = i + r == j + c ? t->shift : 0;
    }
    LOOP_UNROLL_FOUR
    for (size_t k = 0; k < depth; k++) {
        real a[DENSE_DOWN], b[DENSE_ACROSS];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            b[c] = column[c][k * along * TILES_STEP];
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            a[r] = row[r][k * along * TILES_STEP];
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++) {
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                sums[r][c] += a[r] * b[c];
        }
    }
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            if (i + r <= last && j + c <= i + r)
                tiles_h(t, i + r)[(j + c) * TILES_STEP] = sums[r][c];
    }
}

/* W J J' W of the known rows: exact, because weights are powers of two. */
SIMD_INLINE void tiles_recall(const struct tiles *t) {
    const struct tiled *task = t->task;
    LOOP_ROLLED
    for (size_t i = 0; i < t->known; i++) {
        size_t row = tiles_active(t, i), number = task->known[row];
        real *into = tiles_h(t, i), scale = tiles_scale(t, row);
        LOOP_ROLLED
        for (size_t j = 0; j <= i; j += ROWS_AHEAD) {
            real block[ROWS_AHEAD];
            LOOP_UNROLL
            for (size_t k = 0; k < ROWS_AHEAD; k++) {
                size_t other = tiles_active(t, tiles_clamp(j + k, i + 1));
                const real *known = task->gram + task->known[other] * task->gram_leading;
                real once = tiles_scale(t, other) * known[number];
                block[k] = TILED_WEIGHTED ? scale * once : once;
            }
            LOOP_UNROLL
            for (size_t k = 0; k < ROWS_AHEAD; k++)
                if (j + k <= i)
                    into[(j + k) * TILES_STEP] = j + k == i ? block[k] + t->shift : block[k];
        }
    }
}

SIMD_INLINE void tiles_fill(const struct tiles *t) {
    tiles_recall(t);
    if (t->known == t->order)
        return;
    tiles_gather(t);
    LOOP_ROLLED
    for (size_t i = t->known; i < t->order; i += DENSE_DOWN) {
        LOOP_ROLLED
        for (size_t j = 0; j < tiled_least(i + DENSE_DOWN, t->order); j += DENSE_ACROSS)
            tiles_product(t, i, j);
    }
}

/* ---- the factor and the solution ---- */

/* tiles_ranges computes the range of pivots from D, also for a cached factor. */
SIMD_INLINE void tiles_factor(const struct tiles *t) {
    struct pivots range;
    const struct dense f = {t->order, t->prefix, t->h, t->weight, t->inverse, t->strip, DENSE_DEPTH, &range, 0};
    kernel_pivots_begin(&range, t->inverse);
    dense_factor(&f);
}

SIMD_INLINE void tiles_solve(const struct tiles *t) {
    const struct dense f = {t->order, t->prefix, t->h, t->weight, t->inverse, t->strip, DENSE_DEPTH, 0, 0};
    dense_solve(&f, t->z, t->z);
}

#include "linalg/blocked_solve_kernel.h"

static GENERATED void tiled_solve_plain(real *slots, const struct damped_sides *sides) {
    struct tiled task;
    struct tiles t;
    tiles_place(&t, &task, slots);
    tiles_solve_sides(&t, sides);
}

#endif
