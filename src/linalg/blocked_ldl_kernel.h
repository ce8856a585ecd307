/* blocked_ldl_kernel.h - factors and solves one dense system with SIMD vectors over its entries; compiled by each
 * backend for its width.
 *
 *     h = M M' + E,   h = L D L',   n = L D       d_j = h_jj - sum_k l_jk n_jk,   l_ij = (h_ij - sum_k l_ik n_jk) / d_j
 *
 * Matrices are stored by columns. Columns are factored in panels (block_factor_kernel.h); then the panel's products are
 * subtracted from the rest, one tile at a time (block_product_kernel.h). Every sum runs over k ascending, each product
 * rounded before it is added, as in dense_ldl_kernel.h: the bits do not depend on the width, the size of tiles or the
 * number of helpers. Rows below the last are zero or unused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_LDL_KERNEL_H
#define HN_LINALG_BLOCKED_LDL_KERNEL_H

#include "linalg/block_product_kernel.h"

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

#define TILES_STEP 1
typedef uint32_t tiles_index;

static bool tiles_mask(const double *slots, size_t offset) {
    int64_t mask;
    memcpy(&mask, &slots[offset], sizeof mask);
    return mask != 0;
}

#include "linalg/blocked_rows_kernel.h"

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

#include "linalg/block_factor_kernel.h"

/* ---- the solution ---- */

static void tiles_solve(const struct tiles *t) {
    tiles_forward(t);
    for (size_t i = 0; i < t->order; i++)
        t->z[i] *= t->inverse[i];
    tiles_backward(t);
}

#include "linalg/blocked_solve_kernel.h"

#include "linalg/vector_product_kernel.h"

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
