/* test_matrix.c - matrices of numbers as rows, products and quadratic forms: the mathematics of the sums that they stand for, and
 * errors that name the row.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/random.h"
#include "hardnet/model.h"

enum { ROWS = 7, COLUMNS = 24 };

/* A dense matrix with zeros in it, the same by its nonzeros, and a model with as many outputs. */
struct rig {
    hn_model *model;
    hn_expr y[COLUMNS];
    double a[COLUMNS * COLUMNS], values[COLUMNS * COLUMNS], at[COLUMNS];
    size_t first[COLUMNS + 1];
    uint32_t column[COLUMNS * COLUMNS];
    hn_matrix dense, sparse;
};

static hn_model *model_new(hn_expr y[COLUMNS]) {
    hn_model *model = NULL;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (size_t j = 0; j < COLUMNS; j++) {
        char name[16];
        snprintf(name, sizeof name, "y[%zu]", j + 1);
        y[j] = hn_output(model, name);
    }
    return model;
}

static void set_up(struct rig *rig, size_t rows, uint64_t seed) {
    struct random random = random_start(seed, 0);
    size_t count = 0;
    rig->model = model_new(rig->y);
    for (size_t i = 0; i < rows; i++) {
        rig->first[i] = count;
        for (uint32_t j = 0; j < COLUMNS; j++) {
            double value = random_below(&random, 5) == 0 ? 0 : random_between(&random, -1, 1);
            rig->a[i * COLUMNS + j] = value;
            if (value == 0)
                continue;
            rig->values[count] = value;
            rig->column[count++] = j;
        }
    }
    rig->first[rows] = count;
    for (size_t j = 0; j < COLUMNS; j++)
        rig->at[j] = random_between(&random, -2, 2);
    rig->dense = (hn_matrix){.size = sizeof rig->dense, .rows = rows, .columns = COLUMNS, .values = rig->a};
    rig->sparse = (hn_matrix){.size = sizeof rig->sparse,
                              .rows = rows,
                              .columns = COLUMNS,
                              .values = rig->values,
                              .first = rig->first,
                              .column = rig->column};
}

static void finish(hn_model *model) {
    hn_error error = {.text = ""};
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
}

/* ---- products ---- */

TEST(a_row_is_the_sum_of_its_terms_to_the_last_bit) {
    struct rig rig;
    set_up(&rig, ROWS, 1);
    hn_expr sums[ROWS], dense[ROWS], sparse[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        hn_expr terms[COLUMNS];
        for (size_t j = 0; j < COLUMNS; j++)
            terms[j] = hn_scale(rig.a[i * COLUMNS + j], rig.y[j]);
        sums[i] = hn_sum(rig.model, COLUMNS, terms);
    }
    hn_products(rig.model, &rig.dense, rig.y, dense);
    hn_products(rig.model, &rig.sparse, rig.y, sparse);
    hn_minimize(rig.model, "f", rig.y[0]);
    finish(rig.model);
    double values[ROWS];
    assert_int_equal(hn_model_evaluate(rig.model, ROWS, dense, NULL, rig.at, values, NULL), HN_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t j = 0; j < COLUMNS; j++)
            sum += rig.a[i * COLUMNS + j] * rig.at[j];
        assert_true(values[i] == sum);
        assert_int_equal(dense[i].node, sums[i].node); /* one expression, however it is made */
        assert_int_equal(sparse[i].node, sums[i].node);
    }
    hn_model_destroy(rig.model);
}

TEST(a_row_shows_its_numbers_and_arguments) {
    struct rig rig;
    set_up(&rig, 1, 2);
    hn_expr row;
    hn_expr_info info = {.size = sizeof info};
    hn_products(rig.model, &rig.sparse, rig.y, &row);
    assert_int_equal(hn_expr_get_info(row, &info, NULL), HN_OK);
    assert_int_equal(info.op, HN_OPERATOR_LINEAR);
    assert_int_equal(info.count, rig.first[1]);
    for (size_t k = 0; k < info.count; k++) {
        assert_int_equal(hn_expr_argument(row, k).node, rig.y[rig.column[k]].node);
        assert_true(hn_expr_coefficient(row, k) == rig.values[k]);
    }
    assert_true(hn_expr_coefficient(row, info.count) == 0);
    assert_true(hn_expr_coefficient(hn_add(rig.y[0], rig.y[1]), 1) == 1);
    hn_model_destroy(rig.model);
}

TEST(short_rows_and_empty_ones_are_ordinary_expressions) {
    hn_expr y[COLUMNS], out[3];
    hn_model *model = model_new(y);
    const double values[] = {2, -3, 1};
    const size_t first[] = {0, 2, 2, 3};
    const uint32_t column[] = {1, 0, 5};
    hn_matrix m = {.size = sizeof m, .rows = 3, .columns = COLUMNS, .values = values, .first = first, .column = column};
    hn_products(model, &m, y, out);
    assert_int_equal(out[0].node, hn_add(hn_scale(2, y[1]), hn_scale(-3, y[0])).node);
    assert_true(hn_is_constant(out[1], NULL));
    assert_int_equal(out[2].node, y[5].node);
    assert_int_equal(hn_linear(model, 0, NULL, NULL).node, out[1].node);
    assert_int_equal(hn_model_status(model, NULL), HN_OK);
    hn_model_destroy(model);
}

