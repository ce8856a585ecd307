/* reference_build.c - creates a reference: evaluator, bounds, entries of the Jacobian. See reference_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/reference_parts.h"

#include "base/error.h"
#include "base/memory.h"

#include <IpoptConfig.h>
#include <limits.h>
#include <string.h>

static const char no_memory[] = "the bridge to IPOPT";

/* An error of the call would be a bug in the bridge; callers check the evaluated numbers. */
void reference_evaluate(struct reference *r, hn_evaluation *evaluation) {
    evaluation->size = sizeof *evaluation;
    evaluation->count = 1;
    evaluation->x = r->x;
    evaluation->y = r->y;
    hn_evaluator_run(r->evaluator, evaluation, r->workspace, r->bytes, NULL);
}

static hn_status reference_build_take_lists(struct reference *r, hn_error *error) {
    struct arena *arena = &r->arena;
    size_t m = r->model_rows, n = r->outputs;
    size_t nonzeros = hn_evaluator_width(r->evaluator, HN_QUANTITY_JACOBIAN_Y);
    r->slope = arena_take(arena, nonzeros + 1, sizeof *r->slope);
    r->nonzero = arena_take(arena, nonzeros + 1, sizeof *r->nonzero);
    r->row = arena_take(arena, m + 1, sizeof *r->row);
    r->column = arena_take(arena, m + 1, sizeof *r->column);
    r->exprs = arena_take(arena, 3 * m + 1, sizeof *r->exprs);
    r->numbers = arena_take(arena, 3 * m + 1, sizeof *r->numbers);
    r->c = arena_take(arena, 4 * m + 1, sizeof *r->c);
    r->gradient = arena_take(arena, 4 * n + 1, sizeof *r->gradient);
    r->fixed = arena_take(arena, n + 1, sizeof *r->fixed);
    r->bytes = hn_evaluator_workspace_bytes(r->evaluator);
    r->workspace = base_allocate(r->bytes);
    bool placed = r->slope && r->nonzero && r->row && r->column && r->exprs && r->numbers && r->c && r->gradient &&
                  r->fixed && r->workspace;
    if (!placed)
        return error_no_memory(error, no_memory);
    r->lambda = r->c + m;
    r->g_lower = r->lambda + m;
    r->g_upper = r->g_lower + m;
    r->y_lower = r->gradient + n;
    r->y_upper = r->y_lower + n;
    r->start = r->y_upper + n;
    memset(r->lambda, 0, m * sizeof *r->lambda);
    return HN_OK;
}

static void list_expressions(struct reference *r) {
    size_t m = r->model_rows;
    for (size_t i = 0; i < m; i++) {
        hn_row_info row = hn_model_row(r->model, i);
        r->exprs[i] = row.lower;
        r->exprs[m + i] = row.body;
        r->exprs[2 * m + i] = row.upper;
    }
    r->exprs[3 * m] = hn_model_objective(r->model).minimized;
    for (size_t j = 0; j < r->outputs; j++)
        r->fixed[j] = hn_is_valid(hn_model_output(r->model, j).fixed);
}

/* c where all of x and y is 0. */
static hn_status evaluate_at_zero(struct reference *r, hn_error *error) {
    size_t inputs = hn_model_input_count(r->model), most = inputs > r->outputs ? inputs : r->outputs;
    double *zeros = arena_take(&r->arena, most + 1, sizeof *zeros);
    if (!zeros)
        return error_no_memory(error, no_memory);
    memset(zeros, 0, (most + 1) * sizeof *zeros);
    hn_evaluation evaluation = {.size = 0};
    evaluation.values[HN_QUANTITY_ROWS] = r->c;
    r->x = r->y = zeros;
    reference_evaluate(r, &evaluation);
    return HN_OK;
}

/* A row is a bare output when its only derivative is the constant 1 by that output, and it vanishes with it. */
static hn_status find_bare_rows(struct reference *r, hn_error *error) {
    hn_evaluator *structure = NULL;
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_pattern by_y = {.size = sizeof by_y}, by_x = {.size = sizeof by_x};
    options.wanted = HN_WANT(HN_QUANTITY_JACOBIAN_Y) | HN_WANT(HN_QUANTITY_JACOBIAN_X);
    hn_status status = evaluate_at_zero(r, error);
    if (status == HN_OK)
        status = hn_evaluator_create(&structure, r->model, &options, error);
    if (status == HN_OK)
        status = hn_evaluator_get_pattern(structure, HN_QUANTITY_JACOBIAN_Y, &by_y, error);
    if (status == HN_OK)
        status = hn_evaluator_get_pattern(structure, HN_QUANTITY_JACOBIAN_X, &by_x, error);
    for (size_t i = 0; i < r->model_rows && status == HN_OK; i++) {
        size_t first = by_y.first[i];
        bool linear = by_y.first[i + 1] == first + 1 && by_y.constant[first] == 1 && by_x.first[i] == by_x.first[i + 1];
        r->column[i] = linear && r->c[i] == 0 ? by_y.column[first] : SIZE_MAX;
    }
    hn_evaluator_destroy(structure);
    return status;
}

