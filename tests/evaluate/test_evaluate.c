/* test_evaluate.c - every quantity of an evaluator, judged by plain evaluation and by differences of it.
 *
 * Values are those of hn_model_evaluate. First derivatives are compared with central differences of these values, second ones with
 * differences of the gradient of the Lagrangian, products with the sums over the matrices.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/smooth_model.h"

#include "base/random.h"
#include "hardnet/evaluate.h"

enum { MODELS = 40, SIZE = 2000 };
static const double STEP = 1e-5, CLOSE = 2e-7;

/* ---- an evaluator with room for every result of one sample ---- */

struct bench {
    hn_model *model;
    hn_evaluator *evaluator;
    void *workspace;
    size_t inputs, outputs, rows, bytes;
    double x[SMOOTH_INPUTS], y[SMOOTH_OUTPUTS], v_x[SMOOTH_INPUTS], v_y[SMOOTH_OUTPUTS];
    double sigma, *lambda, *w;
    double *values[HN_QUANTITY_COUNT];
};

static double *numbers(size_t count) {
    double *list = calloc(count + 1, sizeof *list);
    assert_non_null(list);
    return list;
}

static void draw(double *list, size_t count, struct random *random) {
    for (size_t i = 0; i < count; i++)
        list[i] = random_normal(random);
}

