/* check_json.c - everything that `hardnet check` finds, as JSON. See check_view.h.
 *
 * Bounds of columns and rows are their values at the start point. Infinite and undefined numbers are null.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "check/check_report.h"
#include "common/json_writer.h"

#include <math.h>

/* ---- the model ---- */

static void write_inputs(struct json *json, const struct check_view *check) {
    json_list(json, "inputs");
    for (size_t i = 0; i < check->found->inputs; i++) {
        hn_input_info input = hn_model_input(check->model, i);
        json_object(json, NULL);
        json_text(json, "name", input.name);
        json_number(json, "lower", input.lower);
        json_number(json, "upper", input.upper);
        json_number(json, "value", check->found->x[i]);
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_columns(struct json *json, const struct check_view *check) {
    json_list(json, "columns");
    for (size_t j = 0; j < check->found->outputs; j++) {
        hn_output_info output = hn_model_output(check->model, j);
        json_object(json, NULL);
        json_text(json, "name", output.name);
        json_number(json, "lower", check->found->lower[j]);
        json_number(json, "upper", check->found->upper[j]);
        json_number(json, "start", check->found->y[j]);
        json_flag(json, "fixed", hn_is_valid(output.fixed));
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_groups(struct json *json, const struct check_view *check) {
    json_object(json, "groups");
    for (size_t g = 0; g < hn_model_group_count(check->model); g++) {
        hn_group_info info = hn_model_group(check->model, g);
        const hn_check_group *group = &check->found->group[g];
        json_object(json, info.name);
        json_count(json, "rows", info.count);
        json_count(json, "equalities", group->equalities);
        json_count(json, "one_sided", group->one_sided);
        json_count(json, "two_sided", group->two_sided);
        json_flag(json, "column_bounds", group->output_bounds);
        json_number(json, "mean", group->mean);
        json_number(json, "max", group->max);
        json_text(json, "worst", group->max > 0 ? hn_model_row(check->model, group->worst).name : NULL);
        json_count(json, "not_finite", group->not_finite);
        json_end_object(json);
    }
    json_end_object(json);
}

static void write_rows(struct json *json, const struct check_view *check) {
    json_list(json, "rows");
    for (size_t i = 0; i < check->found->rows; i++) {
        json_object(json, NULL);
        json_text(json, "name", hn_model_row(check->model, i).name);
        json_number(json, "lower", check->found->row_lower[i]);
        json_number(json, "value", check->found->row_value[i]);
        json_number(json, "upper", check->found->row_upper[i]);
        json_number(json, "violation", check->found->violation[i]);
        json_number(json, "gradient_norm", check->found->row_norm[i]);
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_objective(struct json *json, const struct check_view *check) {
    hn_objective_info objective = hn_model_objective(check->model);
    if (!objective.name)
        return;
    double value = check->found->objective;
    json_object(json, "objective");
    json_text(json, "name", objective.name);
    json_flag(json, "maximize", objective.maximize);
    json_number(json, "value", objective.maximize ? -value : value);
    json_end_object(json);
}

static void write_names(struct json *json, const struct check_view *check) {
    json_list(json, "requirements");
    for (size_t i = 0; i < hn_model_requirement_count(check->model); i++)
        json_text(json, NULL, hn_model_requirement(check->model, i).name);
    json_end_list(json);
    json_object(json, "definitions");
    for (size_t i = 0; i < hn_model_definition_count(check->model); i++)
        json_number(json, hn_model_definition(check->model, i).name, check->found->definition[i]);
    json_end_object(json);
}

/* ---- derivatives ---- */

static void write_jacobian(struct json *json, const struct check_view *check) {
    size_t count = check->found->jacobian.count;
    double cells = (double)check->found->rows * (double)check->found->outputs;
    json_object(json, "jacobian");
    json_count(json, "rows", check->found->rows);
    json_count(json, "columns", check->found->outputs);
    json_count(json, "nonzeros", count);
    json_number(json, "density", cells > 0 ? (double)count / cells : 0);
    json_count(json, "constant", check->found->jacobian_constant);
    json_list(json, "first"); /* row i has the columns from first[i] to before first[i + 1] */
    for (size_t i = 0; i <= check->found->rows; i++)
        json_count(json, NULL, check->found->jacobian.first[i]);
    json_end_list(json);
    json_list(json, "column");
    for (size_t e = 0; e < count; e++)
        json_count(json, NULL, check->found->jacobian.column[e]);
    json_end_list(json);
    json_end_object(json);
}

static void write_sizes(struct json *json, const struct check_view *check) {
    json_object(json, "sizes");
    json_count(json, "inputs", check->found->inputs);
    json_count(json, "columns", check->found->outputs);
    json_count(json, "rows", check->found->rows);
    json_count(json, "nodes", hn_model_node_count(check->model));
    json_count(json, "input_jacobian_nonzeros", check->found->jacobian_x_nonzeros);
    json_count(json, "gradient_nonzeros", check->found->gradient_nonzeros);
    if (!check->found->hessian_left_out) /* else it is too large */
        json_count(json, "hessian_nonzeros", check->found->hessian_nonzeros);
    json_count(json, "value_instructions", check->found->value_instructions);
    json_count(json, "jacobian_instructions", check->found->first_instructions);
    if (!check->found->hessian_left_out)
        json_count(json, "hessian_instructions", check->found->hessian_instructions);
    json_end_object(json);
}

static void write_disagreement(struct json *json, struct check_view *check, const char *key,
                               const hn_check_difference *d, bool by_x) {
    bool product = d == &check->found->difference[HN_CHECK_HESSIAN_PRODUCT] ||
                   d == &check->found->difference[HN_CHECK_HESSIAN],
         any = d->checked > 0;
    if (d->checked + d->not_finite + d->kinks == 0)
        return;
    json_object(json, key);
    json_number(json, "error", any ? d->error : (double)NAN);
    json_count(json, "checked", d->checked);
    json_count(json, "not_finite", d->not_finite);
    json_count(json, "kinks", d->kinks);
    if (any) {
        if (!product)
            json_text(json, "row", view_name(check, d->row));
        json_text(json, "column",
                  by_x ? hn_model_input(check->model, d->column).name : hn_model_output(check->model, d->column).name);
        json_count(json, "together", d->together);
        json_count(json, "point", d->point);
        json_number(json, "derivative", d->derivative);
        json_number(json, "difference", d->difference);
    }
    json_end_object(json);
}

static void write_check(struct json *json, struct check_view *check) {
    json_object(json, "derivative_check");
    json_count(json, "points", check->found->points);
    write_disagreement(json, check, "jacobian", &check->found->difference[HN_CHECK_JACOBIAN_Y], false);
    write_disagreement(json, check, "gradient", &check->found->difference[HN_CHECK_GRADIENT_Y], false);
    write_disagreement(json, check, "input_jacobian", &check->found->difference[HN_CHECK_JACOBIAN_X], true);
    write_disagreement(json, check, "input_bounds", &check->found->difference[HN_CHECK_BOUNDS_X], true);
    write_disagreement(json, check, "input_gradient", &check->found->difference[HN_CHECK_GRADIENT_X], true);
    write_disagreement(json, check, "hessian_product", &check->found->difference[HN_CHECK_HESSIAN_PRODUCT], false);
    write_disagreement(json, check, "hessian", &check->found->difference[HN_CHECK_HESSIAN], false);
    json_end_object(json);
}

static void write_findings(struct json *json, struct check_view *check) {
    json_list(json, "findings");
    for (size_t k = 0; k < check->found->findings; k++) {
        const hn_check_finding *finding = &check->found->finding[k];
        json_object(json, NULL);
        json_text(json, "kind", finding->kind);
        json_flag(json, "warning", finding->severity == HN_SEVERITY_WARNING);
        json_text(json, "text", finding->text);
        json_list(json, "names");
        for (size_t i = 0; i < finding->count; i++)
            json_text(json, NULL, view_safe(check, finding->subjects[i]));
        json_end_list(json);
        json_end_object(json);
    }
    json_end_list(json);
}

static void check_json_write_files(struct json *json, const struct check_view *check) {
    json_list(json, "files");
    for (size_t i = 0; i < check->options->files.count; i++)
        json_text(json, NULL, check->options->files.items[i]);
    json_end_list(json);
}

/* The fingerprints that network files store to identify their model. */
static void write_fingerprint(struct json *json, const struct check_view *check) {
    char text[HN_FINGERPRINT_BYTES];
    bool known = hn_model_fingerprint(check->model, text, NULL) == HN_OK;
    json_text(json, "fingerprint", known ? text : NULL);
    known = hn_model_names_fingerprint(check->model, text, NULL) == HN_OK;
    json_text(json, "names_fingerprint", known ? text : NULL);
}

hn_status check_write_json(struct check_view *check, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_text(&json, "verb", "check");
    check_json_write_files(&json, check);
    write_fingerprint(&json, check);
    write_sizes(&json, check);
    write_inputs(&json, check);
    write_columns(&json, check);
    write_groups(&json, check);
    write_rows(&json, check);
    write_objective(&json, check);
    write_names(&json, check);
    write_jacobian(&json, check);
    write_check(&json, check);
    check_layer_json(&json, check);
    if (check->survey.count > 0)
        survey_write(&json, &check->survey, check->model);
    write_findings(&json, check);
    json_number(&json, "seconds", clock_seconds() - check->begun);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}
