/* check_findings.c - the findings: rows, columns and inputs that are probably modelling errors. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "check/check_parts.h"
#include "model/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* X(kind, severity, identifier, text), in the order of the report. */
/* clang-format off */
#define KIND_LIST(X)                                                                                                   \
    X(DERIVATIVE, WARNING, "derivative", "derivatives differ from finite differences")                                 \
    X(NOT_FINITE, WARNING, "not_finite", "not finite at the start point")                                              \
    X(CROSSED_BOUNDS, WARNING, "crossed_bounds", "rows whose lower bound exceeds the upper one at the start")          \
    X(VIOLATED_CONSTANT, WARNING, "violated_constant_row", "violated rows that depend on no free column")              \
    X(CONSTANT, NOTE, "constant_row", "rows that depend on no free column")                                            \
    X(VANISHING_GRADIENT, WARNING, "vanishing_gradient", "violated rows whose gradient is 0 at the start")             \
    X(NOT_CORRECTED, WARNING, "not_corrected", "starts that auto does not correct")                                    \
    X(CONFLICT, WARNING, "conflict", "groups that together look infeasible (not proven)")                              \
    X(DUPLICATED, NOTE, "duplicated_row", "rows that repeat an earlier one")                                           \
    X(DEPENDENT, NOTE, "dependent_row", "rows whose gradient depends on others where the correction ended")            \
    X(BADLY_SCALED, WARNING, "badly_scaled", "") /* with the ratio */                                                  \
    X(UNUSED_COLUMN, WARNING, "unused_column", "columns in no row and not in the objective")                           \
    X(UNCONSTRAINED_COLUMN, NOTE, "unconstrained_column", "columns in the objective, but in no row")                   \
    X(UNUSED_INPUT, WARNING, "unused_input", "inputs that no row and no objective depends on")                         \
    X(UNBOUNDED_INPUT, NOTE, "unbounded_input", "inputs without a finite box to sample from")
/* clang-format on */

#define KIND_NUMBER(kind, ...)                       kind,
#define KIND_ENTRY(kind, severity, identifier, text) {HN_SEVERITY_##severity, identifier, text},
enum kind { KIND_LIST(KIND_NUMBER) KINDS };

static const struct {
    hn_severity severity;
    char kind[24], text[80];
} kinds[KINDS] = {KIND_LIST(KIND_ENTRY)};

/* Adds a subject to a finding. Names are collected in blocks of the arena, each twice as large as the one before. */
static void name(struct check *check, enum kind kind, const char *text) {
    enum { FIRST = 8 };
    hn_check_finding *finding = &check->found.finding[kind];
    size_t count = finding->count;
    if (count == 0 || (count >= FIRST && (count & (count - 1)) == 0)) {
        const char **names = check_take(check, count ? 2 * count : FIRST, sizeof *names);
        if (!names)
            return;
        if (count > 0)
            memcpy(names, finding->subjects, count * sizeof *names);
        finding->subjects = names;
    }
    finding->subjects[finding->count++] = text;
}

/* ---- at the start point ---- */

/* A node, its dependencies, and their values. */
struct below {
    uint32_t *nodes;
    double *values;
    size_t count;
};

static double value_of(const struct below *below, uint32_t node) {
    for (size_t i = 0; i < below->count; i++)
        if (below->nodes[i] == node)
            return below->values[i];
    return NAN;
}

static const char *describe_operation(struct check *check, const struct below *below, size_t guilty) {
    const struct graph *g = &check->model->graph;
    const uint32_t *list;
    enum op op = (enum op)g->nodes[below->nodes[guilty]].op;
    size_t arguments = graph_arguments(g, below->nodes[guilty], &list);
    double result = below->values[guilty], a, b;
    const char *is = isnan(result) ? "is NaN" : "overflows";
    if (op == OP_LEAF)
        return "the point itself is not finite";
    bool sum = op == OP_SUM || op == OP_LINEAR;
    if (arguments == 0 || arguments > 2 || sum)
        return check_format(check, "%s %s", sum ? "a sum" : operator_text(op), is);
    a = value_of(below, list[0]);
    b = arguments > 1 ? value_of(below, list[1]) : 0;
    if (op == OP_DIV)
        return check_format(check, "%g / %g %s", a, b, b == 0 ? "divides by zero" : is);
    if (op == OP_POW)
        return check_format(check, "%g ^ %g %s", a, b, is);
    if (arguments == 1)
        return check_format(check, "%s(%g) %s", operator_text(op), a, is);
    return check_format(check, "%s(%g, %g) %s", operator_text(op), a, b, is);
}