static void set_up(struct bench *b, uint64_t seed, bool objective) {
    hn_error error;
    hn_evaluator_options options = hn_evaluator_defaults();
    struct random random = random_start(seed, 8);
    options.wanted = HN_WANT_ALL;
    b->model = smooth_model(seed, objective);
    if (hn_evaluator_create(&b->evaluator, b->model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    b->inputs = hn_model_input_count(b->model);
    b->outputs = hn_model_output_count(b->model);
    b->rows = hn_model_row_count(b->model);
    b->bytes = hn_evaluator_workspace_bytes(b->evaluator);
    b->workspace = malloc(b->bytes);
    b->lambda = numbers(b->rows);
    b->w = numbers(b->rows);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        b->values[q] = numbers(hn_evaluator_width(b->evaluator, (hn_quantity)q));
    draw(b->x, b->inputs, &random);
    draw(b->y, b->outputs, &random);
    draw(b->v_x, b->inputs, &random);
    draw(b->v_y, b->outputs, &random);
    draw(&b->sigma, 1, &random);
    draw(b->lambda, b->rows, &random);
    draw(b->w, b->rows, &random);
}

static void tear_down(struct bench *b) {
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        free(b->values[q]);
    free(b->lambda);
    free(b->w);
    free(b->workspace);
    hn_evaluator_destroy(b->evaluator);
    hn_model_destroy(b->model);
}

static hn_evaluation one_sample(const struct bench *b) {
    return (hn_evaluation){.size = sizeof(hn_evaluation),
                           .count = 1,
                           .x = b->x,
                           .y = b->y,
                           .sigma = &b->sigma,
                           .lambda = b->lambda,
                           .v_y = b->v_y,
                           .v_x = b->v_x,
                           .w = b->w};
}

static void evaluate_all(const struct bench *b) {
    hn_evaluation evaluation = one_sample(b);
    memcpy(evaluation.values, b->values, sizeof b->values);
    assert_int_equal(hn_evaluator_run(b->evaluator, &evaluation, b->workspace, b->bytes, NULL), HN_OK);
}

static void evaluate_one(const struct bench *b, hn_quantity q, double *to) {
    hn_evaluation evaluation = one_sample(b);
    evaluation.values[q] = to;
    assert_int_equal(hn_evaluator_run(b->evaluator, &evaluation, b->workspace, b->bytes, NULL), HN_OK);
}

/* ---- judging ---- */

static void assert_close(double got, double wanted, double size, const char *what, size_t i, size_t j) {
    if (!(fabs(got - wanted) <= CLOSE * fmax(1, size)))
        fail_msg("%s(%zu, %zu) is %.12g, wanted %.12g", what, i, j, got, wanted);
}

static double plain(const struct bench *b, hn_expr expr) {
    double value;
    assert_int_equal(hn_model_evaluate(b->model, 1, &expr, b->x, b->y, &value, NULL), HN_OK);
    return value;
}

/* The entry (i, j) of a matrix, 0 where there is none. */
static double entry(const struct bench *b, hn_quantity q, size_t i, size_t j) {
    hn_pattern pattern = {.size = sizeof pattern};
    assert_int_equal(hn_evaluator_get_pattern(b->evaluator, q, &pattern, NULL), HN_OK);
    assert_true(i < pattern.rows && j < pattern.columns);
    assert_int_equal(pattern.count, hn_evaluator_width(b->evaluator, q));
    for (size_t e = pattern.first[i]; e < pattern.first[i + 1]; e++) {
        if (e > pattern.first[i])
            assert_true(pattern.column[e - 1] < pattern.column[e]);
        if (pattern.column[e] == j) {
            if (!isnan(pattern.constant[e]))
                assert_true(pattern.constant[e] == b->values[q][e]);
            return b->values[q][e];
        }
    }
    return 0;
}

/* (f(place + h) - f(place - h)) / 2h for all results of a quantity, place being an entry of x or y. */
static void difference(const struct bench *b, double *place, hn_quantity q, double *to) {
    size_t width = hn_evaluator_width(b->evaluator, q);
    double above[SIZE], below[SIZE], at = *place;
    assert_true(width <= SIZE);
    *place = at + STEP;
    evaluate_one(b, q, above);
    double span = *place;
    *place = at - STEP;
    evaluate_one(b, q, below);
    span -= *place;
    *place = at;
    for (size_t i = 0; i < width; i++)
        to[i] = (above[i] - below[i]) / span;
}

/* ---- values ---- */

TEST(values_are_those_of_plain_evaluation) {
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct bench b;
        set_up(&b, seed, seed % 2 == 0);
        evaluate_all(&b);
        for (size_t i = 0; i < b.rows; i++) {
            hn_row_info row = hn_model_row(b.model, i);
            double c = plain(&b, row.body), lower = plain(&b, row.lower), upper = plain(&b, row.upper);
            assert_true(b.values[HN_QUANTITY_ROWS][i] == c);
            assert_true(b.values[HN_QUANTITY_LOWER][i] == lower);
            assert_true(b.values[HN_QUANTITY_UPPER][i] == upper);
            assert_true(b.values[HN_QUANTITY_RESIDUAL][i] == fmax(0, c - upper) - fmax(0, lower - c));
        }
        double f = seed % 2 == 0 ? plain(&b, hn_model_objective(b.model).minimized) : 0;
        assert_true(b.values[HN_QUANTITY_OBJECTIVE][0] == f);
        for (size_t j = 0; j < b.outputs; j++) {
            hn_output_info output = hn_model_output(b.model, j);
            assert_true(b.values[HN_QUANTITY_START][j] == plain(&b, output.start));
            double fixed = b.values[HN_QUANTITY_FIXED][j];
            assert_true(hn_is_valid(output.fixed) ? fixed == plain(&b, output.fixed) : isnan(fixed));
        }
        tear_down(&b);
    }
}

/* ---- first derivatives ---- */

static void check_column(struct bench *b, bool by_x, size_t j) {
    double rows[SIZE], lower[SIZE], upper[SIZE], f;
    double *place = by_x ? &b->x[j] : &b->y[j];
    difference(b, place, HN_QUANTITY_ROWS, rows);
    difference(b, place, HN_QUANTITY_LOWER, lower);
    difference(b, place, HN_QUANTITY_UPPER, upper);
    difference(b, place, HN_QUANTITY_OBJECTIVE, &f);
    for (size_t i = 0; i < b->rows; i++) {
        assert_close(entry(b, by_x ? HN_QUANTITY_JACOBIAN_X : HN_QUANTITY_JACOBIAN_Y, i, j), rows[i], fabs(rows[i]),
                     by_x ? "dc/dx" : "dc/dy", i, j);
        if (by_x && isfinite(lower[i]))
            assert_close(entry(b, HN_QUANTITY_LOWER_X, i, j), lower[i], fabs(lower[i]), "dbl/dx", i, j);
        if (by_x && isfinite(upper[i]))
            assert_close(entry(b, HN_QUANTITY_UPPER_X, i, j), upper[i], fabs(upper[i]), "dbu/dx", i, j);
    }
    double g = b->values[by_x ? HN_QUANTITY_GRADIENT_X : HN_QUANTITY_GRADIENT_Y][j];
    assert_close(g, f, fabs(f), "gradient", 0, j);
}

TEST(first_derivatives_are_those_of_differences) {
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct bench b;
        set_up(&b, seed, seed % 3 != 0);
        evaluate_all(&b);
        for (size_t j = 0; j < b.outputs; j++)
            check_column(&b, false, j);
        for (size_t j = 0; j < b.inputs; j++)
            check_column(&b, true, j);
        tear_down(&b);
    }
}

