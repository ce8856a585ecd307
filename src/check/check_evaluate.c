/* check_evaluate.c - values and derivatives at the points, and the resulting statistics of groups and scaling. See
 * check_parts.h.
 *
 * Violation of a row: |r_i|, r = c - bu above the upper bound, c - bl below the lower one, else 0; NaN if any of the
 * three is.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/point_table.h"
#include "core/residual.h"

#include <math.h>

/* ---- running ---- */

static void check_evaluate_collect(const struct check *check, const double *(*across)(const struct board *, size_t),
                                   const struct board *board, size_t count, double *into) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < check->points; k++)
            into[k * count + i] = across(board, i)[k];
}

static hn_status check_evaluate_run_all(struct check *check, hn_error *error) {
    struct board board;
    hn_status status = board_create(&board, check, BOARD_VALUES | BOARD_BY_Y | BOARD_BY_X, error);
    if (status != HN_OK)
        return status;
    for (size_t k = 0; k < CHECK_MOST; k++) {
        size_t point = k < check->points ? k : 0;
        board_place(&board, k, check->x + point * check->inputs, check->y + point * check->columns);
    }
    board_run(&board);
    check_evaluate_collect(check, board_value, &board, check->values, check->value);
    check_evaluate_collect(check, board_by_y, &board, check->by_y.count, check->first);
    check_evaluate_collect(check, board_by_x, &board, check->by_x.count, check->sensitivity);
    board_release(&board);
    return HN_OK;
}

static hn_status evaluate_definitions(struct check *check, hn_error *error) {
    size_t count = hn_model_definition_count(check->model);
    hn_expr *exprs = arena_take(&check->arena, count + 1, sizeof *exprs);
    check->definition = arena_take(&check->arena, count + 1, sizeof *check->definition);
    if (!exprs || !check->definition)
        return error_no_memory(error, "check");
    for (size_t i = 0; i < count; i++)
        exprs[i] = hn_model_definition(check->model, i).value;
    return hn_model_evaluate(check->model, count, exprs, check->x, check->y, check->definition, error);
}

/* ---- groups ---- */

static void count_kind(hn_check_group *group, const hn_row_info *row, bool equality) {
    double lower = 0, upper = 0;
    bool has_lower = !hn_is_constant(row->lower, &lower) || isfinite(lower);
    bool has_upper = !hn_is_constant(row->upper, &upper) || isfinite(upper);
    if (equality)
        group->equalities++;
    else if (has_lower && has_upper)
        group->two_sided++;
    else
        group->one_sided++;
}

static void look_at_group(struct check *check, size_t g) {
    hn_group_info info = hn_model_group(check->model, g);
    hn_check_group *group = &check->groups[g];
    size_t column;
    *group = (hn_check_group){.worst = info.first, .max = 0};
    group->output_bounds = info.count > 0 && check_is_bound(check, info.first, &column);
    for (size_t i = info.first; i < info.first + info.count; i++) {
        hn_row_info row = hn_model_row(check->model, i);
        double lower = check->value[check->functions + i], upper = check->value[check->functions + check->rows + i];
        double value = check->value[i],
               violation = isfinite(value) ? fabs(residual_of(value, lower, upper)) : (double)NAN;
        check->violation[i] = violation;
        count_kind(group, &row, check_is_equality(check, i));
        if (isnan(violation)) {
            group->not_finite++;
            continue;
        }
        group->mean += violation;
        if (violation > group->max) {
            group->max = violation;
            group->worst = i;
        }
    }
    size_t counted = info.count - group->not_finite;
    group->mean = counted > 0 ? group->mean / (double)counted : NAN;
    group->max = counted > 0 ? group->max : NAN;
}

/* ---- scaling ---- */

static double norm_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = hypot(sum, values[i]); /* neither overflow nor underflow */
    return sum;
}

static void measure_rows(struct check *check) {
    size_t m = check->rows;
    check->smallest_row = check->largest_row = m;
    for (size_t i = 0; i < m; i++) {
        size_t first = check->by_y.first[i], count = check->by_y.first[i + 1] - first;
        double norm = norm_of(check->first + first, count);
        check->row_norm[i] = norm;
        if (!isfinite(norm) || norm == 0)
            continue;
        if (check->smallest_row == m || norm < check->row_norm[check->smallest_row])
            check->smallest_row = i;
        if (check->largest_row == m || norm > check->row_norm[check->largest_row])
            check->largest_row = i;
    }
}

hn_status check_evaluate(struct check *check, hn_error *error) {
    struct arena *arena = &check->arena;
    size_t groups = hn_model_group_count(check->model);
    check_stage(check, "evaluating");
    check->value = arena_take(arena, check->points, (check->values + 1) * sizeof(double));
    check->first = arena_take(arena, check->points, (check->by_y.count + 1) * sizeof(double));
    check->sensitivity = arena_take(arena, check->points, (check->by_x.count + 1) * sizeof(double));
    check->violation = arena_take(arena, check->rows + 1, sizeof(double));
    check->row_norm = arena_take(arena, check->rows + 1, sizeof(double));
    check->groups = arena_take(arena, groups + 1, sizeof *check->groups);
    if (!check->value || !check->first || !check->sensitivity || !check->violation || !check->row_norm ||
        !check->groups)
        return error_no_memory(error, "check");
    hn_status status = check_evaluate_run_all(check, error);
    if (status == HN_OK)
        status = evaluate_definitions(check, error);
    for (size_t g = 0; g < groups && status == HN_OK; g++)
        look_at_group(check, g);
    if (status == HN_OK)
        measure_rows(check);
    return status;
}
