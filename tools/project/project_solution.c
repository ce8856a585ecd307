/* project_solution.c - `hardnet solve` for a single sample: outputs and rows by name; and arrays as CSV. See project.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/csv.h"
#include "common/figures.h"
#include "common/headings.h"
#include "hardnet/inspect.h"
#include "project/project.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOLUTION_LINES = 20, NAME_WIDTH = 20, NUMBER_WIDTH = 14 };

/* ---- on the terminal ---- */

/* c, bl and bu at the solution. */
static hn_status project_solution_look(const struct project *p, double *c, double *lower, double *upper,
                                       hn_error *error) {
    hn_evaluator *evaluator = NULL;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_LOWER) | HN_WANT(HN_QUANTITY_UPPER);
    hn_status status = hn_evaluator_create(&evaluator, p->model, &options, error);
    if (status != HN_OK)
        return status;
    hn_evaluation e = {.size = sizeof e, .count = 1, .x = p->samples.x.values, .y = p->y};
    e.values[HN_QUANTITY_ROWS] = c;
    e.values[HN_QUANTITY_LOWER] = lower;
    e.values[HN_QUANTITY_UPPER] = upper;
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = base_allocate(bytes);
    status = workspace ? hn_evaluator_run(evaluator, &e, workspace, bytes, error) : error_no_memory(error, "the rows");
    base_release(workspace);
    hn_evaluator_destroy(evaluator);
    return status;
}

static void print_more(size_t count, const char *option) {
    if (count > SOLUTION_LINES)
        printf("  ... %zu more; --%s FILE.csv writes all\n", count - SOLUTION_LINES, option);
}

static void print_outputs(const struct project *p) {
    report_heading("Solution");
    for (size_t j = 0; j < p->outputs && j < SOLUTION_LINES; j++)
        printf("  %-*s %*.8g\n", NAME_WIDTH, figures_name(hn_model_output(p->model, j).name).text, NUMBER_WIDTH,
               p->y[j]);
    print_more(p->outputs, "out");
}

/* Slack: the distance to the nearer bound, below 0 beyond it. */
static void print_rows(const struct project *p, const double *c, const double *lower, const double *upper) {
    report_heading("Rows (value, slack to the nearer bound, multiplier)");
    for (size_t i = 0; i < p->rows && i < SOLUTION_LINES; i++)
        printf("  %-*s %*.8g %*.4g %*.8g\n", NAME_WIDTH, figures_name(hn_model_row(p->model, i).name).text,
               NUMBER_WIDTH, c[i], NUMBER_WIDTH, fmin(c[i] - lower[i], upper[i] - c[i]), NUMBER_WIDTH,
               p->multipliers[i]);
    print_more(p->rows, "multipliers");
}

void project_print_solution(const struct project *p) {
    hn_error error = {.status = HN_OK};
    bool wanted = strcmp(p->options->verb, "solve") == 0 && p->samples.count == 1 && p->reached == 1;
    if (!wanted || p->reports[0].outcome != HN_OUTCOME_OK)
        return;
    print_outputs(p);
    if (p->rows == 0 || !p->multipliers)
        return;
    double *values = base_allocate(3 * p->rows * sizeof *values); /* fewer than the layer has */
    hn_status status = values ? project_solution_look(p, values, values + p->rows, values + 2 * p->rows, &error)
                              : error_no_memory(&error, "the rows");
    if (status == HN_OK)
        print_rows(p, values, values + p->rows, values + 2 * p->rows);
    else
        console_error("%s", error.text);
    base_release(values);
}

/* ---- files ---- */

bool project_is_csv(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".csv") == 0;
}

static const char *name_of(const struct project *p, enum project_columns columns, size_t j) {
    switch (columns) {
    case PROJECT_OUTPUTS:
        return hn_model_output(p->model, j).name;
    case PROJECT_ROWS:
        return hn_model_row(p->model, j).name;
    default:
        return hn_model_objective(p->model).name;
    }
}

hn_status project_write_csv(const struct project *p, const char *path, enum project_columns columns, size_t count,
                            const double *values, hn_error *error) {
    struct text text = {.count = 0};
    csv_first(&text, "sample");
    csv_text(&text, "status");
    for (size_t j = 0; j < count; j++)
        csv_text(&text, name_of(p, columns, j));
    for (size_t k = 0; k < p->samples.count; k++) {
        text_print(&text, "\n%zu", k);
        csv_text(&text, hn_outcome_text(p->reports[k].outcome));
        for (size_t j = 0; j < count; j++)
            csv_number(&text, values[k * count + j]);
    }
    text_print(&text, "\n");
    hn_status status = text_write(&text, path, error);
    text_release(&text);
    return status;
}
