/* project_report.c - the printed report of `hardnet project`. See project.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "common/certificate.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "project/project.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOT_OK_LINES = 5, STATUS_WIDTH = 20 };

size_t project_count(const struct project *project, hn_outcome outcome) {
    size_t count = 0;
    for (size_t k = 0; k < project->reached; k++)
        count += project->reports[k].outcome == outcome;
    return count;
}

const char *project_worst(const struct project *project, size_t sample) {
    const hn_report *report = &project->reports[sample];
    bool none = report->worst >= project->rows || report->violation == 0;
    return none ? NULL : hn_model_row(project->model, report->worst).name;
}

/* ---- the head ---- */

static void project_report_print_head(const struct project *project) {
    size_t count = project->samples.count;
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < project->options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", figures_name(project->options->files.items[i]).text);
    printf("%s\n  %zu sample%s, ", console_plain(stdout), count, report_plural(count));
    layer_choice_print(project->layer);
    if (project->start)
        printf(", the best of %zu starts", project->options->multistart);
    if (project->device) {
        printf("\n  %s\n", device_choice_text(project->device).text);
        return;
    }
    printf("\n  %s%s, %d thread%s\n", hn_instructions_text(hn_layer_info_of(project->layer).instructions),
           layer_choice_compiled(project->layer), project->threads, report_plural((size_t)project->threads));
}

static void print_statuses(const struct project *project) {
    report_heading("Status");
    for (int outcome = 0; outcome < HN_OUTCOME_COUNT; outcome++) {
        size_t count = project_count(project, (hn_outcome)outcome);
        enum tone tone = outcome == HN_OUTCOME_OK ? TONE_GOOD : TONE_WARNING;
        if (count > 0)
            printf("  %s%-*s%s %9zu\n", console_tone(stdout, tone), STATUS_WIDTH, hn_outcome_text((hn_outcome)outcome),
                   console_plain(stdout), count);
    }
    certificate_print(project->layer, project->reports, project->reached, STATUS_WIDTH);
    if (project->reached < project->samples.count)
        printf("  %-*s %9zu\n", STATUS_WIDTH, "(not begun)", project->samples.count - project->reached);
    const struct unusual_inputs *unusual = &project->unusual;
    if (unusual->broken > 0)
        printf("  (rows of --x that break a requirement of the model: %zu)\n", unusual->broken);
    if (unusual->outside > 0)
        printf("  (rows of --x outside the box of the inputs: %zu; the farthest by %.3g, %s)\n", unusual->outside,
               unusual->farthest, figures_name(hn_model_input(project->model, unusual->farthest_input).name).text);
}

/* ---- effort ---- */

static double steps_of(const hn_report *report) {
    return report->iterations;
}

static double objective_of(const hn_report *report) {
    return report->outcome == HN_OUTCOME_OK ? report->objective : (double)NAN;
}

static double distance_of(const hn_report *report) {
    return report->moved;
}

/* Statistics over samples with a finite figure; false if there are none. */
static bool spread_over(const struct project *project, double (*figure)(const hn_report *), double *room,
                        struct spread *spread) {
    size_t count = 0;
    for (size_t k = 0; k < project->reached; k++) {
        double value = figure(&project->reports[k]);
        if (isfinite(value))
            room[count++] = value;
    }
    if (count > 0)
        *spread = figures_spread(room, count);
    return count > 0;
}

static void print_effort(const struct project *project) {
    struct spread spread;
    double *room = base_allocate((project->reached + 1) * sizeof *room); /* smaller than the reports */
    report_heading("Effort");
    if (room && spread_over(project, steps_of, room, &spread))
        printf("  %-*s min %.0f, median %g, max %.0f\n", STATUS_WIDTH, "steps", spread.least, spread.median,
               spread.most);
    if (room && spread_over(project, distance_of, room, &spread))
        printf("  %-*s median %.4g, max %.4g\n", STATUS_WIDTH, "distance moved", spread.median, spread.most);
    if (room && spread_over(project, objective_of, room, &spread))
        printf("  %-*s min %.6g, median %.6g, max %.6g\n", STATUS_WIDTH, "objective", spread.least, spread.median,
               spread.most);
    base_release(room);
    printf("  %-*s %s", STATUS_WIDTH, "time", figures_duration(project->seconds).text);
    if (project->reached > 0)
        printf(", %s per sample", figures_duration(project->seconds / (double)project->reached).text);
    printf("\n");
}

/* ---- samples that are not ok ---- */

/* Entry: of x, then of y. */
static void print_entry(const struct project *project, size_t sample, size_t entry) {
    const struct samples *samples = &project->samples;
    bool is_input = entry < project->inputs;
    const hn_array *array = is_input ? &samples->x : &samples->y;
    size_t column = is_input ? entry : entry - project->inputs, row = samples_row(array, sample);
    const char *name =
        is_input ? hn_model_input(project->model, column).name : hn_model_output(project->model, column).name;
    if (array->values)
        printf("%s is %g (row %zu, column %zu of %s)", figures_name(name).text,
               array->values[row * array->columns + column], row, column, is_input ? samples->x_path : samples->y_path);
    else
        printf("the start value of %s is not finite", figures_name(name).text);
}

static void print_culprit(const struct project *project, size_t sample) {
    const hn_report *report = &project->reports[sample];
    const char *worst = project_worst(project, sample);
    if (report->outcome == HN_OUTCOME_NONFINITE_INPUT && report->culprit < project->inputs + project->outputs)
        print_entry(project, sample, report->culprit);
    else if (report->outcome == HN_OUTCOME_BAD_BOUNDS && report->culprit < project->rows)
        printf("the bounds of %s cross or are not numbers",
               figures_name(hn_model_row(project->model, report->culprit).name).text);
    else
        printf("%s", worst ? figures_name(worst).text : "");
}

static void print_not_ok(const struct project *project, size_t sample) {
    const hn_report *report = &project->reports[sample];
    printf("  sample %-6zu %-*s ", sample, STATUS_WIDTH, hn_outcome_text(report->outcome));
    if (isfinite(report->violation))
        printf("%11.4g  ", report->violation);
    else
        printf("%11s  ", "-");
    print_culprit(project, sample);
    printf("\n");
}

static void print_all_not_ok(const struct project *project) {
    size_t left = project->reached - project_count(project, HN_OUTCOME_OK), shown = 0;
    if (left == 0)
        return;
    report_heading("Not ok: %zu of %zu, counted from 0 (status, violation, worst row or culprit)", left,
                   project->reached);
    for (size_t k = 0; k < project->reached && shown < NOT_OK_LINES; k++)
        if (project->reports[k].outcome != HN_OUTCOME_OK) {
            print_not_ok(project, k);
            shown++;
        }
    if (shown < left)
        printf("  ... %zu more; --report lists all samples\n", left - shown);
}

void project_print(const struct project *project) {
    project_report_print_head(project);
    print_statuses(project);
    groups_print(project->by, project->model);
    print_effort(project);
    project_print_solution(project);
    print_all_not_ok(project);
}
