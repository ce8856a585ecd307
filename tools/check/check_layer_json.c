/* check_layer_json.c - the results of `hardnet check` that need a layer, as JSON. See check_report.h.
 *
 * An omitted part has the reason under "skipped".
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "common/json_writer.h"
#include "hardnet/device.h"

static const char *row_name(const struct check_view *check, size_t row) {
    return row < check->found->rows ? hn_model_row(check->model, row).name : NULL;
}

/* ---- layer and correction ---- */

static void write_device(struct json *json, const hn_model *model) {
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_error error = {.text = ""};
    hn_status status = hn_device_predict(&forecast, model, NULL, &error);
    json_object(json, "device");
    json_text(json, "skipped", status == HN_OK ? NULL : error.text);
    if (status == HN_OK) {
        json_text(json, "form", hn_device_form_text(forecast.form));
        json_count(json, "operands", forecast.operands);
        json_count(json, "operands_most", forecast.operands_most);
        json_count(json, "bytes", forecast.bytes);
        json_count(json, "bytes_most", forecast.bytes_most);
    }
    json_end_object(json);
}

static void write_layer(struct json *json, const struct check_view *check) {
    const hn_check_correction *c = check->found->correction;
    json_object(json, "layer");
    json_text(json, "skipped", c->why_not);
    if (!c->why_not) {
        json_text(json, "method", hn_method_text(c->options.method));
        json_count(json, "unknowns", c->info.factor_order);
        json_count(json, "unknowns_added", c->info.factor_added);
        json_text(json, "side", c->info.outputs_side ? "columns" : "rows");
        json_count(json, "factor_nonzeros", c->info.factor_nonzeros);
        json_flag(json, "dense", c->info.dense);
        json_count(json, "operators", c->info.operators);
        json_count(json, "multiply_adds", c->info.multiply_adds);
        write_device(json, check->model);
    }
    json_end_object(json);
}

static void write_sample(struct json *json, const struct check_view *check, size_t k) {
    const hn_report *report = &check->found->correction->reports[k];
    json_object(json, NULL);
    json_count(json, "point", k);
    json_text(json, "status", hn_outcome_text(report->outcome));
    json_count(json, "iterations", (size_t)report->iterations);
    json_number(json, "violation_before", report->violation_before);
    json_number(json, "violation", report->violation);
    json_text(json, "worst", report->violation > 0 ? row_name(check, report->worst) : NULL);
    json_number(json, "moved", report->moved);
    json_end_object(json);
}

static void write_correction(struct json *json, const struct check_view *check) {
    const hn_check_correction *c = check->found->correction;
    json_object(json, "correction");
    json_number(json, "tolerance", c->options.tolerance);
    json_count(json, "iterations_allowed", (size_t)c->options.iterations);
    json_count(json, "ok", c->ok);
    json_list(json, "samples");
    for (size_t k = 0; k < c->count; k++)
        write_sample(json, check, k);
    json_end_list(json);
    json_end_object(json);
}

/* ---- conflict ---- */

static void write_conflict_parts(struct json *json, const struct check_view *check, const hn_check_conflict *conflict) {
    json_list(json, "groups");
    for (size_t i = 0; i < conflict->count; i++)
        json_text(json, NULL, hn_model_group(check->model, conflict->groups[i]).name);
    json_end_list(json);
    json_flag(json, "minimal", conflict->minimal);
    json_flag(json, "smallest", conflict->smallest);
    json_count(json, "models_tried", conflict->solves);
    json_list(json, "violated");
    for (size_t i = 0; i < conflict->violated; i++) {
        json_object(json, NULL);
        json_text(json, "row", row_name(check, conflict->rows[i].row));
        json_number(json, "violation", conflict->rows[i].violation);
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_conflict(struct json *json, const struct check_view *check) {
    const hn_check_conflict *conflict = check->found->conflict;
    json_object(json, "conflict");
    json_text(json, "skipped", conflict->why_not);
    json_count(json, "point", conflict->point);
    if (!conflict->why_not)
        write_conflict_parts(json, check, conflict);
    json_end_object(json);
}

/* ---- rank ---- */

static void write_dependent(struct json *json, const struct check_view *check, const hn_check_dependent *d) {
    json_object(json, NULL);
    json_text(json, "row", row_name(check, d->row));
    json_count(json, "depends_on_count", d->total);
    json_list(json, "depends_on"); /* the largest few */
    for (size_t i = 0; i < d->count; i++)
        json_text(json, NULL, row_name(check, d->others[i]));
    json_end_list(json);
    json_end_object(json);
}

static void write_rank(struct json *json, const struct check_view *check) {
    const hn_check_rank *rank = check->found->rank;
    json_object(json, "rank");
    json_text(json, "skipped", rank->why_not);
    json_count(json, "active", rank->active);
    if (!rank->why_not) {
        json_count(json, "rank", rank->rank);
        json_number(json, "largest_singular_value", rank->largest);
        json_number(json, "smallest_singular_value", rank->smallest);
        json_list(json, "dependent");
        for (size_t k = 0; k < rank->dependents; k++)
            write_dependent(json, check, &rank->dependent[k]);
        json_end_list(json);
    }
    json_end_object(json);
}

/* ---- the theorem ---- */

static void write_measured(struct json *json, const char *key, const hn_check_rate *rate) {
    json_object(json, key);
    json_number(json, "eps", rate->eps);
    json_count(json, "steps", rate->steps);
    json_number(json, "mean", rate->mean);
    json_number(json, "worst", rate->worst);
    json_end_object(json);
}

/* All of it estimates from samples. */
static void write_theorem(struct json *json, const hn_check_theorem *t) {
    json_object(json, "theorem_estimates");
    json_text(json, "skipped", t->why_not);
    if (!t->why_not) {
        json_number(json, "L_at_least", t->L);
        json_number(json, "mu_at_most", t->mu);
        json_number(json, "G_at_least", t->G);
        json_count(json, "iterates", t->points);
        json_count(json, "pairs", t->pairs);
        json_number(json, "least_eps", t->L / 2);
        json_number(json, "best_eps", t->eps);
        json_number(json, "k", t->k);
        json_number(json, "rate", t->rate);
        json_flag(json, "paper_eps_inside", t->at_paper.eps > t->L / 2);
        write_measured(json, "measured_at_best_eps", &t->at_best);
        write_measured(json, "measured_at_paper_eps", &t->at_paper);
    }
    json_end_object(json);
}

void check_layer_json(struct json *json, struct check_view *check) {
    write_layer(json, check);
    if (!check->found->correction->why_not)
        write_correction(json, check);
    if (check->found->conflict)
        write_conflict(json, check);
    if (check->found->rank)
        write_rank(json, check);
    if (check->found->theorem)
        write_theorem(json, check->found->theorem);
}
