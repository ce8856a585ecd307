/* check_report.c - what `hardnet check` prints. See check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "check/check_layer.h"
#include "common/console.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- size ---- */

static void print_summary(struct check *check) {
    hn_objective_info objective = hn_model_objective(check->model);
    size_t groups = hn_model_group_count(check->model);
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < check->options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", check_safe(check, check->options->files.items[i]));
    printf("%s\n", console_plain(stdout));
    printf("  %zu input%s, %zu column%s, %zu row%s in %zu group%s, ", check->inputs, report_plural(check->inputs),
           check->columns, report_plural(check->columns), check->rows, report_plural(check->rows), groups,
           report_plural(groups));
    if (objective.name)
        printf("%s %s\n", objective.maximize ? "maximize" : "minimize", check_safe(check, objective.name));
    else
        printf("no objective\n");
}

static void print_matrix(const struct check *check, const char *name, size_t rows, size_t columns, size_t count,
                         const char *more) {
    double cells = (double)rows * (double)columns;
    printf("  %-*s  %zu x %zu, %zu nonzero%s", check->name_width, name, rows, columns, count, report_plural(count));
    if (count > 0)
        printf(" (%.2g %%)", 100 * (double)count / cells);
    printf("%s\n", more);
}

/* Equalities have one bound, stored twice. */
static size_t bound_entries(const struct check *check) {
    size_t count = 0, m = check->rows;
    const size_t *first = check->by_x.first + check->functions;
    for (size_t i = 0; i < m; i++) {
        count += first[i + 1] - first[i];
        if (check->problem.lower[i] != check->problem.upper[i])
            count += first[m + i + 1] - first[m + i];
    }
    return count;
}

static void print_programs(const struct check *check) {
    int width = check->name_width;
    if (check->hessian_program)
        printf("  %-*s  %zu nonzero%s in the lower triangle\n", width, "Hessian", check->hessian.count,
               report_plural(check->hessian.count));
    else
        printf("  %-*s  too large to be formed; its products are checked, --max-nodes N raises the limit\n", width,
               "Hessian");
    printf("  %-*s  c and f %zu, J %zu", width, "programs", check->value_program->first[PHASES],
           check->first_program->first[PHASES]);
    if (check->hessian_program)
        printf(", Hessian %zu", check->hessian_program->first[PHASES]);
    printf(" instructions; %zu nodes\n", hn_model_node_count(check->model));
}

static void print_derivatives(struct check *check) {
    size_t nonzeros = check_jacobian_count(check), by_inputs = check->by_x.first[check->rows];
    report_heading("Derivatives");
    print_matrix(check, "J = dc/dy", check->rows, check->columns, nonzeros,
                 check_format(check, ", %zu of them constant", check->constant_entries));
    if (check->inputs > 0) {
        print_matrix(check, "dc/dx", check->rows, check->inputs, by_inputs, "");
        printf("  %-*s  %zu nonzero%s\n", check->name_width, "bounds by x", bound_entries(check),
               report_plural(bound_entries(check)));
    }
    if (check->functions > check->rows)
        printf("  %-*s  %zu nonzero%s\n", check->name_width, "gradient of objective", check_gradient_count(check),
               report_plural(check_gradient_count(check)));
    print_programs(check);
}

/* ---- groups at the start ---- */

enum { GROUP_LINES = 40 };

static const char *number_or_dot(struct check *check, size_t count) {
    return count > 0 ? check_format(check, "%zu", count) : ".";
}

static void print_groups(struct check *check) {
    size_t groups = hn_model_group_count(check->model);
    report_heading("Groups");
    printf("  %-*s  %8s %8s %9s %9s\n", check->name_width, "", "rows", "equal", "one-sided", "two-sided");
    for (size_t g = 0; g < groups; g++) {
        hn_group_info info = hn_model_group(check->model, g);
        const struct group_state *group = &check->groups[g];
        if (g == GROUP_LINES && !check->options->all) {
            printf("  ... %zu more; --all lists them\n", groups - g);
            return;
        }
        printf("  %-*s  %8zu %8s %9s %9s%s\n", check->name_width, check_safe(check, info.name), info.count,
               number_or_dot(check, group->equalities), number_or_dot(check, group->one_sided),
               number_or_dot(check, group->two_sided), group->bounds ? "  bounds of columns" : "");
    }
}

static void print_group_state(struct check *check, size_t g) {
    hn_group_info info = hn_model_group(check->model, g);
    const struct group_state *group = &check->groups[g];
    printf("  %-*s  %11.4g %11.4g", check->name_width, check_safe(check, info.name), group->mean, group->max);
    if (group->max > 0)
        printf("  %s", check_name(check, group->worst));
    if (group->not_finite > 0)
        printf("  %s(%zu not finite)%s", console_tone(stdout, TONE_WARNING), group->not_finite, console_plain(stdout));
    printf("\n");
}

static const char *where_inputs_are(const struct check *check) {
    if (check->inputs == 0)
        return "";
    if (check->options->x)
        return "; inputs: the first row of --x";
    return check->middle ? "; inputs: the middle of their box" : "; inputs: sampled";
}

