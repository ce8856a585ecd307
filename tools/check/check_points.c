/* check_points.c - the points at which a model is looked at. See check.h.
 *
 * Point 0, the start: x from the middle of its box (or sampled with --seed, or the first row of --x), y as the model's start
 * values say. The others, for differences: x sampled (or further rows of --x), y uniform between the bounds of each column
 * or, where they are infinite, near its start. As many as there are lanes are chosen; those beyond --points are looked at by
 * the theorem's estimates alone.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check.h"
#include "common/console.h"
#include "common/inputs.h"

#include <math.h>
#include <string.h>

/* ---- inputs ---- */

static hn_status sample_input(struct check *check, size_t point, hn_error *error) {
    bool met = true;
    struct random random = random_start(check->options->seed, point);
    hn_status status = inputs_sample(check->model, &random, check->x + point * check->inputs, &met, error);
    check->unmet += !met && point < check->points;
    return status;
}

static hn_status start_input(struct check *check, hn_error *error) {
    size_t broken = 0;
    if (check->options->seeded)
        return sample_input(check, 0, error);
    inputs_middle(check->model, check->x);
    hn_status status = inputs_broken(check->model, check->x, &broken, error);
    check->middle = broken == hn_model_requirement_count(check->model);
    return status == HN_OK && !check->middle ? sample_input(check, 0, error) : status;
}

/* Rows of --x that break a requirement are counted, and the first one is named. */
static hn_status count_broken_rows(const struct check *check, const hn_array *array, hn_error *error) {
    size_t count = 0, first = 0, requirement = 0, all = hn_model_requirement_count(check->model);
    for (size_t row = 0; row < array->rows && all > 0; row++) {
        size_t broken;
        hn_status status = inputs_broken(check->model, array->values + row * array->columns, &broken, error);
        if (status != HN_OK)
            return status;
        if (broken < all && count++ == 0) {
            first = row;
            requirement = broken;
        }
    }
    if (count > 0)
        console_warning("--x %s: %zu of %zu rows break a requirement of the model, the first of them row %zu (%s)",
                        check->options->x, count, array->rows, first + 1,
                        hn_model_requirement(check->model, requirement).name);
    return HN_OK;
}

static hn_status read_inputs(struct check *check, hn_error *error) {
    hn_array array;
    hn_status status = inputs_read(check->model, "x", check->options->x, &array, error);
    if (status != HN_OK)
        return status;
    status = count_broken_rows(check, &array, error);
    for (size_t k = 0; k < LANES && status == HN_OK; k++) {
        if (k < array.rows)
            memcpy(check->x + k * check->inputs, array.values + k * check->inputs, check->inputs * sizeof *check->x);
        else
            status = sample_input(check, k, error);
    }
    hn_array_release(&array);
    return status;
}

static hn_status choose_inputs(struct check *check, hn_error *error) {
    if (check->options->x)
        return read_inputs(check, error);
    hn_status status = start_input(check, error);
    for (size_t k = 1; k < LANES && status == HN_OK; k++)
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

/* Fixed columns hold their value; their leaves are in no function. */
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
    for (size_t k = 0; k < LANES; k++) {
        double *y = check->y + k * check->columns;
        struct random random = random_start(check->options->seed, LANES + k);
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
    size_t points = check->options->points, n = check->columns;
    check->points = points;
    check->x = arena_take(&check->arena, LANES, (check->inputs + 1) * sizeof *check->x);
    check->y = arena_take(&check->arena, LANES, (n + 1) * sizeof *check->y);
    check->lower = arena_take(&check->arena, n + 1, sizeof *check->lower);
    check->upper = arena_take(&check->arena, n + 1, sizeof *check->upper);
    hn_expr *parts = arena_take(&check->arena, n + 1, PARTS * sizeof *parts);
    double *part = arena_take(&check->arena, n + 1, PARTS * sizeof *part);
    if (!check->x || !check->y || !check->lower || !check->upper || !parts || !part)
        return error_no_memory(error, "check");
    list_parts(check, parts);
    hn_status status = choose_inputs(check, error);
    if (check->unmet > 0)
        console_warning("for %zu of %zu points none of %d sampled inputs meets the requirements (check:) of the model",
                        check->unmet, points, INPUTS_TRIES);
    return status == HN_OK ? choose_outputs(check, parts, part, error) : status;
}
