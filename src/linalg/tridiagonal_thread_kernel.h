/* tridiagonal_thread_kernel.h - systems of constant rows whose equalities are in tridiagonal form, for one thread per
 * sample: tridiagonal_solve_kernel.h has the notation and the solves.
 *
 * Column i of X is the prefix of row i of S: the factor of S begins with the products of X
 * (linalg/dense_ldl_kernel.h), with 1/D for w. Q, G and A_o A_o' are numbers that all threads read; the active
 * other rows differ between threads and are tested row by row. The including file defines the sizes and offsets
 * REDUCED_..., besides what blocked_thread_kernel.h needs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRIDIAGONAL_THREAD_KERNEL_H
#define HN_LINALG_TRIDIAGONAL_THREAD_KERNEL_H

#include "linalg/blocked_thread_kernel.h"
#include "linalg/tridiagonal_solve_kernel.h"

/* Columns of X for rows i.., some at a time: x_k = g_k - x_(k-1) l_(k-1). */
SIMD_INLINE void reduced_columns(const struct reduced *r, size_t i) {
    const struct tiles *t = r->tiles;
    const real *g[DENSE_DOWN];
    real *to[DENSE_DOWN], x[DENSE_DOWN], l = 0;
    LOOP_UNROLL
    for (size_t c = 0; c < DENSE_DOWN; c++) {
        size_t own = tiled_least(i + c, t->order - 1);
        g[c] = r->form->turn + tiles_active(t, own);
        to[c] = tiles_h(t, own) - t->prefix * TILES_STEP;
        x[c] = 0;
    }
    LOOP_ROLLED
    for (size_t k = 0; k < r->form->order; k++) {
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            x[c] = g[c][k * r->form->wide] - x[c] * l;
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            to[c][k * TILES_STEP] = x[c];
        l = r->beside[k * TILES_STEP];
    }
}

/* A_o A_o' + eps, stored after them. */
SIMD_INLINE void reduced_gather(const struct reduced *r, size_t i) {
    const struct tiles *t = r->tiles;
    size_t row = tiles_active(t, i);
    real *into = tiles_h(t, i);
    LOOP_ROLLED
    for (size_t j = 0; j <= i; j += ROWS_AHEAD) {
        real block[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            block[k] = r->form->gram[tiles_active(t, tiles_clamp(j + k, i + 1)) * r->form->gram_leading + row];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (j + k <= i)
                into[(j + k) * TILES_STEP] = j + k == i ? block[k] + t->shift : block[k];
    }
}

static void reduced_factor(const struct reduced *r) {
    const struct tiles *t = r->tiles;
    reduced_factor_form(r);
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i += DENSE_DOWN)
        reduced_columns(r, i);
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++)
        reduced_gather(r, i);
    tiles_factor(t);
}

/* The sum over all other rows, with inactive ones masked, so that all threads read the same numbers. t->out: the
 * unknowns, indexed by row. */
static void reduced_others(const struct reduced *r) {
    const struct tiles *t = r->tiles;
    const struct tiled_reduction *form = r->form;
    const uint32_t *other = form->row + form->order;
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++)
        t->out[tiles_active(t, i) * TILES_STEP] = t->z[i * TILES_STEP];
    LOOP_ROLLED
    for (size_t k = 0; k < form->order; k += DENSE_DOWN) {
        real sums[DENSE_DOWN];
        bool begun = false;
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            sums[c] = 0;
        LOOP_ROLLED
        for (size_t i = 0; i < form->others; i++) {
            const real *g = form->turned + i * form->tall;
            real own = t->out[i * TILES_STEP];
            bool counts = tiles_counts(t, other[i]);
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++) {
                real more = g[tiled_least(k + c, form->order - 1)] * own;
                more = begun ? sums[c] + more : more;
                sums[c] = counts ? more : sums[c];
            }
            begun = begun || counts;
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (k + c < form->order)
                r->second[(k + c) * TILES_STEP] = sums[c];
    }
}

static GENERATED void reduced_solve(real *slots, const struct damped_sides *sides) {
    struct tiled task;
    struct tiles t;
    const struct tiled_reduction form = {REDUCED_ORDER,
                                         REDUCED_OTHERS,
                                         tiled_words(REDUCED_ROW),
                                         tiled_numbers(REDUCED_DIAGONAL),
                                         tiled_numbers(REDUCED_BESIDE),
                                         tiled_numbers(REDUCED_TURN),
                                         tiled_numbers(REDUCED_TURNED),
                                         TILED_ROWS,
                                         REDUCED_ORDER,
                                         tiled_numbers(REDUCED_GRAM),
                                         REDUCED_OTHERS};
    const struct reduced r = {&t,
                              &form,
                              SLOT_AT(slots, TILED_WEIGHT),
                              SLOT_AT(slots, REDUCED_LOWER),
                              SLOT_AT(slots, REDUCED_RIGHT),
                              SLOT_AT(slots, REDUCED_FIRST),
                              SLOT_AT(slots, REDUCED_SECOND)};
    tiles_place(&t, &task, slots);
    t.prefix = REDUCED_ORDER;
    reduced_solve_sides(&r, sides);
}

#endif
