/* set_soc_kernel.h - second-order cones |u| <= t as a set. Part of set_kernel.h.
 *
 * With n = u / |u| (the first axis where u = 0), the basis of a block is (1, -n) / sqrt 2 and (1, n) / sqrt 2, of the eigenvalues t - |u|
 * and t + |u|, then the images of the other axes under the Householder reflection that maps n to the first axis. Between the two
 * eigenvalues, with components (x, y, z) along t, n and the rest,
 *
 *     D2 r [v, h] = (-k |u|, k t, (t y_v - |u| x_v) z_h + (t y_h - |u| x_h) z_v) / (2 |u|^2),        k = z_v' z_h
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SET_SOC_KERNEL_H
#define HN_CORE_SET_SOC_KERNEL_H

#include "core/set_kernel.h"

/* Row j of u, from 1 on, and the entry of n that belongs to it. */
#define SOC_ROW(rows, j) ((rows)[(size_t)(j)*SLOT_STEP])
#define SOC_AXIS(own, j) ((own)->vector[((size_t)(j)-1) * SLOT_STEP])

static inline void kernel_soc_project(const struct set *own) {
    simd squares = simd_all(0), t = *own->from;
    for (size_t j = 1; j < own->order; j++)
        squares += SOC_ROW(own->from, j) * SOC_ROW(own->from, j);
    simd length = simd_sqrt(squares);
    simd_bits apex = simd_equal(length, simd_all(0));
    simd low = t - length, high = t + length;
    simd share = simd_all(REAL(0.5)) * (kernel_set_negative(high) - kernel_set_negative(low));
    own->value[0] = low;
    own->value[SLOT_STEP] = high;
    *own->to = simd_all(REAL(0.5)) * (kernel_set_negative(low) + kernel_set_negative(high));
    for (size_t j = 1; j < own->order; j++) {
        SOC_AXIS(own, j) = simd_select(apex, simd_all(j == 1 ? 1 : 0), SOC_ROW(own->from, j) / length);
        SOC_ROW(own->to, j) = share * SOC_AXIS(own, j);
    }
}

/* The sign of n_1, never 0. */
SIMD_INLINE simd kernel_soc_sign(const struct set *own) {
    return simd_select(simd_less(SOC_AXIS(own, 1), simd_all(0)), simd_all(-1), simd_all(1));
}

/* The weights of the first two rows, and of the others. */
struct soc_weights {
    simd low, high, other;
};

SIMD_INLINE struct soc_weights kernel_soc_weights(const struct set *own, const bool weighed) {
    const simd low = own->value[0], high = own->value[SLOT_STEP], one = simd_all(1);
    struct soc_weights weights = {one, one, one};
    if (weighed) {
        weights.low = simd_keep(simd_less(low, simd_all(0)), one);
        weights.high = simd_keep(simd_less(high, simd_all(0)), one);
        weights.other = kernel_set_weight(own, low, high);
    }
    return weights;
}

static inline void kernel_soc_turn(const struct set *own, const simd *from, simd *to, const bool weighed) {
    const struct soc_weights d = kernel_soc_weights(own, weighed);
    simd along = simd_all(0), t = *from, half = simd_all(SET_HALF_ROOT);
    for (size_t j = 1; j < own->order; j++)
        along += SOC_AXIS(own, j) * SOC_ROW(from, j);
    simd sign = kernel_soc_sign(own), first = SOC_ROW(from, 1);
    simd share = (along + sign * first) / (simd_all(1) + simd_abs(SOC_AXIS(own, 1)));
    *to = d.low * (half * (t - along));
    SOC_ROW(to, 1) = d.high * (half * (t + along));
    for (size_t j = 2; j < own->order; j++)
        SOC_ROW(to, j) = d.other * (SOC_ROW(from, j) - SOC_AXIS(own, j) * share);
}

static inline void kernel_soc_return(const struct set *own, const simd *from, simd *to, const bool weighed) {
    const struct soc_weights d = kernel_soc_weights(own, weighed);
    simd low = d.low * *from, high = d.high * SOC_ROW(from, 1), half = simd_all(SET_HALF_ROOT), share = simd_all(0);
    for (size_t j = 2; j < own->order; j++)
        share += SOC_AXIS(own, j) * (d.other * SOC_ROW(from, j));
    share = share / (simd_all(1) + simd_abs(SOC_AXIS(own, 1)));
    simd along = half * (high - low);
    *to = half * (low + high);
    SOC_ROW(to, 1) = along * SOC_AXIS(own, 1) - (SOC_AXIS(own, 1) + kernel_soc_sign(own)) * share;
    for (size_t j = 2; j < own->order; j++)
        SOC_ROW(to, j) = along * SOC_AXIS(own, j) + (d.other * SOC_ROW(from, j) - SOC_AXIS(own, j) * share);
}

static inline void kernel_soc_right(const struct set *own, simd *right, simd *counts) {
    const simd low = own->value[0], high = own->value[SLOT_STEP], zero = simd_all(0);
    for (size_t j = 0; j < own->order; j++) {
        simd negative = j == 0 ? kernel_set_negative(low) : j == 1 ? kernel_set_negative(high) : zero;
        counts[j * SLOT_STEP] = simd_of_bits(j == 1 ? simd_less(high, zero) : simd_less(low, zero));
        right[j * SLOT_STEP] = simd_all(SET_HALF_ROOT) * negative;
    }
}

static inline void kernel_soc_bend(const struct set *own, const simd *v, const simd *h, simd sign, simd *to) {
    const simd low = own->value[0], high = own->value[SLOT_STEP], zero = simd_all(0), half = simd_all(SET_HALF_ROOT);
    simd t = simd_all(REAL(0.5)) * (low + high), length = simd_all(REAL(0.5)) * (high - low), inner = zero;
    simd_bits between = simd_less(low, zero) & ~simd_less(high, zero);
    for (size_t j = 2; j < own->order; j++)
        inner += SOC_ROW(v, j) * SOC_ROW(h, j);
    simd scale = simd_keep(between, sign / (simd_all(2) * length * length));
    simd x = -inner * length, y = inner * t;
    simd of_h = t * (half * (SOC_ROW(v, 1) - *v)) - length * (half * (SOC_ROW(v, 1) + *v));
    simd of_v = t * (half * (SOC_ROW(h, 1) - *h)) - length * (half * (SOC_ROW(h, 1) + *h));
    *to += scale * (half * (x - y));
    SOC_ROW(to, 1) += scale * (half * (x + y));
    for (size_t j = 2; j < own->order; j++)
        SOC_ROW(to, j) += scale * (of_h * SOC_ROW(h, j) + of_v * SOC_ROW(v, j));
}

#undef SOC_ROW
#undef SOC_AXIS

#endif
