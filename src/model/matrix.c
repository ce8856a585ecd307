/* matrix.c - hardnet/matrix.h: matrices of numbers become one LINEAR node per row.
 *
 * The whole matrix is checked before the first node is created, so that an error names the row and the model is
 * unchanged.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/structs.h"
#include "model/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix during conversion; the lists are one block, longer than a row. */
struct taking {
    hn_model *model;
    const char *what; /* the rows' name, or the function's */
    bool named;       /* whether it is the rows' name */
    hn_matrix matrix;
    uint32_t *nodes; /* of the terms */
    uint32_t *list;  /* nodes of one row; while checking, by column: 1 + the last row that has it */
};

/* ---- errors ---- */

/* "limit[3]" or "hn_products, row 2" */
__attribute__((format(printf, 3, 4))) static bool fail_row(const struct taking *t, size_t row, const char *format,
                                                           ...) {
    char text[sizeof t->model->error.text], label[sizeof t->model->error.subject];
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(label, sizeof label, t->named ? "%s[%zu]" : "%s, row %zu", t->what, row + t->named);
    model_fail(t->model, HN_INVALID, t->named ? label : t->what, "%s: %s", label, text);
    return false;
}

/* ---- checks ---- */

static bool check_entry(const struct taking *t, size_t row, size_t column, double value, size_t *nonzeros) {
    *nonzeros += value != 0;
    return isfinite(value) || fail_row(t, row, "the number in column %zu is %s", column, error_number(value).text);
}

static bool check_dense(struct taking *t, size_t *nonzeros) {
    const hn_matrix *m = &t->matrix;
    size_t count, bytes;
    if (m->leading == 0)
        t->matrix.leading = m->columns;
    if (m->leading < m->columns) {
        model_fail(t->model, HN_INVALID, t->what, "%s: a row of %zu numbers is longer than the leading dimension, %zu",
                   t->what, m->columns, m->leading);
        return false;
    }
    if (!size_multiply(m->rows, m->leading, &count) || !size_multiply(count, sizeof *m->values, &bytes)) {
        model_fail(t->model, HN_INVALID, t->what, "%s: %zu rows of %zu numbers do not fit in memory", t->what, m->rows,
                   m->leading);
        return false;
    }
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++)
            if (!check_entry(t, i, j, m->values[i * m->leading + j], nonzeros))
                return false;
    return true;
}

static bool check_sparse_row(const struct taking *t, size_t row, size_t *nonzeros) {
    const hn_matrix *m = &t->matrix;
    for (size_t e = m->first[row]; e < m->first[row + 1]; e++) {
        uint32_t column = m->column[e];
        if (column >= m->columns)
            return fail_row(t, row, "column index %u is out of range; the matrix has %zu columns, counted from 0",
                            column, m->columns);
        if (t->list[column] == row + 1)
            return fail_row(t, row, "column %u occurs twice", column);
        t->list[column] = (uint32_t)(row + 1);
        if (!check_entry(t, row, column, m->values[e], nonzeros))
            return false;
    }
    return true;
}

static bool check_sparse(const struct taking *t, size_t *nonzeros) {
    const hn_matrix *m = &t->matrix;
    if (m->first[0] != 0)
        return fail_row(t, 0, "begins at entry %zu, not at 0", m->first[0]);
    for (size_t i = 0; i < m->rows; i++)
        if (m->first[i + 1] < m->first[i])
            return fail_row(t, i, "begins at entry %zu and ends at entry %zu", m->first[i], m->first[i + 1]);
    memset(t->list, 0, m->columns * sizeof *t->list);
    for (size_t i = 0; i < m->rows; i++)
        if (!check_sparse_row(t, i, nonzeros))
            return false;
    return true;
}

/* Whether the node limit admits so many coefficients, before they are created. */
static bool check_room(const struct taking *t, size_t nonzeros) {
    const struct graph *g = &t->model->graph;
    size_t room = g->max_numbers - g->number_count;
    if (nonzeros < room && t->matrix.rows < g->max_nodes)
        return true;
    model_fail(t->model, HN_LIMIT, t->what,
               "%s: a matrix of %zu x %zu with %zu numbers (%zu MB) exceeds the remaining %zu; raise max_nodes, %zu",
               t->what, t->matrix.rows, t->matrix.columns, nonzeros, nonzeros / 1000 * sizeof(hn_real) / 1000, room,
               g->max_nodes);
    return false;
}

static bool check_pointers(const struct taking *t, const void *terms) {
    const hn_matrix *m = &t->matrix;
    const char *missing = m->columns > 0 && !terms ? "terms" : NULL;
    if (m->first && !m->column && m->rows > 0 && m->first[m->rows] > 0)
        missing = "matrix.column";
    if (!m->values && m->rows > 0 && (m->first ? m->first[m->rows] > 0 : m->columns > 0))
        missing = "matrix.values";
    if (missing)
        model_fail(t->model, HN_INVALID, t->what, "%s: %s is NULL", t->what, missing);
    return !missing;
}

/* ---- converting a matrix ---- */

