/* tridiagonal_solve_kernel.h - systems of constant rows whose equalities are in tridiagonal form: the bidiagonal
 * factor, and the solves.
 *
 *     e: equalities, o: other active rows          Q' A_e A_e' Q = T,  G = Q' A_e A_o'       once, for all rows
 *     T + eps = L D L'                             bidiagonal
 *     S = A_o A_o' + eps - G' (T + eps)^-1 G       from X = L^-1 G: S = A_o A_o' + eps - X' D^-1 X
 *     t = (T + eps)^-1 Q' b_e,   S z_o = b_o - G' t,   z_e = Q (t - (T + eps)^-1 G z_o)
 *
 * If half of the rows are equalities, S needs a sixth of the operations of the whole factor. The including file defines
 * tiles_sum before, and reduced_factor and reduced_others after this. Part of tridiagonal_schur_kernel.h and of
 * linalg/tridiagonal_thread_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRIDIAGONAL_SOLVE_KERNEL_H
#define HN_LINALG_TRIDIAGONAL_SOLVE_KERNEL_H

#include "linalg/blocked_solve_kernel.h"
#include "linalg/pivot_kernel.h"

/* The factor of T + eps: 1/D, and the subdiagonal of L; vectors over equalities. */
struct reduced {
    struct tiles *tiles; /* of S; eps is their shift */
    const struct tiled_reduction *form;
    real *inverse, *beside;
    real *right, *first, *second;
};

/* Factors T + eps and S. */
static void reduced_factor(const struct reduced *r);

/* r->second = G t->z */
static void reduced_others(const struct reduced *r);

/* The other active rows, by their numbers among the other rows. */
SIMD_INLINE void reduced_choose_rows(const struct reduced *r) {
    const uint32_t *other = r->form->row + r->form->order;
    struct tiles *t = r->tiles;
    t->counted = 0;
    LOOP_ROLLED
    for (size_t i = 0; i < r->form->others; i++)
        if (tiles_counts(t, other[i]))
            tiles_append(t, i);
    t->known = t->order = t->counted;
}

SIMD_INLINE void reduced_factor_form(const struct reduced *r) {
    const struct tiled_reduction *form = r->form;
    real previous = 0;
    LOOP_ROLLED
    for (size_t k = 0; k < form->order; k++) {
        real whole = form->diagonal[k] + r->tiles->shift, d = whole - previous;
        real inverse = whole * PIVOT_LOST < d ? 1 / d : 0;
        r->inverse[k * TILES_STEP] = inverse;
        if (k + 1 == form->order)
            break;
        real l = form->beside[k] * inverse;
        r->beside[k * TILES_STEP] = l;
        previous = l * form->beside[k];
    }
}

/* x = (T + eps)^-1 x */
SIMD_INLINE void reduced_solve_form(const struct reduced *r, real *x) {
    size_t order = r->form->order;
    LOOP_ROLLED
    for (size_t k = 1; k < order; k++)
        x[k * TILES_STEP] -= r->beside[(k - 1) * TILES_STEP] * x[(k - 1) * TILES_STEP];
    LOOP_ROLLED
    for (size_t k = 0; k < order; k++)
        x[k * TILES_STEP] *= r->inverse[k * TILES_STEP];
    LOOP_ROLLED
    for (size_t k = order - 1; k-- > 0;)
        x[k * TILES_STEP] -= r->beside[k * TILES_STEP] * x[(k + 1) * TILES_STEP];
}

/* first = t, and t->z = b_o - G' t of the active rows */
SIMD_INLINE void reduced_forward(const struct reduced *r, uint32_t from) {
    const struct tiles *t = r->tiles;
    const struct tiled_reduction *form = r->form;
    const uint32_t *other = form->row + form->order;
    LOOP_ROLLED
    for (size_t j = 0; j < form->order; j++)
        r->right[j * TILES_STEP] = *SLOT_AT(t->slots, from + form->row[j]);
    const struct tiled_sum turned = {
        form->turned + form->others * form->tall, form->tall, form->order, 0, r->right, form->order, r->first, true};
    tiles_sum(t, &turned); /* Q' b_e */
    reduced_solve_form(r, r->first);
    const struct tiled_sum product = {form->turn, form->wide, form->others, 0, r->first, form->order, t->out, true};
    tiles_sum(t, &product); /* G' t */
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++) {
        size_t own = tiles_active(t, i);
        t->z[i * TILES_STEP] = *SLOT_AT(t->slots, from + other[own]) - t->out[own * TILES_STEP];
    }
}

/* z_e = Q (t - (T + eps)^-1 G z_o) */
SIMD_INLINE void reduced_backward(const struct reduced *r, uint32_t to) {
    const struct tiles *t = r->tiles;
    const struct tiled_reduction *form = r->form;
    reduced_others(r); /* second = G z_o */
    reduced_solve_form(r, r->second);
    LOOP_ROLLED
    for (size_t k = 0; k < form->order; k++)
        r->first[k * TILES_STEP] -= r->second[k * TILES_STEP];
    const struct tiled_sum turned = {
        form->turn + form->others, form->wide, form->order, 0, r->first, form->order, r->right, true};
    tiles_sum(t, &turned);
    LOOP_ROLLED
    for (size_t j = 0; j < form->order; j++)
        *SLOT_AT(t->slots, to + form->row[j]) = r->right[j * TILES_STEP];
}

SIMD_INLINE void reduced_solve_side(const struct reduced *r, uint32_t from, uint32_t to) {
    const struct tiles *t = r->tiles;
    const uint32_t *other = r->form->row + r->form->order;
    reduced_forward(r, from);
    tiles_solve(t);
    LOOP_ROLLED
    for (size_t i = 0; from != to && i < r->form->others; i++) /* inactive rows: 1 times the unknown */
        *SLOT_AT(t->slots, to + other[i]) = *SLOT_AT(t->slots, from + other[i]);
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++)
        *SLOT_AT(t->slots, to + other[tiles_active(t, i)]) = t->z[i * TILES_STEP];
    reduced_backward(r, to);
}

SIMD_INLINE void reduced_solve_sides(const struct reduced *r, const struct damped_sides *sides) {
    struct tiles *t = r->tiles;
    reduced_choose_rows(r);
    t->shift = tiles_shift(t, r->form->row[0]);
    if (!tiles_keeps(t)) {
        reduced_factor(r);
        tiles_keep(t);
    }
    LOOP_ROLLED
    for (int side = 0; side < sides->count; side++)
        reduced_solve_side(r, sides->from[side], sides->to[side]);
}

#endif