/* ---- second derivatives ---- */

/* d/d(place) of sigma df + J' lambda, in y and x. */
static void lagrangian_difference(struct bench *b, double *place, double *by_y, double *by_x) {
    double *w = b->w, f_y[SIZE], f_x[SIZE];
    b->w = b->lambda;
    difference(b, place, HN_QUANTITY_JACOBIAN_Y_W, by_y);
    difference(b, place, HN_QUANTITY_JACOBIAN_X_W, by_x);
    difference(b, place, HN_QUANTITY_GRADIENT_Y, f_y);
    difference(b, place, HN_QUANTITY_GRADIENT_X, f_x);
    b->w = w;
    for (size_t j = 0; j < b->outputs; j++)
        by_y[j] += b->sigma * f_y[j];
    for (size_t j = 0; j < b->inputs; j++)
        by_x[j] += b->sigma * f_x[j];
}

static double symmetric(const struct bench *b, hn_quantity q, size_t i, size_t j) {
    return i >= j ? entry(b, q, i, j) : entry(b, q, j, i);
}

TEST(blocks_of_the_hessian_are_those_of_differences) {
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct bench b;
        double by_y[SMOOTH_OUTPUTS], by_x[SMOOTH_INPUTS];
        set_up(&b, seed, seed % 3 != 0);
        evaluate_all(&b);
        for (size_t j = 0; j < b.outputs; j++) {
            lagrangian_difference(&b, &b.y[j], by_y, by_x);
            for (size_t i = 0; i < b.outputs; i++)
                assert_close(symmetric(&b, HN_QUANTITY_HESSIAN_YY, i, j), by_y[i], fabs(by_y[i]), "yy", i, j);
            for (size_t i = 0; i < b.inputs; i++)
                assert_close(entry(&b, HN_QUANTITY_HESSIAN_YX, j, i), by_x[i], fabs(by_x[i]), "xy", i, j);
        }
        for (size_t j = 0; j < b.inputs; j++) {
            lagrangian_difference(&b, &b.x[j], by_y, by_x);
            for (size_t i = 0; i < b.outputs; i++)
                assert_close(entry(&b, HN_QUANTITY_HESSIAN_YX, i, j), by_y[i], fabs(by_y[i]), "yx", i, j);
            for (size_t i = 0; i < b.inputs; i++)
                assert_close(symmetric(&b, HN_QUANTITY_HESSIAN_XX, i, j), by_x[i], fabs(by_x[i]), "xx", i, j);
        }
        tear_down(&b);
    }
}

/* ---- products ---- */

struct product {
    hn_quantity result, matrix;
    bool triangle, transposed;
    int vector; /* v_y, v_x, w */
};

