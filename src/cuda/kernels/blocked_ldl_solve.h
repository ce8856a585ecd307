/* blocked_ldl_solve.h - h of the system of blocked_ldl_thread.h, its factor (linalg/dense_ldl_kernel.h) and its
 * solution.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BLOCKED_LDL_SOLVE_H
#define HN_CUDA_BLOCKED_LDL_SOLVE_H

#include "cuda/kernels/blocked_ldl_thread.h"

/* ---- the matrix ---- */

/* Row i of h, behind its prefix. */
SIMD_INLINE real *tiles_h(const struct tiles *t, size_t i) {
    return t->h + (i * t->prefix + i * (i + 1) / 2 + t->prefix) * TILES_STEP;
}

/* Active rows of A, one behind the other, zeros included. */
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

/* h of rows i.. and columns j..: the sum over M's columns, begun with E on the diagonal. */
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

/* tiles_ranges computes the range of pivots from D: a factor that is kept has one, too. */
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
