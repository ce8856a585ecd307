/* damped_judge.c - the judge of damped_trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/damped_trial.h"

#include "cpu/backend.h"
#include "support/check.h"

/* The judge's numbers. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 exact;
#else
typedef long double exact;
#endif

static void check_scaling(const struct trial *t) {
    const struct damped *one = &t->one, *many = &t->system;
    uint32_t *stream = calloc(one->words + 1, sizeof *stream),
             *product = calloc(one->by_rows.words + 1, sizeof *product);
    assert_int_equal(one->words, many->words);
    memcpy(stream, one->stream, one->words * sizeof *stream);
    stream_scale_factor(stream, one->kind, one->order, LANES);
    assert_memory_equal(stream, many->stream, one->words * sizeof *stream);
    memcpy(product, one->by_rows.stream, one->by_rows.words * sizeof *product);
    stream_scale_product(product, t->rows, LANES);
    assert_memory_equal(product, many->by_rows.stream, one->by_rows.words * sizeof *product);
    free(stream);
    free(product);
}

/* ---- the judge ---- */

static exact size_of(exact value) {
    return value < 0 ? -value : value;
}

/* out = H x of one lane by two products with A; of absolute values, where asked for. */
static void multiply(const struct trial *t, size_t lane, const exact *x, bool sizes, exact *out) {
    exact *between = calloc(t->rows + t->columns, sizeof *between);
    for (int pass = 0; pass < 2; pass++) /* the first to the other side, the second back */
        for (size_t i = 0; i < t->rows; i++)
            for (size_t e = t->first[i]; e < t->first[i + 1]; e++) {
                double a = t->value[e * LANES + lane];
                size_t own = t->system.outputs_side ? t->column[e] : i,
                       other = t->system.outputs_side ? i : t->column[e];
                a = sizes ? fabs(a) : a;
                if (pass == 0)
                    between[other] += a * x[own];
                else
                    out[own] += a * between[other];
            }
    for (size_t i = 0; i < t->order; i++)
        out[i] += x[i] * t->slots[t->system.outputs_side ? t->shift_uniform + lane : t->shift + i * LANES + lane];
    free(between);
}

static exact largest_of(const exact *values, size_t count) {
    exact largest = 0;
    for (size_t i = 0; i < count; i++)
        if (!(size_of(values[i]) <= largest))
            largest = size_of(values[i]);
    return largest;
}

/* |b - H z| / (|M| |M'| |z| + E |z| + |b|), norms of the largest entry. */
double judge_backward_error(const struct trial *t, size_t lane, const double *b, const double *z) {
    size_t n = t->order;
    exact *numbers = calloc(5 * n, sizeof *numbers), *x = numbers, *right = x + n, *product = right + n;
    exact *ones = product + n, *sizes = ones + n;
    for (size_t i = 0; i < n; i++) {
        x[i] = z[i * LANES + lane];
        right[i] = b[i * LANES + lane];
        ones[i] = 1;
    }
    multiply(t, lane, x, false, product);
    multiply(t, lane, ones, true, sizes);
    for (size_t i = 0; i < n; i++)
        product[i] -= right[i];
    exact scale = largest_of(sizes, n) * largest_of(x, n) + largest_of(right, n);
    double error = (double)(largest_of(product, n) / scale);
    free(numbers);
    return isnan(error) ? INFINITY : error;
}

/* H by columns, from its products with unit vectors. */
static exact *full_matrix(const struct trial *t, size_t lane) {
    size_t n = t->order;
    exact *h = calloc(n * n, sizeof *h), *unit = calloc(n, sizeof *unit);
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        multiply(t, lane, unit, false, h + j * n);
        unit[j] = 0;
    }
    free(unit);
    return h;
}

/* h = L D L' in place, then y = h^-1 y. */
static void solve_full(exact *h, size_t n, exact *y) {
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            exact l = h[j * n + i] / h[j * n + j];
            for (size_t k = i; k < n && l != 0; k++)
                h[i * n + k] -= l * h[j * n + k];
            y[i] -= l * y[j];
        }
        for (size_t i = j + 1; i < n; i++)
            h[j * n + i] /= h[j * n + j];
        y[j] /= h[j * n + j];
    }
    for (size_t j = n; j-- > 0;)
        for (size_t i = j + 1; i < n; i++)
            y[j] -= h[j * n + i] * y[i];
}

double judge_forward_error(const struct trial *t, size_t lane, const double *b, const double *z) {
    size_t n = t->order;
    exact *h = full_matrix(t, lane), *y = calloc(2 * n, sizeof *y), *off = y + n;
    for (size_t i = 0; i < n; i++)
        y[i] = b[i * LANES + lane];
    solve_full(h, n, y);
    for (size_t i = 0; i < n; i++)
        off[i] = z[i * LANES + lane] - y[i];
    double error = (double)(largest_of(off, n) / largest_of(y, n));
    free(h);
    free(y);
    return isnan(error) ? INFINITY : error;
}

/* Where the solutions of all right-hand sides lie one after the other, order x LANES each. */
static void copy_solutions(const struct trial *t, double *to) {
    size_t numbers = t->order * LANES;
    for (int side = 0; side < t->sides.count; side++)
        memcpy(to + (size_t)side * numbers, t->slots + t->sides.to[side], numbers * sizeof *to);
}

/* Every lane once more by the kernels for one sample, on slots of one number each. */
static void check_single(const struct trial *t, const double *solutions) {
    struct backend single = backend_single();
    struct damped_sides sides = t->sides;
    for (int side = 0; side < 2; side++) {
        sides.from[side] /= LANES;
        sides.to[side] /= LANES;
    }
    double *slots = aligned_alloc(64, (t->slot_count + 7) / 8 * 64);
    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t i = 0; i < t->slot_count; i++)
            slots[i] = t->slots[i * LANES + lane];
        for (int side = 0; side < t->sides.count; side++)
            memset(slots + sides.to[side], 0xff, t->order * sizeof *slots);
        single.solve(&t->one, slots, &sides);
        for (int side = 0; side < t->sides.count; side++)
            for (size_t i = 0; i < t->order; i++)
                assert_same_bits(slots[sides.to[side] + i], solutions[((size_t)side * t->order + i) * LANES + lane]);
    }
    free(slots);
}

/* The largest backward error over lanes and sides, in units of n 2^-53; all backends have the same bits. Of large systems
 * two lanes are judged. */
double judge_trial(struct trial *t, int sides) {
    struct backend backend;
    size_t numbers = t->order * LANES, every = t->order > JUDGE_SMALL ? LANES / 2 : 1;
    double worst = 0, *first = calloc(2 * numbers, sizeof *first), *other = calloc(2 * numbers, sizeof *other);
    t->sides.count = sides;
    for (size_t k = 0; backend_at(k, &backend); k++) {
        backend.solve(&t->system, t->slots, &t->sides);
        copy_solutions(t, k == 0 ? first : other);
        if (k > 0)
            assert_memory_equal(first, other, (size_t)sides * numbers * sizeof *first);
    }
    check_single(t, first);
    check_scaling(t);
    for (size_t lane = t->order % every; lane < LANES; lane += every)
        for (int side = 0; side < sides; side++)
            worst = fmax(worst,
                         judge_backward_error(t, lane, t->slots + t->sides.from[side], first + (size_t)side * numbers));
    free(first);
    free(other);
    return worst / (double)t->order * 0x1p53;
}