static bool take_terms(struct taking *t, const hn_expr *terms) {
    size_t columns = t->matrix.columns, bytes;
    bool fits =
        columns < UINT32_MAX && t->matrix.rows < UINT32_MAX && size_multiply(columns + 1, 2 * sizeof *t->nodes, &bytes);
    t->nodes = fits ? base_allocate(bytes) : NULL;
    if (!t->nodes) {
        model_fail(t->model, HN_NO_MEMORY, t->what, "%s: out of memory for a matrix of %zu x %zu", t->what,
                   t->matrix.rows, columns);
        return false;
    }
    t->list = t->nodes + columns;
    for (size_t j = 0; j < columns; j++) {
        t->nodes[j] = model_argument(t->model, terms[j], t->what);
        if (t->nodes[j] == 0)
            return false;
    }
    return true;
}

/* False with an error; call taking_release in either case. */
static bool taking_start(struct taking *t, const hn_matrix *matrix, const hn_expr *terms) {
    hn_error error;
    size_t nonzeros = 0;
    hn_status status = STRUCT_TAKE(hn_matrix, &t->matrix, matrix, &error);
    if (model_refuses(t->model, t->what))
        return false;
    if (status != HN_OK) {
        model_fail(t->model, status, t->what, "%s: %s", t->what, error.text);
        return false;
    }
    if (!check_pointers(t, terms) || !take_terms(t, terms))
        return false;
    return (t->matrix.first ? check_sparse(t, &nonzeros) : check_dense(t, &nonzeros)) && check_room(t, nonzeros);
}

static void taking_release(struct taking *t) {
    base_release(t->nodes);
}

static uint32_t product(const struct taking *t, size_t row) {
    const hn_matrix *m = &t->matrix;
    if (!m->first)
        return graph_linear(&t->model->graph, m->values + row * m->leading, t->nodes, m->columns);
    size_t begin = m->first[row], count = m->first[row + 1] - begin;
    for (size_t k = 0; k < count; k++)
        t->list[k] = t->nodes[m->column[begin + k]];
    return graph_linear(&t->model->graph, m->values + begin, t->list, count);
}

/* ---- products ---- */

void hn_products(hn_model *model, const hn_matrix *matrix, const hn_expr *terms, hn_expr *products) {
    struct taking t = {.model = model, .what = "hn_products"};
    bool good = taking_start(&t, matrix, terms);
    if (good && t.matrix.rows > 0 && !products) {
        model_fail(model, HN_INVALID, t.what, "hn_products: products is NULL");
        good = false;
    }
    for (size_t i = 0; products && i < t.matrix.rows; i++) {
        uint32_t node = good ? product(&t, i) : 0;
        products[i] = node != 0 ? (hn_expr){model, node} : (hn_expr){NULL, 0};
    }
    if (good)
        model_note_graph(model, t.what);
    taking_release(&t);
}

/* ---- quadratic forms ---- */

/* y' Q y / 2 = sum_i y_i (L y)_i with a lower triangle L: half of Q's diagonal, and below it half of the sum of both
 * entries. */
struct triangle {
    double *values;  /* of one row; by column while they are accumulated */
    uint32_t *first; /* by row: 1 + its most recent entry, 0 = none */
    struct half {
        uint32_t next, column;
        double value;
    } * halves; /* of a sparse matrix: its entries, each halved */
};

/* Allocates everything and fills the values; entries of a sparse matrix go to the row of their larger index. */
static bool triangle_start(struct triangle *out, const struct taking *t) {
    const hn_matrix *m = &t->matrix;
    size_t entries = m->first ? m->first[m->rows] : 0, bytes, rows = m->rows;
    uint32_t count = 0;
    bool fits = entries < UINT32_MAX && size_multiply(entries + 1, sizeof *out->halves, &bytes);
    *out = (struct triangle){.values = base_allocate((rows + 1) * sizeof *out->values),
                             .first = base_allocate((rows + 1) * sizeof *out->first),
                             .halves = fits ? base_allocate(bytes) : NULL};
    if (!out->values || !out->first || !out->halves)
        return false;
    memset(out->first, 0, (rows + 1) * sizeof *out->first);
    memset(out->values, 0, (rows + 1) * sizeof *out->values);
    for (uint32_t i = 0; m->first && i < rows; i++)
        for (size_t e = m->first[i]; e < m->first[i + 1]; e++) {
            uint32_t j = m->column[e], row = i > j ? i : j;
            if (m->values[e] / 2 == 0)
                continue;
            out->halves[count] = (struct half){out->first[row], i > j ? j : i, m->values[e] / 2};
            out->first[row] = ++count;
        }
    return true;
}

static void triangle_release(struct triangle *triangle) {
    base_release(triangle->values);
    base_release(triangle->first);
    base_release(triangle->halves);
}

static uint32_t dense_triangle_row(const struct triangle *triangle, const struct taking *t, size_t i) {
    const hn_matrix *m = &t->matrix;
    for (size_t j = 0; j < i; j++)
        triangle->values[j] = m->values[i * m->leading + j] / 2 + m->values[j * m->leading + i] / 2;
    triangle->values[i] = m->values[i * m->leading + i] / 2;
    return graph_linear(&t->model->graph, triangle->values, t->nodes, i + 1);
}

