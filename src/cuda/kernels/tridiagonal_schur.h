/* tridiagonal_schur.h - systems of constant rows whose equalities were brought to tridiagonal form when the layer was made: what
 * linalg/tridiagonal_schur_kernel.h computes, to the last bit.
 *
 *     T + eps = L D L',   X = L^-1 G,   S = A_o A_o' + eps - X' D^-1 X
 *     t = (T + eps)^-1 Q' b_e,   S z_o = b_o - G' t,   z_e = Q (t - (T + eps)^-1 G z_o)
 *
 * Column i of X stands in front of row i of S: the factor of S begins with the products of X (linalg/dense_ldl_kernel.h), with 1/D for w. Q, G and A_o A_o'
 * are numbers that all threads read; which of the other rows count differs, and is asked row by row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_TRIDIAGONAL_SCHUR_H
#define HN_CUDA_TRIDIAGONAL_SCHUR_H

/* ---- a factor ---- */

static void reduced_choose_rows(struct tiled *t) {
    const uint32_t *other = tiled_words(REDUCED_ROW) + REDUCED_ORDER;
    t->counted = 0;
    LOOP_ROLLED
    for (size_t i = 0; i < REDUCED_OTHERS; i++)
        if (tiled_counts(t->slots, other[i]))
            *tiled_at(t->slots, TILED_COUNT + t->counted++) = (real)i; /* numbers among the others */
    t->known = t->factor.order = t->counted;
    t->factor.prefix = REDUCED_ORDER;
}

static void reduced_factor_form(real *slots, real eps) {
    const real *diagonal = tiled_numbers(REDUCED_DIAGONAL), *beside = tiled_numbers(REDUCED_BESIDE);
    real owed = 0;
    LOOP_ROLLED
    for (size_t k = 0; k < REDUCED_ORDER; k++) {
        real whole = diagonal[k] + eps, d = whole - owed, inverse = kernel_pivot_inverse(whole, d);
        *tiled_at(slots, TILED_WEIGHT + k) = inverse;
        if (k + 1 == REDUCED_ORDER)
            break;
        real l = beside[k] * inverse;
        *tiled_at(slots, REDUCED_LOWER + k) = l;
        owed = l * beside[k];
    }
}

/* Columns of X for rows i .., some at a time: x_k = g_k - x_(k-1) l_(k-1). */
static void reduced_columns(const struct tiled *t, size_t i) {
    const real *g[DENSE_DOWN];
    real *to[DENSE_DOWN], x[DENSE_DOWN], l = 0;
    LOOP_UNROLL
    for (size_t r = 0; r < DENSE_DOWN; r++) {
        size_t own = tiled_least(i + r, t->factor.order - 1);
        g[r] = tiled_numbers(REDUCED_TURN) + tiled_row(t->slots, own);
        to[r] = dense_row(&t->factor, own);
        x[r] = 0;
    }
    LOOP_ROLLED
    for (size_t k = 0; k < REDUCED_ORDER; k++) {
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            x[r] = g[r][k * TILED_ROWS] - x[r] * l;
        LOOP_UNROLL
        for (size_t r = 0; r < DENSE_DOWN; r++)
            to[r][k * SLOT_STRIDE] = x[r];
        l = *tiled_at(t->slots, REDUCED_LOWER + k);
    }
}

/* A_o A_o' + eps behind them. */
static void reduced_gather(const struct tiled *t, size_t i, real eps) {
    real *into = dense_row(&t->factor, i) + REDUCED_ORDER * SLOT_STRIDE;
    size_t row = tiled_row(t->slots, i);
    LOOP_ROLLED
    for (size_t j = 0; j <= i; j += TILED_AT_ONCE) {
        real block[TILED_AT_ONCE];
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++) {
            size_t other = tiled_row(t->slots, tiled_least(j + k, i));
            block[k] = tiled_numbers(REDUCED_GRAM)[other * REDUCED_OTHERS + row];
        }
        LOOP_UNROLL
        for (size_t k = 0; k < TILED_AT_ONCE; k++)
            if (j + k <= i)
                into[(j + k) * SLOT_STRIDE] = j + k == i ? block[k] + eps : block[k];
    }
}

