/* sparse_ldl.h - a linear system whose sparse factor is too full for lists of its products: linalg/sparse_ldl_kernel.h over slots in the device's
 * memory. The pattern of L and the sums of M M' are among the words of bytecode_run.h.
 *
 * Row i of L from the rows above it: with x = row i of h, for each column j of the row in turn n_ij = x_j, l_ij = n_ij / d_j, and x loses
 * l_kj n_ij for the rows k between j and i. Unknowns from SYSTEM_OWN on are added ones (linalg/border.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SPARSE_LDL_H
#define HN_CUDA_SPARSE_LDL_H

enum { WALKED_AT_ONCE = 16 };

SIMD_INLINE const uint32_t *sparse_ldl_words(size_t list) {
    return hardnet_listed.words + list;
}

/* x = row i of h, the diagonal into `whole`. */
SIMD_INLINE const uint32_t *sparse_ldl_gather_row(real *slots, const uint32_t *s, real *x, real *whole) {
    const real *numbers = hardnet_listed.numbers;
    uint32_t entries = *s++;
    DEVICE_ROLLED
    for (uint32_t t = 1; t <= entries; t++) {
        real sum = batched_sum(slots, numbers, s + 3, s[2], *dense_at(slots, s[1]), false);
        if (t < entries)
            x[(size_t)s[0] * SLOT_STRIDE] = sum;
        else
            *whole = sum;
        s += 3 + 2 * (size_t)s[2];
    }
    return s;
}

/* x -= l n in the rows of the entries first .. end of a column: several are read before the first is written. */
SIMD_INLINE void sparse_ldl_lose(real *x, const real *lower, const uint32_t *row, size_t first, size_t end, real n) {
    DEVICE_ROLLED
    for (size_t e = first; e < end; e += WALKED_AT_ONCE) {
        real l[WALKED_AT_ONCE], old[WALKED_AT_ONCE];
        DEVICE_UNROLL
        for (size_t k = 0; k < WALKED_AT_ONCE; k++) {
            size_t own = dense_least(e + k, end - 1);
            l[k] = lower[own * SLOT_STRIDE];
            old[k] = x[(size_t)row[own] * SLOT_STRIDE];
        }
        DEVICE_UNROLL
        for (size_t k = 0; k < WALKED_AT_ONCE; k++)
            if (e + k < end)
                x[(size_t)row[e + k] * SLOT_STRIDE] = old[k] - l[k] * n;
    }
}

/* Takes entry p of the rows, column j, out of x and of d, and leaves l_ij in the factor. */
SIMD_INLINE void sparse_ldl_eliminate(real *slots, size_t p, real *x, real *d) {
    size_t j = sparse_ldl_words(SYSTEM_ROW_COLUMN)[p], own = sparse_ldl_words(SYSTEM_ROW_ENTRY)[p];
    real *lower = dense_at(slots, SYSTEM_LOWER), n = x[j * SLOT_STRIDE];
    sparse_ldl_lose(x, lower, sparse_ldl_words(SYSTEM_ROW_NUMBER), sparse_ldl_words(SYSTEM_COLUMN_FIRST)[j], own, n);
    real l = n * *dense_at(slots, SYSTEM_INVERSE + j);
    lower[own * SLOT_STRIDE] = l;
    *d -= l * n;
}

/* b_i - sum of l z over the row; the right-hand side of an added unknown is 0. */
static void sparse_ldl_forward(real *slots, size_t i, uint32_t from, uint32_t to) {
    const uint32_t *first = sparse_ldl_words(SYSTEM_ROW_FIRST), *entry = sparse_ldl_words(SYSTEM_ROW_ENTRY);
    const uint32_t *column = sparse_ldl_words(SYSTEM_ROW_COLUMN), *unknown = sparse_ldl_words(SYSTEM_PERMUTATION);
    real sum = unknown[i] < SYSTEM_OWN ? *dense_at(slots, (size_t)from + unknown[i]) : 0;
    DEVICE_UNROLL_FOUR
    for (size_t p = first[i]; p < first[i + 1]; p++)
        sum -= *dense_at(slots, (size_t)SYSTEM_LOWER + entry[p]) * *dense_at(slots, (size_t)to + unknown[column[p]]);
    *dense_at(slots, (size_t)to + unknown[i]) = sum;
}

/* z_j = z_j / d_j - sum over the entries below, last unknown first. */
static void sparse_ldl_backward(real *slots, uint32_t to) {
    const uint32_t *first = sparse_ldl_words(SYSTEM_COLUMN_FIRST), *row = sparse_ldl_words(SYSTEM_ROW_UNKNOWN);
    const uint32_t *unknown = sparse_ldl_words(SYSTEM_PERMUTATION);
    DEVICE_ROLLED
    for (size_t j = SYSTEM_ORDER; j-- > 0;) {
        real *z = dense_at(slots, (size_t)to + unknown[j]), sum = *z * *dense_at(slots, SYSTEM_INVERSE + j);
        DEVICE_UNROLL_FOUR
        for (size_t e = first[j]; e < first[j + 1]; e++)
            sum -= *dense_at(slots, SYSTEM_LOWER + e) * *dense_at(slots, (size_t)to + row[e]);
        *z = sum;
    }
}

static void sparse_ldl_pivot(real *slots, size_t i, real whole, real d) {
    real *range = dense_at(slots, SYSTEM_PIVOTS);
    bool added = sparse_ldl_words(SYSTEM_PERMUTATION)[i] >= SYSTEM_OWN;
    *dense_at(slots, SYSTEM_INVERSE + i) =
        added ? kernel_pivot_added_inverse(whole, d) : kernel_pivot_inverse(whole, d);
    if (added)
        return;
    range[0] = d < range[0] ? d : range[0];
    range[SLOT_STRIDE] = range[SLOT_STRIDE] < d ? d : range[SLOT_STRIDE];
}

/* Solves for `sides` right-hand sides; where unknowns are added, in memory of the system's own. */
static GENERATED void system_solve(real *slots, size_t sides, const uint32_t *from, const uint32_t *to) {
    const uint32_t *s = sparse_ldl_words(SYSTEM_STREAM), *first = sparse_ldl_words(SYSTEM_ROW_FIRST);
    real *x = dense_at(slots, SYSTEM_STRIP);
    uint32_t own[2];
    DEVICE_ROLLED
    for (size_t side = 0; side < sides; side++)
        own[side] = SYSTEM_OWN < SYSTEM_ORDER ? (uint32_t)(SYSTEM_SOLUTION + side * SYSTEM_ORDER) : to[side];
    *dense_at(slots, SYSTEM_PIVOTS) = REAL_INFINITY;
    *dense_at(slots, SYSTEM_PIVOTS + 1) = 0;
    DEVICE_ROLLED
    for (size_t i = 0; i < SYSTEM_ORDER; i++) {
        real whole = 0;
        s = sparse_ldl_gather_row(slots, s, x, &whole);
        real d = whole;
        DEVICE_ROLLED
        for (size_t p = first[i]; p < first[i + 1]; p++)
            sparse_ldl_eliminate(slots, p, x, &d);
        sparse_ldl_pivot(slots, i, whole, d);
        DEVICE_ROLLED
        for (size_t side = 0; side < sides; side++)
            sparse_ldl_forward(slots, i, from[side], own[side]);
    }
    DEVICE_ROLLED
    for (size_t side = 0; side < sides; side++) {
        sparse_ldl_backward(slots, own[side]);
        if (own[side] != to[side])
            dense_copy(dense_at(slots, own[side]), dense_at(slots, to[side]), SYSTEM_OWN);
    }
}

#endif
