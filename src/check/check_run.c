/* check_run.c - hn_model_check: runs the parts of a check, and its result. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "check/check_parts.h"

#include <math.h>
#include <string.h>

/* The result is the first member, so that both have the same address. */
struct whole {
    hn_check found;
    struct check check;
};

hn_status hn_check_get_defaults(hn_check_options *out, hn_error *error) {
    hn_check_options own = {.size = sizeof own, .points = 4, .seed = 1};
    return STRUCT_GIVE(hn_check_options, out, &own, error);
}

static hn_status take_options(hn_check_options *own, const hn_check_options *options, const hn_model *model,
                              hn_error *error) {
    *own = hn_check_defaults();
    hn_status status = options ? STRUCT_TAKE(hn_check_options, own, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    own->points = own->points ? own->points : hn_check_defaults().points;
    if (own->points > HN_CHECK_POINTS)
        return error_about(error, HN_INVALID, error_option("points"), "points %zu: choose 1 to %d", own->points,
                           HN_CHECK_POINTS);
    if (own->threads < 0)
        return error_about(error, HN_INVALID, error_option("threads"), "threads %d: choose 0 (one per core) or more",
                           own->threads);
    if (!own->x || hn_model_input_count(model) == 0)
        own->x_rows = 0;
    return HN_OK;
}

/* ---- the parts ---- */

static hn_status check_run_look(struct check *check, hn_error *error) {
    hn_status status = check_prepare(check, error);
    if (status == HN_OK)
        status = check_points(check, error);
    if (status == HN_OK)
        status = check_evaluate(check, error);
    if (status == HN_OK)
        status = check_differences(check, error);
    if (status == HN_OK)
        status = check_products(check, error);
    if (status == HN_OK)
        status = check_correct(check, error);
    if (status == HN_OK)
        status = check_conflict(check, error);
    if (status == HN_OK)
        status = check_rank(check, error);
    if (status == HN_OK)
        status = check_theorem(check, error);
    if (status == HN_OK)
        status = check_findings(check, error);
    return status == HN_OK && check->starved ? error_no_memory(error, "check") : status;
}

/* ---- the result ---- */

static hn_status list_findings(hn_check *found, struct check *check, hn_error *error) {
    size_t count = 0;
    for (const struct finding *finding = check->findings; finding; finding = finding->next)
        count++;
    found->finding = arena_take(&check->arena, count + 1, sizeof *found->finding);
    if (!found->finding)
        return error_no_memory(error, "check");
    for (const struct finding *finding = check->findings; finding; finding = finding->next)
        found->finding[found->findings++] = finding->found;
    return HN_OK;
}

/* Equalities have one bound, stored twice. */
static size_t bound_entries(const struct check *check) {
    size_t count = 0, m = check->rows;
    const size_t *first = check->by_x.first + check->functions;
    for (size_t i = 0; i < m; i++) {
        count += first[i + 1] - first[i];
        if (!check_is_equality(check, i))
            count += first[m + i + 1] - first[m + i];
    }
    return count;
}

static void show_start(hn_check *found, const struct check *check) {
    found->points = check->points;
    found->unmet = check->unmet;
    found->middle = check->middle;
    found->x = check->x;
    found->y = check->y;
    found->lower = check->lower;
    found->upper = check->upper;
    found->objective = check->functions > check->rows ? check->value[check->rows] : (double)NAN;
    found->row_value = check->value;
    found->row_lower = check->value + check->functions;
    found->row_upper = found->row_lower + check->rows;
    found->violation = check->violation;
    found->row_norm = check->row_norm;
    found->smallest_row = check->smallest_row;
    found->largest_row = check->largest_row;
    found->definition = check->definition;
    found->group = check->groups;
}

static void show_derivatives(hn_check *found, const struct check *check) {
    found->jacobian = check->jacobian;
    found->jacobian_constant = check->constant_entries;
    found->jacobian_x_nonzeros = check->by_x.first[check->rows];
    found->bounds_x_nonzeros = bound_entries(check);
    found->gradient_nonzeros = check->by_y.count - check->jacobian.count;
    found->hessian_nonzeros = check->hessian.count;
    found->hessian_left_out = check->info.hessian_left_out;
    found->value_instructions = check->info.value_instructions;
    found->first_instructions = check->info.first_instructions;
    found->hessian_instructions = check->info.hessian_instructions;
    found->difference[HN_CHECK_JACOBIAN_Y] = check->y_check[BY_ROWS];
    found->difference[HN_CHECK_GRADIENT_Y] = check->y_check[BY_OBJECTIVE];
    found->difference[HN_CHECK_JACOBIAN_X] = check->x_check[BY_ROWS];
    found->difference[HN_CHECK_BOUNDS_X] = check->x_check[BY_BOUNDS];
    found->difference[HN_CHECK_GRADIENT_X] = check->x_check[BY_OBJECTIVE];
    found->difference[HN_CHECK_HESSIAN_PRODUCT] = check->product_check;
    found->difference[HN_CHECK_HESSIAN] = check->hessian_check;
}

static hn_status check_run_show(hn_check *found, struct check *check, hn_error *error) {
    found->inputs = check->inputs;
    found->outputs = check->columns;
    found->rows = check->rows;
    show_start(found, check);
    show_derivatives(found, check);
    found->correction = check->correction;
    found->conflict = check->conflict;
    found->rank = check->rank;
    found->theorem = check->theorem;
    return list_findings(found, check, error);
}

hn_status hn_model_check(hn_check **out, const hn_model *model, const hn_check_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_model_check", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_model_check", "model");
    struct whole *whole = base_allocate(sizeof *whole);
    if (!whole)
        return error_no_memory(error, "check");
    memset(whole, 0, sizeof *whole);
    whole->check.model = model;
    hn_status status = take_options(&whole->check.options, options, model, error);
    if (status == HN_OK)
        status = check_run_look(&whole->check, error);
    if (status == HN_OK)
        status = check_run_show(&whole->found, &whole->check, error);
    if (status == HN_OK)
        *out = &whole->found;
    else
        hn_check_destroy(&whole->found);
    return status;
}

void hn_check_destroy(hn_check *check) {
    struct whole *whole = (struct whole *)(void *)check;
    if (!whole)
        return;
    hn_evaluator_destroy(whole->check.evaluator);
    arena_release(&whole->check.arena);
    base_release(whole);
}
