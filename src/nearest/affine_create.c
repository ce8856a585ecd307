/* affine_create.c - see affine.h: the data computed once per layer; core/active_set.h runs a sample.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/affine.h"

#include "autodiff/program_spec.h"
#include "base/error.h"
#include "cpu/backend.h"

#include <math.h>
#include <string.h>

#define NEAREST_AT(slots, offset) ((slots) + (offset))
#include "core/active_set.h"

enum { MOST_ENTRIES = 1 << 18, MOST_ROWS = 512, MOST_OUTPUTS = 512, MOST_NODES = 1 << 18 };
static const double DEPENDENT = 1e-11; /* relative squared norm below which a row counts as linearly dependent */

/* ---- detection of affine constraints ---- */

static bool is_number(const struct nearest_plan *p, uint32_t offset) {
    return offset / p->stride < p->program->constant_count;
}

static double number_at(const struct nearest_plan *p, uint32_t offset) {
    return p->program->constants[offset / p->stride];
}

static bool is_affine(const struct nearest_plan *p) {
    bool affine = p->rows > 0 && p->outputs > 0 && p->rows * p->outputs <= MOST_ENTRIES;
    for (size_t e = 0; affine && e < p->entries; e++)
        affine = is_number(p, p->entry[e]) && fabs(number_at(p, p->entry[e])) < HUGE_VAL;
    for (size_t j = 0; affine && !p->optimal && j < p->outputs; j++)
        affine = p->fixed[j] || (p->square[j] > 0 && 1 / p->square[j] < HUGE_VAL);
    return affine;
}

/* ---- memory ---- */

static double *affine_take(struct affine *a, size_t count) {
    return arena_take(&a->arena, count + 1, sizeof(double));
}

static bool take_all(struct affine *a, const struct nearest_plan *p) {
    size_t e = a->equalities, i = a->inequalities;
    a->first = arena_take(&a->arena, a->rows + 1, sizeof *a->first);
    a->column = arena_take(&a->arena, p->entries + 1, sizeof *a->column);
    a->number = affine_take(a, p->entries);
    a->dense = arena_take(&a->arena, a->rows + 1, sizeof *a->dense);
    a->gauge = affine_take(a, a->rows);
    a->columns = affine_take(a, a->outputs * a->rows);
    a->reach = affine_take(a, a->outputs * a->rows);
    a->solver = affine_take(a, e * e);
    a->coupling = affine_take(a, e * i);
    a->answer = affine_take(a, e * i);
    a->schur = affine_take(a, i * i);
    a->unit = affine_take(a, i);
    return a->first && a->column && a->number && a->dense && a->columns && a->reach && a->solver && a->coupling &&
           a->answer && a->schur && a->unit && a->gauge;
}

static bool sort_rows(struct affine *a, const struct nearest_plan *p) {
    a->equality = arena_take(&a->arena, a->rows + 1, sizeof *a->equality);
    a->inequality = arena_take(&a->arena, a->rows + 1, sizeof *a->inequality);
    for (size_t i = 0; a->equality && a->inequality && i < a->rows; i++)
        if (p->lower[i] == p->upper[i])
            a->equality[a->equalities++] = (uint32_t)i;
        else
            a->inequality[a->inequalities++] = (uint32_t)i;
    return a->equality && a->inequality;
}

static void fill_rows(struct affine *a, const struct nearest_plan *p) {
    size_t count = 0;
    memset(a->columns, 0, a->outputs * a->rows * sizeof *a->columns);
    for (size_t i = 0; i < a->rows; i++) {
        a->first[i] = count;
        a->gauge[i] = 0;
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++) {
            size_t j = p->column[e];
            if (p->fixed[j])
                continue;
            a->column[count] = (uint32_t)j;
            a->columns[j * a->rows + i] = a->number[count++] = number_at(p, p->entry[e]);
            a->gauge[i] = fmin(1, fmax(a->gauge[i], fabs(number_at(p, p->entry[e]))));
        }
        a->dense[i] = count > a->first[i] && a->column[count - 1] - a->column[a->first[i]] == count - 1 - a->first[i];
    }
    a->first[a->rows] = count;
}

