/* test_linear.c - sums of numbers times variables: one expression however long they are, with the values and the fingerprint of the
 * products written one by one, and back through the writer.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/writing.h"

/* A matrix of 30 x 40 in all the ways that a sum may be written; each row also has its terms in a chain. */
static const char MATRIX[] = "param m := 30; param n := 40; param A{i in 1..m, j in 1..n} := sin(i + 7*j);\n"
                             "param b{i in 1..m} := i; var y{1..n};\n";

static hn_operator operator_of(hn_expr expr, size_t *count) {
    hn_expr_info info = {.size = sizeof info};
    hn_expr_get_info(expr, &info, NULL);
    *count = info.count;
    return info.op;
}

static hn_model *read_rows(const char *rows) {
    char text[1000];
    snprintf(text, sizeof text, "%s%s", MATRIX, rows);
    return model_of_text(text);
}

TEST(a_row_of_a_matrix_is_one_node) {
    hn_model *model = read_rows("r{i in 1..m}: sum{j in 1..n} A[i,j]*y[j] <= b[i];");
    size_t count = 0;
    hn_expr body = hn_model_row(model, 4).body;
    assert_in_range(hn_model_node_count(model), 1, 40 + 30 + 30 + 10); /* variables, rows, bounds */
    assert_int_equal(hn_model_number_count(model), 30 * 40);
    assert_int_equal(operator_of(body, &count), HN_OPERATOR_LINEAR);
    assert_int_equal(count, 40);
    assert_near(hn_expr_coefficient(body, 2), sin(5 + 7 * 3));
    hn_model_destroy(model);
}

TEST(signs_order_and_place_make_no_difference) {
    static const char *const ways[] = {
        "r{i in 1..m}: sum{j in 1..n} A[i,j]*y[j] <= b[i];",
        "r{i in 1..m}: sum{j in 1..n} y[j]*A[i,j] <= b[i];",
        "r{i in 1..m}: -(sum{j in 1..n} -A[i,j]*y[j]) <= b[i];",
        "r{i in 1..m}: 0 <= b[i] - sum{j in 1..n} A[i,j]*y[j];",
        "r{i in 1..m}: sum{j in 1..n: j < 17} A[i,j]*y[j] <= b[i] - sum{j in 17..n} A[i,j]*y[j];",
        "r{i in 1..m}: A[i,1]*y[1] + sum{j in 2..n} A[i,j]*y[j] <= b[i];",
        "r{i in 1..m}: sum{j in 1..n} (if j = 3 then 2*A[i,j]/2*y[j] else A[i,j]*y[j]) <= b[i];",
    };
    double y[MOST_OUTPUTS], expected = 0;
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        y[j] = cos((double)j);
    for (size_t j = 0; j < 40; j++)
        expected += sin(12.0 + 7.0 * (double)(j + 1)) * y[j];
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        hn_model *model = read_rows(ways[k]);
        hn_row_info row = row_named(model, "r[12]");
        double value = value_at(model, row.body, NULL, y), low = value_at(model, row.lower, NULL, NULL);
        double high = value_at(model, row.upper, NULL, NULL);
        if (!(fabs(value - expected) < 1e-12 && high == 12) && /* or turned round */
            !(fabs(value + expected) < 1e-12 && low == -12) && !(fabs(value - expected + 12) < 1e-12 && high == 0) &&
            !(fabs(12 - expected - value) < 1e-12 && low == 0))
            fail_msg("%s: %.17g within [%g, %g], the sum is %.17g", ways[k], value, low, high, expected);
        hn_model_destroy(model);
    }
}

/* The number that the text of a coefficient says. */
static double coefficient(int j) {
    char text[16];
    snprintf(text, sizeof text, "%d.1", j);
    return strtod(text, NULL);
}

/* The same sum from 12 terms on, below and beyond the length from which it is one node. */
TEST(short_and_long_sums_have_the_bits_of_their_terms) {
    for (int n = 12; n <= 20; n++) {
        char text[300];
        double y[MOST_OUTPUTS], sum = 0;
        snprintf(text, sizeof text,
                 "param a{1..%d}; var y{1..%d}; minimize f: sum{j in 1..%d} a[j]*y[j];\ndata; param a :=", n, n, n);
        for (int j = 1; j <= n; j++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), " %d %d.1", j, j);
            y[j - 1] = 1.0 / (3 + j);
        }
        strcat(text, ";");
        hn_model *model = model_of_text(text);
        for (int j = 1; j <= n; j++)
            sum += coefficient(j) * y[j - 1];
        assert_true(objective_at(model, NULL, y) == sum);
        size_t count;
        assert_int_equal(operator_of(hn_model_objective(model).minimized, &count) == HN_OPERATOR_LINEAR, n >= 16);
        hn_model_destroy(model);
    }
}

TEST(nonlinear_terms_stand_among_the_others) {
    hn_model *model = read_rows("r{i in 1..m}: sum{j in 1..n} A[i,j]*y[j] + sin(y[i]) - 2*y[1]*y[2] <= b[i];\n"
                                "minimize f: 3 + sum{j in 1..n} j*y[j] - exp(y[1]) + 5;");
    double y[MOST_OUTPUTS], expected = 0;
    size_t count;
    for (size_t j = 0; j < MOST_OUTPUTS; j++)
        y[j] = cos((double)j);
    for (size_t j = 0; j < 40; j++)
        expected += sin(1 + 7.0 * (double)(j + 1)) * y[j];
    hn_expr body = row_named(model, "r[1]").body;
    assert_int_equal(operator_of(body, &count), HN_OPERATOR_LINEAR);
    assert_int_equal(count, 42);
    assert_near(value_at(model, body, NULL, y), expected + sin(y[0]) - 2 * y[0] * y[1]);
    char *text = must_return(model, "nonlinear terms");
    free(text);
    hn_model_destroy(model);
}

TEST(factors_of_zero_and_fixed_variables_are_no_terms_of_derivatives) {
    hn_model *model = model_of_text("var y{1..20}; fix y[2] := 3; param a{j in 1..20} := if j = 5 then 0 else j;\n"
                                    "r: sum{j in 1..20} a[j]*y[j] = 7;");
    double y[MOST_OUTPUTS] = {0};
    size_t count;
    hn_expr body = row_named(model, "r").body;
    assert_int_equal(operator_of(body, &count), HN_OPERATOR_LINEAR);
    assert_int_equal(count, 19);
    assert_near(value_at(model, body, NULL, y), 6);
    char *text = must_return(model, "zeros and fixed variables");
    free(text);
    hn_model_destroy(model);
}

TEST(a_written_matrix_reads_back_to_the_same) {
    hn_model *model = read_rows("r{i in 1..m}: -y[1] + 5*y[2] - sum{j in 3..n} A[i,j]*y[j] <= b[i];\n"
                                "maximize f: -(y[1] + y[2]) + sum{j in 1..n} A[1,j]*y[j];");
    char *text = must_return(model, "a matrix");
    free(text);
    hn_model_destroy(model);
}

TEST(a_sum_beyond_the_limit_is_refused) {
    hn_model *model;
    hn_error error = {.text = ""};
    hn_read_options options = hn_read_defaults();
    options.max_nodes = 200;
    const char *text = "var y{1..50}; r{i in 1..20}: sum{j in 1..50} (i + j)*y[j] <= 1;";
    assert_int_equal(read_text(&model, text, &options, &error), HN_LIMIT);
    if (!strstr(error.text, "raise max_nodes"))
        fail_msg("%s", error.text);
}
