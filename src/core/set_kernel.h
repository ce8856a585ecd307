/* set_kernel.h - projection of row blocks onto their sets (set.h) and its derivatives, over lanes; compiled by each backend for its
 * width.
 *
 * Eigenvalues by the cyclic Jacobi method with the rotations of Rutishauser ("The Jacobi method for real symmetric matrices",
 * Numerische Mathematik 9, 1966): a fixed order of rotations, and a rotation by 0 changes no bit, so that a lane does not depend on
 * others. Derivatives of the spectral function f(w) = min(w, 0) by divided differences, which need no difference of equal numbers:
 *
 *     D f(M)[H]      = Q (f[a, b] * Q'HQ) Q'                              entry by entry
 *     D2 f(M)[H, K]  = Q ( sum_c f[a, c, b] (H_ac K_cb + K_ac H_cb) ) Q'  H, K in the basis of Q
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_KERNEL_H
#define HN_CORE_SET_KERNEL_H

#include "base/real.h"
#include "core/set.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#define AT(offset) ((simd *)(void *)SLOT_AT(slots, offset))

#define SET_ROOT_TWO   REAL(1.4142135623730951)
#define SET_HALF_ROOT  REAL(0.70710678118654757)
#define SET_NEGLIGIBLE REAL(0x1p-54) /* of an off-diagonal entry, relative to the larger of its diagonal entries */
enum { SET_SWEEPS = 40 };            /* about 6 are needed */

/* A block of one SIMD vector of lanes: matrices by rows, elements SLOT_STEP apart. */
struct set_psd {
    size_t order;
    simd *value;  /* w */
    simd *vector; /* Q */
    simd *work[SET_WORK];
};

SIMD_INLINE struct set_psd kernel_psd(const struct set_block *block, real *slots, size_t part) {
    size_t order = block->order, square = order * order;
    struct set_psd own;
    own.order = order;
    own.value = AT(block->storage) + part;
    own.vector = own.value + order * SLOT_STEP;
    for (size_t k = 0; k < SET_WORK; k++)
        own.work[k] = own.vector + (k + 1) * square * SLOT_STEP;
    return own;
}

SIMD_INLINE simd *kernel_psd_at(const struct set_psd *own, simd *matrix, size_t i, size_t j) {
    return matrix + (i * own->order + j) * SLOT_STEP;
}

/* ---- eigenvalues and eigenvectors ---- */

struct set_rotation {
    simd t, s, tau; /* tan, sin, and sin / (1 + cos) of the angle */
    simd_bits turns;
};

/* The rotation that zeroes entry (p, q) of the matrix. */
SIMD_INLINE struct set_rotation kernel_psd_rotation(simd pp, simd pq, simd qq) {
    struct set_rotation own;
    simd size = simd_abs(pq), one = simd_all(1);
    own.turns = simd_less(SET_NEGLIGIBLE * simd_greater(simd_abs(pp), simd_abs(qq)), size);
    simd theta = (qq - pp) / (2 * simd_select(own.turns, pq, one));
    simd length = simd_abs(theta) + simd_sqrt(theta * theta + one);
    simd tangent = simd_select(simd_less(theta, simd_all(0)), -one / length, one / length);
    own.t = simd_keep(own.turns, tangent);
    simd cosine = one / simd_sqrt(own.t * own.t + one);
    own.s = own.t * cosine;
    own.tau = own.s / (one + cosine);
    return own;
}

SIMD_INLINE void kernel_psd_turn(simd *a, simd *b, const struct set_rotation *by) {
    simd g = *a, h = *b;
    *a = g - by->s * (h + g * by->tau);
    *b = h + by->s * (g - h * by->tau);
}

/* One rotation of work[0] and of Q; entries of both triangles are kept equal. */
static inline simd_bits kernel_psd_rotate(const struct set_psd *own, size_t p, size_t q) {
    simd *m = own->work[0], *pp = kernel_psd_at(own, m, p, p), *qq = kernel_psd_at(own, m, q, q);
    simd *pq = kernel_psd_at(own, m, p, q);
    const struct set_rotation by = kernel_psd_rotation(*pp, *pq, *qq);
    *pp -= by.t * *pq;
    *qq += by.t * *pq;
    *pq = *kernel_psd_at(own, m, q, p) = simd_all(0);
    for (size_t i = 0; i < own->order; i++) {
        kernel_psd_turn(kernel_psd_at(own, own->vector, i, p), kernel_psd_at(own, own->vector, i, q), &by);
        if (i == p || i == q)
            continue;
        kernel_psd_turn(kernel_psd_at(own, m, i, p), kernel_psd_at(own, m, i, q), &by);
        *kernel_psd_at(own, m, p, i) = *kernel_psd_at(own, m, i, p);
        *kernel_psd_at(own, m, q, i) = *kernel_psd_at(own, m, i, q);
    }
    return by.turns;
}