/* The node of a function or bound. */
static uint32_t node_of(const struct check *check, size_t value) {
    if (value < check->rows)
        return check->model->rows[value].body;
    if (value < check->functions)
        return check->model->objective.value;
    size_t bound = value - check->functions;
    return bound < check->rows ? check->model->rows[bound].lower : check->model->rows[bound - check->rows].upper;
}

/* Evaluates a node and its dependencies at the start; false when out of memory. */
static bool evaluate_below(struct below *below, struct check *check, uint32_t node) {
    if (model_order(check->model, &node, 1, &below->nodes, &below->count, NULL) != HN_OK)
        return false;
    hn_expr *exprs = check_take(check, below->count, sizeof *exprs);
    below->values = check_take(check, below->count, sizeof *below->values);
    if (check->status != HN_OK)
        return false;
    for (size_t i = 0; i < below->count; i++)
        exprs[i] = (hn_expr){(hn_model *)check->model, below->nodes[i]};
    return hn_model_evaluate(check->model, below->count, exprs, check->found.x, check->found.y, below->values, NULL) ==
           HN_OK;
}

/* The first operation in a function or bound that is not finite at the start: log(-0.5), 1 / 0, exp(800). Evaluates the
 * dependencies in topological order; the first value that is not finite is the origin. NULL if none is found. */
static const char *explain(struct check *check, size_t value) {
    struct below below = {.count = 0};
    const char *text = NULL;
    bool known = evaluate_below(&below, check, node_of(check, value));
    if (!known)
        check_starve(check);
    for (size_t i = 0; known && i < below.count && !text; i++)
        if (!isfinite(below.values[i]) && !graph_is_constant(&check->model->graph, below.nodes[i], NULL))
            text = describe_operation(check, &below, i);
    base_release(below.nodes);
    return text;
}

static bool row_has_bad_entry(const struct check *check, size_t row) {
    for (size_t e = check->by_y.first[row]; e < check->by_y.first[row + 1]; e++)
        if (!isfinite(check->first[e]))
            return true;
    return false;
}

static void find_not_finite(struct check *check) {
    enum { EXPLAINED = 5 };
    for (size_t i = 0; i < check->values; i++) {
        bool bound = i >= check->functions; /* bounds may be infinite */
        bool bad_value = bound ? isnan(check->value[i]) : !isfinite(check->value[i]);
        bool bad_entry = !bound && !bad_value && row_has_bad_entry(check, i);
        const char *shown = bad_value || bad_entry ? check_name(check, i) : NULL, *why = NULL;
        if (!shown)
            continue;
        if (bad_value && check->found.finding[NOT_FINITE].count < EXPLAINED)
            why = explain(check, i);
        if (bad_entry)
            why = "the value is finite, but a derivative is not";
        name(check, NOT_FINITE, why ? check_format(check, "%s (%s)", shown, why) : shown);
    }
}

static void find_bad_rows(struct check *check) {
    const hn_check *found = &check->found;
    for (size_t i = 0; i < check->rows; i++) {
        double lower = found->row_lower[i], upper = found->row_upper[i];
        bool violated = found->violation[i] > 0, constant = check->by_y.first[i] == check->by_y.first[i + 1];
        const char *shown = check_name(check, i);
        if (lower > upper)
            name(check, CROSSED_BOUNDS, check_format(check, "%s (%g > %g)", shown, lower, upper));
        if (constant)
            name(check, violated ? VIOLATED_CONSTANT : CONSTANT, shown);
        else if (found->row_norm[i] == 0 && violated)
            name(check, VANISHING_GRADIENT, shown);
    }
}

static void name_with_norm(struct check *check, size_t row) {
    name(check, BADLY_SCALED,
         check_format(check, "%s (|gradient| %.3g)", check_name(check, row), check->found.row_norm[row]));
}

static void find_scaling(struct check *check) {
    hn_check *found = &check->found;
    if (found->smallest_row == check->rows)
        return;
    double ratio = found->row_norm[found->largest_row] / found->row_norm[found->smallest_row];
    if (!(ratio > CHECK_RATIO_GOOD))
        return;
    found->finding[BADLY_SCALED].text =
        check_format(check, "row gradients differ by a factor of %.2g; rows are best scaled to the same size", ratio);
    name_with_norm(check, found->smallest_row);
    name_with_norm(check, found->largest_row);
}

