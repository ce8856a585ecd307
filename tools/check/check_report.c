/* check_report.c - the printed report of `hardnet check`. See check_view.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "common/console.h"
#include "common/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- size ---- */

static void print_summary(struct check_view *check) {
    hn_objective_info objective = hn_model_objective(check->model);
    size_t groups = hn_model_group_count(check->model);
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < check->options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", view_safe(check, check->options->files.items[i]));
    printf("%s\n", console_plain(stdout));
    printf("  %zu input%s, %zu column%s, %zu row%s in %zu group%s, ", check->found->inputs,
           report_plural(check->found->inputs), check->found->outputs, report_plural(check->found->outputs),
           check->found->rows, report_plural(check->found->rows), groups, report_plural(groups));
    if (objective.name)
        printf("%s %s\n", objective.maximize ? "maximize" : "minimize", view_safe(check, objective.name));
    else
        printf("no objective\n");
}

static void print_matrix(const struct check_view *check, const char *name, size_t rows, size_t columns, size_t count,
                         const char *more) {
    double cells = (double)rows * (double)columns;
    printf("  %-*s  %zu x %zu, %zu nonzero%s", check->name_width, name, rows, columns, count, report_plural(count));
    if (count > 0)
        printf(" (%s %%)", figures_percent((double)count / cells).text);
    printf("%s\n", more);
}

static void print_programs(const struct check_view *check) {
    int width = check->name_width;
    if (!check->found->hessian_left_out)
        printf("  %-*s  %zu nonzero%s in the lower triangle\n", width, "Hessian", check->found->hessian_nonzeros,
               report_plural(check->found->hessian_nonzeros));
    else
        printf("  %-*s  too large to be formed; its products are checked, --max-nodes N raises the limit\n", width,
               "Hessian");
    printf("  %-*s  c and f %zu, J %zu", width, "programs", check->found->value_instructions,
           check->found->first_instructions);
    if (!check->found->hessian_left_out)
        printf(", Hessian %zu", check->found->hessian_instructions);
    printf(" instructions; %zu nodes\n", hn_model_node_count(check->model));
}

static void print_derivatives(struct check_view *check) {
    size_t nonzeros = check->found->jacobian.count, by_inputs = check->found->jacobian_x_nonzeros;
    report_heading("Derivatives");
    print_matrix(check, "J = dc/dy", check->found->rows, check->found->outputs, nonzeros,
                 view_format(check, ", %zu of them constant", check->found->jacobian_constant));
    if (check->found->inputs > 0) {
        print_matrix(check, "dc/dx", check->found->rows, check->found->inputs, by_inputs, "");
        printf("  %-*s  %zu nonzero%s\n", check->name_width, "bounds by x", check->found->bounds_x_nonzeros,
               report_plural(check->found->bounds_x_nonzeros));
    }
    if (hn_model_objective(check->model).name)
        printf("  %-*s  %zu nonzero%s\n", check->name_width, "gradient of objective", check->found->gradient_nonzeros,
               report_plural(check->found->gradient_nonzeros));
    print_programs(check);
}

/* ---- groups at the start ---- */

enum { GROUP_LINES = 40 };

static const char *number_or_dot(struct check_view *check, size_t count) {
    return count > 0 ? view_format(check, "%zu", count) : ".";
}

static void print_groups(struct check_view *check) {
    size_t groups = hn_model_group_count(check->model);
    report_heading("Groups");
    printf("  %-*s  %8s %8s %9s %9s\n", check->name_width, "", "rows", "equal", "one-sided", "two-sided");
    for (size_t g = 0; g < groups; g++) {
        hn_group_info info = hn_model_group(check->model, g);
        const hn_check_group *group = &check->found->group[g];
        if (g == GROUP_LINES && !check->options->all) {
            printf("  ... %zu more; --all lists them\n", groups - g);
            return;
        }
        printf("  %-*s  %8zu %8s %9s %9s%s\n", check->name_width, view_safe(check, info.name), info.count,
               number_or_dot(check, group->equalities), number_or_dot(check, group->one_sided),
               number_or_dot(check, group->two_sided), group->output_bounds ? "  bounds of columns" : "");
    }
}

static void print_group_state(struct check_view *check, size_t g) {
    hn_group_info info = hn_model_group(check->model, g);
    const hn_check_group *group = &check->found->group[g];
    printf("  %-*s  %11.4g %11.4g", check->name_width, view_safe(check, info.name), group->mean, group->max);
    if (group->max > 0)
        printf("  %s", view_name(check, group->worst));
    if (group->not_finite > 0)
        printf("  %s(%zu not finite)%s", console_tone(stdout, TONE_WARNING), group->not_finite, console_plain(stdout));
    printf("\n");
}

static const char *where_inputs_are(const struct check_view *check) {
    if (check->found->inputs == 0)
        return "";
    if (check->options->x)
        return "; inputs: the first row of --x";
    return check->found->middle ? "; inputs: the middle of their box" : "; inputs: sampled";
}

static void print_start(struct check_view *check) {
    hn_objective_info objective = hn_model_objective(check->model);
    size_t groups = hn_model_group_count(check->model);
    report_heading("At the start point (outputs: the start values%s)", where_inputs_are(check));
    if (objective.name) {
        double value = check->found->objective;
        printf("  %-*s  %.10g\n", check->name_width, view_safe(check, objective.name),
               objective.maximize ? -value : value);
    }
    if (groups > 0)
        printf("  %-*s  %11s %11s  %s\n", check->name_width, "violation", "mean", "max", "worst row");
    for (size_t g = 0; g < groups && (check->options->all || g < GROUP_LINES); g++)
        print_group_state(check, g);
    if (check->found->smallest_row < check->found->rows) {
        double smallest = check->found->row_norm[check->found->smallest_row],
               largest = check->found->row_norm[check->found->largest_row];
        printf("  %-*s  %.4g (%s) to %.4g (%s), ratio %.3g\n", check->name_width, "row gradients", smallest,
               view_name(check, check->found->smallest_row), largest, view_name(check, check->found->largest_row),
               largest / smallest);
    }
}

