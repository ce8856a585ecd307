/* test_matrix.c - the dense product, activations and normalisation against plain loops, on every instruction set.
 *
 * Products are compared bit by bit: an element's sum begins with its start and goes on in ascending order, wherever the
 * element stands and whatever surrounds it. Activations are compared with 80-bit formulas.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/numbers.h"

#include "base/random.h"
#include "core/network_task.h"
#include "core/normalize.h"
#include "cpu/backend.h"

#include <float.h>

enum { SHAPES = 300, MOST = 300 };

/* Backend i of all that run here, the one for single samples last. */
static bool backend_of(size_t i, struct backend *backend) {
    size_t count = 0;
    while (backend_at(count, backend))
        count++;
    if (i < count)
        return backend_at(i, backend);
    *backend = backend_single();
    return i == count;
}

/* ---- products ---- */

struct sizes {
    size_t rows, columns, inner, gap;
};

static const size_t edges[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 48, 49, 127, 128, 129, 200, 257};

static struct sizes draw_sizes(struct random *random) {
    struct sizes s;
    s.rows = edges[random_below(random, COUNT_OF(edges) - 4)];
    s.columns = edges[random_below(random, COUNT_OF(edges))];
    s.inner = random_below(random, 8) == 0 ? 0 : edges[random_below(random, COUNT_OF(edges))];
    s.gap = random_below(random, 3);
    return s;
}

static double element(const struct matrix_view *view, size_t i, size_t j) {
    return view->at[i * view->row + j * view->column];
}

static void multiply_plainly(const struct matrix_product *p, double *c) {
    for (size_t i = 0; i < p->rows; i++)
        for (size_t j = 0; j < p->columns; j++) {
            double *at = c + i * p->c_row + j;
            double sum = p->start == MATRIX_ONTO_C ? *at : p->start == MATRIX_FROM_ROW ? p->first[j] : 0;
            for (size_t k = 0; k < p->inner; k++) {
                double product = element(&p->a, i, k) * element(&p->b, k, j);
                sum = sum + product;
            }
            *at = sum;
        }
}

static void check_product(struct matrix_product *p, const double *before, size_t bytes) {
    struct backend backend;
    double *expected = malloc(bytes), *c = malloc(bytes);
    memcpy(expected, before, bytes);
    multiply_plainly(p, expected);
    for (size_t i = 0; backend_of(i, &backend); i++) {
        memcpy(c, before, bytes);
        p->c = c;
        backend.multiply_matrix(p);
        if (memcmp(c, expected, bytes) != 0)
            fail_msg("%s: %zu x %zu x %zu, start %d, strides %zu %zu", backend.name, p->rows, p->columns, p->inner,
                     (int)p->start, p->a.column, p->b.column);
    }
    free(expected);
    free(c);
}

/* turned: lies column by column; neither stride is 1 when spread. */
static struct matrix_view view_of(const double *at, size_t rows, size_t columns, size_t gap, int how) {
    if (how == 0)
        return (struct matrix_view){at, columns + gap, 1};
    if (how == 1)
        return (struct matrix_view){at, 1, rows + gap};
    return (struct matrix_view){at, 2 * columns, 2};
}

TEST(a_product_has_the_bits_of_plain_loops) {
    struct random random = random_start(1, 0);
    double *a = normal_numbers(&random, 2 * MOST * MOST), *b = normal_numbers(&random, 2 * MOST * MOST),
           *c = normal_numbers(&random, MOST * MOST);
    double *first = normal_numbers(&random, MOST);
    for (int i = 0; i < SHAPES; i++) {
        struct sizes s = draw_sizes(&random);
        struct matrix_product p = {.rows = s.rows, .columns = s.columns, .inner = s.inner, .first = first};
        p.a = view_of(a, s.rows, s.inner, s.gap, i % 3);
        p.b = view_of(b, s.inner, s.columns, s.gap, i / 3 % 3);
        p.c_row = s.columns + s.gap;
        p.start = (enum matrix_start)(i / 9 % 3);
        check_product(&p, c, s.rows * p.c_row * sizeof *c);
    }
    free(a);
    free(b);
    free(c);
    free(first);
}

TEST(a_bad_element_spoils_its_row_or_column_alone) {
    enum { ROWS = 9, COLUMNS = 29, INNER = 13 };
    static double a[ROWS * INNER], b[INNER * COLUMNS], c[ROWS * COLUMNS];
    struct backend backend;
    for (size_t i = 0; i < COUNT_OF(a); i++)
        a[i] = 1;
    for (size_t i = 0; i < COUNT_OF(b); i++)
        b[i] = 1;
    a[4 * INNER + 3] = NAN;
    b[5 * COLUMNS + 27] = INFINITY;
    struct matrix_product p = {.rows = ROWS, .columns = COLUMNS, .inner = INNER, .c = c, .c_row = COLUMNS};
    p.a = (struct matrix_view){a, INNER, 1};
    p.b = (struct matrix_view){b, COLUMNS, 1};
    for (size_t i = 0; backend_of(i, &backend); i++) {
        backend.multiply_matrix(&p);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t j = 0; j < COLUMNS; j++) {
                double value = c[r * COLUMNS + j];
                assert_true(r == 4 ? isnan(value) : j == 27 ? isinf(value) : value == INNER);
            }
    }
}

/* ---- activations ---- */

static long double sigmoid(long double z) {
    return 1 / (1 + expl(-z));
}

static long double activation(hn_activation kind, long double z) {
    if (kind == HN_ACTIVATION_RELU)
        return z > 0 ? z : 0;
    return kind == HN_ACTIVATION_TANH ? tanhl(z) : z * sigmoid(z);
}

