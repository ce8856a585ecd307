/* set_psd_kernel.h - positive semidefinite matrices as a set. Part of set_kernel.h.
 *
 * Eigenvalues by the cyclic Jacobi method with the rotations of Rutishauser ("The Jacobi method for real symmetric matrices",
 * Numerische Mathematik 9, 1966): a fixed order of rotations, and a rotation by 0 changes no bit, so that a lane does not depend on
 * others. With divided differences f[..] of f(w) = min(w, 0),
 *
 *     D r(M)[H]     = Q (f[a, b] (Q'HQ)_ab) Q'
 *     D2 r(M)[V, H] = Q (sum_c f[a, c, b] (V_ac H_cb + H_ac V_cb)) Q'        V, H in the basis of Q
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_PSD_KERNEL_H
#define HN_CORE_SET_PSD_KERNEL_H

#include "core/set_kernel.h"

#define SET_NEGLIGIBLE REAL(0x1p-54) /* of an off-diagonal entry, relative to the larger of its diagonal entries */
enum { SET_SWEEPS = 40 };            /* about 6 are needed */

SIMD_INLINE simd *kernel_psd_at(const struct set *own, simd *matrix, size_t i, size_t j) {
    return matrix + (i * own->order + j) * SLOT_STEP;
}

/* ---- eigenvalues and eigenvectors ---- */

struct set_rotation {
    simd t, s, tau; /* tan, sin, and sin / (1 + cos) of the angle */
    simd_bits turns;
};

/* The rotation that zeroes an off-diagonal entry pq. */
SIMD_INLINE struct set_rotation kernel_psd_rotation(simd pp, simd pq, simd qq) {
    struct set_rotation own;
    simd size = simd_abs(pq), one = simd_all(1), two = simd_all(2);
    own.turns = simd_less(simd_all(SET_NEGLIGIBLE) * simd_greater(simd_abs(pp), simd_abs(qq)), size);
    simd theta = (qq - pp) / (two * simd_select(own.turns, pq, one));
    simd length = simd_abs(theta) + simd_sqrt(theta * theta + one);
    simd tangent = simd_select(simd_less(theta, simd_all(0)), -one / length, one / length);
    own.t = simd_keep(own.turns, tangent);
    simd cosine = one / simd_sqrt(own.t * own.t + one);
    own.s = own.t * cosine;
    own.tau = own.s / (one + cosine);
    return own;
}

SIMD_INLINE void kernel_psd_rotate_pair(simd *a, simd *b, const struct set_rotation *by) {
    simd g = *a, h = *b;
    *a = g - by->s * (h + g * by->tau);
    *b = h + by->s * (g - h * by->tau);
}

/* One rotation of matrix[0] and of Q; entries of both triangles are kept equal. */
static inline simd_bits kernel_psd_rotate(const struct set *own, size_t p, size_t q) {
    simd *m = own->matrix[0], *pp = kernel_psd_at(own, m, p, p), *qq = kernel_psd_at(own, m, q, q);
    simd *pq = kernel_psd_at(own, m, p, q);
    const struct set_rotation by = kernel_psd_rotation(*pp, *pq, *qq);
    *pp -= by.t * *pq;
    *qq += by.t * *pq;
    *pq = *kernel_psd_at(own, m, q, p) = simd_all(0);
    for (size_t i = 0; i < own->order; i++) {
        kernel_psd_rotate_pair(kernel_psd_at(own, own->vector, i, p), kernel_psd_at(own, own->vector, i, q), &by);
        if (i == p || i == q)
            continue;
        kernel_psd_rotate_pair(kernel_psd_at(own, m, i, p), kernel_psd_at(own, m, i, q), &by);
        *kernel_psd_at(own, m, p, i) = *kernel_psd_at(own, m, i, p);
        *kernel_psd_at(own, m, q, i) = *kernel_psd_at(own, m, i, q);
    }
    return by.turns;
}

/* w and Q of matrix[0], which is lost. A matrix that is not finite gives values that are not. */
static inline void kernel_psd_decompose(const struct set *own) {
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
        own->value[i * SLOT_STEP] = *kernel_psd_at(own, own->matrix[0], i, i);
}

/* ---- rows and matrices ---- */

static inline void kernel_psd_unpack(const struct set *own, const simd *rows, simd *matrix) {
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, rows += SLOT_STEP)
            *kernel_psd_at(own, matrix, i, j) = *kernel_psd_at(own, matrix, j, i) =
                i == j ? *rows : simd_all(SET_HALF_ROOT) * *rows;
}