/* ---- the derivative check ---- */

static const char *column_name(struct check_view *check, bool by_x, size_t column) {
    return view_safe(check,
                     by_x ? hn_model_input(check->model, column).name : hn_model_output(check->model, column).name);
}

static const char *check_report_place_of(struct check_view *check, const hn_check_difference *d, bool by_x,
                                         bool product) {
    const char *column = column_name(check, by_x, d->column);
    if (product)
        return view_format(check, "entry %s", column);
    if (d->together > 1)
        return view_format(check, "%s by %s and %zu more together", view_name(check, d->row), column, d->together - 1);
    return view_format(check, "%s by %s", view_name(check, d->row), column);
}

static void print_left_out(const hn_check_difference *d) {
    if (d->not_finite + d->kinks > 0)
        printf(" (left out:");
    if (d->not_finite > 0)
        printf(" %zu not finite%s", d->not_finite, d->kinks > 0 ? "," : "");
    if (d->kinks > 0)
        printf(" %zu at kinks", d->kinks);
    if (d->not_finite + d->kinks > 0)
        printf(")");
}

static void print_disagreement(struct check_view *check, const char *what, const hn_check_difference *d, bool by_x,
                               bool product) {
    if (d->checked + d->kinks + d->not_finite == 0)
        return;
    enum tone tone = d->error <= CHECK_ERROR_GOOD ? TONE_GOOD : TONE_ERROR;
    const char *error = d->checked > 0 ? view_format(check, "%.2g", d->error) : "-";
    printf("  %-*s  %s%9s%s  %9zu", check->name_width, what, console_tone(stdout, tone), error, console_plain(stdout),
           d->checked);
    if (d->error > 0)
        printf("  %s", check_report_place_of(check, d, by_x, product));
    print_left_out(d);
    printf("\n");
}

static void print_check(struct check_view *check) {
    report_heading("Derivatives against differences (largest relative error over %zu point%s)", check->found->points,
                   report_plural(check->found->points));
    printf("  %-*s  %9s  %9s  %s\n", check->name_width, "", "error", "checked", "worst entry");
    print_disagreement(check, "J", &check->found->difference[HN_CHECK_JACOBIAN_Y], false, false);
    print_disagreement(check, "gradient of objective", &check->found->difference[HN_CHECK_GRADIENT_Y], false, false);
    print_disagreement(check, "dc/dx", &check->found->difference[HN_CHECK_JACOBIAN_X], true, false);
    print_disagreement(check, "bounds by x", &check->found->difference[HN_CHECK_BOUNDS_X], true, false);
    print_disagreement(check, "objective by x", &check->found->difference[HN_CHECK_GRADIENT_X], true, false);
    print_disagreement(check, "Hessian-vector product", &check->found->difference[HN_CHECK_HESSIAN_PRODUCT], false,
                       true);
    print_disagreement(check, "Hessian", &check->found->difference[HN_CHECK_HESSIAN], false, true);
}

/* ---- findings ---- */

static void print_finding(struct check_view *check, const hn_check_finding *finding) {
    enum { SHOWN = 4 };
    bool warning = finding->severity == HN_SEVERITY_WARNING;
    enum tone tone = warning ? TONE_WARNING : TONE_FAINT;
    size_t shown = check->options->all || finding->count <= SHOWN ? finding->count : SHOWN;
    printf("  %s%s%s %s (%zu):\n", console_tone(stdout, tone), warning ? "warning:" : "note:", console_plain(stdout),
           finding->text, finding->count);
    for (size_t i = 0; i < shown; i++)
        printf("    %s\n", view_safe(check, finding->subjects[i]));
    if (shown < finding->count)
        printf("    ... %zu more; --all lists them\n", finding->count - shown);
}

static void print_warning(const char *text) {
    printf("  %swarning:%s %s\n", console_tone(stdout, TONE_WARNING), console_plain(stdout), text);
}

static void print_findings(struct check_view *check) {
    report_heading("Findings");
    bool infeasible = survey_decided(&check->survey) > check->survey.ok;
    bool slow = survey_is_slow(check->survey.median_steps);
    if (check->found->findings == 0 && !infeasible && !slow)
        printf("  nothing suspicious\n");
    if (infeasible)
        print_warning(survey_sentence(&check->survey, check->model).text);
    if (slow)
        print_warning(survey_slow_sentence(&check->survey, check->model).text);
    for (size_t i = 0; i < check->found->findings; i++)
        print_finding(check, &check->found->finding[i]);
}

void check_report(struct check_view *check) {
    report_measure(check);
    print_summary(check);
    report_inputs(check);
    report_columns(check);
    print_groups(check);
    report_definitions(check);
    print_derivatives(check);
    report_layer(check);
    if (check->options->pattern)
        check_print_pattern(check);
    print_start(check);
    if (check->options->all)
        report_rows(check);
    print_check(check);
    report_correction(check);
    if (check->survey.count > 0) {
        report_heading("Inputs: %zu %s", check->survey.count,
                       check->options->x ? "rows of --x" : "sampled from their box");
        survey_print(&check->survey, check->model, check->name_width);
    }
    report_rank(check);
    report_theorem(check);
    print_findings(check);
}