TEST(a_matrix_of_many_rows_needs_a_node_for_each) {
    enum { MANY = 300 };
    hn_expr y[COLUMNS], out[MANY];
    hn_model *model = model_new(y);
    struct random random = random_start(3, 0);
    double *a = malloc(sizeof *a * MANY * COLUMNS);
    assert_non_null(a);
    for (size_t k = 0; k < MANY * COLUMNS; k++)
        a[k] = random_between(&random, -1, 1);
    size_t before = hn_model_node_count(model);
    hn_matrix m = {.size = sizeof m, .rows = MANY, .columns = COLUMNS - 1, .leading = COLUMNS, .values = a};
    hn_products(model, &m, y, out);
    assert_int_equal(hn_model_node_count(model), before + MANY);
    assert_true(hn_expr_coefficient(out[2], 3) == a[2 * COLUMNS + 3]); /* leading */
    hn_model_destroy(model);
    free(a);
}

/* ---- rows ---- */

static void fingerprint_of(hn_model *model, char *out) {
    finish(model);
    assert_int_equal(hn_model_fingerprint(model, out, NULL), HN_OK);
}

TEST(constraints_by_a_matrix_are_those_written_one_by_one) {
    struct rig one, two, three;
    char first[HN_FINGERPRINT_BYTES], second[HN_FINGERPRINT_BYTES], third[HN_FINGERPRINT_BYTES];
    double lower[ROWS], upper[ROWS];
    hn_expr low[ROWS], high[ROWS];
    set_up(&one, ROWS, 4);
    set_up(&two, ROWS, 4);
    set_up(&three, ROWS, 4);
    for (size_t i = 0; i < ROWS; i++) {
        hn_expr body = hn_constant(one.model, 0);
        char name[16];
        lower[i] = i % 2 == 0 ? -INFINITY : -(double)i;
        upper[i] = (double)i;
        for (size_t j = 0; j < COLUMNS; j++)
            body = hn_add(body, hn_scale(one.a[i * COLUMNS + j], one.y[j]));
        snprintf(name, sizeof name, "limit[%zu]", i + 1);
        hn_constrain(one.model, name, lower[i], body, upper[i]);
        low[i] = hn_constant(three.model, lower[i]);
        high[i] = hn_constant(three.model, upper[i]);
    }
    hn_constrain_affine(two.model, "limit", &two.dense, two.y, lower, upper);
    hn_constrain_affine_between(three.model, "limit", &three.sparse, three.y, low, high);
    fingerprint_of(one.model, first);
    fingerprint_of(two.model, second);
    fingerprint_of(three.model, third);
    assert_string_equal(first, second);
    assert_string_equal(first, third);
    assert_string_equal(hn_model_row(two.model, 6).name, "limit[7]");
    assert_string_equal(hn_model_group(two.model, 0).name, "limit");
    hn_model_destroy(one.model);
    hn_model_destroy(two.model);
    hn_model_destroy(three.model);
}

TEST(a_side_that_is_not_given_is_infinite) {
    struct rig rig;
    double bound[ROWS] = {0}, value = 0;
    set_up(&rig, ROWS, 5);
    hn_constrain_affine(rig.model, "above", &rig.dense, rig.y, bound, NULL);
    hn_constrain_affine(rig.model, "free", &rig.dense, rig.y, NULL, NULL);
    finish(rig.model);
    assert_int_equal(hn_model_row_count(rig.model), ROWS);
    assert_true(hn_is_constant(hn_model_row(rig.model, 0).upper, &value) && value == INFINITY);
    hn_model_destroy(rig.model);
}

/* ---- quadratic forms ---- */

TEST(a_quadratic_form_counts_by_its_symmetric_part) {
    struct rig rig;
    set_up(&rig, COLUMNS, 6);
    hn_expr forms[2] = {hn_quadratic(rig.model, &rig.dense, rig.y), hn_quadratic(rig.model, &rig.sparse, rig.y)};
    double values[2];
    long double exact = 0;
    hn_minimize(rig.model, "f", forms[0]);
    finish(rig.model);
    assert_int_equal(hn_model_evaluate(rig.model, 2, forms, NULL, rig.at, values, NULL), HN_OK);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            exact += (long double)rig.a[i * COLUMNS + j] * rig.at[i] * rig.at[j] / 2;
    assert_true(fabsl(values[0] - exact) < 1e-13L * COLUMNS);
    assert_true(values[0] == values[1]);
    assert_int_equal(forms[0].node, forms[1].node);
    assert_in_range(hn_model_node_count(rig.model), 1, 3 * COLUMNS + 2 * 16 * 16);
    hn_model_destroy(rig.model);
}

/* ---- errors ---- */

static void assert_sentence(struct rig *rig, hn_status status, const char *text) {
    hn_error error = {.text = ""};
    assert_int_equal(hn_model_status(rig->model, &error), status);
    assert_string_equal(error.text, text);
    hn_model_destroy(rig->model);
}