static void check_product(const struct bench *b, const struct product *p) {
    const double *vectors[] = {b->v_y, b->v_x, b->w}, *v = vectors[p->vector];
    hn_pattern pattern = {.size = sizeof pattern};
    assert_int_equal(hn_evaluator_get_pattern(b->evaluator, p->matrix, &pattern, NULL), HN_OK);
    size_t rows = p->transposed ? pattern.columns : pattern.rows;
    size_t columns = p->transposed ? pattern.rows : pattern.columns;
    assert_int_equal(hn_evaluator_width(b->evaluator, p->result), rows);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < columns; j++) {
            double a = p->triangle     ? symmetric(b, p->matrix, i, j)
                       : p->transposed ? entry(b, p->matrix, j, i)
                                       : entry(b, p->matrix, i, j);
            sum += a * v[j];
            size += fabs(a * v[j]);
        }
        double got = b->values[p->result][i];
        if (!(fabs(got - sum) <= 1e-12 * fmax(1, size)))
            fail_msg("%s(%zu) is %.17g, wanted %.17g", hn_quantity_text(p->result), i, got, sum);
    }
}

TEST(products_are_sums_over_the_matrices) {
    static const struct product products[] = {
        {HN_QUANTITY_JACOBIAN_Y_V, HN_QUANTITY_JACOBIAN_Y, false, false, 0},
        {HN_QUANTITY_JACOBIAN_X_V, HN_QUANTITY_JACOBIAN_X, false, false, 1},
        {HN_QUANTITY_JACOBIAN_Y_W, HN_QUANTITY_JACOBIAN_Y, false, true, 2},
        {HN_QUANTITY_JACOBIAN_X_W, HN_QUANTITY_JACOBIAN_X, false, true, 2},
        {HN_QUANTITY_HESSIAN_YY_V, HN_QUANTITY_HESSIAN_YY, true, false, 0},
        {HN_QUANTITY_HESSIAN_XY_V, HN_QUANTITY_HESSIAN_YX, false, true, 0},
        {HN_QUANTITY_HESSIAN_YX_V, HN_QUANTITY_HESSIAN_YX, false, false, 1},
        {HN_QUANTITY_HESSIAN_XX_V, HN_QUANTITY_HESSIAN_XX, true, false, 1},
    };
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct bench b;
        set_up(&b, seed, seed % 3 != 0);
        evaluate_all(&b);
        for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
            check_product(&b, &products[i]);
        tear_down(&b);
    }
}

/* ---- what is constant ---- */

TEST(a_linear_row_has_constant_entries) {
    struct bench b;
    hn_pattern pattern = {.size = sizeof pattern};
    set_up(&b, 3, true);
    assert_int_equal(hn_evaluator_get_pattern(b.evaluator, HN_QUANTITY_JACOBIAN_Y, &pattern, NULL), HN_OK);
    assert_int_equal(pattern.first[1], 2); /* row[0] is 3 y[0] - 2 y[1] */
    assert_true(pattern.constant[0] == 3 && pattern.constant[1] == -2);
    assert_int_equal(pattern.first[2], 2); /* row[1] has no outputs */
    tear_down(&b);
}

TEST(fixed_outputs_are_no_variables) {
    struct bench b;
    set_up(&b, 5, true);
    evaluate_all(&b);
    double before[SIZE];
    memcpy(before, b.values[HN_QUANTITY_ROWS], b.rows * sizeof(double));
    assert_true(b.values[HN_QUANTITY_GRADIENT_Y][2] == 0); /* y[2] is fixed */
    for (size_t i = 0; i < b.rows; i++)
        assert_true(entry(&b, HN_QUANTITY_JACOBIAN_Y, i, 2) == 0);
    b.y[2] = NAN;
    evaluate_all(&b);
    assert_memory_equal(before, b.values[HN_QUANTITY_ROWS], b.rows * sizeof(double));
    tear_down(&b);
}