static long double derivative(hn_activation kind, long double z) {
    long double s = sigmoid(z), c = coshl(z);
    if (kind == HN_ACTIVATION_RELU)
        return z > 0;
    return kind == HN_ACTIVATION_TANH ? 1 / (c * c) : s + z * s * (1 - s);
}

static void check_close(double value, long double expected, double scale) {
    double error = (double)fabsl(value - expected);
    assert_in_interval(error, 0, 4 * DBL_EPSILON * scale + DBL_MIN);
}

static double *draw_arguments(size_t count) {
    struct random random = random_start(7, 0);
    double *z = normal_numbers(&random, count);
    for (size_t i = 0; i < count; i++)
        z[i] *= i % 7 == 0 ? 300 : i % 5 == 0 ? 1e-9 : 4;
    return z;
}

TEST(activations_and_their_derivatives_are_right) {
    enum { COUNT = 1000 };
    double *z = draw_arguments(COUNT), out[COUNT], ones[COUNT];
    struct backend backend;
    for (size_t i = 0; i < COUNT; i++)
        ones[i] = 1;
    for (size_t i = 0; backend_of(i, &backend); i++)
        for (int kind = 0; kind < HN_ACTIVATION_COUNT; kind++) {
            struct activation_task task = {.kind = (hn_activation)kind, .count = COUNT, .z = z, .out = out};
            backend.activate(&task);
            for (size_t k = 0; k < COUNT; k++) {
                long double expected = activation(task.kind, z[k]);
                check_close(out[k], expected, (double)fabsl(expected));
            }
            task.gradient = ones;
            backend.activate_back(&task);
            for (size_t k = 0; k < COUNT; k++)
                check_close(out[k], derivative(task.kind, z[k]), 1);
        }
    free(z);
}

TEST(activations_have_the_same_bits_everywhere_and_in_place) {
    enum { COUNT = 131 };
    double *z = draw_arguments(COUNT), expected[COUNT], own[COUNT];
    struct backend backend, single = backend_single();
    for (size_t i = 0; backend_of(i, &backend); i++)
        for (int kind = 0; kind < HN_ACTIVATION_COUNT; kind++)
            for (size_t count = 0; count <= COUNT; count += count < 20 ? 1 : 37) {
                struct activation_task task = {(hn_activation)kind, count, z, z, expected};
                struct activation_task in_place = {(hn_activation)kind, count, own, own, own};
                single.activate(&task);
                memcpy(own, z, sizeof own);
                backend.activate(&in_place);
                assert_memory_equal(own, expected, count * sizeof *own);
                single.activate_back(&task);
                memcpy(own, z, sizeof own);
                backend.activate_back(&in_place);
                assert_memory_equal(own, expected, count * sizeof *own);
                assert_memory_equal(own + count, z + count, (COUNT - count) * sizeof *own);
            }
    free(z);
}

TEST(activations_at_the_ends_of_the_line) {
    static const double z[] = {0, -0.0, 1e308, -1e308, 750, -750, 1e-320, NAN};
    double out[COUNT_OF(z)];
    struct backend backend;
    for (size_t i = 0; backend_of(i, &backend); i++)
        for (int kind = 0; kind < HN_ACTIVATION_COUNT; kind++) {
            struct activation_task task = {(hn_activation)kind, COUNT_OF(z), z, z, out};
            double one = kind == HN_ACTIVATION_TANH ? 1 : 750;
            backend.activate(&task);
            assert_true(out[0] == 0 && out[1] == 0 && isnan(out[7]));
            assert_true(out[2] == (kind == HN_ACTIVATION_TANH ? 1 : 1e308) && out[4] == one);
            assert_true(kind == HN_ACTIVATION_TANH ? out[5] == -1 : fabs(out[5]) < 1e-300);
            backend.activate_back(&task);
            for (size_t k = 0; k + 1 < COUNT_OF(z); k++)
                assert_true(isfinite(out[k]));
        }
}

/* ---- normalisation ---- */

static void check_normalisation(const struct backend *backend, size_t rows, size_t width, const double *drawn) {
    size_t numbers = rows * width, bytes = numbers * sizeof *drawn;
    double *z = malloc(2 * bytes + rows * sizeof *z), *g = z + numbers, *inverse = g + numbers;
    double *expected = malloc(2 * bytes), *expected_g = expected + numbers;
    memcpy(z, drawn, bytes);
    memcpy(g, drawn + numbers, bytes);
    memcpy(expected, drawn, 2 * bytes);
    struct normalize_task task = {.rows = rows, .width = width, .z = z, .inverse = inverse, .gradient = g};
    backend->normalize(&task);
    backend->normalize_back(&task);
    for (size_t s = 0; s < rows; s++) {
        double r = normalize(expected + s * width, width);
        normalize_back(expected + s * width, width, r, expected_g + s * width);
        assert_memory_equal(&inverse[s], &r, sizeof r);
    }
    assert_memory_equal(z, expected, bytes);
    assert_memory_equal(g, expected_g, bytes);
    free(z);
    free(expected);
}

TEST(samples_are_normalised_as_one_by_one) {
    static const size_t rows[] = {1, 3, 7, 8, 9, 16, 19}, widths[] = {1, 2, 5, 8, 16, 17, 31, 128};
    struct random random = random_start(3, 0);
    double *drawn = normal_numbers(&random, (size_t)2 * 19 * 128);
    struct backend backend;
    for (size_t i = 0; backend_of(i, &backend); i++)
        for (size_t r = 0; r < COUNT_OF(rows); r++)
            for (size_t w = 0; w < COUNT_OF(widths); w++)
                check_normalisation(&backend, rows[r], widths[w], drawn);
    free(drawn);
}
