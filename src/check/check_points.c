/* check_points.c - chooses the points of the check. See check_parts.h.
 *
 * Point 0, the start: x is the midpoint of its box (or sampled with sample_start, or the first row of x), y the model's
 * start values. The others, for differences: x sampled (or further rows of x), y uniform between the bounds of each
 * column or, if these are infinite, near its start. CHECK_MOST points are chosen; those beyond the requested number are
 * used by the theorem's estimates only.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/random.h"
#include "check/check_parts.h"

#include <math.h>
#include <string.h>

/* ---- inputs ---- */

enum { TRIES = 1000 };

static void middle_of_box(const hn_model *model, double *x) {
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        hn_input_info input = hn_model_input(model, i);
        x[i] = random_box_middle(input.lower, input.upper);
    }
}

/* Whether the inputs satisfy all requirements of the model. */
static hn_status look_whether_met(const hn_model *model, const double *x, bool *met, hn_error *error) {
    static const double none[1];
    hn_status status = HN_OK;
    *met = true;
    for (size_t i = 0; i < hn_model_requirement_count(model) && status == HN_OK && *met; i++) {
        hn_named_expr wanted = hn_model_requirement(model, i);
        double value = 0;
        status = hn_model_evaluate(model, 1, &wanted.value, x, none, &value, error); /* does not depend on y */
        *met = value != 0 && !isnan(value);
    }
    return status;
}

static hn_status sample_input(struct check *check, size_t point, hn_error *error) {
    struct random random = random_start(check->options.seed, point);
    double *x = check->x + point * check->inputs;
    hn_status status = HN_OK;
    bool met = false;
    for (int attempt = 0; attempt < TRIES && status == HN_OK && !met; attempt++) {
        for (size_t i = 0; i < check->inputs; i++) {
            hn_input_info input = hn_model_input(check->model, i);
            x[i] = random_in_box(&random, input.lower, input.upper);
        }
        status = look_whether_met(check->model, x, &met, error);
    }
    check->unmet += !met && point < check->points;
    return status;
}

static hn_status start_input(struct check *check, hn_error *error) {
    if (check->options.sample_start)
        return sample_input(check, 0, error);
    middle_of_box(check->model, check->x);
    hn_status status = look_whether_met(check->model, check->x, &check->middle, error);
    return status == HN_OK && !check->middle ? sample_input(check, 0, error) : status;
}

static hn_status choose_inputs(struct check *check, hn_error *error) {
    size_t given = check->options.x_rows < CHECK_MOST ? check->options.x_rows : CHECK_MOST;
    hn_status status = given == 0 ? start_input(check, error) : HN_OK;
    if (given > 0)
        memcpy(check->x, check->options.x, given * check->inputs * sizeof *check->x);
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
    for (size_t k = 0; k < CHECK_MOST; k++) {
        double *y = check->y + k * check->columns;
        struct random random = random_start(check->options.seed, CHECK_MOST + k);
        memset(y, 0, check->columns * sizeof *y);
        hn_status status = hn_model_evaluate(check->model, PARTS * check->columns, parts, check->x + k * check->inputs,
                                             y, part, error);
        if (status != HN_OK)
            return status;
        for (size_t j = 0; j < check->columns; j++) {
            const double *of = part + PARTS * j;
            y[j] = k == 0 ? of[START] : sample_output(of[START], of[LOWER], of[UPPER], &random);
            if (k == 0) {
                check->lower[j] = of[LOWER];
                check->upper[j] = of[UPPER];
            }
        }
    }
    return HN_OK;
}

hn_status check_points(struct check *check, hn_error *error) {
    size_t n = check->columns;
    check->points = check->options.points;
    check->x = arena_take(&check->arena, CHECK_MOST, (check->inputs + 1) * sizeof *check->x);
    check->y = arena_take(&check->arena, CHECK_MOST, (n + 1) * sizeof *check->y);
    check->lower = arena_take(&check->arena, n + 1, sizeof *check->lower);
    check->upper = arena_take(&check->arena, n + 1, sizeof *check->upper);
    hn_expr *parts = arena_take(&check->arena, n + 1, PARTS * sizeof *parts);
    double *part = arena_take(&check->arena, n + 1, PARTS * sizeof *part);
    if (!check->x || !check->y || !check->lower || !check->upper || !parts || !part)
        return error_no_memory(error, "check");
    list_parts(check, parts);
    hn_status status = choose_inputs(check, error);
    return status == HN_OK ? choose_outputs(check, parts, part, error) : status;
}