/* Whole pieces have nothing to compute: no second derivatives, no inputs, no rows. */
TEST(a_linear_model_has_a_hessian_of_zeros) {
    hn_model *model;
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    for (int rows = 0; rows < 2; rows++) {
        assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
        hn_expr a = hn_output(model, "a"), b = hn_output(model, "b");
        if (rows)
            hn_constrain(model, "row", 0, hn_sub(a, b), 1);
        assert_int_equal(hn_model_finish(model, NULL), HN_OK);
        options.wanted = HN_WANT_ALL;
        assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
        double y[] = {1, 2, 3, 4}, v[] = {5, 6, 7, 8}, ones[] = {1, 1}, product[] = {9, 9, 9, 9},
               pulled[] = {9, 9, 9, 9};
        hn_evaluation evaluation = {.size = sizeof evaluation, .count = 2, .y = y, .v_y = v, .lambda = ones, .w = ones};
        for (int q = 0; q < HN_QUANTITY_COUNT; q++)
            evaluation.values[q] = numbers(2 * hn_evaluator_width(evaluator, (hn_quantity)q));
        free(evaluation.values[HN_QUANTITY_HESSIAN_YY_V]);
        free(evaluation.values[HN_QUANTITY_JACOBIAN_Y_W]);
        evaluation.values[HN_QUANTITY_HESSIAN_YY_V] = product;
        evaluation.values[HN_QUANTITY_JACOBIAN_Y_W] = pulled;
        size_t bytes = hn_evaluator_workspace_bytes(evaluator);
        void *workspace = malloc(bytes);
        assert_int_equal(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, NULL), HN_OK);
        for (int i = 0; i < 4; i++) {
            assert_true(product[i] == 0);
            assert_true(pulled[i] == (i % 2 ? -rows : rows));
        }
        for (int q = 0; q < HN_QUANTITY_COUNT; q++)
            if (evaluation.values[q] != product && evaluation.values[q] != pulled)
                free(evaluation.values[q]);
        free(workspace);
        hn_evaluator_destroy(evaluator);
        hn_model_destroy(model);
    }
}

/* ---- branches ---- */

/* if y > 0 then sqrt(y) + log(y) else y^2, at y < 0: nothing of the first branch is seen, not even as NaN. */
TEST(a_branch_that_is_not_taken_adds_exactly_nothing) {
    hn_model *model;
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr y = hn_output(model, "y"), zero = hn_constant(model, 0);
    hn_expr branch = hn_if(hn_less(zero, y), hn_add(hn_sqrt(y), hn_log(y)), hn_mul(y, y));
    hn_constrain(model, "row", -INFINITY, branch, 1);
    hn_minimize(model, "f", branch);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    options.wanted = HN_WANT_ALL;
    assert_int_equal(hn_evaluator_create(&evaluator, model, &options, NULL), HN_OK);
    double at = -3, one = 1, lambda = 2, result[HN_QUANTITY_COUNT] = {0};
    hn_evaluation evaluation = {
        .size = sizeof evaluation, .count = 1, .y = &at, .v_y = &one, .lambda = &lambda, .w = &one};
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        if (hn_evaluator_width(evaluator, (hn_quantity)q) <= 1)
            evaluation.values[q] = &result[q];
    assert_int_equal(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, NULL), HN_OK);
    assert_true(result[HN_QUANTITY_ROWS] == 9 && result[HN_QUANTITY_OBJECTIVE] == 9);
    assert_true(result[HN_QUANTITY_RESIDUAL] == 8);
    assert_true(result[HN_QUANTITY_JACOBIAN_Y] == -6 && result[HN_QUANTITY_GRADIENT_Y] == -6);
    assert_true(result[HN_QUANTITY_JACOBIAN_Y_V] == -6 && result[HN_QUANTITY_JACOBIAN_Y_W] == -6);
    assert_true(result[HN_QUANTITY_HESSIAN_YY] == 6 && result[HN_QUANTITY_HESSIAN_YY_V] == 6); /* (1 + 2) 2 */
    free(workspace);
    hn_evaluator_destroy(evaluator);
    hn_model_destroy(model);
}
