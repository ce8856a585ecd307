/* plain_layer.c - see plain_layer.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/plain_layer.h"

#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"

typedef long double complex number;

void plain_layer_create(struct plain_layer *out, const hn_model *model) {
    assert_int_equal(problem_create(&out->problem, model, NULL), HN_OK);
    struct problem *p = &out->problem;
    out->inputs = p->inputs;
    out->outputs = p->outputs;
    out->rows = p->rows;
    out->jacobian = jacobian_of(&p->graph, p->body, p->rows, SPACE_Y, p->outputs);
}

void plain_layer_release(struct plain_layer *layer) {
    node_matrix_release(&layer->jacobian);
    problem_release(&layer->problem);
}

/* ---- values ---- */

/* plain_complex wants doubles and how far the point lies from them. */
static number *evaluate(const struct plain_layer *layer, const number *x, const number *y) {
    size_t n = layer->outputs, k = layer->inputs;
    double *near = calloc(n + k + 1, sizeof *near);
    struct plain_nudge *nudges = calloc(n + k + 1, sizeof *nudges);
    for (size_t i = 0; i < n + k; i++) {
        number at = i < n ? y[i] : x[i - n];
        near[i] = (double)creall(at);
        nudges[i] = (struct plain_nudge){i < n ? SPACE_Y : SPACE_X, (uint32_t)(i < n ? i : i - n), creall(at) - near[i],
                                         cimagl(at)};
    }
    struct plain_point point = {.leaf = {[SPACE_X] = near + n, [SPACE_Y] = near}};
    number *values = plain_complex(&layer->problem.graph, point, nudges, n + k);
    free(nudges);
    free(near);
    return values;
}

bool plain_is_equality(const struct plain_rows *rows, size_t i) {
    return creall(rows->lower[i]) == creall(rows->upper[i]);
}

struct plain_rows plain_layer_rows(const struct plain_layer *layer, const number *x, const number *y) {
    const struct problem *p = &layer->problem;
    size_t m = layer->rows, n = layer->outputs;
    number *values = evaluate(layer, x, y);
    struct plain_rows rows = {.c = calloc(m * (4 + n) + 1, sizeof *rows.c)};
    rows.lower = rows.c + m;
    rows.upper = rows.lower + m;
    rows.r = rows.upper + m;
    rows.J = rows.r + m;
    for (size_t i = 0; i < m; i++) {
        number c = rows.c[i] = values[p->body[i]];
        number lower = rows.lower[i] = values[p->lower[i]], upper = rows.upper[i] = values[p->upper[i]];
        if (creall(c) > creall(upper) || plain_is_equality(&rows, i))
            rows.r[i] = c - upper;
        else if (creall(c) < creall(lower))
            rows.r[i] = c - lower;
        for (size_t e = layer->jacobian.first[i]; e < layer->jacobian.first[i + 1]; e++)
            rows.J[i * n + layer->jacobian.column[e]] = values[layer->jacobian.node[e]];
    }
    free(values);
    return rows;
}

void plain_rows_release(struct plain_rows *rows) {
    free(rows->c);
    *rows = (struct plain_rows){.c = NULL};
}

void plain_scales(const struct plain_layer *layer, const struct plain_rows *rows, double *scales) {
    for (size_t i = 0; i < layer->rows; i++) {
        double most = 1;
        for (size_t j = 0; j < layer->outputs; j++)
            most = fmax(most, fabs((double)creall(rows->J[i * layer->outputs + j])));
        scales[i] = ldexp(1, -ilogb(most));
    }
}

/* ---- the step ---- */

/* Gauss with the largest pivot of each column; b becomes the solution. */
static void solve(number *h, number *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabsl(creall(h[i * n + k])) > fabsl(creall(h[pivot * n + k])))
                pivot = i;
        for (size_t j = 0; j < n && pivot != k; j++) {
            number swapped = h[k * n + j];
            h[k * n + j] = h[pivot * n + j];
            h[pivot * n + j] = swapped;
        }
        number swapped = b[k];
        b[k] = b[pivot];
        b[pivot] = swapped;
        for (size_t i = k + 1; i < n; i++) {
            number factor = h[i * n + k] / h[k * n + k];
            for (size_t j = k; j < n; j++)
                h[i * n + j] -= factor * h[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= h[k * n + j] * b[j];
        b[k] /= h[k * n + k];
    }
}

void plain_weighted_step(const struct plain_layer *layer, const struct plain_rows *rows, const double *weights,
                         number eps, const number *y, number *next) {
    size_t m = layer->rows, n = layer->outputs;
    number *A = calloc(m * n + 1, sizeof *A), *H = calloc(m * m + 1, sizeof *H), *v = calloc(m + 1, sizeof *v);
    for (size_t i = 0; i < m; i++) {
        v[i] = weights[i] * rows->r[i];
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = weights[i] * rows->J[i * n + j];
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++)
            for (size_t j = 0; j < n; j++)
                H[i * m + k] += A[i * n + j] * A[k * n + j];
        H[i * m + i] += weights[i] != 0 ? eps : 1;
    }
    solve(H, v, m);
    for (size_t j = 0; j < n; j++) {
        next[j] = y[j];
        for (size_t i = 0; i < m; i++)
            next[j] -= A[i * n + j] * v[i];
    }
    free(v);
    free(H);
    free(A);
}

long double plain_step(const struct plain_layer *layer, const struct plain_rows *rows, const double *scales, double eps,
                       const number *y, number *next) {
    double *weights = calloc(layer->rows + 1, sizeof *weights);
    long double squares = 0;
    for (size_t i = 0; i < layer->rows; i++) {
        bool active = !scales || plain_is_equality(rows, i) || creall(rows->r[i]) != 0;
        weights[i] = active ? (scales ? scales[i] : 1) : 0;
        squares += powl(weights[i] * creall(rows->r[i]), 2);
    }
    plain_weighted_step(layer, rows, weights, eps, y, next);
    free(weights);
    return squares;
}
