/* test_projections.c - the method nearest where the nearest point is known: box, ball, ellipsoid, simplex, polyhedra.
 *
 * Each answer is found here by other means: clipping, scaling, a secular equation by bisection, sorting, and for polyhedra by trying all
 * sets of active rows.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "support/model_check.h"
#include "support/run_layer.h"

enum { SIZE = 6, SAMPLES = 100 };

/* The largest distance from what is known, of all samples so far. */
static double furthest;

/* Outputs y0 .. y(count-1). */
static void add_outputs(hn_model *m, hn_expr *y, size_t count) {
    for (size_t j = 0; j < count; j++) {
        char name[32];
        snprintf(name, sizeof name, "y%zu", j);
        y[j] = hn_output(m, name);
    }
}

static void draw(struct random *random, double *raw, size_t count, double reach) {
    for (size_t j = 0; j < count; j++)
        raw[j] = random_between(random, -reach, reach);
}

/* All samples at once: each is certified, and at most 1e-7 from what is known. */
static void check_projections(const hn_model *m, hn_layer_options options, const double *raw, const double *known,
                              size_t count) {
    size_t outputs = hn_model_output_count(m);
    double *y = malloc(count * outputs * sizeof *y);
    hn_report *reports = malloc(count * sizeof *reports);
    hn_layer *layer = layer_of(m, options);
    const hn_batch batch = {
        .size = sizeof batch, .count = count, .y_raw = raw, .y = y, .report_size = sizeof *reports, .reports = reports};
    layer_run(layer, &batch);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(reports[k].outcome, HN_OUTCOME_OK);
        assert_in_interval(reports[k].kkt, 0, HN_CERTIFIED);
        for (size_t j = 0; j < outputs; j++)
            furthest = fmax(furthest, fabs(y[k * outputs + j] - known[k * outputs + j]));
    }
    assert_in_interval(furthest, 0, 1e-7);
    hn_layer_destroy(layer);
    free(reports);
    free(y);
}

TEST(a_box_clips) {
    hn_model *m = model_new();
    hn_expr y[SIZE];
    double raw[SAMPLES * SIZE], known[SAMPLES * SIZE];
    struct random random = random_start(1, 1);
    add_outputs(m, y, SIZE);
    for (size_t j = 0; j < SIZE; j++)
        hn_output_bounds(y[j], -1, 0.5 * (double)j);
    model_finish_good(m);
    draw(&random, raw, SAMPLES * SIZE, 4);
    for (size_t k = 0; k < SAMPLES * SIZE; k++)
        known[k] = fmin(fmax(raw[k], -1), 0.5 * (double)(k % SIZE));
    check_projections(m, layer_method(HN_METHOD_NEAREST), raw, known, SAMPLES);
    hn_model_destroy(m);
}

/* sum_j a_j y_j^2 <= 1 */
static hn_model *ellipsoid_model(const double *a) {
    hn_model *m = model_new();
    hn_expr y[SIZE], terms[SIZE];
    add_outputs(m, y, SIZE);
    for (size_t j = 0; j < SIZE; j++)
        terms[j] = hn_scale(a[j], hn_mul(y[j], y[j]));
    hn_constrain(m, "ellipsoid", -INFINITY, hn_sum(m, SIZE, terms), 1);
    model_finish_good(m);
    return m;
}

/* y_j = s_j raw_j / (s_j + l a_j) with the l that puts y on the surface; s the squares of the weights. */
static double on_ellipsoid(const double *a, const double *s, const double *raw, double l, double *y) {
    double sum = 0;
    for (size_t j = 0; j < SIZE; j++) {
        y[j] = s[j] * raw[j] / (s[j] + l * a[j]);
        sum += a[j] * y[j] * y[j];
    }
    return sum;
}

