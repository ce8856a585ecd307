/* activation_kernel.h - activations and their derivatives, one SIMD vector at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ACTIVATION_KERNEL_H
#define HN_CORE_ACTIVATION_KERNEL_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/elementary.h"
#include "hardnet/network.h"
#endif

/* 1 / (1 + e^-z), from e^-|z|, which cannot overflow; rest is 1 minus that, 1 / (1 + e^z), without cancellation. */
SIMD_INLINE simd kernel_sigmoid(simd z, simd *rest) {
    simd small = elementary_exp(-simd_abs(z)), below = REAL(1.0) + small;
    simd_bits negative = simd_less(z, simd_all(0));
    *rest = simd_select(negative, simd_all(1), small) / below;
    return simd_select(negative, small, simd_all(1)) / below;
}

/* A NaN stays a NaN. */
SIMD_INLINE simd kernel_activation(hn_activation kind, simd z) {
    simd rest;
    switch (kind) {
    case HN_ACTIVATION_TANH:
        return elementary_tanh(z);
    case HN_ACTIVATION_SILU:
        return z * kernel_sigmoid(z, &rest);
    default:
        return simd_keep(~simd_less_equal(z, simd_all(0)), z);
    }
}

/* The derivative times the gradient; relu has none at 0. */
SIMD_INLINE simd kernel_activation_back(hn_activation kind, simd z, simd gradient) {
    simd value, rest;
    switch (kind) {
    case HN_ACTIVATION_TANH:
        value = elementary_tanh(z);
        return gradient * (REAL(1.0) - value * value);
    case HN_ACTIVATION_SILU:
        value = kernel_sigmoid(z, &rest);
        return gradient * (value + z * value * rest);
    default:
        return simd_keep(~simd_less_equal(z, simd_all(0)), gradient);
    }
}

#endif
