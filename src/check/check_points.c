/* check_points.c - the points of the check, values and derivatives there, and statistics of groups and scaling. See
 * check_parts.h.
 *
 * Point 0, the start: x is the midpoint of its box (or sampled with sample_start, or the first row of x), y the model's
 * start values. The others, for differences: x sampled (or further rows of x), y uniform between the bounds of each
 * column or, if these are infinite, near its start. CHECK_MOST points are chosen; those beyond the requested number are
 * used by the theorem's estimates only.
 *
 * Violation of a row: |r_i|, r = c - bu above the upper bound, c - bl below the lower one, else 0; NaN if any of the
 * three is.
 *
 * SPDX-License-Identifier: MIT */
#include "check/point_table.h"
#include "core/residual.h"
#include "model/draw_inputs.h"

#include <math.h>
#include <string.h>

/* ---- inputs ---- */

static void sample_input(struct check *check, size_t point) {
    struct random random = random_start(check->options.seed, point);
    bool met;
    check->status = draw_inputs(check->model, &random, check->found.x + point * check->inputs, &met, check->error);
    check->found.unmet += !met && point < check->points;
}

static void start_input(struct check *check) {
    hn_check *found = &check->found;
    for (size_t i = 0; i < check->inputs; i++) {
        hn_input_info input = hn_model_input(check->model, i);
        found->x[i] = random_box_middle(input.lower, input.upper);
    }
    if (!check->options.sample_start)
        check->status = inputs_meet_requirements(check->model, found->x, &found->middle, check->error);
    if (!found->middle && check->status == HN_OK)
        sample_input(check, 0);
}

static void choose_inputs(struct check *check) {
    size_t given = check->options.x_rows < CHECK_MOST ? check->options.x_rows : CHECK_MOST;
    if (given > 0)
        memcpy(check->found.x, check->options.x, given * check->inputs * sizeof *check->found.x);
    else
        start_input(check);
    for (size_t k = given > 0 ? given : 1; k < CHECK_MOST && check->status == HN_OK; k++)
        sample_input(check, k);
}

/* ---- outputs ---- */

enum { START, LOWER, UPPER, PARTS };

static double sample_output(double start, double lower, double upper, struct random *random) {
    if (isfinite(lower) && isfinite(upper) && lower <= upper)
        return random_between(random, lower, upper);
    double value = start + 0.5 * fmax(1, fabs(start)) * (2 * random_uniform(random) - 1);
    return value < lower ? lower + (lower - value) : value > upper ? upper - (value - upper) : value;
}

/* Fixed columns have their value; their leaves are not used. */
static void list_parts(const struct check *check, hn_expr *parts) {
    for (size_t j = 0; j < check->columns; j++) {
        hn_output_info output = hn_model_output(check->model, j);
        bool fixed = hn_is_valid(output.fixed);
        parts[PARTS * j + START] = fixed ? output.fixed : output.start;
        parts[PARTS * j + LOWER] = fixed ? output.fixed : output.lower;
        parts[PARTS * j + UPPER] = fixed ? output.fixed : output.upper;
    }
}

static void choose_outputs(struct check *check, const hn_expr *parts, double *part) {
    hn_check *found = &check->found;
    for (size_t k = 0; k < CHECK_MOST && check->status == HN_OK; k++) {
        double *x = found->x + k * check->inputs, *y = found->y + k * check->columns;
        struct random random = random_start(check->options.seed, CHECK_MOST + k);
        check->status = hn_model_evaluate(check->model, PARTS * check->columns, parts, x, y, part, check->error);
        for (size_t j = 0; j < check->columns && check->status == HN_OK; j++) {
            const double *of = part + PARTS * j;
            y[j] = k == 0 ? of[START] : sample_output(of[START], of[LOWER], of[UPPER], &random);
            if (k == 0) {
                found->lower[j] = of[LOWER];
                found->upper[j] = of[UPPER];
            }
        }
    }
}

void check_points(struct check *check) {
    hn_check *found = &check->found;
    size_t n = check->columns;
    found->points = check->points = check->options.points;
    found->x = check_take(check, CHECK_MOST * check->inputs, sizeof *found->x);
    found->y = check_take(check, CHECK_MOST * n, sizeof *found->y);
    found->lower = check_take(check, n, sizeof *found->lower);
    found->upper = check_take(check, n, sizeof *found->upper);
    hn_expr *parts = check_take(check, n, PARTS * sizeof *parts);
    double *part = check_take(check, n, PARTS * sizeof *part);
    if (check->status != HN_OK)
        return;
    list_parts(check, parts);
    choose_inputs(check);
    choose_outputs(check, parts, part);
}