static void project_on_ellipsoid(const double *a, const double *s, const double *raw, double *y) {
    double low = 0, high = 1;
    if (on_ellipsoid(a, s, raw, 0, y) <= 1)
        return;
    while (on_ellipsoid(a, s, raw, high, y) > 1)
        high *= 2;
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        if (on_ellipsoid(a, s, raw, middle, y) > 1)
            low = middle;
        else
            high = middle;
    }
}

static void check_ellipsoid(const double *a, const double *weights, uint64_t seed) {
    static const double ones[SIZE] = {1, 1, 1, 1, 1, 1};
    double raw[SAMPLES * SIZE], known[SAMPLES * SIZE], squares[SIZE];
    struct random random = random_start(2, seed);
    hn_model *m = ellipsoid_model(a);
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    options.weights = weights;
    for (size_t j = 0; j < SIZE; j++)
        squares[j] = (weights ? weights : ones)[j] * (weights ? weights : ones)[j];
    draw(&random, raw, SAMPLES * SIZE, 5);
    for (size_t k = 0; k < SAMPLES; k++)
        project_on_ellipsoid(a, squares, raw + k * SIZE, known + k * SIZE);
    check_projections(m, options, raw, known, SAMPLES);
    hn_model_destroy(m);
}

TEST(a_ball_scales) {
    static const double a[SIZE] = {1, 1, 1, 1, 1, 1};
    check_ellipsoid(a, NULL, 1);
}

TEST(an_ellipsoid_has_a_secular_equation) {
    static const double a[SIZE] = {0.1, 0.5, 1, 2, 7, 30};
    check_ellipsoid(a, NULL, 2);
}

