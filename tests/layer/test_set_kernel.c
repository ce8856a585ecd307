/* test_set_kernel.c - eigenvalues and eigenvectors of core/set_kernel.h, judged in long double: |M Q - Q W| and |Q'Q - I| bound the errors
 * of all eigenvalues (Weyl). Divided differences against their definition.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH 1
#define ONE_LANE
#include "core/set_kernel.h"

#include "base/random.h"
#include "hardnet/model.h"
#include "support/check.h"

enum { MOST = HN_SET_ORDER };

static double matrix[MOST][MOST], slots[MOST * (1 + 8 * MOST)];

enum family { RANDOM, GRADED, CLUSTERED, DEFICIENT, DIAGONAL, TINY, HUGE_ENTRIES, FAMILIES };

static double entry_of(enum family family, size_t i, size_t j, struct random *random) {
    double a = random_normal(random), scale = pow(10, -(double)(i + j) / 4);
    switch (family) {
    case GRADED:
        return a * scale;
    case CLUSTERED:
        return (i == j ? 1 : 0) + 1e-9 * a;
    case DEFICIENT: /* rank 2, one eigenvalue of either sign */
        return cos((double)i) * cos((double)j) - sin((double)i) * sin((double)j);
    case DIAGONAL:
        return i == j ? (double)(j % 3) - 1 : 0;
    case TINY:
        return 1e-300 * a;
    case HUGE_ENTRIES:
        return 1e150 * a;
    default:
        return a;
    }
}

/* The Frobenius norm of the matrix. */
static double fill(enum family family, size_t order, struct random *random) {
    double norm = 0;
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j <= i; j++) {
            matrix[i][j] = matrix[j][i] = entry_of(family, i, j, random);
            norm = hypot(norm, (i == j ? 1 : sqrt(2)) * matrix[i][j]);
        }
    return norm;
}

static struct set decompose(size_t order) {
    const struct set_block block = {HN_SET_PSD, (uint32_t)order, 0, 0};
    struct set own = kernel_set(&block, slots, 0);
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j < order; j++)
            *kernel_psd_at(&own, own.matrix[0], i, j) = matrix[i][j];
    kernel_psd_decompose(&own);
    return own;
}

/* The Frobenius norms of M Q - Q W, relative to that of M, and of Q'Q - I. */
static void judge(const struct set *own, double norm, double *residual, double *turned) {
    *residual = *turned = 0;
    for (size_t i = 0; i < own->order; i++)
        for (size_t a = 0; a < own->order; a++) {
            const double *q = own->vector;
            long double off = -(long double)q[i * own->order + a] * own->value[a] / norm, inner = i == a ? -1 : 0;
            for (size_t k = 0; k < own->order; k++) {
                off += (long double)matrix[i][k] / norm * q[k * own->order + a];
                inner += (long double)q[k * own->order + i] * q[k * own->order + a];
            }
            *residual = hypot(*residual, (double)off);
            *turned = hypot(*turned, (double)inner);
        }
}

TEST(eigenvalues_are_accurate_to_a_few_roundings_of_the_norm) {
    struct random random = random_start(1, 1);
    for (int family = 0; family < FAMILIES; family++)
        for (size_t order = 1; order <= MOST; order++) {
            double residual, turned, norm = fill((enum family)family, order, &random);
            const struct set own = decompose(order);
            judge(&own, norm > 0 ? norm : 1, &residual, &turned);
            assert_in_interval(residual, 0, (double)order * 0x1p-51);
            assert_in_interval(turned, 0, (double)order * 0x1p-49);
        }
}

TEST(a_diagonal_matrix_does_not_change) {
    struct random random = random_start(1, 2);
    double value[MOST];
    fill(RANDOM, 12, &random);
    struct set own = decompose(12);
    memcpy(value, own.value, sizeof value);
    for (size_t a = 0; a < 12; a++)
        for (size_t b = 0; b < 12; b++)
            matrix[a][b] = a == b ? value[a] : 0;
    own = decompose(12);
    for (size_t a = 0; a < 12; a++)
        assert_same_bits(own.value[a], value[a]);
}

TEST(a_matrix_that_is_not_finite_has_no_finite_spectrum) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    struct random random = random_start(1, 3);
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        bool finite = true;
        fill(RANDOM, 5, &random);
        matrix[3][1] = matrix[1][3] = bad[k];
        const struct set own = decompose(5);
        for (size_t a = 0; a < 5; a++)
            finite = finite && isfinite(own.value[a]);
        assert_false(finite);
    }
}

/* ---- divided differences ---- */

static double negative_part(double w) {
    return w < 0 ? w : 0;
}

/* From pairwise distinct numbers. */
static double second_difference(double a, double b, double c) {
    double ab = (negative_part(a) - negative_part(b)) / (a - b);
    double bc = (negative_part(b) - negative_part(c)) / (b - c);
    return (ab - bc) / (a - c);
}

TEST(divided_differences_are_those_of_the_definition) {
    struct random random = random_start(1, 4);
    for (int k = 0; k < 1000; k++) {
        double w[3];
        for (int i = 0; i < 3; i++)
            w[i] = random_normal(&random);
        double first = (negative_part(w[0]) - negative_part(w[1])) / (w[0] - w[1]);
        double second = second_difference(w[0], w[1], w[2]);
        double size = fabs(w[0] - w[1]) * fabs(w[1] - w[2]) * fabs(w[0] - w[2]);
        assert_true(fabs(kernel_set_first(w[0], w[1]) - first) * fmin(size, 1) <= 1e-14);
        assert_true(fabs(kernel_set_second(w[0], w[1], w[2]) - second) * fmin(size, 1) <= 1e-13);
        assert_same_bits(kernel_set_second(w[0], w[1], w[2]), kernel_set_second(w[2], w[0], w[1]));
    }
}

TEST(divided_differences_of_equal_numbers_are_derivatives) {
    assert_true(kernel_set_first(-2, -2) == 1 && kernel_set_first(3, 3) == 0 && kernel_set_first(0, 0) == 0);
    assert_true(kernel_set_first(-1, 1) == 0.5 && kernel_set_first(0, -1) == 1);
    assert_true(kernel_set_second(-1, -1, -1) == 0 && kernel_set_second(2, 2, 2) == 0);
    assert_true(kernel_set_second(0, 0, 0) == 0);
    assert_true(kernel_set_second(-1, 1, 1) == -0.25 && kernel_set_second(1, -1, -1) == -0.25);
}
