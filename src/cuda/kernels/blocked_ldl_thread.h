/* blocked_ldl_thread.h - a linear system that the host solves in tiles, one thread per sample over slots in the device's memory: what
 * linalg/blocked_ldl_kernel.h and linalg/vector_product_kernel.h compute, to the last bit.
 *
 *     h = M M' + E,  M = A of the rows that count, or A'      rows that are known, with J J' computed once, come first
 *     A x, A' x                                               rows that are nearly full and known are matrices of numbers
 *
 * What is constant are words and numbers of bytecode_run.h: all threads of a warp read the same. Which rows count differs from thread to
 * thread: a list of them lies in slots. Zeros of M are multiplied where the host does: an infinite number meets them there, too.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BLOCKED_LDL_THREAD_H
#define HN_CUDA_BLOCKED_LDL_THREAD_H

/* One thread's system. */
struct tiled {
    real *slots;
    bool recalls; /* A is W J, and what is known of J holds */
    size_t counted, known;
    struct dense factor;
};

SIMD_INLINE real *tiled_at(real *slots, size_t slot) {
    return SLOT_AT(slots, slot);
}

SIMD_INLINE size_t tiled_least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* to = from, for vectors that do not overlap: several numbers are read before the first write. */
static void tiled_copy(const real *from, real *to, size_t count) {
    LOOP_ROLLED
    for (size_t i = 0; i < count; i += DENSE_DOWN) {
        real block[DENSE_DOWN];
        LOOP_UNROLL
        for (size_t k = 0; k < DENSE_DOWN; k++)
            block[k] = from[tiled_least(i + k, count - 1) * SLOT_STRIDE];
        LOOP_UNROLL
        for (size_t k = 0; k < DENSE_DOWN; k++)
            if (i + k < count)
                to[(i + k) * SLOT_STRIDE] = block[k];
    }
}

SIMD_INLINE const uint32_t *tiled_words(size_t list) {
    return hardnet_listed.words + list;
}

SIMD_INLINE const real *tiled_numbers(size_t list) {
    return hardnet_listed.numbers + list;
}

SIMD_INLINE const uint32_t *tiled_first(void) {
    return plan_words(&layer_plan, layer_plan.jacobian.first);
}

SIMD_INLINE bool tiled_is_known(size_t row) {
    return tiled_words(TILED_KNOWN)[row] != TILED_NONE;
}

SIMD_INLINE bool tiled_counts(real *slots, size_t row) {
    return !TILED_WEIGHTED || mask_read(tiled_at(slots, TILED_ACTIVE + row));
}

SIMD_INLINE real tiled_scale(real *slots, size_t row) {
    return TILED_WEIGHTED ? *tiled_at(slots, TILED_SCALE + row) : 1;
}

SIMD_INLINE bool tiled_recalls(real *slots) {
    return !TILED_WEIGHTED || !mask_read(tiled_at(slots, TILED_STRETCHED));
}

/* Row number c of those that count. */
SIMD_INLINE size_t tiled_row(real *slots, size_t c) {
    return (size_t)*tiled_at(slots, TILED_COUNT + c);
}

/* ---- A's numbers ---- */

/* Those of one row: J's times a factor, or A's own. */
struct tiled_entries {
    size_t first, count;
    bool own;
    real factor;
};

SIMD_INLINE struct tiled_entries tiled_entries_of(real *slots, bool recalls, size_t row) {
    const uint32_t *first = tiled_first();
    struct tiled_entries all;
    all.first = first[row];
    all.count = first[row + 1] - first[row];
    all.own = TILED_WEIGHTED && !(recalls && tiled_is_known(row));
    all.factor = all.own ? 1 : tiled_scale(slots, row);
    return all;
}

SIMD_INLINE size_t tiled_column(const struct tiled_entries *all, size_t e) {
    return plan_words(&layer_plan, layer_plan.jacobian.column)[all->first + e];
}

SIMD_INLINE real tiled_entry(real *slots, const struct tiled_entries *all, size_t e) {
    const uint32_t *slot = plan_words(&layer_plan, layer_plan.jacobian.slot);
    return *tiled_at(slots, all->own ? TILED_MATRIX + all->first + e : slot[all->first + e]);
}

/* ---- the block of constant rows ---- */

/* Sums over k of J(b, k) x_k for rows b .. of the block; fresh: begun with the first product, not with 0. */
SIMD_INLINE void tiled_block_sums(const real *x, size_t b, bool fresh, real sums[DENSE_DOWN]) {
    const real *row[DENSE_DOWN];
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        row[r] = tiled_numbers(TILED_BLOCK) + tiled_least(b + r, TILED_BLOCK_ROWS - 1) * TILED_COLUMNS;
        sums[r] = fresh ? row[r][0] * x[0] : 0 + row[r][0] * x[0];
    }
    LOOP_UNROLL_FOUR
    for (size_t k = 1; k < TILED_COLUMNS; k++) {
        real own = x[k * SLOT_STRIDE];
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            sums[r] += row[r][k] * own;
    }
}