TEST(weights_turn_the_ellipsoid) {
    static const double a[SIZE] = {0.1, 0.5, 1, 2, 7, 30}, s[SIZE] = {1, 3, 0.2, 10, 1, 0.5};
    check_ellipsoid(a, s, 3);
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Held, Wolfe, Crowder 1974: subtract the threshold that leaves a sum of 1. */
static void project_on_simplex(const double *raw, double *y) {
    double sorted[SIZE], sum = 0, threshold = 0;
    memcpy(sorted, raw, sizeof sorted);
    qsort(sorted, SIZE, sizeof *sorted, descending);
    for (size_t k = 0; k < SIZE; k++) {
        sum += sorted[k];
        if (sorted[k] > (sum - 1) / (double)(k + 1))
            threshold = (sum - 1) / (double)(k + 1);
    }
    for (size_t j = 0; j < SIZE; j++)
        y[j] = fmax(raw[j] - threshold, 0);
}

TEST(a_simplex_subtracts_a_threshold) {
    hn_model *m = model_new();
    hn_expr y[SIZE];
    double raw[SAMPLES * SIZE], known[SAMPLES * SIZE];
    struct random random = random_start(3, 1);
    add_outputs(m, y, SIZE);
    for (size_t j = 0; j < SIZE; j++)
        hn_output_bounds(y[j], 0, INFINITY);
    hn_constrain(m, "sum", 1, hn_sum(m, SIZE, y), 1);
    model_finish_good(m);
    draw(&random, raw, SAMPLES * SIZE, 2);
    for (size_t k = 0; k < SAMPLES; k++)
        project_on_simplex(raw + k * SIZE, known + k * SIZE);
    check_projections(m, layer_method(HN_METHOD_NEAREST), raw, known, SAMPLES);
    hn_model_destroy(m);
}

/* ---- polyhedra: all sets of active rows ---- */

enum { SPACE = 3, FACES = 7 };

struct polyhedron {
    double a[FACES][SPACE], b[FACES];
};

/* (A A') l = A raw - b for the rows of the set, by elimination with pivots; false where they depend on each other. */
static bool solve_set(const struct polyhedron *p, unsigned set, const double *raw, double *l) {
    double k[SPACE][SPACE + 1];
    size_t row[SPACE], count = 0;
    for (size_t i = 0; i < FACES; i++)
        if (set >> i & 1)
            row[count++] = i;
    for (size_t i = 0; i < count; i++) {
        k[i][count] = -p->b[row[i]];
        for (size_t j = 0; j < SPACE; j++)
            k[i][count] += p->a[row[i]][j] * raw[j];
        for (size_t o = 0; o < count; o++) {
            k[i][o] = 0;
            for (size_t j = 0; j < SPACE; j++)
                k[i][o] += p->a[row[i]][j] * p->a[row[o]][j];
        }
    }
    for (size_t c = 0; c < count; c++) {
        size_t best = c;
        for (size_t i = c; i < count; i++)
            best = fabs(k[i][c]) > fabs(k[best][c]) ? i : best;
        if (fabs(k[best][c]) < 1e-12)
            return false;
        for (size_t j = 0; j <= count; j++) {
            double swapped = k[c][j];
            k[c][j] = k[best][j];
            k[best][j] = swapped;
        }
        for (size_t i = 0; i < count; i++)
            for (size_t j = count + 1; i != c && j-- > c;)
                k[i][j] -= k[i][c] / k[c][c] * k[c][j];
    }
    for (size_t i = 0; i < count; i++)
        l[i] = k[i][count] / k[i][i];
    return true;
}

/* The point of this set; true where its multipliers are not negative and all rows hold. */
static bool point_of_set(const struct polyhedron *p, unsigned set, const double *raw, double *y) {
    double l[SPACE];
    size_t at = 0;
    memcpy(y, raw, SPACE * sizeof *y);
    if (!solve_set(p, set, raw, l))
        return false;
    for (size_t i = 0; i < FACES; i++)
        if (set >> i & 1) {
            if (l[at] < 0)
                return false;
            for (size_t j = 0; j < SPACE; j++)
                y[j] -= l[at] * p->a[i][j];
            at++;
        }
    for (size_t i = 0; i < FACES; i++) {
        double value = -p->b[i];
        for (size_t j = 0; j < SPACE; j++)
            value += p->a[i][j] * y[j];
        if (value > 1e-10)
            return false;
    }
    return true;
}

static bool project_on_polyhedron(const struct polyhedron *p, const double *raw, double *y) {
    for (unsigned set = 0; set < 1U << FACES; set++)
        if (__builtin_popcount(set) <= SPACE && point_of_set(p, set, raw, y))
            return true;
    return false;
}

static hn_model *polyhedron_model(const struct polyhedron *p) {
    hn_model *m = model_new();
    hn_expr y[SPACE], terms[SPACE];
    add_outputs(m, y, SPACE);
    for (size_t i = 0; i < FACES; i++) {
        char name[32];
        snprintf(name, sizeof name, "face%zu", i);
        for (size_t j = 0; j < SPACE; j++)
            terms[j] = hn_scale(p->a[i][j], y[j]);
        hn_constrain(m, name, -INFINITY, hn_sum(m, SPACE, terms), p->b[i]);
    }
    model_finish_good(m);
    return m;
}

TEST(polyhedra_have_the_point_of_the_right_rows) {
    enum { PROBLEMS = 500 / HN_TEST_SHARE, EACH = 4 };
    struct random random = random_start(4, 1);
    for (int k = 0; k < PROBLEMS; k++) {
        struct polyhedron p;
        double raw[EACH * SPACE], known[EACH * SPACE];
        for (size_t i = 0; i < FACES; i++) {
            draw(&random, p.a[i], SPACE, 1);
            p.b[i] = random_between(&random, 0.05, 0.5);
        }
        hn_model *m = polyhedron_model(&p);
        draw(&random, raw, EACH * SPACE, 3);
        for (size_t s = 0; s < EACH; s++)
            assert_true(project_on_polyhedron(&p, raw + s * SPACE, known + s * SPACE));
        check_projections(m, layer_method(HN_METHOD_NEAREST), raw, known, EACH);
        hn_model_destroy(m);
    }
}

TEST(the_figure) {
    print_message("all of them: largest |y - projection| %.1e\n", furthest);
}
