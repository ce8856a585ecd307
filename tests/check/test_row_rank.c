/* test_row_rank.c - dependent rows are found and expressed by the others, whatever their units; singular values are right.
 *
 * SPDX-License-Identifier: MIT */
#include "check/row_rank.h"
#include "support/check.h"

#include "base/random.h"

enum { MOST = 64 };

/* Memory for one factor. */
struct holder {
    double a[MOST * MOST], triangle[MOST * MOST], length[MOST], left[MOST], work[2 * MOST];
    size_t pivot[MOST];
    struct row_rank f;
};

static struct row_rank *factor(struct holder *h, const double *a, size_t rows, size_t columns) {
    memcpy(h->a, a, rows * columns * sizeof *a);
    h->f = (struct row_rank){rows, columns, h->a, h->length, h->left, h->triangle, h->work, h->pivot, 0};
    row_rank_factor(&h->f, 1e-8);
    return &h->f;
}

TEST(independent_rows_have_full_rank) {
    const double a[] = {3, 0, 0, 0, 0, 4, 1, 1, 1, 1, 1, 2};
    struct holder h;
    assert_int_equal(factor(&h, a, 3, 4)->rank, 3);
    assert_int_equal(factor(&h, a, 4, 3)->rank, 3); /* more rows than columns */
}

TEST(a_dependent_row_is_the_sum_of_others) {
    const double a[] = {1, 1, 1, 0, 1, -1, 0, 1, 3, 1, 2, 1};
    double z[MOST];
    struct holder h;
    const struct row_rank *f = factor(&h, a, 3, 4);
    assert_int_equal(f->rank, 2);
    assert_int_equal(f->pivot[2], 2);
    row_rank_combine(f, 2, z);
    for (size_t k = 0; k < 2; k++) { /* row 2 = 2 row 0 + row 1, all at length 1 */
        size_t i = f->pivot[k];
        double wanted = (i == 0 ? 2 : 1) * f->length[i] / f->length[2];
        assert_true(fabs(z[k] - wanted) < 1e-12);
    }
}

TEST(zero_rows_and_zero_matrices_are_fine) {
    const double a[] = {0, 0, 1, 2, 0, 0};
    struct holder h;
    const struct row_rank *f = factor(&h, a, 3, 2);
    assert_int_equal(f->rank, 1);
    assert_int_equal(f->pivot[0], 1);
    assert_true(fabs(row_rank_largest(f) - sqrt(5)) < 1e-12 && fabs(row_rank_smallest(f) - sqrt(5)) < 1e-12);
    assert_int_equal(factor(&h, (const double[]){0, 0, 0, 0}, 2, 2)->rank, 0);
}

TEST(units_do_not_matter) {
    const double a[] = {1e9, 1e9, 1e-7, -1e-7, 1e-30, 1e-30};
    struct holder h;
    const struct row_rank *f = factor(&h, a, 3, 2);
    assert_int_equal(f->rank, 2);
    assert_int_equal(f->pivot[2], 2);
}

/* Diagonal matrices turned by reflections on both sides, so that their singular values are known. */
static void fill_known(double *a, size_t n, const double *sigma) {
    struct random random = random_start(7, n);
    double u[MOST], v[MOST], uu = 0, vv = 0;
    for (size_t i = 0; i < n; i++) {
        u[i] = random_normal(&random);
        v[i] = random_normal(&random);
        uu += u[i] * u[i];
        vv += v[i] * v[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += ((i == k) - 2 * u[i] * u[k] / uu) * sigma[k] * ((k == j) - 2 * v[k] * v[j] / vv);
            a[i * n + j] = sum;
        }
}

TEST(singular_values_are_right) {
    double a[MOST * MOST], sigma[MOST];
    struct holder h;
    for (size_t n = 2; n <= 40; n += 19) {
        for (size_t k = 0; k < n; k++)
            sigma[k] = 0.01 + (double)k * 5 / (double)n;
        fill_known(a, n, sigma);
        const struct row_rank *f = factor(&h, a, n, n);
        assert_int_equal(f->rank, n);
        assert_true(fabs(row_rank_smallest(f) - sigma[0]) < 1e-6 * sigma[0]);
        assert_true(fabs(row_rank_largest(f) - sigma[n - 1]) < 1e-2 * sigma[n - 1]);
    }
}

TEST(lost_rank_is_counted) {
    double a[MOST * MOST], sigma[MOST];
    struct holder h;
    for (size_t lost = 1; lost < 12; lost += 5) {
        for (size_t k = 0; k < 30; k++)
            sigma[k] = k < lost ? 0 : 1 + (double)k;
        fill_known(a, 30, sigma);
        assert_int_equal(factor(&h, a, 30, 30)->rank, 30 - lost);
    }
}
