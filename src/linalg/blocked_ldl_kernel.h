/* blocked_ldl_kernel.h - factors and solves one dense system with SIMD vectors over its entries; compiled by each
 * backend for its width.
 *
 *     h = M M' + E,   h = L D L',   n = L D       d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j
 *
 * Matrices are stored by columns. Columns are factored in panels; then the panel's products are subtracted from the
 * rest, one tile at a time (block_factor_kernel.h). Every sum runs over k ascending, each product
 * rounded before it is added, as in dense_ldl_kernel.h: the bits do not depend on the width, the size of tiles or the
 * number of helpers. Rows below the last are zero or unused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_LDL_KERNEL_H
#define HN_LINALG_BLOCKED_LDL_KERNEL_H

#include "base/helpers.h"
#include "base/simd.h"
#include "linalg/blocked_ldl.h"

#include <math.h>
#include <string.h>

/* The memory of one sample's system. */
struct tiles {
    const struct tiled *task;
    struct helpers *helpers; /* may be NULL */
    double *slots;
    size_t order, leading, most;
    double *m;               /* columns of M: m[k * leading + i] = M(i, k) */
    double *h;               /* order columns: M M' + E, then L below the diagonal */
    double *n;               /* TILED_DEPTH columns of L D */
    double *whole;           /* diagonal of h before the factorisation */
    double *d, *inverse, *z; /* pivots, 1/D, unknowns */
    double *numbers, *out;   /* of sums of vectors */
    double *spare;           /* the other vectors, `most` apart */
    double *kept_shift;      /* shift of the cached factor, */
    uint32_t *kept;          /* and its rows: blocked_solve_kernel.h */
    uint32_t *count;         /* active rows: first those with precomputed products, then the others */
    size_t counted, known;
    double shift; /* E of the active rows */
    bool recalls; /* the precomputed products of A are valid */
};

/* ---- gathering ---- */

#define TILES_STEP ((size_t)1)
typedef uint32_t tiles_index;

static bool tiles_mask(const double *slots, size_t offset) {
    int64_t mask;
    memcpy(&mask, &slots[offset], sizeof mask);
    return mask != 0;
}

#include "linalg/blocked_rows_kernel.h"

#include "linalg/block_factor_kernel.h"

/* The layout of the workspace. */
static struct tiles tiles_lay_out(const struct tiled *task, double *slots) {
    struct tiles t = {.task = task, .slots = slots};
    const struct tiled_room room = tiled_room_of(task->rows, task->columns, task->outputs_side);
    double *vectors = slots + task->workspace + room.m + room.h + room.n;
    t.leading = room.leading;
    t.most = room.most;
    t.m = slots + task->workspace;
    t.h = t.m + room.m;
    t.n = t.h + room.h;
    t.whole = vectors;
    t.d = vectors + room.most;
    t.inverse = vectors + 2 * room.most;
    t.z = vectors + 3 * room.most;
    t.numbers = vectors + 4 * room.most;
    t.out = vectors + 5 * room.most;
    t.spare = vectors + 6 * room.most;
    t.kept_shift = vectors + room.vectors;
    t.count = (uint32_t *)(void *)(t.kept_shift + 1);
    t.kept = t.count + task->rows;
    return t;
}

static struct tiles tiles_place(const struct tiled *task, double *slots, struct helpers *helpers) {
    struct tiles t = tiles_lay_out(task, slots);
    size_t order = task->outputs_side ? task->columns : task->rows;
    t.helpers = helpers && (order >= TILED_FAR || helpers_keep_near(helpers)) ? helpers : NULL;
    t.recalls = tiles_recalls(task, slots);
    return t;
}

static void kernel_begin_tiled(const struct tiled *task, double *slots) {
    tiles_lay_out(task, slots).kept[0] = 0;
}

/* M: active rows of A, as rows (outputs' side) or as columns. */
static void tiles_gather_rows(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles *t = context;
    bool outputs = t->task->outputs_side;
    for (size_t c = from; c < to; c++)
        tiles_gather_row(t, t->count[c], t->m + (outputs ? c * t->leading : c), outputs ? 1 : t->leading);
}

/* The number of columns of M. */
static size_t tiles_depth(const struct tiles *t) {
    return t->task->outputs_side ? t->counted : t->task->columns;
}

static void tiles_gather(const struct tiles *t) {
    const struct helpers_job rows = {t->counted, TILE_UNIT, 1, tiles_gather_rows, t, NULL};
    tiles_clear(t->helpers, t->m, tiles_depth(t) * t->leading);
    helpers_share(t->helpers, &rows);
}

