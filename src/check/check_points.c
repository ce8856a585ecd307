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

static hn_status sample_input(struct check *check, size_t point, hn_error *error) {
    struct random random = random_start(check->options.seed, point);
    bool met;
    hn_status status = draw_inputs(check->model, &random, check->found.x + point * check->inputs, &met, error);
    check->found.unmet += !met && point < check->points;
    return status;
}

static hn_status start_input(struct check *check, hn_error *error) {
    if (check->options.sample_start)
        return sample_input(check, 0, error);
    for (size_t i = 0; i < check->inputs; i++) {
        hn_input_info input = hn_model_input(check->model, i);
        check->found.x[i] = random_box_middle(input.lower, input.upper);
    }
    hn_status status = inputs_meet_requirements(check->model, check->found.x, &check->found.middle, error);
    return status == HN_OK && !check->found.middle ? sample_input(check, 0, error) : status;
}

static hn_status choose_inputs(struct check *check, hn_error *error) {
    size_t given = check->options.x_rows < CHECK_MOST ? check->options.x_rows : CHECK_MOST;
    hn_status status = given == 0 ? start_input(check, error) : HN_OK;
    if (given > 0)
        memcpy(check->found.x, check->options.x, given * check->inputs * sizeof *check->found.x);
    for (size_t k = given > 0 ? given : 1; k < CHECK_MOST && status == HN_OK; k++)
        status = sample_input(check, k, error);
    return status;
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

static hn_status choose_outputs(struct check *check, const hn_expr *parts, double *part, hn_error *error) {
    hn_status status = HN_OK;
    for (size_t k = 0; k < CHECK_MOST && status == HN_OK; k++) {
        double *x = check->found.x + k * check->inputs, *y = check->found.y + k * check->columns;
        struct random random = random_start(check->options.seed, CHECK_MOST + k);
        status = hn_model_evaluate(check->model, PARTS * check->columns, parts, x, y, part, error);
        for (size_t j = 0; j < check->columns && status == HN_OK; j++) {
            const double *of = part + PARTS * j;
            y[j] = k == 0 ? of[START] : sample_output(of[START], of[LOWER], of[UPPER], &random);
            if (k == 0) {
                check->found.lower[j] = of[LOWER];
                check->found.upper[j] = of[UPPER];
            }
        }
    }
    return status;
}

hn_status check_points(struct check *check, hn_error *error) {
    size_t n = check->columns;
    check->found.points = check->points = check->options.points;
    check->found.x = check_take(check, CHECK_MOST * check->inputs, sizeof *check->found.x);
    check->found.y = check_take(check, CHECK_MOST * n, sizeof *check->found.y);
    check->found.lower = check_take(check, n, sizeof *check->found.lower);
    check->found.upper = check_take(check, n, sizeof *check->found.upper);
    hn_expr *parts = check_take(check, n, PARTS * sizeof *parts);
    double *part = check_take(check, n, PARTS * sizeof *part);
    if (check->starved)
        return check_status(check, error);
    list_parts(check, parts);
    hn_status status = choose_inputs(check, error);
    return status == HN_OK ? choose_outputs(check, parts, part, error) : status;
}
