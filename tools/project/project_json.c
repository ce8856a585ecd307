/* project_json.c - the result of every sample, as JSON. See project.h.
 *
 * The keys version, samples, groups and seconds are a contract. Non-finite numbers are null, as are mean and max of a
 * group with non-finite residuals; not_finite counts such samples.
 *
 * SPDX-License-Identifier: MIT */
#include "common/certificate.h"
#include "project/project.h"

#include <math.h>

static void write_sample(struct json *json, const struct project *project, size_t sample) {
    const hn_report *report = &project->reports[sample];
    json_object(json, NULL);
    json_text(json, "status", hn_outcome_text(report->outcome));
    json_number(json, "iterations", report->iterations);
    json_number(json, "violation_before", report->violation_before);
    json_number(json, "violation", report->violation);
    json_text(json, "worst", project_worst(project, sample));
    json_number(json, "moved", report->moved);
    json_number(json, "slope", report->slope); /* null: not computed */
    if (certificate_expected(project->layer))
        certificate_write(json, report);
    if (hn_layer_options_of(project->layer).method == HN_METHOD_OPTIMAL)
        json_number(json, "objective", report->objective); /* null: no feasible point */
    if (project->start)
        json_count(json, "start", project->start[sample]);
    json_end_object(json);
}

static void write_settings(struct json *json, const struct project *project) {
    hn_layer_options settings = hn_layer_options_of(project->layer);
    json_list(json, "files");
    for (size_t i = 0; i < project->options->files.count; i++)
        json_text(json, NULL, project->options->files.items[i]);
    json_end_list(json);
    json_text(json, "method", hn_method_text(settings.method));
    json_number(json, "damping", settings.damping >= 0 ? settings.damping : (double)NAN);
    json_number(json, "iterations", settings.iterations);
    json_number(json, "tolerance", settings.tolerance);
    json_flag(json, "relative", settings.relative);
    json_number(json, "effort", settings.effort);
    json_text(json, "instructions", hn_instructions_text(hn_layer_info_of(project->layer).instructions));
    json_flag(json, "compiled", hn_layer_info_of(project->layer).compiled);
    json_number(json, "threads", project->threads);
    if (project->start)
        json_count(json, "multistart", project->options->multistart);
    json_count(json, "outside", project->unusual.outside);
    json_number(json, "outside_farthest", project->unusual.farthest);
    json_count(json, "broken", project->unusual.broken);
    json_text(json, "device", project->device ? device_choice_text(project->device).text : "cpu");
}

hn_status project_write_json(const struct project *project, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_list(&json, "samples");
    for (size_t k = 0; k < project->reached; k++)
        write_sample(&json, project, k);
    json_end_list(&json);
    groups_write(project->by, project->model, &json);
    json_number(&json, "seconds", project->seconds);
    json_text(&json, "verb", project->options->verb);
    write_settings(&json, project);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}
