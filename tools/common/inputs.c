/* inputs.c - see inputs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/inputs.h"

#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"

#include <math.h>

/* ---- rows ---- */

hn_status inputs_broken(const hn_model *model, const double *x, size_t *requirement, hn_error *error) {
    static const double none[1];
    size_t count = hn_model_requirement_count(model);
    for (size_t i = 0; i < count; i++) {
        hn_named_expr wanted = hn_model_requirement(model, i);
        double value = 0;
        hn_status status = hn_model_evaluate(model, 1, &wanted.value, x, none, &value, error); /* it does not depend on
                                                                                                * y */
        *requirement = i;
        if (status != HN_OK || value == 0 || isnan(value))
            return status;
    }
    *requirement = count;
    return HN_OK;
}

hn_status inputs_sample(const hn_model *model, struct random *random, double *x, bool *met, hn_error *error) {
    size_t inputs = hn_model_input_count(model), broken;
    for (int attempt = 0; attempt < INPUTS_TRIES; attempt++) {
        for (size_t i = 0; i < inputs; i++) {
            hn_input_info input = hn_model_input(model, i);
            x[i] = random_in_box(random, input.lower, input.upper);
        }
        hn_status status = inputs_broken(model, x, &broken, error);
        *met = broken == hn_model_requirement_count(model);
        if (status != HN_OK || *met)
            return status;
    }
    return HN_OK;
}

bool inputs_finite(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

hn_status inputs_draw(const hn_model *model, size_t seed, uint64_t streams, size_t count, double *x, size_t *unmet,
                      hn_error *error) {
    size_t inputs = hn_model_input_count(model);
    *unmet = 0;
    for (size_t k = 0; k < count; k++) {
        bool met = true;
        struct random random = random_start(seed, streams + k);
        hn_status status = inputs_sample(model, &random, x + k * inputs, &met, error);
        if (status != HN_OK)
            return status;
        *unmet += !met;
    }
    if (*unmet > 0)
        console_warning("for %zu of %zu samples none of %d sampled inputs meets the requirements (check:) of the model",
                        *unmet, count, INPUTS_TRIES);
    return HN_OK;
}

/* One dimension is one row. */
static hn_status check_shape(const hn_model *model, const char *option, const char *path, int dimensions, size_t *rows,
                             size_t *columns, hn_error *error) {
    size_t inputs = hn_model_input_count(model);
    if (dimensions == 1 && *rows == inputs) {
        *columns = inputs;
        *rows = 1;
    }
    if (inputs == 0)
        return error_set(error, HN_INVALID, "--%s %s: the model has no inputs", option, path);
    if (*columns == inputs && *rows > 0)
        return HN_OK;
    return error_set(error, HN_INVALID, "--%s %s: %zu x %zu numbers, but the model has %zu input%s, %s%s%s", option,
                     path, *rows, *columns, inputs, inputs == 1 ? "" : "s", hn_model_input(model, 0).name,
                     inputs > 1 ? " to " : "", inputs > 1 ? hn_model_input(model, inputs - 1).name : "");
}

hn_status inputs_read(const hn_model *model, const char *option, const char *path, hn_array *array, hn_error *error) {
    hn_status status = hn_array_read(array, path, 0, error);
    if (status == HN_OK)
        status = check_shape(model, option, path, array->dimensions, &array->rows, &array->columns, error);
    if (status != HN_OK)
        hn_array_release(array);
    return status;
}

hn_status inputs_open(const hn_model *model, const char *option, const char *path, hn_array_rows **rows,
                      hn_array *shape, hn_error *error) {
    hn_status status = hn_array_rows_open(rows, path, error);
    hn_array_rows_get_shape(*rows, shape);
    return status == HN_OK ? check_shape(model, option, path, shape->dimensions, &shape->rows, &shape->columns, error)
                           : status;
}

/* ---- rows that are unusual ---- */

static hn_status count_broken(const hn_model *model, size_t number, size_t count, const double *rows,
                              struct unusual_inputs *unusual, hn_error *error) {
    size_t all = hn_model_requirement_count(model), inputs = hn_model_input_count(model), looked = all > 0 ? count : 0;
    for (size_t row = 0; row < looked; row++) {
        const double *x = rows + row * inputs;
        size_t found = all;
        hn_status status = inputs_finite(x, inputs) ? inputs_broken(model, x, &found, error) : HN_OK;
        if (status != HN_OK)
            return status;
        if (found < all && unusual->broken++ == 0) {
            unusual->first_broken = number + row;
            unusual->requirement = found;
        }
    }
    return HN_OK;
}

/* How far a value lies beyond its box; 0 when rounding to single precision explains it, or where it is not finite: that
 * has its own status. */
static double beyond(const hn_input_info *input, double value) {
    const double slack = 1e-6;
    double width = input->upper - input->lower, room = isfinite(width) ? slack * width : slack;
    double far = fmax(input->lower - value, value - input->upper);
    return isfinite(value) && far > room ? far : 0;
}

/* The farthest that a row lies beyond the box of one of its inputs, and which that is. */
static double row_beyond(const hn_model *model, const double *x, size_t *which) {
    double farthest = 0;
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        hn_input_info input = hn_model_input(model, i);
        double far = beyond(&input, x[i]);
        if (far > farthest) {
            farthest = far;
            *which = i;
        }
    }
    return farthest;
}

