/* rich_model.c - see rich_model.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/rich_model.h"

#include <math.h>
#include <stdio.h>

enum { TERMS = 100 };      /* of a sum: more than fit a small buffer */
enum { MATRIX_ROWS = 18 }; /* so many that a column of them is a long sum, too */

struct parts {
    hn_model *m;
    hn_expr x[RICH_INPUTS], y[RICH_OUTPUTS];
};

static const char *indexed(char *name, const char *family, int index) {
    snprintf(name, 32, "%s[%d]", family, index);
    return name;
}

static void add_leaves(struct parts *p) {
    char name[32];
    for (int i = 0; i < RICH_INPUTS; i++) {
        p->x[i] = hn_input(p->m, indexed(name, "x", i));
        hn_input_range(p->x[i], -1 - i, 1 + i);
    }
    for (int i = 0; i < RICH_OUTPUTS; i++) {
        p->y[i] = hn_output(p->m, indexed(name, i % 2 ? "u" : "v", i));
        hn_output_bounds(p->y[i], -2 - i, 2.5 + i);
    }
    hn_output_between(p->y[1], hn_sin(p->x[1]), hn_shift(hn_cos(p->x[2]), 3));
    hn_output_start(p->y[2], hn_exp(p->x[0]));
    hn_output_fix(p->y[3], hn_add(p->x[0], p->x[1]));
}

/* Every operator of one argument, each where it is defined for arguments of any size */
static hn_expr unary_operators(hn_expr a) {
    hn_expr small = hn_scale(0.5, hn_tanh(a)), large = hn_shift(hn_mul(a, a), 1);
    const hn_expr values[] = {
        hn_neg(a),     hn_sqrt(large),  hn_exp(small),   hn_log(large), hn_log10(large), hn_sin(a),      hn_cos(a),
        hn_tan(small), hn_asin(small),  hn_acos(small),  hn_atan(a),    hn_sinh(small),  hn_cosh(small), hn_tanh(a),
        hn_asinh(a),   hn_acosh(large), hn_atanh(small), hn_abs(a),     hn_not(a),       small,
    };
    return hn_sum(a.model, sizeof values / sizeof *values, values);
}

static hn_expr binary_operators(hn_expr a, hn_expr b) {
    hn_expr positive = hn_shift(hn_abs(b), 1), less = hn_less(a, b), equal = hn_equal(a, b);
    const hn_expr values[] = {
        hn_add(a, b),          hn_sub(a, b),
        hn_mul(a, b),          hn_div(a, positive),
        hn_pow(positive, a),   hn_pow(a, hn_constant(a.model, 3)),
        hn_atan2(a, positive), hn_min(a, b),
        hn_max(a, b),          hn_less_equal(a, b),
        hn_not_equal(a, b),    hn_and(less, equal),
        hn_or(less, equal),    hn_if(less, hn_sqrt(hn_sub(b, a)), hn_log(hn_shift(hn_sub(a, b), 1))),
    };
    return hn_sum(a.model, sizeof values / sizeof *values, values);
}

static void add_definitions(struct parts *p) {
    char name[32];
    hn_expr later = hn_defined(p->m, "later"); /* used before it is there */
    hn_constrain(p->m, "uses later", -9, hn_mul(later, p->y[0]), 9);
    for (int i = 0; i < 20; i++)
        hn_define(p->m, indexed(name, "d", i), hn_mul(p->y[i], hn_sin(p->y[i + 1])));
    hn_define(p->m, "later", hn_add(hn_defined(p->m, "d[7]"), hn_exp(hn_scale(0.1, p->y[8]))));
}

static void add_rows(struct parts *p) {
    char name[32];
    hn_expr terms[TERMS];
    for (int i = 0; i < TERMS; i++)
        terms[i] = i % 3 ? hn_mul(p->y[i % RICH_OUTPUTS], p->x[i % RICH_INPUTS]) : hn_scale(i, p->y[i % RICH_OUTPUTS]);
    hn_constrain(p->m, "sum", -1e3, hn_sum(p->m, TERMS, terms), INFINITY);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "group%d[%d]", i % 18, i);
        hn_constrain_between(p->m, name, hn_scale(-1, hn_exp(p->x[i])), hn_mul(p->y[i], p->y[i + 5]),
                             hn_shift(hn_abs(p->x[i]), 2));
        snprintf(name, sizeof name, "r%d", i);
        hn_require(p->m, name, hn_less(p->x[i], hn_constant(p->m, 100 + i)));
    }
    hn_constrain(p->m, "free", -INFINITY, p->y[5], INFINITY);
    hn_constrain(p->m, "unary", -1e6, unary_operators(hn_add(p->y[4], p->x[4])), 1e6);
    hn_constrain(p->m, "binary", -1e6, binary_operators(p->y[6], hn_mul(p->y[7], p->x[7])), 1e6);
    hn_maximize(p->m, "gain", hn_add(hn_mul(p->y[0], p->y[0]), hn_cos(hn_mul(p->y[1], p->y[2]))));
}

