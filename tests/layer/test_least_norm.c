/* test_least_norm.c - linear rows of any rank: where one step of lm ends.
 *
 * Rows A y = b with entries that are small integers, made of `rank` rows that are drawn and of combinations of those. Where b is met
 * somewhere, one step without damping ends at the point nearest to y_raw that meets it, although A A' is singular: a pivot that is
 * lost in rounding belongs to a row which the others stand for. Where b is met nowhere, one step with a little damping ends
 * at the nearest of the points with the least |W (A y - b)|, up to that little.
 *
 * The judge works in 80-bit numbers and knows nothing of A A': an orthonormal basis Q of the rows' space by Gram and Schmidt, the
 * columns of W A Q' likewise, and so z with the least |W A Q' z - W r|; the step is Q' z.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { PROBLEMS = 2000 / HN_TEST_SHARE, MOST_ROWS = 12, MOST_OUTPUTS = 9 };

struct linear {
    size_t rows, outputs, rank;
    double A[MOST_ROWS][MOST_OUTPUTS], b[MOST_ROWS], raw[MOST_OUTPUTS];
};

/* ---- problems ---- */

static double small_integer(struct random *random) {
    return (double)random_below(random, 9) - 4;
}

/* Without `met`, entries of b have nothing to do with each other, and the first rows are far from depending on each other: what damping
 * changes is eps over the least square of a singular value. */
static struct linear draw_linear(uint64_t stream, bool met) {
    struct linear l = {.rows = 0};
    struct random random = random_start(41, stream);
    double point[MOST_OUTPUTS];
    l.rows = 2 + random_below(&random, MOST_ROWS - 1);
    l.outputs = 2 + random_below(&random, MOST_OUTPUTS - 1);
    l.rank = 1 + random_below(&random, l.rows < l.outputs ? l.rows : l.outputs);
    for (size_t j = 0; j < l.outputs; j++) {
        point[j] = small_integer(&random);
        l.raw[j] = 5 * random_normal(&random);
    }
    for (size_t i = 0; i < l.rows; i++) {
        for (size_t j = 0; j < l.outputs && i < l.rank; j++)
            l.A[i][j] = i != j ? small_integer(&random) : met ? 5 : 40; /* no row of zeros among the first */
        for (size_t k = 0; k < l.rank && i >= l.rank; k++) {
            double factor = (double)random_below(&random, 3) - 1;
            for (size_t j = 0; j < l.outputs; j++)
                l.A[i][j] += factor * l.A[k][j];
        }
    }
    for (size_t i = 0; i < l.rows; i++) {
        l.b[i] = met ? 0 : small_integer(&random);
        for (size_t j = 0; j < l.outputs && met; j++)
            l.b[i] += l.A[i][j] * point[j];
    }
    return l;
}

static hn_model *linear_model(const struct linear *l) {
    hn_model *m = model_new();
    hn_expr y[MOST_OUTPUTS];
    char name[32];
    for (size_t j = 0; j < l->outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        y[j] = hn_output(m, name);
    }
    for (size_t i = 0; i < l->rows; i++) {
        hn_expr sum = hn_constant(m, 0);
        for (size_t j = 0; j < l->outputs; j++)
            sum = hn_add(sum, hn_scale(l->A[i][j], y[j]));
        snprintf(name, sizeof name, "row[%zu]", i);
        hn_constrain(m, name, l->b[i], sum, l->b[i]);
    }
    model_finish_good(m);
    return m;
}

/* ---- the judge ---- */

struct vectors {
    size_t count, length;
    long double v[MOST_ROWS][MOST_ROWS];
};