static double share_of_width(const hn_input_info *input, double far) {
    double width = input->upper - input->lower;
    return isfinite(width) && width > 0 ? far / width : (double)INFINITY;
}

/* Compares shares of the width, or distances if there is no width. */
static bool is_farther(const struct outside_inputs *one, const struct outside_inputs *other) {
    return one->share > other->share || (one->share == other->share && one->farthest > other->farthest);
}

void inputs_outside_join(struct outside_inputs *all, const struct outside_inputs *one) {
    all->rows += one->rows;
    all->beyond += one->beyond;
    if (is_farther(one, all)) {
        all->farthest = one->farthest;
        all->share = one->share;
        all->input = one->input;
    }
}

void inputs_outside_add(struct outside_inputs *outside, const hn_model *model, const double *x) {
    struct outside_inputs row = {.rows = 1};
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        hn_input_info input = hn_model_input(model, i);
        double far = beyond(&input, x[i]);
        struct outside_inputs one = {.farthest = far, .share = far > 0 ? share_of_width(&input, far) : 0, .input = i};
        if (far > 0)
            inputs_outside_join(&row, &one);
        row.beyond = row.farthest > 0;
    }
    inputs_outside_join(outside, &row);
}

/* A fast first test whether any number is out of range; rare. */
static bool any_outside(const hn_model *model, size_t count, const double *rows) {
    size_t inputs = hn_model_input_count(model);
    for (size_t i = 0; i < inputs; i++) {
        hn_input_info input = hn_model_input(model, i);
        bool inside = true;
        for (size_t row = 0; row < count; row++)
            inside = inside && rows[row * inputs + i] >= input.lower && rows[row * inputs + i] <= input.upper;
        if (!inside)
            return true;
    }
    return false;
}

static void count_outside(const hn_model *model, size_t number, size_t count, const double *rows,
                          struct unusual_inputs *unusual) {
    size_t inputs = hn_model_input_count(model);
    if (!any_outside(model, count, rows))
        return;
    for (size_t row = 0; row < count; row++) {
        size_t which = 0;
        double far = row_beyond(model, rows + row * inputs, &which);
        if (far > 0 && unusual->outside++ == 0) {
            unusual->first_outside = number + row;
            unusual->first_input = which;
        }
        if (far > unusual->farthest) {
            unusual->farthest = far;
            unusual->farthest_input = which;
        }
    }
}

hn_status inputs_look(const hn_model *model, size_t number, size_t count, const double *x,
                      struct unusual_inputs *unusual, hn_error *error) {
    hn_status status = count_broken(model, number, count, x, unusual, error);
    if (status == HN_OK)
        count_outside(model, number, count, x, unusual);
    return status;
}

void inputs_tell(const hn_model *model, const char *option, const char *source, size_t rows,
                 const struct unusual_inputs *unusual) {
    if (unusual->broken > 0)
        console_warning("--%s %s: %zu of %zu rows break a requirement of the model, the first of them row %zu, counted "
                        "from 0 (%s)",
                        option, source, unusual->broken, rows, unusual->first_broken,
                        hn_model_requirement(model, unusual->requirement).name);
    if (unusual->outside > 0)
        console_warning(
            "--%s %s: %zu of %zu rows lie outside the box that inputs are sampled from, the first of them row "
            "%zu, counted from 0 (%s); the farthest by %.3g (%s)",
            option, source, unusual->outside, rows, unusual->first_outside,
            hn_model_input(model, unusual->first_input).name, unusual->farthest,
            hn_model_input(model, unusual->farthest_input).name);
}

hn_status inputs_warn(const hn_model *model, const char *option, const char *source, const hn_array *array,
                      struct unusual_inputs *unusual, hn_error *error) {
    *unusual = (struct unusual_inputs){.broken = 0};
    if (!array->values)
        return HN_OK;
    hn_status status = inputs_look(model, 0, array->rows, array->values, unusual, error);
    if (status == HN_OK)
        inputs_tell(model, option, source, array->rows, unusual);
    return status;
}