/* ---- H ---- */

/* x = (L L')^-1 x */
static void solve_cholesky(const double *lower, size_t leading, size_t order, double *x) {
    for (size_t i = 0; i < order; i++) {
        for (size_t t = 0; t < i; t++)
            x[i] -= lower[i * leading + t] * x[t];
        x[i] /= lower[i * leading + i];
    }
    for (size_t i = order; i-- > 0;) {
        for (size_t t = i + 1; t < order; t++)
            x[i] -= lower[t * leading + i] * x[t];
        x[i] /= lower[i * leading + i];
    }
}

/* Cholesky factor L of H = L L' in place; false if H is not positive definite. */
static bool factor_hessian(double *h, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = h[i * n + k], whole = sum;
            for (size_t t = 0; t < k; t++)
                sum -= h[i * n + t] * h[k * n + t];
            if (k == i && !(sum > DEPENDENT * whole))
                return false;
            h[i * n + k] = k == i ? sqrt(sum) : sum / h[k * n + k];
        }
    return true;
}

/* The inverse of a full H, without the fixed outputs. */
static bool invert_hessian(struct affine *a, const struct nearest_plan *p) {
    size_t n = a->outputs;
    double *lower = affine_take(a, n * n);
    a->solved = affine_take(a, n * n);
    if (!lower || !a->solved)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (p->fixed[i] || p->fixed[k])
                a->hessian[i * n + k] = 0;
    memcpy(lower, a->hessian, n * n * sizeof *lower);
    for (size_t i = 0; i < n; i++)
        if (p->fixed[i])
            lower[i * n + i] = 1;
    a->there = factor_hessian(lower, n);
    for (size_t j = 0; a->there && j < n; j++) {
        double *own = a->solved + j * n;
        for (size_t k = 0; k < n; k++)
            own[k] = k == j && !p->fixed[j];
        solve_cholesky(lower, n, n, own);
    }
    return true;
}

/* H of the distance or of f; a->there: it is positive definite. False when out of memory. */
static bool take_hessian(struct affine *a, const struct nearest_plan *p) {
    size_t n = a->outputs;
    a->weight = affine_take(a, n);
    a->inverse = affine_take(a, n);
    if (!a->weight || !a->inverse)
        return false;
    for (size_t i = 0; p->optimal && i < n; i++)
        for (size_t k = 0; k < n; k++)
            a->full = a->full || (i != k && a->hessian[i * n + k] != 0);
    a->there = true;
    for (size_t j = 0; j < n; j++) {
        double own = a->full ? 1 : p->optimal ? a->hessian[j * n + j] : p->square[j];
        a->weight[j] = own;
        a->inverse[j] = p->fixed[j] ? 0 : 1 / own;
        a->there = a->there && (p->fixed[j] || (own > 0 && a->inverse[j] < HUGE_VAL));
    }
    return !a->full || invert_hessian(a, p);
}

/* H^-1 J' */
static void reach_rows(struct affine *a) {
    for (size_t j = 0; j < a->outputs; j++) {
        double *to = a->reach + j * a->rows;
        for (size_t i = 0; i < a->rows; i++)
            to[i] = a->full ? 0 : a->inverse[j] * a->columns[j * a->rows + i];
        for (size_t k = 0; a->full && k < a->outputs; k++)
            for (size_t i = 0; i < a->rows; i++)
                to[i] += a->solved[j * a->outputs + k] * a->columns[k * a->rows + i];
    }
}

/* ---- M and its parts ---- */

/* (J H^-1 J') of rows i and k */
static double schur_product(const struct affine *a, size_t i, size_t k) {
    double sum = 0;
    for (size_t e = a->first[i]; e < a->first[i + 1]; e++) {
        size_t j = a->column[e];
        sum += a->number[e] * a->reach[j * a->rows + k];
    }
    return sum;
}

/* Columns of the factor L of the equality block of M, stored where its inverse goes; linearly dependent rows are left
 * out. */