TEST(numbers_that_are_none_are_named_by_row_and_column) {
    struct rig rig;
    hn_expr out[ROWS] = {{NULL, 7}};
    set_up(&rig, ROWS, 7);
    rig.a[2 * COLUMNS + 5] = NAN;
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit[3]: the number in column 5 is NaN");
    set_up(&rig, ROWS, 7);
    rig.values[rig.first[4]] = -INFINITY;
    rig.column[rig.first[4]] = 0;
    hn_products(rig.model, &rig.sparse, rig.y, out);
    assert_false(hn_is_valid(out[0]));
    assert_sentence(&rig, HN_INVALID, "hn_products, row 4: the number in column 0 is -Infinity");
}

TEST(columns_must_be_there_and_only_once) {
    struct rig rig;
    set_up(&rig, ROWS, 8);
    rig.column[rig.first[6]] = COLUMNS;
    hn_constrain_affine(rig.model, "limit", &rig.sparse, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID,
                    "limit[7]: column index 24 is out of range; the matrix has 24 columns, counted from 0");
    set_up(&rig, ROWS, 8);
    rig.column[rig.first[1] + 1] = rig.column[rig.first[1]] = 3;
    hn_constrain_affine(rig.model, "limit", &rig.sparse, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit[2]: column 3 occurs twice");
    set_up(&rig, ROWS, 8);
    rig.first[3] = rig.first[4] + 1;
    hn_constrain_affine(rig.model, "limit", &rig.sparse, rig.y, NULL, rig.at);
    hn_error error;
    assert_error(hn_model_status(rig.model, &error), HN_INVALID, error, "limit[4]: begins at entry ");
    hn_model_destroy(rig.model);
    set_up(&rig, ROWS, 8);
    rig.first[0] = 1;
    hn_constrain_affine(rig.model, "limit", &rig.sparse, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit[1]: begins at entry 1, not at 0");
}

TEST(shapes_must_fit) {
    struct rig rig;
    set_up(&rig, ROWS, 9);
    rig.dense.leading = COLUMNS - 1;
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: a row of 24 numbers is longer than the leading dimension, 23");
    set_up(&rig, ROWS, 9);
    rig.dense.leading = SIZE_MAX / 2;
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: 7 rows of 9223372036854775807 numbers do not fit in memory");
    set_up(&rig, ROWS, 9);
    hn_quadratic(rig.model, &rig.dense, rig.y);
    assert_sentence(&rig, HN_INVALID, "hn_quadratic: a matrix of 7 x 24 is not square");
}

TEST(what_is_missing_is_named) {
    struct rig rig;
    set_up(&rig, ROWS, 10);
    rig.dense.values = NULL;
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: matrix.values is NULL");
    set_up(&rig, ROWS, 10);
    rig.sparse.column = NULL;
    hn_constrain_affine(rig.model, "limit", &rig.sparse, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: matrix.column is NULL");
    set_up(&rig, ROWS, 10);
    hn_constrain_affine(rig.model, "limit", &rig.dense, NULL, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: terms is NULL");
    set_up(&rig, ROWS, 10);
    hn_constrain_affine(rig.model, NULL, &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "hn_constrain_affine: name is NULL");
    set_up(&rig, ROWS, 10);
    hn_products(rig.model, &rig.dense, rig.y, NULL);
    assert_sentence(&rig, HN_INVALID, "hn_products: products is NULL");
    set_up(&rig, ROWS, 10);
    hn_constrain_affine(rig.model, "limit", NULL, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: hn_matrix is NULL");
    set_up(&rig, ROWS, 10);
    rig.y[3].node = 0;
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(&rig, HN_INVALID, "limit: an argument is not an expression");
    hn_products(NULL, &rig.dense, rig.y, NULL); /* no model, no error */
    hn_constrain_affine(NULL, "limit", &rig.dense, rig.y, NULL, NULL);
    assert_false(hn_is_valid(hn_quadratic(NULL, &rig.dense, rig.y)));
    assert_false(hn_is_valid(hn_linear(NULL, 1, rig.a, rig.y)));
}

TEST(a_matrix_beyond_the_limit_is_refused_with_the_figure) {
    struct rig rig;
    set_up(&rig, ROWS, 11);
    hn_model_destroy(rig.model);
    hn_model_options options = {.size = sizeof options, .max_nodes = 100};
    assert_int_equal(hn_model_create(&rig.model, &options, NULL), HN_OK);
    for (size_t j = 0; j < COLUMNS; j++) {
        char name[16];
        snprintf(name, sizeof name, "y%zu", j);
        rig.y[j] = hn_output(rig.model, name);
    }
    for (size_t k = 0; k < ROWS * COLUMNS; k++)
        rig.a[k] = (double)(k + 1);
    hn_constrain_affine(rig.model, "limit", &rig.dense, rig.y, NULL, rig.at);
    assert_sentence(
        &rig, HN_LIMIT,
        "limit: a matrix of 7 x 24 with 168 numbers (0 MB) exceeds the remaining 100; raise max_nodes, 100");
}