/* J x of the block's rows, to TILED_OUT. */
static GENERATED void tiled_block_multiply(real *slots, const real *x, bool fresh) {
    LOOP_ROLLED
    for (size_t b = 0; b < TILED_BLOCK_ROWS; b += DENSE_DOWN) {
        real sums[DENSE_DOWN];
        tiled_block_sums(x, b, fresh, sums);
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            if (b + r < TILED_BLOCK_ROWS)
                *tiled_at(slots, TILED_OUT + b + r) = sums[r];
    }
}

/* c = J y of the rows that are nothing else. */
static void tiled_values(real *slots) {
    const uint32_t *valued = tiled_words(TILED_VALUED), *value = tiled_words(TILED_VALUE);
    tiled_block_multiply(slots, tiled_at(slots, TILED_Y), true);
    LOOP_ROLLED
    for (size_t k = 0; k < TILED_VALUES; k++)
        *tiled_at(slots, value[k]) = *tiled_at(slots, TILED_OUT + valued[k]);
}

/* ---- products ---- */

enum { TILED_AT_ONCE = 16 };

/* A x of one row that counts and is not in the block. */
static real tiled_row_sum(real *slots, bool recalls, size_t row, const real *x) {
    const struct tiled_entries all = tiled_entries_of(slots, recalls, row);
    real sum = 0;
    LOOP_ROLLED
    for (size_t e = 0; e < all.count; e += TILED_AT_ONCE) {
        real a[TILED_AT_ONCE], own[TILED_AT_ONCE];
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++) {
            size_t at = tiled_least(e + k, all.count - 1);
            a[k] = tiled_entry(slots, &all, at);
            own[k] = x[tiled_column(&all, at) * SLOT_STRIDE];
        }
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++)
            sum = e + k < all.count ? sum + a[k] * own[k] : sum;
    }
    return all.factor * sum;
}

/* to = A from */
static GENERATED void tiled_rows(real *slots, uint32_t from, uint32_t to) {
    bool recalls = tiled_recalls(slots);
    if (TILED_BLOCK_ROWS > 0 && recalls)
        tiled_block_multiply(slots, tiled_at(slots, from), false);
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        uint32_t number = tiled_words(TILED_NUMBER)[i];
        real *result = tiled_at(slots, to + i);
        if (!tiled_counts(slots, i))
            *result = 0;
        else if (recalls && number != TILED_NONE)
            *result = tiled_scale(slots, i) * *tiled_at(slots, TILED_OUT + number);
        else
            *result = tiled_row_sum(slots, recalls, i, tiled_at(slots, from));
    }
}

/* TILED_OUT += numbers times rows first .. end of A, which are all in the block: some columns at a time. */
static void tiled_add_block(real *slots, size_t first, size_t end, uint32_t from, real sign) {
    const real *numbers = tiled_numbers(TILED_BLOCK) + tiled_words(TILED_NUMBER)[first] * (size_t)TILED_COLUMNS;
    LOOP_ROLLED
    for (size_t j = 0; j < TILED_COLUMNS; j += DENSE_DOWN) {
        real sums[DENSE_DOWN];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            sums[c] = *tiled_at(slots, TILED_OUT + tiled_least(j + c, TILED_COLUMNS - 1));
        LOOP_UNROLL_FOUR
        for (size_t i = first; i < end; i++) {
            const real *row = numbers + (i - first) * TILED_COLUMNS;
            real own = tiled_scale(slots, i) * (sign * *tiled_at(slots, from + i));
            bool counts = tiled_counts(slots, i);
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++) {
                real more = sums[c] + row[tiled_least(j + c, TILED_COLUMNS - 1)] * own;
                sums[c] = counts ? more : sums[c];
            }
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (j + c < TILED_COLUMNS)
                *tiled_at(slots, TILED_OUT + j + c) = sums[c];
    }
}

/* TILED_OUT += number times one row of A that counts; columns of a row are different. */
static void tiled_add_row(real *slots, bool recalls, size_t row, real number) {
    const struct tiled_entries all = tiled_entries_of(slots, recalls, row);
    number *= all.factor;
    LOOP_ROLLED
    for (size_t e = 0; e < all.count; e += TILED_AT_ONCE) {
        real a[TILED_AT_ONCE], old[TILED_AT_ONCE];
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++) {
            size_t at = tiled_least(e + k, all.count - 1);
            a[k] = tiled_entry(slots, &all, at);
            old[k] = *tiled_at(slots, TILED_OUT + tiled_column(&all, at));
        }
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++)
            if (e + k < all.count)
                *tiled_at(slots, TILED_OUT + tiled_column(&all, e + k)) = old[k] + a[k] * number;
    }
}