static void print_start(struct check *check) {
    hn_objective_info objective = hn_model_objective(check->model);
    size_t groups = hn_model_group_count(check->model);
    report_heading("At the start point (outputs: the start values%s)", where_inputs_are(check));
    if (objective.name) {
        double value = check->value[check->rows];
        printf("  %-*s  %.10g\n", check->name_width, check_safe(check, objective.name),
               objective.maximize ? -value : value);
    }
    if (groups > 0)
        printf("  %-*s  %11s %11s  %s\n", check->name_width, "violation", "mean", "max", "worst row");
    for (size_t g = 0; g < groups && (check->options->all || g < GROUP_LINES); g++)
        print_group_state(check, g);
    if (check->smallest_row < check->rows) {
        double smallest = check->row_norm[check->smallest_row], largest = check->row_norm[check->largest_row];
        printf("  %-*s  %.4g (%s) to %.4g (%s), ratio %.3g\n", check->name_width, "row gradients", smallest,
               check_name(check, check->smallest_row), largest, check_name(check, check->largest_row),
               largest / smallest);
    }
}

/* ---- the derivative check ---- */

static const char *column_name(struct check *check, enum space space, size_t column) {
    return check_safe(check, space == SPACE_X ? hn_model_input(check->model, column).name
                                              : hn_model_output(check->model, column).name);
}

static const char *place_of(struct check *check, const struct disagreement *d, enum space space, bool product) {
    const char *column = column_name(check, space, d->column);
    if (product)
        return check_format(check, "entry %s", column);
    if (d->together > 1)
        return check_format(check, "%s by %s and %zu more together", check_name(check, d->row), column,
                            d->together - 1);
    return check_format(check, "%s by %s", check_name(check, d->row), column);
}

static void print_left_out(const struct disagreement *d) {
    if (d->not_finite + d->kinks > 0)
        printf(" (left out:");
    if (d->not_finite > 0)
        printf(" %zu not finite%s", d->not_finite, d->kinks > 0 ? "," : "");
    if (d->kinks > 0)
        printf(" %zu at kinks", d->kinks);
    if (d->not_finite + d->kinks > 0)
        printf(")");
}

static void print_disagreement(struct check *check, const char *what, const struct disagreement *d, enum space space,
                               bool product) {
    if (d->checked + d->kinks + d->not_finite == 0)
        return;
    enum tone tone = d->error <= CHECK_ERROR_GOOD ? TONE_GOOD : TONE_ERROR;
    const char *error = d->checked > 0 ? check_format(check, "%.2g", d->error) : "-";
    printf("  %-*s  %s%9s%s  %9zu", check->name_width, what, console_tone(stdout, tone), error, console_plain(stdout),
           d->checked);
    if (d->error > 0)
        printf("  %s", place_of(check, d, space, product));
    print_left_out(d);
    printf("\n");
}

static void print_check(struct check *check) {
    report_heading("Derivatives against differences (largest relative error over %zu point%s)", check->points,
                   report_plural(check->points));
    printf("  %-*s  %9s  %9s  %s\n", check->name_width, "", "error", "checked", "worst entry");
    print_disagreement(check, "J", &check->y_check[BY_ROWS], SPACE_Y, false);
    print_disagreement(check, "gradient of objective", &check->y_check[BY_OBJECTIVE], SPACE_Y, false);
    print_disagreement(check, "dc/dx", &check->x_check[BY_ROWS], SPACE_X, false);
    print_disagreement(check, "bounds by x", &check->x_check[BY_BOUNDS], SPACE_X, false);
    print_disagreement(check, "objective by x", &check->x_check[BY_OBJECTIVE], SPACE_X, false);
    print_disagreement(check, "Hessian-vector product", &check->product_check, SPACE_Y, true);
    print_disagreement(check, "Hessian", &check->hessian_check, SPACE_Y, true);
}

/* ---- findings ---- */

static void print_finding(const struct check *check, const struct finding *finding) {
    enum { SHOWN = 4 };
    enum tone tone = finding->warning ? TONE_WARNING : TONE_FAINT;
    size_t shown = check->options->all || finding->count <= SHOWN ? finding->count : SHOWN;
    printf("  %s%s%s %s (%zu):\n", console_tone(stdout, tone),
           finding->warning ? "warning:" : "note:", console_plain(stdout), finding->text, finding->count);
    for (size_t i = 0; i < shown; i++)
        printf("    %s\n", finding->names[i]);
    if (shown < finding->count)
        printf("    ... %zu more; --all lists them\n", finding->count - shown);
}

static void print_findings(struct check *check) {
    report_heading("Findings");
    if (!check->findings)
        printf("  nothing suspicious\n");
    for (const struct finding *finding = check->findings; finding; finding = finding->next)
        print_finding(check, finding);
}

void check_report(struct check *check) {
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
    report_rank(check);
    report_theorem(check);
    print_findings(check);
}
