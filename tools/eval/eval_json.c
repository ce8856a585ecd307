/* eval_json.c - the result of every sample and the statistics, as JSON. See eval.h.
 *
 * version, samples, groups and seconds are as `hardnet project` writes them. Non-finite and missing values (objective,
 * reference, suboptimality) are null. Objectives have the model's sign.
 *
 * SPDX-License-Identifier: MIT */
#include "common/certificate.h"
#include "eval/eval.h"
#include "reference/reference.h"

#include <math.h>

static void write_sample(struct json *json, const struct eval *eval, size_t sample) {
    const hn_report *report = &eval->reports[sample];
    double best = eval->optima ? eval->optima[sample].objective : (double)NAN;
    json_object(json, NULL);
    json_text(json, "status", hn_outcome_text(report->outcome));
    json_number(json, "iterations", report->iterations);
    json_number(json, "violation_before", report->violation_before);
    json_number(json, "violation", report->violation);
    json_text(json, "worst", eval_worst(eval, sample));
    json_number(json, "moved", report->moved);
    if (certificate_expected(eval->layer))
        certificate_write(json, report);
    json_number(json, "objective", eval_shown(eval, eval->objective[sample]));
    json_number(json, "reference", eval_shown(eval, best));
    json_number(json, "suboptimality", eval_suboptimality(eval, sample));
    json_number(json, "gap", eval_gap(eval, sample));
    json_number(json, "relative_gap", eval_relative_gap(eval, sample));
    json_end_object(json);
}

static void write_objective(struct json *json, const struct eval *eval) {
    hn_objective_info objective = hn_model_objective(eval->model);
    if (!objective.name) {
        json_text(json, "objective", NULL);
        return;
    }
    json_object(json, "objective");
    json_text(json, "name", objective.name);
    json_text(json, "sense", objective.maximize ? "maximize" : "minimize");
    json_number(json, "mean", eval_mean_objective(eval));
    json_end_object(json);
}

static void write_reference(struct json *json, const struct eval *eval) {
    struct optima_count count = eval_count_optima(eval);
    json_object(json, "reference");
    json_text(json, "name", judging_solver(&eval->options->judging));
    json_count(json, "starts", eval->options->judging.starts);
    json_count(json, "found", count.found);
    json_count(json, "solved", count.solved);
    json_count(json, "cached", count.cached);
    json_count(json, "better", count.better);
    json_count(json, "late", count.late);
    json_number(json, "seconds_limit",
                eval->options->judging.seconds > 0 ? eval->options->judging.seconds : (double)NAN);
    json_number(json, "mean", eval_mean_optimum(eval));
    json_number(json, "seconds", eval->reference_seconds);
    json_end_object(json);
}

static void write_distances(struct json *json, const char *name, const struct suboptimality *s) {
    json_object(json, name);
    json_count(json, "samples", s->count);
    json_number(json, "mean", s->mean);
    json_number(json, "max", s->max);
    json_number(json, "p50", s->median);
    json_number(json, "p90", s->ninety);
    json_number(json, "p99", s->ninety_nine);
    json_end_object(json);
}

/* The gap relative to max(|f*|, typical |f*| of the set), and the absolute gap. */
static void write_gap(struct json *json, const struct gap *gap) {
    static const char names[GAP_SHARES][16] = {"0.1_percent", "1_percent", "10_percent"};
    double count = (double)gap->relative.count;
    json_object(json, "gap");
    json_number(json, "typical", gap->typical);
    write_distances(json, "relative", &gap->relative);
    write_distances(json, "absolute", &gap->absolute);
    json_object(json, "within");
    for (int i = 0; i < GAP_SHARES; i++)
        json_number(json, names[i], count > 0 ? (double)gap->within[i] / count : (double)NAN);
    json_end_object(json);
    json_end_object(json);
}