static inline void kernel_psd_pack(const struct set *own, simd *matrix, simd *rows) {
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, rows += SLOT_STEP) {
            simd entry = *kernel_psd_at(own, matrix, i, j);
            *rows = i == j ? entry : simd_all(SET_ROOT_TWO) * entry;
        }
}

/* m = m times the weights, entry by entry. */
static inline void kernel_psd_weigh(const struct set *own, simd *m) {
    for (size_t a = 0; a < own->order; a++)
        for (size_t b = 0; b < own->order; b++)
            *kernel_psd_at(own, m, a, b) *=
                kernel_set_weight(own, own->value[a * SLOT_STEP], own->value[b * SLOT_STEP]);
}

/* m = Q' m Q, or Q m Q' if `back`; m is symmetric, matrix[3] is lost. */
static inline void kernel_psd_change_basis(const struct set *own, simd *m, const bool back) {
    size_t order = own->order, row = back ? order : 1, column = back ? 1 : order; /* of Q, or of Q' */
    simd *half = own->matrix[3];
    for (size_t i = 0; i < order; i++)
        for (size_t a = 0; a < order; a++) {
            simd sum = simd_all(0);
            for (size_t k = 0; k < order; k++)
                sum += *kernel_psd_at(own, m, i, k) * own->vector[(k * column + a * row) * SLOT_STEP];
            *kernel_psd_at(own, half, i, a) = sum;
        }
    for (size_t a = 0; a < order; a++)
        for (size_t b = 0; b <= a; b++) {
            simd sum = simd_all(0);
            for (size_t k = 0; k < order; k++)
                sum += own->vector[(k * column + a * row) * SLOT_STEP] * *kernel_psd_at(own, half, k, b);
            *kernel_psd_at(own, m, a, b) = *kernel_psd_at(own, m, b, a) = sum;
        }
}

/* ---- the operations of a set ---- */

static inline void kernel_psd_project(const struct set *own) {
    simd *r = own->to;
    kernel_psd_unpack(own, own->from, own->matrix[0]);
    kernel_psd_decompose(own);
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, r += SLOT_STEP) {
            simd sum = simd_all(0);
            for (size_t a = 0; a < own->order; a++) {
                simd share = kernel_set_negative(own->value[a * SLOT_STEP]) * *kernel_psd_at(own, own->vector, i, a);
                sum += share * *kernel_psd_at(own, own->vector, j, a);
            }
            *r = i == j ? sum : simd_all(SET_ROOT_TWO) * sum;
        }
}

static inline void kernel_psd_turn(const struct set *own, const simd *from, simd *to, const bool weighed) {
    kernel_psd_unpack(own, from, own->matrix[0]);
    kernel_psd_change_basis(own, own->matrix[0], false);
    if (weighed)
        kernel_psd_weigh(own, own->matrix[0]);
    kernel_psd_pack(own, own->matrix[0], to);
}

static inline void kernel_psd_return(const struct set *own, const simd *from, simd *to, const bool weighed) {
    kernel_psd_unpack(own, from, own->matrix[0]);
    if (weighed)
        kernel_psd_weigh(own, own->matrix[0]);
    kernel_psd_change_basis(own, own->matrix[0], true);
    kernel_psd_pack(own, own->matrix[0], to);
}

static inline void kernel_psd_right(const struct set *own, simd *right, simd *counts) {
    for (size_t a = 0; a < own->order; a++)
        for (size_t b = 0; b <= a; b++, right += SLOT_STEP, counts += SLOT_STEP) {
            simd wa = own->value[a * SLOT_STEP], wb = own->value[b * SLOT_STEP], zero = simd_all(0);
            *counts = simd_of_bits(simd_less(wa, zero) | simd_less(wb, zero));
            *right = a == b ? kernel_set_negative(wa) : zero;
        }
}

static inline void kernel_psd_bend(const struct set *own, const simd *v, const simd *h, simd sign, simd *to) {
    simd *left = own->matrix[0], *right = own->matrix[1];
    kernel_psd_unpack(own, v, left);
    kernel_psd_unpack(own, h, right);
    for (size_t a = 0; a < own->order; a++)
        for (size_t b = 0; b <= a; b++, to += SLOT_STEP) {
            simd sum = simd_all(0);
            for (size_t c = 0; c < own->order; c++) {
                simd both = *kernel_psd_at(own, left, a, c) * *kernel_psd_at(own, right, c, b) +
                            *kernel_psd_at(own, right, a, c) * *kernel_psd_at(own, left, c, b);
                sum += both * kernel_set_second(own->value[a * SLOT_STEP], own->value[b * SLOT_STEP],
                                                own->value[c * SLOT_STEP]);
            }
            *to += sign * (a == b ? sum : simd_all(SET_ROOT_TWO) * sum);
        }
}

#endif