/* w and Q of the matrix in work[0], which is lost. A matrix that is not finite gives values that are not. */
static inline void kernel_psd_decompose(const struct set_psd *own) {
    simd_bits turned = ~simd_bits_all(0);
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j < own->order; j++)
            *kernel_psd_at(own, own->vector, i, j) = simd_all(i == j ? 1 : 0);
    for (int sweep = 0; sweep < SET_SWEEPS && simd_any(turned); sweep++) {
        turned = simd_bits_all(0);
        for (size_t p = 0; p + 1 < own->order; p++)
            for (size_t q = p + 1; q < own->order; q++)
                turned |= kernel_psd_rotate(own, p, q);
    }
    for (size_t i = 0; i < own->order; i++)
        own->value[i * SLOT_STEP] = *kernel_psd_at(own, own->work[0], i, i);
}

/* ---- rows and matrices ---- */

/* The matrix whose rows these are; their elements are `step` vectors apart. */
SIMD_INLINE void kernel_psd_unpack(const struct set_psd *own, const simd *rows, simd *matrix) {
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, rows += SLOT_STEP)
            *kernel_psd_at(own, matrix, i, j) = *kernel_psd_at(own, matrix, j, i) =
                i == j ? *rows : SET_HALF_ROOT * *rows;
}

/* to = Q' from Q, or Q from Q' if `back`; both symmetric, work[3] is lost. */
static inline void kernel_psd_change_basis(const struct set_psd *own, simd *from, simd *to, const bool back) {
    size_t order = own->order, row = back ? order : 1, column = back ? 1 : order; /* of Q, or of Q' */
    simd *half = own->work[3];
    for (size_t i = 0; i < order; i++)
        for (size_t a = 0; a < order; a++) {
            simd sum = simd_all(0);
            for (size_t k = 0; k < order; k++)
                sum += *kernel_psd_at(own, from, i, k) * own->vector[(k * column + a * row) * SLOT_STEP];
            *kernel_psd_at(own, half, i, a) = sum;
        }
    for (size_t a = 0; a < order; a++)
        for (size_t b = 0; b <= a; b++) {
            simd sum = simd_all(0);
            for (size_t k = 0; k < order; k++)
                sum += own->vector[(k * column + a * row) * SLOT_STEP] * *kernel_psd_at(own, half, k, b);
            *kernel_psd_at(own, to, a, b) = *kernel_psd_at(own, to, b, a) = sum;
        }
}

/* ---- divided differences of f(w) = min(w, 0) ---- */

SIMD_INLINE simd kernel_psd_first(simd a, simd b) {
    simd low = simd_lesser(a, b), high = simd_greater(a, b), zero = simd_all(0);
    simd mixed = simd_keep(simd_less(low, zero), low / (low - high));
    return simd_select(simd_less(high, zero), simd_all(1), mixed);
}

SIMD_INLINE simd kernel_psd_second(simd a, simd b, simd c) {
    simd low = simd_lesser(a, b), high = simd_greater(a, b), zero = simd_all(0);
    simd middle = simd_greater(low, simd_lesser(high, c));
    low = simd_lesser(low, c);
    high = simd_greater(high, c);
    simd_bits two = simd_less(middle, zero); /* negative */
    simd one = low / ((middle - low) * (high - low)), other = -high / ((high - middle) * (high - low));
    simd_bits kinks = simd_less(low, zero) & ~simd_less(high, zero);
    return simd_keep(kinks, simd_select(two, other, one));
}

/* ---- the operations of a block ---- */

/* w, Q and r from c; the largest violation so far. */
static inline void kernel_set_project(const struct set_block *block, const uint32_t *value, uint32_t residual, real *slots,
                               size_t part, simd *worst) {
    const struct set_psd own = kernel_psd(block, slots, part);
    simd *r = AT(residual) + block->row * (size_t)SLOT_STEP + part;
    const uint32_t *entry = value + block->row;
    for (size_t i = 0; i < own.order; i++)
        for (size_t j = 0; j <= i; j++, entry++)
            *kernel_psd_at(&own, own.work[0], i, j) = *kernel_psd_at(&own, own.work[0], j, i) =
                i == j ? AT(*entry)[part] : SET_HALF_ROOT * AT(*entry)[part];
    kernel_psd_decompose(&own);
    for (size_t a = 0; a < own.order; a++)
        *worst = simd_greater(*worst, -own.value[a * SLOT_STEP]);
    for (size_t i = 0; i < own.order; i++)
        for (size_t j = 0; j <= i; j++, r += SLOT_STEP) {
            simd sum = simd_all(0);
            for (size_t a = 0; a < own.order; a++) {
                simd w = own.value[a * SLOT_STEP];
                simd share = simd_keep(simd_less(w, simd_all(0)), w) * *kernel_psd_at(&own, own.vector, i, a);
                sum += share * *kernel_psd_at(&own, own.vector, j, a);
            }
            *r = i == j ? sum : SET_ROOT_TWO * sum;
        }
}

#undef AT

#endif