static void write_comparison(struct json *json, const struct eval *eval) {
    write_objective(json, eval);
    if (eval->optima) {
        write_reference(json, eval);
        write_distances(json, "suboptimality", &eval->suboptimality);
        write_gap(json, &eval->gap);
    } else {
        json_text(json, "reference", NULL);
        json_text(json, "suboptimality", NULL);
        json_text(json, "gap", NULL);
    }
}

static void write_times(struct json *json, const struct eval *eval) {
    static const char names[TIMES][16] = {"network", "layer", "all", "together", "alone"};
    json_object(json, "seconds_per_sample");
    json_count(json, "batch", eval->time_batch);
    for (int i = 0; i < TIMES; i++)
        json_number(json, names[i], eval->times[i]);
    json_end_object(json);
}

static void write_inputs(struct json *json, const struct eval *eval) {
    json_list(json, "files");
    for (size_t i = 0; i < eval->options->files.count; i++)
        json_text(json, NULL, eval->options->files.items[i]);
    json_end_list(json);
    json_text(json, "net", eval->options->net);
    json_text(json, "x", eval->options->x);
    if (eval->options->x)
        json_text(json, "seed", NULL);
    else
        json_count(json, "seed", eval->options->judging.seed);
    json_count(json, "outside", eval->outside);
    json_count(json, "broken", eval->broken + eval->unmet);
}

static void write_correction(struct json *json, const struct baseline *o) {
    if (o->scheme != SCHEME_DC3)
        return;
    json_object(json, "correction");
    json_number(json, "steps", o->correction_steps);
    json_number(json, "rate", o->correction_rate);
    json_number(json, "momentum", o->momentum);
    json_end_object(json);
}

static void write_settings(struct json *json, const struct eval *eval) {
    hn_layer_options settings = hn_layer_options_of(eval->layer);
    bool layer = eval->baseline.scheme == SCHEME_LAYER;
    json_text(json, "scheme", scheme_text(eval->baseline.scheme));
    json_text(json, "method", layer ? hn_method_text(settings.method) : NULL);
    json_number(json, "damping", layer && settings.damping >= 0 ? settings.damping : (double)NAN);
    json_number(json, "iterations", layer ? settings.iterations : (double)NAN);
    write_correction(json, &eval->baseline);
    json_number(json, "tolerance", settings.tolerance);
    json_number(json, "file_tolerance", eval->file_tolerance);
    json_flag(json, "relative", settings.relative);
    json_number(json, "effort", settings.effort);
    json_count(json, "candidates", eval->settings.candidates);
    json_number(json, "refine", eval->settings.refine);
    json_text(json, "instructions", hn_instructions_text(hn_layer_info_of(eval->layer).instructions));
    json_flag(json, "compiled", hn_layer_info_of(eval->layer).compiled);
    json_number(json, "threads", eval->threads);
    json_text(json, "device", eval->settings.device ? device_choice_described(&eval->device).text : "cpu");
}

static void write_prospects(struct json *json, const struct prospects *p) {
    if (p->count == 0)
        return;
    json_object(json, "prospects");
    json_count(json, "inputs", p->count);
    json_number(json, "refine", p->refine);
    json_number(json, "refine_mean", p->refined_mean);
    json_number(json, "refine_max", p->refined_most);
    json_count(json, "candidates_looked_at", p->solutions);
    json_number(json, "candidates_mean", p->other_mean);
    json_count(json, "candidates_inputs", p->others);
    json_end_object(json);
}

hn_status eval_write_json(const struct eval *eval, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_list(&json, "samples");
    for (size_t k = 0; k < eval->reached; k++)
        write_sample(&json, eval, k);
    json_end_list(&json);
    groups_write(eval->by, eval->model, &json);
    json_number(&json, "seconds", eval->seconds);
    json_text(&json, "verb", "eval");
    write_comparison(&json, eval);
    write_prospects(&json, &eval->prospects);
    write_times(&json, eval);
    write_inputs(&json, eval);
    write_settings(&json, eval);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}