static hn_status list_slopes(struct reference *r, hn_error *error) {
    hn_pattern jacobian = {.size = sizeof jacobian};
    hn_status status = hn_evaluator_get_pattern(r->evaluator, HN_QUANTITY_JACOBIAN_Y, &jacobian, error);
    for (size_t i = 0; i < r->model_rows && status == HN_OK; i++) {
        if (r->column[i] != SIZE_MAX)
            continue;
        for (size_t e = jacobian.first[i]; e < jacobian.first[i + 1]; e++)
            r->slope[r->slope_count++] = (struct slope_entry){(Index)r->rows, (Index)jacobian.column[e], e};
        r->row[r->rows++] = i;
    }
    return status;
}

static hn_status make_evaluator(struct reference *r, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT_VALUES | HN_WANT(HN_QUANTITY_START) | HN_WANT(HN_QUANTITY_FIXED) |
                     HN_WANT(HN_QUANTITY_GRADIENT_Y) | HN_WANT(HN_QUANTITY_JACOBIAN_Y) |
                     HN_WANT(HN_QUANTITY_HESSIAN_YY);
    options.hessian_nodes = SIZE_MAX; /* IPOPT can do without */
    options.without_objective = r->options.goal != REFERENCE_OBJECTIVE;
    hn_status status = hn_evaluator_create(&r->evaluator, r->model, &options, error);
    if (status != HN_OK)
        return status;
    hn_evaluator_info info = hn_evaluator_info_of(r->evaluator);
    r->outputs = info.outputs;
    r->model_rows = info.rows;
    r->approximate = info.hessian_left_out;
    r->hessian = (hn_pattern){.size = sizeof r->hessian};
    if (!r->approximate)
        status = hn_evaluator_get_pattern(r->evaluator, HN_QUANTITY_HESSIAN_YY, &r->hessian, error);
    if (r->outputs > INT_MAX || r->model_rows > INT_MAX ||
        hn_evaluator_width(r->evaluator, HN_QUANTITY_JACOBIAN_Y) > INT_MAX)
        return error_set(error, HN_LIMIT, "IPOPT: the model is too large for its numbers of 32 bits");
    if (r->hessian.count > (size_t)INT_MAX - r->outputs) {
        r->approximate = true;
        r->hessian.rows = r->hessian.count = 0;
    }
    return status;
}

static hn_status build(struct reference *r, hn_error *error) {
    hn_status status = ipopt_load(&r->ipopt, error);
    if (status == HN_OK)
        status = make_evaluator(r, error);
    if (status == HN_OK)
        status = reference_build_take_lists(r, error);
    if (status != HN_OK)
        return status;
    list_expressions(r);
    status = find_bare_rows(r, error);
    return status == HN_OK ? list_slopes(r, error) : status;
}

struct reference_options reference_defaults(void) {
    return (struct reference_options){.goal = REFERENCE_OBJECTIVE, .tolerance = 1e-8, .iterations = 3000};
}

const char *reference_name(void) {
    return "IPOPT " IPOPT_VERSION;
}

hn_status reference_find(hn_error *error) {
    struct ipopt ipopt;
    return ipopt_load(&ipopt, error);
}

hn_status reference_create(struct reference **out, const hn_model *model, const struct reference_options *options,
                           hn_error *error) {
    struct reference *r = base_allocate(sizeof *r);
    *out = NULL;
    if (!r)
        return error_no_memory(error, no_memory);
    *r = (struct reference){.model = model, .options = options ? *options : reference_defaults()};
    hn_status status = build(r, error);
    if (status == HN_OK)
        *out = r;
    else
        reference_destroy(r);
    return status;
}

void reference_destroy(struct reference *reference) {
    if (!reference)
        return;
    hn_evaluator_destroy(reference->evaluator);
    base_release(reference->workspace);
    arena_release(&reference->arena);
    base_release(reference);
}
