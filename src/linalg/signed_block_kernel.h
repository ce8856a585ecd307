/* signed_block_kernel.h - signed_kernel.h for one sample and the threads of a block; the same bits: each number is computed by one
 * thread, by the same operations in the same order.
 *
 *     factor     right-looking by columns: each is subtracted from all later ones. The products of an entry are subtracted in the
 *                order of columns, as in signed_kernel.h, which is left-looking by rows
 *     solve      forward by columns, likewise; backward a warp computes the products of a row, and each of its threads their sum,
 *                in order
 *     residual   by unknowns
 *
 * The including file defines the number of this thread (BLOCK_RANK, of BLOCK_LANE and BLOCK_WARP), of the threads of a warp
 * (BLOCK_LANES) and of warps (BLOCK_HAS_WARPS), the share of a thread (BLOCK_EACH), barriers (BLOCK_WAIT, BLOCK_WAIT_WARP), and
 * BLOCK_OF_LANE, the value of another thread of the warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_SIGNED_BLOCK_KERNEL_H
#define HN_LINALG_SIGNED_BLOCK_KERNEL_H

#include "linalg/signed_factor.h"

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

#endif