static int by_number(const void *a, const void *b) {
    uint32_t p, q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    return p < q ? -1 : p > q;
}

static uint32_t sparse_triangle_row(const struct triangle *triangle, const struct taking *t, size_t i) {
    size_t count = 0, kept = 0;
    double *values = triangle->values;
    for (uint32_t at = triangle->first[i]; at != 0; at = triangle->halves[at - 1].next) {
        const struct half *half = &triangle->halves[at - 1];
        if (values[half->column] == 0)
            t->list[count++] = half->column;
        values[half->column] += half->value;
    }
    if (count > 1)
        qsort(t->list, count, sizeof *t->list, by_number);
    for (size_t k = 0; k < count; k++) { /* in place: columns ascend */
        uint32_t column = t->list[k];
        double value = values[column];
        values[column] = 0;
        if (value == 0)
            continue;
        t->list[kept] = t->nodes[column];
        values[kept++] = value;
    }
    uint32_t node = graph_linear(&t->model->graph, values, t->list, kept);
    memset(values, 0, kept * sizeof *values);
    return node;
}

static uint32_t quadratic(const struct triangle *triangle, const struct taking *t) {
    struct graph *g = &t->model->graph;
    size_t rows = t->matrix.rows;
    uint32_t *products = base_allocate((rows + 1) * sizeof *products), sum = 0;
    if (!products) {
        g->status = HN_NO_MEMORY;
        return 0;
    }
    for (size_t i = 0; i < rows; i++) {
        uint32_t row = t->matrix.first ? sparse_triangle_row(triangle, t, i) : dense_triangle_row(triangle, t, i);
        products[i] = graph_mul(g, t->nodes[i], row);
    }
    sum = graph_sum(g, products, rows);
    base_release(products);
    return sum;
}

hn_expr hn_quadratic(hn_model *model, const hn_matrix *matrix, const hn_expr *terms) {
    struct taking t = {.model = model, .what = "hn_quadratic"};
    struct triangle triangle = {.values = NULL};
    uint32_t node = 0;
    bool good = taking_start(&t, matrix, terms);
    if (good && t.matrix.rows != t.matrix.columns) {
        model_fail(model, HN_INVALID, t.what, "hn_quadratic: a matrix of %zu x %zu is not square", t.matrix.rows,
                   t.matrix.columns);
        good = false;
    }
    if (good && !triangle_start(&triangle, &t))
        model_fail(model, HN_NO_MEMORY, t.what, "hn_quadratic: out of memory for a matrix of %zu x %zu", t.matrix.rows,
                   t.matrix.columns);
    else if (good) {
        node = quadratic(&triangle, &t);
        model_note_graph(model, t.what);
    }
    triangle_release(&triangle);
    taking_release(&t);
    return node != 0 ? (hn_expr){model, node} : (hn_expr){NULL, 0};
}

/* ---- rows ---- */

/* One bound of a row: a number, an expression, or infinite if both are absent. */
static hn_expr bound_of(hn_model *model, const hn_real *numbers, const hn_expr *exprs, size_t row, double absent) {
    return exprs ? exprs[row] : hn_constant(model, numbers ? numbers[row] : absent);
}

struct bounds {
    const hn_real *lower, *upper;
    const hn_expr *lower_exprs, *upper_exprs;
};

static void constrain(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                      struct bounds bounds) {
    enum { DIGITS = 24 };
    struct taking t = {.model = model, .what = name ? name : "hn_constrain_affine", .named = name != NULL};
    size_t size = strlen(t.what) + DIGITS;
    char *label = NULL;
    if (taking_start(&t, matrix, terms)) {
        label = base_allocate(size);
        if (!label)
            model_fail(model, HN_NO_MEMORY, t.what, "%s: out of memory", t.what);
        if (!name)
            model_fail(model, HN_INVALID, t.what, "hn_constrain_affine: name is NULL");
    }
    for (size_t i = 0; label && i < t.matrix.rows && model->error.status == HN_OK; i++) {
        snprintf(label, size, "%s[%zu]", t.what, i + 1);
        uint32_t body = product(&t, i);
        model_note_graph(model, label);
        if (body != 0)
            hn_constrain_between(model, label, bound_of(model, bounds.lower, bounds.lower_exprs, i, -INFINITY),
                                 (hn_expr){model, body},
                                 bound_of(model, bounds.upper, bounds.upper_exprs, i, INFINITY));
    }
    base_release(label);
    taking_release(&t);
}

void hn_constrain_affine(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                         const hn_real *lower, const hn_real *upper) {
    constrain(model, name, matrix, terms, (struct bounds){.lower = lower, .upper = upper});
}

void hn_constrain_affine_between(hn_model *model, const char *name, const hn_matrix *matrix, const hn_expr *terms,
                                 const hn_expr *lower, const hn_expr *upper) {
    constrain(model, name, matrix, terms, (struct bounds){.lower_exprs = lower, .upper_exprs = upper});
}