static double tiles_shift(const struct tiles *t, size_t row) {
    return t->task->every_row ? t->task->fixed_shift : t->slots[t->task->shift + row];
}

/* ---- the matrix ---- */

static void kernel_gram_tiled(const struct tiled_gram *g) {
    tiles_gram(g, 0);
}

/* W J J' W of the rows with precomputed products: exact, because weights are powers of two. */
static void tiles_recall(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles *t = context;
    const struct tiled *task = t->task;
    for (size_t j = from; j < to; j++) {
        size_t row = t->count[j];
        const double *known = task->gram + task->known[row] * task->gram_leading;
        double *into = t->h + j * t->leading, scale = task->every_row ? 1 : t->slots[task->scale + row];
        for (size_t i = j; i < t->known; i++) {
            size_t other = t->count[i];
            double number = scale * known[task->known[other]];
            into[i] = task->every_row ? number : t->slots[task->scale + other] * number;
        }
    }
}

/* h = M M' + E */
static void tiles_fill(const struct tiles *t) {
    const struct tiled_gram all = {t->order, tiles_depth(t), t->leading, t->m, t->h, t->n, t->helpers};
    const struct helpers_job recalled = {t->known, TILE_UNIT, 4, tiles_recall, t, NULL};
    tiles_clear(t->helpers, t->h, (t->order + TILED_ACROSS) * t->leading);
    for (size_t j = t->known; j < t->order; j++)
        t->h[j * t->leading + j] = t->shift;
    helpers_share(t->helpers, &recalled);
    for (size_t j = 0; j < t->known; j++)
        t->h[j * t->leading + j] += t->shift;
    if (t->known < t->order) {
        tiles_gather(t);
        tiles_gram(&all, t->known);
    }
    for (size_t j = 0; j < t->order; j++)
        t->whole[j] = t->h[j * t->leading + j];
}

/* ---- the solution ---- */

static void tiles_solve(const struct tiles *t) {
    tiles_forward(t);
    for (size_t i = 0; i < t->order; i++)
        t->z[i] *= t->inverse[i];
    tiles_backward(t);
}

#include "linalg/blocked_solve_kernel.h"

/* ---- products with A: SIMD vectors over results of dense rows, never over the terms of a sum ----
 *
 *     c = J y,  A x     vectors are columns of the block of constant rows
 *     A' x              vectors are rows, first to last: rows of the block, and other dense rows
 *
 * Inactive rows contribute nothing. */

/* Smaller products are not shared: communication between caches takes as long. */
enum { SUM_TOGETHER = 8, SUM_UNIT = 8, LEAST_SHARED = 1 << 14 };

/* out = (out or 0) + number[0] v_0 + ... : `count` vectors, added in order. */
SIMD_INLINE void sum_some(double *out, const double *const *vector, const double *number, size_t length,
                          const int count, const bool fresh) {
    for (size_t i = 0; i < length; i += WIDTH) {
        simd sum = fresh ? simd_load(vector[0] + i) * number[0] : simd_load(out + i);
        for (int k = fresh; k < count; k++)
            sum += simd_load(vector[k] + i) * number[k];
        simd_store(out + i, sum);
    }
}

/* Adds SUM_TOGETHER vectors from number k on if available, else one; returns their number. */
static size_t sum_next(const struct tiled_sum *sum, size_t k, size_t begin, size_t length) {
    const double *vector[SUM_TOGETHER], *numbers = sum->numbers + k;
    size_t count = sum->count - k >= SUM_TOGETHER ? SUM_TOGETHER : 1;
    bool fresh = sum->fresh && k == 0;
    double *out = sum->out + begin;
    for (size_t i = 0; i < count; i++)
        vector[i] = sum->vectors + (sum->index ? sum->index[k + i] : k + i) * sum->apart + begin;
    if (count == 1 && fresh)
        sum_some(out, vector, numbers, length, 1, true);
    else if (count == 1)
        sum_some(out, vector, numbers, length, 1, false);
    else if (fresh)
        sum_some(out, vector, numbers, length, SUM_TOGETHER, true);
    else
        sum_some(out, vector, numbers, length, SUM_TOGETHER, false);
    return count;
}