static long double dot(const long double *a, const long double *b, size_t length) {
    long double sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes away from v what lies along the basis, twice; what is left is appended when it is more than rounding. */
static bool extend(struct vectors *basis, const long double *v) {
    long double *left = basis->v[basis->count], size = sqrtl(dot(v, v, basis->length));
    memcpy(left, v, basis->length * sizeof *left);
    for (size_t k = 0; k < 2 * basis->count; k++) {
        const long double *unit = basis->v[k % basis->count];
        long double along = dot(unit, left, basis->length);
        for (size_t i = 0; i < basis->length; i++)
            left[i] -= along * unit[i];
    }
    long double rest = sqrtl(dot(left, left, basis->length));
    if (!(rest > 1e-12L * size))
        return false;
    for (size_t i = 0; i < basis->length; i++)
        left[i] /= rest;
    basis->count++;
    return true;
}

/* The weights of lm: the power of two for which the largest entry of a row is in [1, 2), or 1 where it is smaller. */
static long double weight(const struct linear *l, size_t i) {
    double most = 1;
    for (size_t j = 0; j < l->outputs; j++)
        most = fmax(most, fabs(l->A[i][j]));
    return ldexpl(1, -ilogb(most));
}

/* step has the least norm of those with the least |W (A (raw - step) - b)|. */
static void least_step(const struct linear *l, long double step[MOST_OUTPUTS]) {
    long double A[MOST_ROWS][MOST_ROWS] = {{0}}, r[MOST_ROWS] = {0}, z[MOST_ROWS] = {0};
    long double column[MOST_ROWS][MOST_ROWS] = {{0}};
    struct vectors q = {.length = l->outputs}, p = {.length = l->rows};
    for (size_t i = 0; i < l->rows; i++) {
        r[i] = -weight(l, i) * l->b[i];
        for (size_t j = 0; j < l->outputs; j++) {
            A[i][j] = weight(l, i) * l->A[i][j];
            r[i] += A[i][j] * l->raw[j];
        }
        if (q.count < l->outputs)
            extend(&q, A[i]);
    }
    for (size_t k = 0; k < q.count; k++) { /* B = W A Q' has full column rank: B = P' U */
        for (size_t i = 0; i < l->rows; i++)
            column[k][i] = dot(A[i], q.v[k], l->outputs);
        assert_true(extend(&p, column[k]));
    }
    for (size_t k = q.count; k-- > 0;) { /* U z = P r from the last to the first */
        z[k] = dot(p.v[k], r, l->rows);
        for (size_t e = k + 1; e < q.count; e++)
            z[k] -= dot(p.v[k], column[e], l->rows) * z[e];
        z[k] /= dot(p.v[k], column[k], l->rows);
    }
    for (size_t j = 0; j < l->outputs; j++) {
        step[j] = 0;
        for (size_t k = 0; k < q.count; k++)
            step[j] += z[k] * q.v[k][j];
    }
}

/* ---- the layer ---- */

struct last {
    size_t outputs;
    int iteration;
    double y[MOST_OUTPUTS];
};

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct last *last = context;
    (void)sample, (void)violation, (void)damping;
    last->iteration = iteration;
    memcpy(last->y, y, last->outputs * sizeof *y);
}

/* The distance between where one step leads and where it should, against the larger of 1 and the step. */
static double step_error(const struct linear *l, double damping, hn_report *report) {
    long double step[MOST_OUTPUTS], wrong = 0;
    hn_model *model = linear_model(l);
    hn_layer_options options = layer_method(HN_METHOD_LM);
    options.damping = damping;
    options.iterations = 1;
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = results_of(layer, 1);
    struct last last = {.outputs = l->outputs, .iteration = -1};
    hn_batch batch = batch_into(&r, NULL, l->raw);
    batch.watch = watch;
    batch.watch_context = &last;
    layer_run(layer, &batch);
    assert_int_equal(last.iteration, 1);
    least_step(l, step);
    for (size_t j = 0; j < l->outputs; j++)
        wrong += powl(last.y[j] - (l->raw[j] - step[j]), 2);
    *report = r.reports[0];
    assert_int_equal(report->outcome == HN_OUTCOME_OK, judged_violation(model, NULL, r.y, false, NULL) <= 1e-8);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return (double)(sqrtl(wrong) / fmaxl(1, sqrtl(dot(step, step, l->outputs))));
}

/* ---- tests ---- */

TEST(one_step_without_damping_ends_at_the_nearest_point_that_meets_all_rows) {
    double largest = 0;
    size_t deficient = 0;
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        struct linear l = draw_linear(stream, true);
        hn_report report;
        double error = step_error(&l, 0, &report);
        if (!(error <= 1e-8) || report.outcome != HN_OUTCOME_OK)
            fail_msg("problem %zu, %zu rows of rank %zu: %s, the step is wrong by %g", (size_t)stream, l.rows, l.rank,
                     hn_outcome_text(report.outcome), error);
        assert_same_bits(report.damping, 0);
        largest = fmax(largest, error);
        deficient += l.rank < l.rows;
    }
    print_message("%zu of %d problems with rows to spare; the step is wrong by %.2g at most\n", deficient,
                  (int)PROBLEMS, largest);
    assert_true(deficient > PROBLEMS / 2);
}

TEST(one_step_with_little_damping_ends_nearly_where_the_least_is_violated) {
    double largest = 0;
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        struct linear l = draw_linear(stream, false);
        hn_report report;
        double error = step_error(&l, 0x1p-24, &report);
        if (!(error <= 1e-6))
            fail_msg("problem %zu, %zu rows of rank %zu: the step is wrong by %g", (size_t)stream, l.rows, l.rank,
                     error);
        largest = fmax(largest, error);
    }
    print_message("the step is wrong by %.2g at most\n", largest);
}
