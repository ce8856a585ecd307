/* normal_matrix.h - a linear system whose factor is full, h = M M' + E summed from the plan's list: linalg/dense_ldl_kernel.h over slots in the
 * device's memory. The list is among the words of bytecode_run.h: for each entry of h its start, a count, and pairs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NORMAL_MATRIX_H
#define HN_CUDA_NORMAL_MATRIX_H

static GENERATED void system_gather(real *slots) {
    const uint32_t *s = hardnet_listed.words + SYSTEM_STREAM;
    const real *numbers = hardnet_listed.numbers;
    real *to = dense_at(slots, SYSTEM_LOWER);
    DEVICE_ROLLED
    for (size_t e = 0; e < (size_t)SYSTEM_ORDER * (SYSTEM_ORDER + 1) / 2; e++, to += SLOT_STRIDE) {
        *to = batched_sum(slots, numbers, s + 2, s[1], *dense_at(slots, s[0]), false);
        s += 2 + 2 * (size_t)s[1];
    }
}

/* Solves for `sides` right-hand sides; solutions may lie where these do. */
static GENERATED void system_solve(real *slots, size_t sides, const uint32_t *from, const uint32_t *to) {
    struct dense f;
    f.order = SYSTEM_ORDER;
    f.prefix = 0;
    f.lower = dense_at(slots, SYSTEM_LOWER);
    f.weight = dense_at(slots, SYSTEM_WEIGHT);
    f.inverse = dense_at(slots, SYSTEM_INVERSE);
    f.strip = dense_at(slots, SYSTEM_STRIP);
    f.low = REAL_INFINITY;
    f.high = 0;
    system_gather(slots);
    dense_factor(&f);
    *dense_at(slots, SYSTEM_PIVOTS) = f.low;
    *dense_at(slots, SYSTEM_PIVOTS + 1) = f.high;
    DEVICE_ROLLED
    for (size_t side = 0; side < sides; side++) {
        if (from[side] != to[side])
            dense_copy(dense_at(slots, from[side]), dense_at(slots, to[side]), SYSTEM_ORDER);
        dense_solve(&f, dense_at(slots, to[side]));
    }
}

#endif