static void reduced_factor(struct tiled *t, real eps) {
    reduced_factor_form(t->slots, eps);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i += DENSE_DOWN)
        reduced_columns(t, i);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++)
        reduced_gather(t, i, eps);
    tiled_factor(t);
}

/* ---- the solution ---- */

/* x = (T + eps)^-1 x */
static void reduced_solve_form(real *slots, real *x) {
    const real *l = tiled_at(slots, REDUCED_LOWER), *inverse = tiled_at(slots, TILED_WEIGHT);
    LOOP_ROLLED
    for (size_t k = 1; k < REDUCED_ORDER; k++)
        x[k * SLOT_STRIDE] -= l[(k - 1) * SLOT_STRIDE] * x[(k - 1) * SLOT_STRIDE];
    LOOP_ROLLED
    for (size_t k = 0; k < REDUCED_ORDER; k++)
        x[k * SLOT_STRIDE] *= inverse[k * SLOT_STRIDE];
    LOOP_ROLLED
    for (size_t k = REDUCED_ORDER - 1; k-- > 0;)
        x[k * SLOT_STRIDE] -= l[k * SLOT_STRIDE] * x[(k + 1) * SLOT_STRIDE];
}

/* out_i = sum over k of matrix(k, i) x_k, begun with the first product; rows of the matrix are `apart`. */
static void reduced_sum(const real *matrix, size_t apart, const real *x, size_t terms, real *out, size_t count) {
    LOOP_ROLLED
    for (size_t i = 0; i < count; i += DENSE_DOWN) {
        const real *at[DENSE_DOWN];
        real sums[DENSE_DOWN];
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++) {
            at[c] = matrix + tiled_least(i + c, count - 1);
            sums[c] = at[c][0] * x[0];
        }
        LOOP_UNROLL_FOUR
        for (size_t k = 1; k < terms; k++) {
            real own = x[k * SLOT_STRIDE];
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++)
                sums[c] += at[c][k * apart] * own;
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (i + c < count)
                out[(i + c) * SLOT_STRIDE] = sums[c];
    }
}

/* REDUCED_FIRST = t, and TILED_Z = b_o - G' t of the rows that count. */
static void reduced_forward(const struct tiled *t, uint32_t from) {
    const uint32_t *row = tiled_words(REDUCED_ROW), *other = row + REDUCED_ORDER;
    real *slots = t->slots, *right = tiled_at(slots, REDUCED_RIGHT), *first = tiled_at(slots, REDUCED_FIRST);
    LOOP_ROLLED
    for (size_t j = 0; j < REDUCED_ORDER; j++)
        right[j * SLOT_STRIDE] = *tiled_at(slots, from + row[j]);
    reduced_sum(tiled_numbers(REDUCED_TURNED) + REDUCED_OTHERS * REDUCED_ORDER, REDUCED_ORDER, right, REDUCED_ORDER,
                first, REDUCED_ORDER); /* Q' b_e */
    reduced_solve_form(slots, first);
    reduced_sum(tiled_numbers(REDUCED_TURN), TILED_ROWS, first, REDUCED_ORDER, tiled_at(slots, TILED_OUT),
                REDUCED_OTHERS); /* G' t */
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++) {
        size_t own = tiled_row(slots, i);
        *tiled_at(slots, TILED_Z + i) = *tiled_at(slots, from + other[own]) - *tiled_at(slots, TILED_OUT + own);
    }
}