static void add_matrices(struct parts *p) {
    static const size_t first[RICH_OUTPUTS + 1] = {[1] = 20, 20, 20, 20, [5] = 21};
    hn_real a[MATRIX_ROWS * RICH_OUTPUTS], bounds[MATRIX_ROWS];
    size_t starts[RICH_OUTPUTS + 1];
    uint32_t column[RICH_OUTPUTS];
    hn_expr products[MATRIX_ROWS], terms[3];
    for (int k = 0; k < MATRIX_ROWS * RICH_OUTPUTS; k++)
        a[k] = (k % 7 - 3) / (1.0 + k % 11);
    for (int i = 0; i < MATRIX_ROWS; i++)
        bounds[i] = 100 + i;
    for (uint32_t j = 0; j < RICH_OUTPUTS; j++)
        column[j] = j < 20 ? 2 * j : 1;
    for (int i = 0; i <= RICH_OUTPUTS; i++)
        starts[i] = i < 6 ? first[i] : 21;
    const hn_matrix dense = {.size = sizeof dense, .rows = MATRIX_ROWS, .columns = RICH_OUTPUTS, .values = a};
    const hn_matrix sparse = {.size = sizeof sparse,
                              .rows = RICH_OUTPUTS,
                              .columns = RICH_OUTPUTS,
                              .values = a,
                              .first = starts,
                              .column = column};
    const hn_matrix of_inputs = {.size = sizeof dense, .rows = 1, .columns = RICH_INPUTS, .values = a};
    hn_constrain_affine(p->m, "affine", &dense, p->y, NULL, bounds);
    hn_products(p->m, &of_inputs, p->x, products);
    terms[0] = hn_quadratic(p->m, &sparse, p->y);
    terms[1] = products[0];
    terms[2] = hn_linear(p->m, RICH_OUTPUTS, a + 5, p->y);
    hn_constrain(p->m, "form", -1e4, hn_sum(p->m, 3, terms), 1e4);
}

static hn_status build(hn_model **out, bool matrices, hn_error *error) {
    struct parts p;
    hn_status status = hn_model_create(&p.m, NULL, error);
    *out = p.m;
    if (status != HN_OK)
        return status;
    add_leaves(&p);
    add_definitions(&p);
    add_rows(&p);
    if (matrices)
        add_matrices(&p);
    return hn_model_finish(p.m, error);
}

hn_status rich_model_build(hn_model **out, hn_error *error) {
    return build(out, false, error);
}

hn_status rich_model_build_with_matrices(hn_model **out, hn_error *error) {
    return build(out, true, error);
}

hn_status rich_model_evaluate(const hn_model *model, hn_real *values, size_t *count, hn_error *error) {
    hn_expr exprs[RICH_VALUES_MOST];
    hn_real x[RICH_INPUTS], y[RICH_OUTPUTS];
    size_t n = 0;
    for (int i = 0; i < RICH_INPUTS; i++)
        x[i] = 0.3 * i - 2;
    for (int i = 0; i < RICH_OUTPUTS; i++)
        y[i] = 1.5 - 0.1 * i;
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        exprs[n++] = row.lower;
        exprs[n++] = row.body;
        exprs[n++] = row.upper;
    }
    for (size_t i = 0; i < hn_model_output_count(model); i++)
        exprs[n++] = hn_model_output(model, i).start;
    for (size_t i = 0; i < hn_model_definition_count(model); i++)
        exprs[n++] = hn_model_definition(model, i).value;
    for (size_t i = 0; i < hn_model_requirement_count(model); i++)
        exprs[n++] = hn_model_requirement(model, i).value;
    exprs[n++] = hn_model_objective(model).minimized;
    *count = n;
    return hn_model_evaluate(model, n, exprs, x, y, values, error);
}
