/* blocked_rows_kernel.h - the rows of A = W J for one sample whose system is dense (blocked_ldl.h): the active rows,
 * their numbers, and products with single rows.
 *
 * The including file defines struct tiles, TILES_STEP, the distance between numbers of its vectors, tiles_index, the
 * type of numbers in its lists, and tiles_mask(slots, offset). Part of blocked_ldl_kernel.h and of
 * linalg/blocked_thread_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_ROWS_KERNEL_H
#define HN_LINALG_BLOCKED_ROWS_KERNEL_H

#include "linalg/block_sizes.h"
#include "linalg/blocked_ldl.h"

SIMD_INLINE size_t tiles_clamp(size_t a, size_t end) {
    return ROWS_AHEAD > 1 && a >= end ? end - 1 : a;
}

/* to = from; the two do not overlap. */
SIMD_INLINE void tiles_copy(const real *from, real *to, size_t count) {
    LOOP_ROLLED
    for (size_t i = 0; i < count; i += ROWS_AHEAD) {
        real block[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            block[k] = from[tiles_clamp(i + k, count) * TILES_STEP];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (ROWS_AHEAD == 1 || i + k < count)
                to[(i + k) * TILES_STEP] = block[k];
    }
}

SIMD_INLINE bool tiles_counts(const struct tiles *t, size_t row) {
    return t->task->every_row || tiles_mask(t->slots, t->task->active + row);
}

/* Whether A is W J, so that precomputed products are valid. */
SIMD_INLINE bool tiles_recalls(const struct tiled *task, const real *slots) {
    return task->every_row || !tiles_mask(slots, task->stretched);
}

SIMD_INLINE bool tiles_knows(const struct tiles *t, size_t row) {
    return t->recalls && t->task->known[row] != UINT32_MAX;
}

SIMD_INLINE real tiles_scale(const struct tiles *t, size_t row) {
    return t->task->every_row ? 1 : *SLOT_AT(t->slots, t->task->scale + row);
}

/* Row c of the list of active rows. */
SIMD_INLINE size_t tiles_active(const struct tiles *t, size_t c) {
    return (size_t)t->count[c * TILES_STEP];
}

SIMD_INLINE void tiles_append(struct tiles *t, size_t row) {
    t->count[t->counted * TILES_STEP] = (tiles_index)row;
    t->counted++;
}

/* The active rows, those with precomputed products first. */
SIMD_INLINE void tiles_choose_rows(struct tiles *t) {
    const struct tiled *task = t->task;
    t->counted = 0;
    LOOP_ROLLED
    for (size_t i = 0; task->gram && t->recalls && i < task->rows; i++)
        if (tiles_knows(t, i) && tiles_counts(t, i))
            tiles_append(t, i);
    t->known = t->counted;
    LOOP_ROLLED
    for (size_t i = 0; i < task->rows; i++)
        if (!(task->gram && tiles_knows(t, i)) && tiles_counts(t, i))
            tiles_append(t, i);
    t->order = task->outputs_side ? task->columns : t->counted;
}

/* A's numbers in one row. */
struct tiles_entries {
    const uint32_t *column, *entry; /* offsets of J's numbers, which are to be scaled; NULL: A's own, */
    size_t number, count;           /* from this offset on */
    real factor;
};

SIMD_INLINE struct tiles_entries tiles_entries_of(const struct tiles *t, size_t row) {
    const struct tiled *task = t->task;
    struct tiles_entries all;
    size_t first = task->first[row];
    bool own = !task->every_row && !tiles_knows(t, row);
    all.column = task->column + first;
    all.entry = own ? 0 : task->entry + first;
    all.number = task->matrix + first;
    all.count = task->first[row + 1] - first;
    all.factor = own ? 1 : tiles_scale(t, row);
    return all;
}

SIMD_INLINE real tiles_entry(const struct tiles *t, const struct tiles_entries *row, size_t e) {
    return *SLOT_AT(t->slots, row->entry ? row->entry[e] : row->number + e);
}

/* M's numbers in one row of A, whose columns are `apart`. */
SIMD_INLINE void tiles_gather_row(const struct tiles *t, size_t row, real *into, size_t apart) {
    const struct tiles_entries all = tiles_entries_of(t, row);
    LOOP_ROLLED
    for (size_t e = 0; e < all.count; e += ROWS_AHEAD) {
        real a[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            a[k] = tiles_entry(t, &all, tiles_clamp(e + k, all.count));
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (ROWS_AHEAD == 1 || e + k < all.count)
                into[all.column[e + k] * apart] = all.factor * a[k];
    }
}

/* A x in one row that is not in the block. */
SIMD_INLINE real tiles_row_product(const struct tiles *t, size_t row, const real *x) {
    const struct tiles_entries all = tiles_entries_of(t, row);
    real sum = 0;
    LOOP_ROLLED
    for (size_t e = 0; e < all.count; e += ROWS_AHEAD) {
        real a[ROWS_AHEAD], own[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++) {
            size_t at = tiles_clamp(e + k, all.count);
            a[k] = tiles_entry(t, &all, at);
            own[k] = x[all.column[at] * TILES_STEP];
        }
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            sum = ROWS_AHEAD == 1 || e + k < all.count ? sum + a[k] * own[k] : sum;
    }
    return all.factor * sum;
}

/* Row i of A x; t->out has the products of the block. */
SIMD_INLINE void tiles_multiply_row(const struct tiles *t, size_t i, uint32_t from, uint32_t to) {
    uint32_t number = t->task->block.number[i];
    real *result = SLOT_AT(t->slots, to + i);
    if (!tiles_counts(t, i))
        *result = 0;
    else if (t->recalls && number != UINT32_MAX)
        *result = tiles_scale(t, i) * t->out[number * TILES_STEP];
    else
        *result = tiles_row_product(t, i, SLOT_AT(t->slots, from));
}

/* t->out += number times entries e.. of a row of A, whose columns differ. */
SIMD_INLINE void tiles_add_entries(const struct tiles *t, const struct tiles_entries *all, size_t e, real number) {
    LOOP_ROLLED
    for (; e < all->count; e += ROWS_AHEAD) {
        real sum[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++) {
            size_t at = tiles_clamp(e + k, all->count);
            sum[k] = t->out[all->column[at] * TILES_STEP] + tiles_entry(t, all, at) * number;
        }
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (ROWS_AHEAD == 1 || e + k < all->count)
                t->out[all->column[e + k] * TILES_STEP] = sum[k];
    }
}

/* c of the rows of the block with c = J y, from t->out. */
SIMD_INLINE void tiles_values(const struct tiles *t) {
    const struct tiled_block *block = &t->task->block;
    LOOP_ROLLED
    for (size_t k = 0; k < block->values; k++)
        *SLOT_AT(t->slots, block->value[k]) = t->out[block->valued[k] * TILES_STEP];
}

#endif