static void factor_equalities(struct affine *a, double *lower, size_t leading) {
    size_t kept = 0;
    for (size_t r = 0; r < a->equalities; r++) {
        size_t row = a->equality[r];
        double *own = lower + kept * leading, whole = schur_product(a, row, row), left = whole;
        for (size_t k = 0; k < kept; k++) {
            const double *other = lower + k * leading;
            double sum = schur_product(a, row, a->equality[k]);
            for (size_t t = 0; t < k; t++)
                sum -= own[t] * other[t];
            own[k] = sum / other[k]; /* L(r,k) */
            left -= own[k] * own[k];
        }
        if (!(left > DEPENDENT * whole))
            continue;
        own[kept] = sqrt(left);
        a->equality[kept++] = (uint32_t)row;
    }
    a->equalities = kept;
}

static void eliminate_equalities(struct affine *a, const double *lower, size_t leading) {
    size_t e = a->equalities, n = a->inequalities;
    for (size_t k = 0; k < e; k++) {
        double *own = a->solver + k * e;
        for (size_t t = 0; t < e; t++)
            own[t] = t == k;
        solve_cholesky(lower, leading, e, own);
        for (size_t i = 0; i < n; i++)
            a->coupling[k * n + i] = schur_product(a, a->inequality[i], a->equality[k]);
    }
    for (size_t i = 0; i < n; i++) {
        double *own = a->answer + i * e, whole = schur_product(a, a->inequality[i], a->inequality[i]);
        for (size_t k = 0; k < e; k++)
            own[k] = a->coupling[k * n + i];
        solve_cholesky(lower, leading, e, own);
        for (size_t t = 0; t <= i; t++) {
            double sum = schur_product(a, a->inequality[i], a->inequality[t]);
            for (size_t k = 0; k < e; k++)
                sum -= own[k] * a->coupling[k * n + t];
            a->schur[i * n + t] = a->schur[t * n + i] = sum;
        }
        a->unit[i] = a->schur[i * n + i] > DEPENDENT * whole ? 1 / sqrt(a->schur[i * n + i]) : 0;
    }
}

/* ---- the model's objective ---- */

struct goal_parts {
    struct recipe recipe;
    struct node_matrix gradient, second; /* of f; of its non-constant entries with respect to y */
    uint32_t *bent, *column;             /* those entries; their outputs */
    size_t count;
};

static void differentiate_goal(struct goal_parts *parts, hn_error *error) {
    struct recipe *recipe = &parts->recipe;
    struct graph *g = &recipe->problem.graph;
    struct node_matrix *gradient = &parts->gradient;
    recipe_gradient(recipe, gradient, SPACE_Y);
    if (recipe->status != HN_OK)
        return;
    if (MOST_NODES < g->max_nodes - g->count)
        g->max_nodes = g->count + MOST_NODES;
    for (size_t e = 0; e < gradient->count; e++)
        if (!graph_entry_is_constant(g, gradient->node[e], NULL)) {
            parts->bent[parts->count] = gradient->node[e];
            parts->column[parts->count++] = gradient->column[e];
        }
    recipe->status =
        derivatives_jacobian(&parts->second, g, parts->bent, parts->count, SPACE_Y, recipe->problem.outputs, error);
}

/* Reads the Hessian; false if an entry is not constant. */
static bool read_hessian(const struct goal_parts *parts, double *hessian) {
    const struct node_matrix *second = &parts->second;
    size_t outputs = parts->recipe.problem.outputs;
    bool numbers = true;
    memset(hessian, 0, outputs * outputs * sizeof *hessian);
    for (size_t k = 0; numbers && k < parts->count; k++)
        for (size_t e = second->first[k]; numbers && e < second->first[k + 1]; e++)
            numbers = graph_entry_is_constant(&parts->recipe.problem.graph, second->node[e],
                                              &hessian[parts->column[k] * outputs + second->column[e]]);
    return numbers;
}