/* ---- redundant rows: equal bodies, or linear rows with proportional coefficients ----
 *
 * Rows get a key: for a linear row its columns and the ratios of its coefficients to the first one, rounded, so that
 * proportional rows have equal keys; for other rows the body, which the graph stores once. Rows with equal keys are
 * compared exactly. */

struct keyed {
    uint64_t key;
    size_t row;
};

static double coefficient(const struct check *check, size_t entry) {
    return check->by_y.constant[entry];
}

static bool is_linear(const struct check *check, size_t row) {
    const size_t *first = check->by_y.first;
    for (size_t e = first[row]; e < first[row + 1]; e++)
        if (isnan(coefficient(check, e)))
            return false;
    return first[row] < first[row + 1];
}

static uint32_t body(const struct check *check, size_t row) {
    return check->model->rows[row].body;
}

static uint64_t mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 29);
}

static uint64_t key_of(const struct check *check, size_t row) {
    uint64_t key = 1;
    if (!is_linear(check, row))
        return mix(2, body(check, row));
    size_t first = check->by_y.first[row];
    for (size_t e = first; e < check->by_y.first[row + 1]; e++) {
        float ratio = (float)(coefficient(check, e) / coefficient(check, first));
        uint32_t bits;
        memcpy(&bits, &ratio, sizeof bits);
        key = mix(mix(key, check->by_y.column[e]), bits);
    }
    return key;
}

static bool proportional(const struct check *check, size_t a, size_t b, double factor) {
    size_t first_a = check->by_y.first[a], first_b = check->by_y.first[b];
    size_t count = check->by_y.first[a + 1] - first_a;
    if (check->by_y.first[b + 1] - first_b != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        double of_b = coefficient(check, first_b + i), wanted = factor * coefficient(check, first_a + i);
        if (check->by_y.column[first_a + i] != check->by_y.column[first_b + i] ||
            !(fabs(of_b - wanted) <= 1e-12 * fabs(of_b)))
            return false;
    }
    return true;
}

static bool repeats(const struct check *check, size_t a, size_t b, double *factor) {
    *factor = 1;
    if (body(check, a) == body(check, b))
        return true;
    if (!is_linear(check, a) || !is_linear(check, b))
        return false;
    *factor = coefficient(check, check->by_y.first[b]) / coefficient(check, check->by_y.first[a]);
    return isfinite(*factor) && proportional(check, a, b, *factor);
}