/* ---- evaluation ---- */

static void collect(const struct check *check, const struct board *board, enum board_part part, size_t count,
                    double *into) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < check->points; k++)
            into[k * count + i] = board_at(board, part, i)[k];
}

static void evaluate_points(struct check *check) {
    struct board board;
    if (!board_create(&board, check, (1u << BOARD_PARTS) - 1))
        return;
    for (size_t k = 0; k < CHECK_MOST; k++) {
        size_t point = k < check->points ? k : 0;
        board_place(&board, k, check->found.x + point * check->inputs, check->found.y + point * check->columns);
    }
    board_run(&board);
    collect(check, &board, BOARD_VALUES, check->values, check->value);
    collect(check, &board, BOARD_BY_Y, check->by_y.count, check->first);
    collect(check, &board, BOARD_BY_X, check->by_x.count, check->sensitivity);
    board_release(&board);
}

static void evaluate_definitions(struct check *check) {
    const hn_check *found = &check->found;
    size_t count = hn_model_definition_count(check->model);
    hn_expr *exprs = check_take(check, count, sizeof *exprs);
    for (size_t i = 0; i < count && exprs; i++)
        exprs[i] = hn_model_definition(check->model, i).value;
    if (check->status == HN_OK)
        check->status =
            hn_model_evaluate(check->model, count, exprs, found->x, found->y, found->definition, check->error);
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

static double violation_of(const struct check *check, size_t row) {
    const hn_check *found = &check->found;
    double value = found->row_value[row];
    return isfinite(value) ? fabs(residual_of(value, found->row_lower[row], found->row_upper[row])) : (double)NAN;
}

static void summarise_group(struct check *check, size_t g) {
    hn_group_info info = hn_model_group(check->model, g);
    hn_check_group *group = &check->found.group[g];
    size_t column;
    *group = (hn_check_group){.worst = info.first, .max = 0};
    group->output_bounds = info.count > 0 && check_is_bound(check, info.first, &column);
    for (size_t i = info.first; i < info.first + info.count; i++) {
        hn_row_info row = hn_model_row(check->model, i);
        double violation = violation_of(check, i);
        check->found.violation[i] = violation;
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
    hn_check *found = &check->found;
    size_t m = check->rows;
    found->smallest_row = found->largest_row = m;
    for (size_t i = 0; i < m; i++) {
        size_t first = check->by_y.first[i], count = check->by_y.first[i + 1] - first;
        double norm = norm_of(check->first + first, count);
        found->row_norm[i] = norm;
        if (!isfinite(norm) || norm == 0)
            continue;
        if (found->smallest_row == m || norm < found->row_norm[found->smallest_row])
            found->smallest_row = i;
        if (found->largest_row == m || norm > found->row_norm[found->largest_row])
            found->largest_row = i;
    }
}

void check_evaluate(struct check *check) {
    hn_check *found = &check->found;
    size_t groups = hn_model_group_count(check->model), points = check->points;
    check_stage(check, "evaluating");
    check->value = check_take(check, points * check->values, sizeof(double));
    check->first = check_take(check, points * check->by_y.count, sizeof(double));
    check->sensitivity = check_take(check, points * check->by_x.count, sizeof(double));
    found->violation = check_take(check, check->rows, sizeof(double));
    found->row_norm = check_take(check, check->rows, sizeof(double));
    found->group = check_take(check, groups, sizeof *found->group);
    found->definition = check_take(check, hn_model_definition_count(check->model), sizeof(double));
    if (check->status != HN_OK)
        return;
    found->row_value = check->value;
    found->row_lower = check->value + check->functions;
    found->row_upper = found->row_lower + check->rows;
    evaluate_points(check);
    evaluate_definitions(check);
    if (check->status != HN_OK)
        return;
    found->objective = check->functions > check->rows ? check->value[check->rows] : (double)NAN;
    for (size_t g = 0; g < groups; g++)
        summarise_group(check, g);
    measure_rows(check);
}
