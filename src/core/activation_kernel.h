/* activation_kernel.h - activations and their derivatives, one SIMD vector at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ACTIVATION_KERNEL_H
#define HN_CORE_ACTIVATION_KERNEL_H

#include "base/elementary.h"
#include "hardnet/network.h"

/* 1 / (1 + e^-z), from e^-|z|, which cannot overflow; rest is what it lacks to 1, 1 / (1 + e^z), without cancellation. */
WIDE_INLINE wide kernel_sigmoid(wide z, wide *rest) {
    wide small = elementary_exp(-wide_abs(z)), below = 1.0 + small;
    wide_bits negative = wide_less(z, wide_all(0));
    *rest = wide_select(negative, wide_all(1), small) / below;
    return wide_select(negative, small, wide_all(1)) / below;
}

/* A NaN stays a NaN. */
WIDE_INLINE wide kernel_activation(hn_activation kind, wide z) {
    wide rest;
    switch (kind) {
    case HN_ACTIVATION_TANH:
        return elementary_tanh(z);
    case HN_ACTIVATION_SILU:
        return z * kernel_sigmoid(z, &rest);
    default:
        return wide_keep(~wide_less_equal(z, wide_all(0)), z);
    }
}

/* The derivative times the gradient; relu has none at 0. */
WIDE_INLINE wide kernel_activation_back(hn_activation kind, wide z, wide gradient) {
    wide value, rest;
    switch (kind) {
    case HN_ACTIVATION_TANH:
        value = elementary_tanh(z);
        return gradient * (1.0 - value * value);
    case HN_ACTIVATION_SILU:
        value = kernel_sigmoid(z, &rest);
        return gradient * (value + z * value * rest);
    default:
        return wide_keep(~wide_less_equal(z, wide_all(0)), gradient);
    }
}

#endif