/* to = A' from, or to - A' from: rows first to last. */
static GENERATED void tiled_columns(real *slots, uint32_t from, uint32_t to, bool subtract) {
    bool recalls = tiled_recalls(slots);
    real sign = subtract ? -1 : 1;
    LOOP_ROLLED
    for (size_t j = 0; j < TILED_COLUMNS; j++)
        *tiled_at(slots, TILED_OUT + j) = subtract ? *tiled_at(slots, to + j) : 0;
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS;) {
        size_t end = tiled_words(TILED_RUN)[i]; /* of the rows of the block from here on */
        if (recalls && end > i) {
            tiled_add_block(slots, i, end, from, sign);
            i = end;
            continue;
        }
        if (tiled_counts(slots, i))
            tiled_add_row(slots, recalls, i, sign * *tiled_at(slots, from + i));
        i++;
    }
    tiled_copy(tiled_at(slots, TILED_OUT), tiled_at(slots, to), TILED_COLUMNS);
}

/* ---- weights ---- */

/* 1 / max(1, largest entry of the row), a power of two. */
static void tiled_rescale(real *slots) {
    const uint32_t *slot = plan_words(&layer_plan, layer_plan.jacobian.slot), *first = tiled_first();
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real most = 0;
        LOOP_UNROLL_EIGHT
        for (size_t e = first[i]; e < first[i + 1] && !tiled_is_known(i); e++) {
            real size = simd_abs(*tiled_at(slots, slot[e]));
            most = most < size ? size : most;
        }
        *tiled_at(slots, TILED_SCALE + i) =
            tiled_is_known(i) ? tiled_numbers(TILED_KNOWN_SCALE)[i] : kernel_scale_for(most);
    }
}

/* A of a row that is not known. */
static void tiled_weigh_entries(real *slots, size_t row, simd_bits now, real scale) {
    const uint32_t *slot = plan_words(&layer_plan, layer_plan.jacobian.slot), *first = tiled_first();
    LOOP_ROLLED
    for (size_t e = first[row]; e < first[row + 1]; e += TILED_AT_ONCE) {
        real block[TILED_AT_ONCE];
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++)
            block[k] = *tiled_at(slots, slot[tiled_least(e + k, first[row + 1] - 1)]);
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++)
            if (e + k < first[row + 1])
                *tiled_at(slots, TILED_MATRIX + e + k) = simd_keep(now, scale * block[k]);
    }
}

/* A, W r and which rows count, at the present y. */
static void tiled_weigh(real *slots) {
    const uint32_t *value = plan_words(&layer_plan, layer_plan.value), *first = tiled_first();
    const uint32_t *lower = plan_words(&layer_plan, layer_plan.lower);
    const uint32_t *upper = plan_words(&layer_plan, layer_plan.upper);
    real hold = *tiled_at(slots, TILED_HOLD);
    simd_bits leads = simd_to_bits(*tiled_at(slots, TILED_LEADS));
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real scale = *tiled_at(slots, TILED_SCALE + i), r = *tiled_at(slots, TILED_RESIDUAL + i);
        simd_bits left_out = first[i + 1] - first[i] > 1 ? leads : 0;
        simd_bits now = kernel_active(*tiled_at(slots, value[i]), *tiled_at(slots, lower[i]),
                                      *tiled_at(slots, upper[i]), scale, hold, left_out);
        *tiled_at(slots, TILED_ACTIVE + i) = simd_of_bits(now);
        *tiled_at(slots, TILED_RIGHT + i) = simd_keep(now, scale * r);
        if (!tiled_is_known(i))
            tiled_weigh_entries(slots, i, now, scale);
    }
}

/* The largest sum of squares of a row of A. */
static void tiled_largest(real *slots) {
    const uint32_t *first = tiled_first();
    real most = 0;
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++) {
        real sum = 0;
        if (tiled_is_known(i) && tiled_counts(slots, i))
            sum = tiled_numbers(TILED_KNOWN_SQUARES)[i];
        LOOP_UNROLL_EIGHT
        for (size_t e = first[i]; e < first[i + 1] && !tiled_is_known(i); e++) {
            real a = *tiled_at(slots, TILED_MATRIX + e);
            sum += a * a;
        }
        most = most < sum ? sum : most;
    }
    *tiled_at(slots, TILED_LARGEST) = most;
}

#endif