/* Units of SUM_UNIT entries. */
static void sum_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiled_sum *sum = context;
    size_t begin = from * SUM_UNIT, end = to * SUM_UNIT < sum->length ? to * SUM_UNIT : sum->length;
    if (sum->fresh && sum->count == 0)
        memset(sum->out + begin, 0, (end - begin) * sizeof *sum->out);
    for (size_t k = 0; k < sum->count;)
        k += sum_next(sum, k, begin, end - begin);
}

static void kernel_sum_tiled(const struct tiled_sum *sum, struct helpers *helpers) {
    size_t units = (sum->length + SUM_UNIT - 1) / SUM_UNIT;
    const struct helpers_job job = {units, sum->count * sum->length < LEAST_SHARED ? units : 1, 1, sum_part, sum, NULL};
    if (units > 0)
        helpers_share(helpers, &job);
}

static void tiles_sum(const struct tiles *t, const struct tiled_sum *sum) {
    kernel_sum_tiled(sum, t->helpers);
}

/* J x of the block's rows, into t->out; fresh: starts with the first product, not with 0. */
static void block_multiply(const struct tiles *t, const double *x, bool fresh) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_columns, block->down, block->rows, NULL, x,
                                  t->task->columns,  t->out,      fresh};
    if (!fresh)
        memset(t->out, 0, block->rows * sizeof *t->out);
    kernel_sum_tiled(&sum, t->helpers);
}

/* c of the rows with c = J y. */
static void kernel_values_tiled(const struct tiled *task, double *slots, uint32_t y, struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    block_multiply(&t, slots + y, true);
    tiles_values(&t);
}

static bool block_has(const struct tiles *t, size_t row) {
    return t->recalls && t->task->block.number[row] != UINT32_MAX;
}

struct rows_product {
    const struct tiles *t;
    uint32_t from, to;
};

static void rows_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct rows_product *p = context;
    const struct tiles *t = p->t;
    for (size_t i = from; i < to; i++)
        tiles_multiply_row(t, i, p->from, p->to);
}

/* to = A from */
static void kernel_rows_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to,
                              struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    const struct rows_product product = {&t, from, to};
    bool known = task->block.rows == task->rows && t.recalls;
    const struct helpers_job rows = {task->rows, known ? task->rows : TILE_UNIT, 4, rows_part, &product, NULL};
    if (task->block.rows > 0 && t.recalls)
        block_multiply(&t, slots + from, false);
    if (task->rows > 0)
        helpers_share(t.helpers, &rows);
}

/* t->out += A's row i times the number. A dense row with contiguous numbers is a vector. */
static void columns_add(const struct tiles *t, size_t i, double number) {
    const struct tiles_entries row = tiles_entries_of(t, i);
    const double *numbers = t->slots + row.number;
    size_t e = 0;
    number *= row.factor;
    if (!row.entry && row.count == t->task->columns)
        for (; e + WIDTH <= row.count; e += WIDTH)
            simd_store(t->out + e, simd_load(t->out + e) + simd_load(numbers + e) * number);
    tiles_add_entries(t, &row, e, number);
}

/* Consecutive rows of the block are added together. */
static void columns_flush(const struct tiles *t, size_t *waiting) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_rows, block->across, t->task->columns, t->count,
                                  t->numbers,     *waiting,      t->out,           false};
    kernel_sum_tiled(&sum, t->helpers);
    *waiting = 0;
}

/* to = A' from, or to - A' from */
static void kernel_columns_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to, bool subtract,
                                 struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    size_t waiting = 0;
    for (size_t j = 0; j < task->columns; j++)
        t.out[j] = subtract ? slots[to + j] : 0;
    for (size_t i = 0; i < task->rows; i++) {
        double number = subtract ? -slots[from + i] : slots[from + i];
        if (!tiles_counts(&t, i))
            continue;
        if (block_has(&t, i)) {
            t.count[waiting] = task->block.number[i];
            t.numbers[waiting++] = tiles_scale(&t, i) * number;
            continue;
        }
        columns_flush(&t, &waiting);
        columns_add(&t, i, number);
    }
    columns_flush(&t, &waiting);
    memcpy(slots + to, t.out, task->columns * sizeof *t.out);
}

#include "linalg/tridiagonal_schur_kernel.h"

static void kernel_solve_tiled(const struct tiled *task, double *slots, const struct damped_sides *sides,
                               struct helpers *helpers) {
    struct tiles t = tiles_place(task, slots, helpers);
    if (task->reduction.order > 0 && t.recalls)
        reduced_solve(&t, sides);
    else
        tiles_solve_sides(&t, sides);
}

#endif
