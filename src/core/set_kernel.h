/* set_kernel.h - projection of row blocks onto their sets (set.h) and its derivatives, over lanes; compiled by each backend for its
 * width. All vectors are rows of the block, SLOT_STEP apart.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_KERNEL_H
#define HN_CORE_SET_KERNEL_H

#include "base/real.h"
#include "core/set.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#define SET_ROOT_TWO  REAL(1.4142135623730951)
#define SET_HALF_ROOT REAL(0.70710678118654757)

/* The storage of a block, for one SIMD vector of lanes. */
struct set {
    hn_set kind;
    bool undamped; /* weights D, else sqrt D */
    size_t order, rows;
    simd *value;                /* eigenvalues */
    simd *vector;               /* psd: eigenvectors Q, a matrix by rows; soc: u / |u| */
    simd *matrix[SET_MATRICES]; /* scratch of psd */
    simd *from, *to, *sum;      /* scratch */
};

static inline struct set kernel_set(const struct set_block *block, real *slots, size_t part) {
    const size_t square = block->kind == HN_SET_PSD ? (size_t)block->order * block->order : 0;
    struct set own;
    own.kind = (hn_set)block->kind;
    own.undamped = false;
    own.order = block->order;
    own.rows = set_rows(block);
    own.value = (simd *)(void *)SLOT_AT(slots, block->storage) + part;
    own.vector = own.value + set_values(block) * (size_t)SLOT_STEP;
    simd *next = own.vector + (square ? square : own.order) * SLOT_STEP;
    for (size_t k = 0; k < SET_MATRICES; k++, next += square * SLOT_STEP)
        own.matrix[k] = next;
    own.from = next;
    own.to = next + own.rows * SLOT_STEP;
    own.sum = own.to + own.rows * SLOT_STEP;
    return own;
}

/* ---- divided differences of f(w) = min(w, 0), without differences of equal numbers ---- */

SIMD_INLINE simd kernel_set_first(simd a, simd b) {
    simd low = simd_lesser(a, b), high = simd_greater(a, b), zero = simd_all(0);
    simd mixed = simd_keep(simd_less(low, zero), low / (low - high));
    return simd_select(simd_less(high, zero), simd_all(1), mixed);
}

SIMD_INLINE simd kernel_set_second(simd a, simd b, simd c) {
    simd low = simd_lesser(a, b), high = simd_greater(a, b), zero = simd_all(0);
    simd middle = simd_greater(low, simd_lesser(high, c));
    low = simd_lesser(low, c);
    high = simd_greater(high, c);
    simd_bits two = simd_less(middle, zero); /* negative */
    simd one = low / ((middle - low) * (high - low)), other = -high / ((high - middle) * (high - low));
    simd_bits kinks = simd_less(low, zero) & ~simd_less(high, zero);
    return simd_keep(kinks, simd_select(two, other, one));
}

/* The weight of a row between directions of these eigenvalues. */
SIMD_INLINE simd kernel_set_weight(const struct set *own, simd a, simd b) {
    simd d = kernel_set_first(a, b);
    return own->undamped ? d : simd_sqrt(d);
}

SIMD_INLINE simd kernel_set_negative(simd w) {
    return simd_keep(simd_less(w, simd_all(0)), w);
}

#include "core/set_psd_kernel.h"
#include "core/set_soc_kernel.h"

/* ---- the operations of a set ---- */

/* Eigenvalues and basis of the rows c in `from`, and r = c - P(c) in `to`; the largest violation so far. */
static inline void kernel_set_project(const struct set *own, simd *worst) {
    const size_t values = own->kind == HN_SET_PSD ? own->order : 2;
    if (own->kind == HN_SET_PSD)
        kernel_psd_project(own);
    else
        kernel_soc_project(own);
    for (size_t a = 0; a < values; a++)
        *worst = simd_greater(*worst, -own->value[a * SLOT_STEP]);
}

/* to = `from` in the basis of the block, times its weights if weighed. */
static inline void kernel_set_turn(const struct set *own, const simd *from, simd *to, const bool weighed) {
    if (own->kind == HN_SET_PSD)
        kernel_psd_turn(own, from, to, weighed);
    else
        kernel_soc_turn(own, from, to, weighed);
}

/* The reverse: `from`, times the weights if weighed, is in the basis of the block. */
static inline void kernel_set_return(const struct set *own, const simd *from, simd *to, const bool weighed) {
    if (own->kind == HN_SET_PSD)
        kernel_psd_return(own, from, to, weighed);
    else
        kernel_soc_return(own, from, to, weighed);
}

/* r in the basis of the block, and masks of the rows that count there. */
static inline void kernel_set_right(const struct set *own, simd *right, simd *counts) {
    if (own->kind == HN_SET_PSD)
        kernel_psd_right(own, right, counts);
    else
        kernel_soc_right(own, right, counts);
}

/* to = to + sign D2 r [v, h], all in the basis of the block. */
static inline void kernel_set_bend(const struct set *own, const simd *v, const simd *h, simd sign, simd *to) {
    if (own->kind == HN_SET_PSD)
        kernel_psd_bend(own, v, h, sign, to);
    else
        kernel_soc_bend(own, v, h, sign, to);
}

#endif
