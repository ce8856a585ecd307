/* blocked_ldl_solve.h - h of a system in tiles, its factor and its solves, and the steps made of them: the other half of blocked_ldl_thread.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BLOCKED_LDL_SOLVE_H
#define HN_CUDA_BLOCKED_LDL_SOLVE_H

/* ---- the matrix ---- */

static void tiled_choose_rows(struct tiled *t) {
    t->counted = t->known = 0;
    LOOP_ROLLED
    for (size_t i = 0; TILED_HAS_GRAM && t->recalls && i < TILED_ROWS; i++)
        if (tiled_is_known(i) && tiled_counts(t->slots, i))
            *tiled_at(t->slots, TILED_COUNT + t->counted++) = (real)i;
    t->known = t->counted;
    LOOP_ROLLED
    for (size_t i = 0; i < TILED_ROWS; i++)
        if (!(TILED_HAS_GRAM && t->recalls && tiled_is_known(i)) && tiled_counts(t->slots, i))
            *tiled_at(t->slots, TILED_COUNT + t->counted++) = (real)i;
    t->factor.order = TILED_OUTPUTS_SIDE ? TILED_COLUMNS : t->counted;
    t->factor.prefix = 0;
}

/* E of rows that count. */
SIMD_INLINE real tiled_shift(real *slots) {
    return TILED_WEIGHTED ? *tiled_at(slots, TILED_EPS) : simd_of_bits(TILED_FIXED_SHIFT);
}

/* Rows of A that count, one behind the other, zeros included. */
static void tiled_gather(const struct tiled *t) {
    real *slots = t->slots;
    LOOP_ROLLED
    for (size_t c = 0; c < t->counted; c++) {
        const struct tiled_entries all = tiled_entries_of(slots, t->recalls, tiled_row(slots, c));
        real *into = tiled_at(slots, TILED_M + c * TILED_COLUMNS);
        LOOP_ROLLED
        for (size_t k = 0; k < TILED_COLUMNS && all.count < TILED_COLUMNS; k++)
            into[k * SLOT_STRIDE] = 0;
        LOOP_ROLLED
        for (size_t e = 0; e < all.count; e += TILED_AT_ONCE) {
            real block[TILED_AT_ONCE];
            LOOP_UNROLL
            for (size_t k = 0; k < TILED_AT_ONCE; k++)
                block[k] = tiled_entry(slots, &all, tiled_least(e + k, all.count - 1));
            LOOP_UNROLL
            for (size_t k = 0; k < TILED_AT_ONCE; k++)
                if (e + k < all.count)
                    into[tiled_column(&all, e + k) * SLOT_STRIDE] = all.factor * block[k];
        }
    }
}

/* h of rows i .. and columns j ..: the sum over M's columns, begun with E on the diagonal. */
static void tiled_product(const struct tiled *t, size_t i, size_t j) {
    const size_t down = TILED_OUTPUTS_SIDE ? 1 : TILED_COLUMNS, along = TILED_OUTPUTS_SIDE ? TILED_COLUMNS : 1;
    const size_t depth = TILED_OUTPUTS_SIDE ? t->counted : TILED_COLUMNS, last = t->factor.order - 1;
    const real *m = tiled_at(t->slots, TILED_M), *row[DENSE_DOWN], *column[DENSE_ACROSS];
    real sums[DENSE_DOWN][DENSE_ACROSS], shift = tiled_shift(t->slots);
    LOOP_UNROLL
    for (size_t c = 0; c < DENSE_ACROSS; c++)
        column[c] = m + tiled_least(j + c, last) * down * SLOT_STRIDE;
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        row[r] = m + tiled_least(i + r, last) * down * SLOT_STRIDE;
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            sums[r][c] = i + r == j + c ? shift : 0;
    }
    LOOP_UNROLL_FOUR
    for (size_t k = 0; k < depth; k++) {
        real a[DENSE_DOWN], b[DENSE_ACROSS];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            b[c] = column[c][k * along * SLOT_STRIDE];
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            a[r] = row[r][k * along * SLOT_STRIDE];
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++) {
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_ACROSS; c++)
                sums[r][c] += a[r] * b[c];
        }
    }
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_ACROSS; c++)
            if (i + r <= last && j + c <= i + r)
                dense_row(&t->factor, i + r)[(j + c) * SLOT_STRIDE] = sums[r][c];
    }
}

/* W J J' W of the rows that are known: exact, because weights are powers of two. */
static void tiled_recall(const struct tiled *t) {
    real *slots = t->slots, shift = tiled_shift(slots);
    LOOP_ROLLED
    for (size_t i = 0; i < t->known; i++) {
        size_t row = tiled_row(slots, i), number = tiled_words(TILED_KNOWN)[row];
        real *into = dense_row(&t->factor, i), scale = tiled_scale(slots, row);
        LOOP_ROLLED
        for (size_t j = 0; j <= i; j += TILED_AT_ONCE) {
            real block[TILED_AT_ONCE];
            LOOP_UNROLL
            for (size_t k = 0; k < TILED_AT_ONCE; k++) {
                size_t other = tiled_row(slots, tiled_least(j + k, i));
                const real *known = tiled_numbers(TILED_GRAM) + tiled_words(TILED_KNOWN)[other] * (size_t)TILED_GRAMS;
                real once = tiled_scale(slots, other) * known[number];
                block[k] = TILED_WEIGHTED ? scale * once : once;
            }
            LOOP_UNROLL
            for (size_t k = 0; k < TILED_AT_ONCE; k++)
                if (j + k <= i)
                    into[(j + k) * SLOT_STRIDE] = j + k == i ? block[k] + shift : block[k];
        }
    }
}