/* The program of f and its derivatives with respect to y. */
static void compile_goal(struct affine *a, struct goal_parts *parts) {
    struct recipe *recipe = &parts->recipe;
    size_t cost = recipe_ask(recipe, &recipe->problem.objective, 1);
    size_t slopes = recipe_ask_matrix(recipe, &parts->gradient);
    a->goal = recipe_compile(recipe, 1, NULL, 0);
    if (!a->goal)
        return;
    a->goal_inputs = a->goal->leaf_count[SPACE_X];
    a->goal_x = recipe_leaf(recipe, SPACE_X);
    a->goal_y = recipe_leaf(recipe, SPACE_Y);
    a->goal_cost = a->goal->output_slot[cost];
    a->goal_slope = recipe_vector(recipe, &parts->gradient, slopes, (uint32_t)a->goal->slots, &a->arena);
}

/* The Hessian of the objective if it is constant, and the program of the objective. */
static hn_status read_goal(struct affine *a, const hn_model *model, bool *quadratic, hn_error *error) {
    struct goal_parts parts = {.count = 0};
    hn_error unused;
    *quadratic = false;
    a->hessian = affine_take(a, a->outputs * a->outputs);
    if (!a->hessian)
        return error_no_memory(error, "the optimal point");
    if (a->outputs > MOST_OUTPUTS)
        return HN_OK;
    recipe_begin(&parts.recipe, model, "the optimal point", error);
    parts.bent = recipe_take(&parts.recipe, &a->arena, a->outputs + 1, sizeof *parts.bent);
    parts.column = recipe_take(&parts.recipe, &a->arena, a->outputs + 1, sizeof *parts.column);
    differentiate_goal(&parts, &unused);
    bool large = parts.recipe.status == HN_LIMIT; /* too many nodes: affine.h is not used */
    if (parts.recipe.status == HN_OK)
        *quadratic = read_hessian(&parts, a->hessian);
    if (*quadratic)
        compile_goal(a, &parts);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.second);
    hn_status status = recipe_end(&parts.recipe);
    if (status == HN_NO_MEMORY)
        return error_no_memory(error, "the optimal point");
    return large ? HN_OK : status;
}

/* ---- creation ---- */

static bool compute_parts(struct affine *a, const struct nearest_plan *p) {
    if (!take_all(a, p))
        return false;
    size_t leading = a->equalities;
    double *lower = affine_take(a, leading * leading);
    if (!lower)
        return false;
    fill_rows(a, p);
    reach_rows(a);
    factor_equalities(a, lower, leading);
    eliminate_equalities(a, lower, leading);
    return true;
}

hn_status affine_create(struct affine *a, const struct nearest_plan *p, const hn_model *model, hn_error *error) {
    bool quadratic = true;
    *a = (struct affine){.outputs = p->outputs, .rows = p->rows};
    if (!is_affine(p))
        return HN_OK;
    bool made = sort_rows(a, p);
    if (made && (a->equalities > MOST_ROWS || a->inequalities > MOST_ROWS))
        return HN_OK;
    hn_status status = p->optimal && made ? read_goal(a, model, &quadratic, error) : HN_OK;
    if (status != HN_OK || !quadratic)
        return status;
    made = made && take_hessian(a, p);
    if (made && !a->there)
        return HN_OK;
    if (!made || !compute_parts(a, p))
        return error_no_memory(error, "the nearest point");
    a->most = a->inequalities < a->outputs ? a->inequalities : a->outputs;
    a->numbers = 3 * a->outputs + 2 * a->rows + 2 * a->equalities + 5 * a->inequalities + (a->most + 3) * (a->most + 1);
    return HN_OK;
}

void affine_release(struct affine *a) {
    program_destroy(a->goal);
    arena_release(&a->arena);
    *a = (struct affine){.there = false};
}

/* ---- running ---- */

size_t affine_goal_numbers(const struct affine *a) {
    return a->goal ? a->goal->slots + 1 : 0;
}

void affine_goal_begin(const struct affine *a, double *memory) {
    if (!a->goal)
        return;
    program_prepare(a->goal, memory);
    memory[a->goal->slots] = 0;
}

bool affine_find(const struct affine *a, const struct affine_memory *memory, const double *x,
                 struct affine_sample *sample, struct nearest_sample *result) {
    const struct backend single = backend_single();
    return affine_solve(&single, a, memory, x, sample, result);
}
