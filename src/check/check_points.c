/* check_points.c - chooses the points of the check. See check_parts.h.
 *
 * Point 0, the start: x is the midpoint of its box (or sampled with sample_start, or the first row of x), y the model's
 * start values. The others, for differences: x sampled (or further rows of x), y uniform between the bounds of each
 * column or, if these are infinite, near its start. CHECK_MOST points are chosen; those beyond the requested number are
 * used by the theorem's estimates only.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_parts.h"
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