static void tiled_fill(const struct tiled *t) {
    tiled_recall(t);
    if (t->known == t->factor.order)
        return;
    tiled_gather(t);
    LOOP_ROLLED
    for (size_t i = t->known; i < t->factor.order; i += DENSE_DOWN) {
        LOOP_ROLLED
        for (size_t j = 0; j < tiled_least(i + DENSE_DOWN, t->factor.order); j += DENSE_ACROSS)
            tiled_product(t, i, j);
    }
}

/* ---- factors that are kept: rows that are known, the same ones, the same shift ---- */

/* Slots: how many rows there are, and 1; the shift; the rows. */
static bool tiled_keeps(const struct tiled *t, real shift) {
    real *slots = t->slots;
    bool same = t->known == t->counted && *tiled_at(slots, TILED_KEPT) == (real)(t->counted + 1) &&
                *tiled_at(slots, TILED_KEPT + 1) == shift;
    LOOP_ROLLED
    for (size_t c = 0; same && c < t->counted; c++)
        same = *tiled_at(slots, TILED_KEPT + 2 + c) == *tiled_at(slots, TILED_COUNT + c);
    return same;
}

static void tiled_keep(const struct tiled *t, real shift) {
    bool keeps = !TILED_OUTPUTS_SIDE && t->known == t->counted;
    *tiled_at(t->slots, TILED_KEPT) = keeps ? (real)(t->counted + 1) : 0;
    *tiled_at(t->slots, TILED_KEPT + 1) = shift;
    if (keeps)
        tiled_copy(tiled_at(t->slots, TILED_COUNT), tiled_at(t->slots, TILED_KEPT + 2), t->counted);
}

/* ---- the solution ---- */

static void tiled_begin(struct tiled *t, real *slots) {
    t->slots = slots;
    t->recalls = tiled_recalls(slots);
    t->counted = t->known = 0;
    t->factor.order = t->factor.prefix = 0;
    t->factor.lower = tiled_at(slots, TILED_LOWER);
    t->factor.weight = tiled_at(slots, TILED_WEIGHT);
    t->factor.inverse = tiled_at(slots, TILED_INVERSE);
    t->factor.strip = tiled_at(slots, TILED_STRIP);
    t->factor.apart = DENSE_DEPTH;
    t->factor.part = 0;
}

/* tiled_ranges computes the range of pivots from D: a factor that is kept has one, too. */
static void tiled_factor(struct tiled *t) {
    struct pivots range;
    t->factor.range = &range;
    kernel_pivots_begin(&range, t->factor.inverse);
    dense_factor(&t->factor);
}

/* The range of pivots; 1 for each row that does not count. */
static void tiled_ranges(const struct tiled *t) {
    bool left_out = !TILED_OUTPUTS_SIDE && t->counted < TILED_ROWS;
    real low = left_out ? 1 : REAL_INFINITY, high = left_out ? 1 : 0;
    LOOP_ROLLED
    for (size_t j = 0; j < t->factor.order; j++) {
        real d = t->factor.weight[j * SLOT_STRIDE];
        low = d < low ? d : low;
        high = high < d ? d : high;
    }
    *tiled_at(t->slots, TILED_PIVOTS) = low;
    *tiled_at(t->slots, TILED_PIVOTS + 1) = high;
}

/* Rows that do not count keep what they have: 1 times the unknown. */
static void tiled_solve_side(const struct tiled *t, uint32_t from, uint32_t to) {
    real *slots = t->slots, *z = tiled_at(slots, TILED_Z);
    if (!TILED_OUTPUTS_SIDE && from != to)
        tiled_copy(tiled_at(slots, from), tiled_at(slots, to), TILED_ROWS);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++)
        z[i * SLOT_STRIDE] = *tiled_at(slots, from + (TILED_OUTPUTS_SIDE ? i : tiled_row(slots, i)));
    dense_solve(&t->factor, z, z);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++)
        *tiled_at(slots, to + (TILED_OUTPUTS_SIDE ? i : tiled_row(slots, i))) = z[i * SLOT_STRIDE];
}

static GENERATED void tiled_solve_plain(real *slots, size_t sides, const uint32_t *from, const uint32_t *to) {
    struct tiled t;
    tiled_begin(&t, slots);
    tiled_choose_rows(&t);
    real shift = t.counted > 0 ? tiled_shift(slots) : 0;
    if (!tiled_keeps(&t, shift)) {
        tiled_fill(&t);
        tiled_factor(&t);
        tiled_keep(&t, shift);
    }
    tiled_ranges(&t);
    LOOP_ROLLED
    for (size_t side = 0; side < sides; side++)
        tiled_solve_side(&t, from[side], to[side]);
}

#endif