static int by_key(const void *left, const void *right) {
    const struct keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* For each row the earlier row that it repeats, or its own number, and the factor between them. */
static void list_repeated(struct check *check, size_t *original, double *factor) {
    size_t m = check->rows, first = 0;
    struct keyed *keyed = check_take(check, m, sizeof *keyed);
    for (size_t i = 0; i < m && keyed; i++) {
        keyed[i] = (struct keyed){key_of(check, i), i};
        original[i] = i;
        factor[i] = 1;
    }
    if (keyed)
        qsort(keyed, m, sizeof *keyed, by_key);
    for (size_t i = 1; i < m && keyed; i++) { /* first: the start of the rows with this key */
        double ratio;
        if (keyed[i].key != keyed[first].key)
            first = i;
        else if (repeats(check, keyed[first].row, keyed[i].row, &ratio)) {
            original[keyed[i].row] = keyed[first].row;
            factor[keyed[i].row] = ratio;
        }
    }
}

static void find_duplicates(struct check *check) {
    size_t *original = check_take(check, check->rows, sizeof *original);
    double *factor = check_take(check, check->rows, sizeof *factor);
    if (check->status != HN_OK)
        return;
    list_repeated(check, original, factor);
    for (size_t i = 0; i < check->rows && check->status == HN_OK; i++) {
        const char *shown = check_name(check, i), *earlier = check_name(check, original[i]);
        if (original[i] != i)
            name(check, DUPLICATED,
                 factor[i] == 1 ? check_format(check, "%s (same as %s)", shown, earlier)
                                : check_format(check, "%s (%.6g times %s)", shown, factor[i], earlier));
    }
}

/* ---- structure ---- */

static void find_absent_columns(struct check *check) {
    unsigned char *seen = check_take(check, check->columns, 1); /* 1: in a row, 2: in the objective */
    for (size_t e = 0; seen && e < check->by_y.count; e++)
        seen[check->by_y.column[e]] |= e < check->found.jacobian.count ? 1 : 2;
    for (size_t j = 0; seen && j < check->columns; j++) {
        hn_output_info output = hn_model_output(check->model, j);
        if (seen[j] % 2 == 0 && !hn_is_valid(output.fixed))
            name(check, seen[j] ? UNCONSTRAINED_COLUMN : UNUSED_COLUMN, output.name);
    }
}

static void find_odd_inputs(struct check *check) {
    bool *seen = check_take(check, check->inputs, sizeof *seen);
    for (size_t e = 0; seen && e < check->by_x.count; e++)
        seen[check->by_x.column[e]] = true;
    for (size_t i = 0; seen && i < check->inputs; i++) {
        hn_input_info input = hn_model_input(check->model, i);
        if (!seen[i])
            name(check, UNUSED_INPUT, input.name);
        if (!isfinite(input.lower) || !isfinite(input.upper))
            name(check, UNBOUNDED_INPUT, input.name);
    }
}

/* ---- derivatives ---- */

static void find_derivatives(struct check *check) {
    static const struct {
        hn_check_derivative derivative;
        char name[32];
    } list[HN_CHECK_DERIVATIVES] = {
        {HN_CHECK_JACOBIAN_Y, "J"},
        {HN_CHECK_JACOBIAN_X, "dc/dx"},
        {HN_CHECK_GRADIENT_Y, "gradient of the objective"},
        {HN_CHECK_GRADIENT_X, "objective with respect to x"},
        {HN_CHECK_BOUNDS_X, "bounds with respect to x"},
        {HN_CHECK_HESSIAN_PRODUCT, "Hessian-vector product"},
        {HN_CHECK_HESSIAN, "Hessian"},
    };
    for (int i = 0; i < HN_CHECK_DERIVATIVES; i++) {
        const hn_check_difference *d = &check->found.difference[list[i].derivative];
        if (d->checked > 0 && d->error > CHECK_ERROR_GOOD)
            name(check, DERIVATIVE,
                 check_format(check, "%s at point %zu (%.9g, finite differences %.9g)", list[i].name, d->point,
                              d->derivative, d->difference));
    }
}

/* ---- the layer's results ---- */

static void find_not_corrected(struct check *check) {
    const hn_check_correction *c = check->found.correction;
    for (size_t k = 0; k < c->count; k++)
        if (c->reports[k].outcome != HN_OUTCOME_OK)
            name(check, NOT_CORRECTED,
                 check_format(check, "%s (%s)", check->inputs ? check_format(check, "inputs of point %zu", k) : "start",
                              hn_outcome_text(c->reports[k].outcome)));
}

static void find_conflict(struct check *check) {
    const hn_check_conflict *conflict = check->found.conflict;
    if (conflict && conflict->count == 1)
        check->found.finding[CONFLICT].text = "group that looks infeasible (not proven)";
    for (size_t i = 0; conflict && i < conflict->count; i++)
        name(check, CONFLICT, hn_model_group(check->model, conflict->groups[i]).name);
}

/* "depends on a, b and 2 more" */
static const char *describe_dependence(struct check *check, const hn_check_dependent *d) {
    enum { SHOWN = 3 };
    const char *text = "the gradient is 0";
    for (size_t i = 0; i < d->count && i < SHOWN; i++) {
        const char *other = check_name(check, d->others[i]);
        text = i == 0 ? check_format(check, "depends on %s", other) : check_format(check, "%s, %s", text, other);
    }
    return d->total > SHOWN ? check_format(check, "%s and %zu more", text, d->total - SHOWN) : text;
}

static void find_dependent(struct check *check) {
    const hn_check_rank *rank = check->found.rank;
    for (size_t k = 0; rank && k < rank->dependents; k++) {
        const hn_check_dependent *d = &rank->dependent[k];
        name(check, DEPENDENT,
             check_format(check, "%s (%s)", check_name(check, d->row), describe_dependence(check, d)));
    }
}

/* ---- all findings ---- */

/* Findings without subjects are dropped. */
static void keep_findings(hn_check *found) {
    for (size_t k = 0; k < KINDS; k++)
        if (found->finding[k].count > 0)
            found->finding[found->findings++] = found->finding[k];
}

void check_findings(struct check *check) {
    hn_check *found = &check->found;
    found->finding = check_take(check, KINDS, sizeof *found->finding);
    if (!found->finding)
        return;
    for (size_t k = 0; k < KINDS; k++)
        found->finding[k] = (hn_check_finding){kinds[k].severity, kinds[k].kind, kinds[k].text, 0, NULL};
    find_derivatives(check);
    find_not_finite(check);
    find_bad_rows(check);
    find_not_corrected(check);
    find_conflict(check);
    find_duplicates(check);
    find_dependent(check);
    find_scaling(check);
    find_absent_columns(check);
    find_odd_inputs(check);
    keep_findings(found);
}