/* REDUCED_SECOND = G z_o over the rows that count, whose unknowns lie in TILED_OUT by their numbers. */
static void reduced_owed(real *slots) {
    const uint32_t *other = tiled_words(REDUCED_ROW) + REDUCED_ORDER;
    LOOP_ROLLED
    for (size_t k = 0; k < REDUCED_ORDER; k += DENSE_DOWN) {
        real sums[DENSE_DOWN];
        bool begun = false;
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            sums[c] = 0;
        LOOP_ROLLED
        for (size_t i = 0; i < REDUCED_OTHERS; i++) {
            const real *g = tiled_numbers(REDUCED_TURNED) + i * REDUCED_ORDER;
            real own = *tiled_at(slots, TILED_OUT + i);
            bool counts = tiled_counts(slots, other[i]);
            LOOP_UNROLL
            for (size_t c = 0; c < DENSE_DOWN; c++) {
                real more = g[tiled_least(k + c, REDUCED_ORDER - 1)] * own;
                more = begun ? sums[c] + more : more;
                sums[c] = counts ? more : sums[c];
            }
            begun = begun || counts;
        }
        LOOP_UNROLL
        for (size_t c = 0; c < DENSE_DOWN; c++)
            if (k + c < REDUCED_ORDER)
                *tiled_at(slots, REDUCED_SECOND + k + c) = sums[c];
    }
}

/* z_e = Q (t - (T + eps)^-1 G z_o) */
static void reduced_backward(const struct tiled *t, uint32_t to) {
    const uint32_t *row = tiled_words(REDUCED_ROW);
    real *slots = t->slots, *first = tiled_at(slots, REDUCED_FIRST), *second = tiled_at(slots, REDUCED_SECOND);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++)
        *tiled_at(slots, TILED_OUT + tiled_row(slots, i)) = *tiled_at(slots, TILED_Z + i);
    reduced_owed(slots);
    reduced_solve_form(slots, second);
    LOOP_ROLLED
    for (size_t k = 0; k < REDUCED_ORDER; k++)
        first[k * SLOT_STRIDE] -= second[k * SLOT_STRIDE];
    reduced_sum(tiled_numbers(REDUCED_TURN) + REDUCED_OTHERS, TILED_ROWS, first, REDUCED_ORDER,
                tiled_at(slots, REDUCED_RIGHT), REDUCED_ORDER);
    LOOP_ROLLED
    for (size_t j = 0; j < REDUCED_ORDER; j++)
        *tiled_at(slots, to + row[j]) = *tiled_at(slots, REDUCED_RIGHT + j);
}

static void reduced_solve_side(const struct tiled *t, uint32_t from, uint32_t to) {
    const uint32_t *other = tiled_words(REDUCED_ROW) + REDUCED_ORDER;
    real *slots = t->slots;
    reduced_forward(t, from);
    dense_solve(&t->factor, tiled_at(slots, TILED_Z), tiled_at(slots, TILED_Z));
    LOOP_ROLLED
    for (size_t i = 0; i < REDUCED_OTHERS && from != to; i++) /* rows that do not count: 1 times the unknown */
        *tiled_at(slots, to + other[i]) = *tiled_at(slots, from + other[i]);
    LOOP_ROLLED
    for (size_t i = 0; i < t->factor.order; i++)
        *tiled_at(slots, to + other[tiled_row(slots, i)]) = *tiled_at(slots, TILED_Z + i);
    reduced_backward(t, to);
}

static GENERATED void reduced_solve(real *slots, size_t sides, const uint32_t *from, const uint32_t *to) {
    struct tiled t;
    bool counts = tiled_counts(slots, tiled_words(REDUCED_ROW)[0]);
    real eps = counts ? *tiled_at(slots, TILED_EPS) : 1;
    tiled_begin(&t, slots);
    reduced_choose_rows(&t);
    if (!tiled_keeps(&t, eps)) {
        reduced_factor(&t, eps);
        tiled_keep(&t, eps);
    }
    LOOP_ROLLED
    for (size_t side = 0; side < sides; side++)
        reduced_solve_side(&t, from[side], to[side]);
}

#endif
