/* check_findings.c - the findings: rows, columns and inputs that are probably modelling errors. See check_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check_parts.h"
#include "check/duplicates.h"

#include <math.h>
#include <string.h>

/* ---- the list ---- */

static struct finding *check_findings_find(struct check *check, hn_severity severity, const char *kind,
                                           const char *text) {
    struct finding *finding = arena_take(&check->arena, 1, sizeof *finding);
    if (finding)
        *finding = (struct finding){.found = {.severity = severity, .kind = kind, .text = text}};
    return finding;
}

/* Names are collected in blocks of the arena, each twice as large as the one before. */
static void name(struct check *check, struct finding *finding, const char *text) {
    if (!finding)
        return;
    hn_check_finding *found = &finding->found;
    if (found->count == finding->capacity) {
        size_t capacity = finding->capacity ? 2 * finding->capacity : 8;
        const char **names = arena_take(&check->arena, capacity, sizeof *names);
        check->starved = check->starved || !names;
        if (!names)
            return;
        if (found->count > 0)
            memcpy(names, found->subjects, found->count * sizeof *names);
        found->subjects = names;
        finding->capacity = capacity;
    }
    found->subjects[found->count++] = text;
}

/* Findings without names are dropped. */
static hn_status check_findings_keep(struct check *check, struct finding *finding, hn_error *error) {
    if (!finding)
        return error_no_memory(error, "check");
    if (finding->found.count > 0) {
        *check->findings_end = finding;
        check->findings_end = &finding->next;
    }
    return HN_OK;
}

/* ---- at the start point ---- */

static bool row_has_bad_entry(const struct check *check, size_t row) {
    for (size_t e = check->by_y.first[row]; e < check->by_y.first[row + 1]; e++)
        if (!isfinite(check->first[e]))
            return true;
    return false;
}

static hn_status find_not_finite(struct check *check, hn_error *error) {
    enum { EXPLAINED = 5 };
    struct finding *finding =
        check_findings_find(check, HN_SEVERITY_WARNING, "not_finite", "not finite at the start point");
    for (size_t i = 0; i < check->values && finding; i++) {
        bool bound = i >= check->functions; /* bounds may be infinite */
        bool bad_value = bound ? isnan(check->value[i]) : !isfinite(check->value[i]);
        bool bad_entry = !bound && !bad_value && row_has_bad_entry(check, i);
        const char *shown = bad_value || bad_entry ? check_name(check, i) : NULL, *why = NULL;
        if (!shown)
            continue;
        if (bad_value && finding->found.count < EXPLAINED)
            why = check_blame(check, i, 0);
        if (bad_entry)
            why = "the value is finite, but a derivative is not";
        name(check, finding, why ? check_format(check, "%s (%s)", shown, why) : shown);
    }
    return check_findings_keep(check, finding, error);
}

static hn_status find_crossed(struct check *check, hn_error *error) {
    struct finding *finding = check_findings_find(check, HN_SEVERITY_WARNING, "crossed_bounds",
                                                  "rows whose lower bound exceeds the upper one at the start");
    for (size_t i = 0; i < check->rows; i++) {
        double lower = check->value[check->functions + i], upper = check->value[check->functions + check->rows + i];
        if (lower > upper)
            name(check, finding, check_format(check, "%s (%g > %g)", check_name(check, i), lower, upper));
    }
    return check_findings_keep(check, finding, error);
}

static hn_status find_vanishing(struct check *check, hn_error *error) {
    struct finding *finding = check_findings_find(check, HN_SEVERITY_WARNING, "vanishing_gradient",
                                                  "violated rows whose gradient is 0 at the start");
    for (size_t i = 0; i < check->rows; i++)
        if (check->by_y.first[i] < check->by_y.first[i + 1] && check->row_norm[i] == 0 && check->violation[i] > 0)
            name(check, finding, check_name(check, i));
    return check_findings_keep(check, finding, error);
}

static hn_status find_scaling(struct check *check, hn_error *error) {
    if (check->smallest_row == check->rows)
        return HN_OK;
    double smallest = check->row_norm[check->smallest_row], largest = check->row_norm[check->largest_row];
    struct finding *finding = check_findings_find(
        check, HN_SEVERITY_WARNING, "badly_scaled",
        check_format(check, "row gradients differ by a factor of %.2g; rows are best scaled to the same size",
                     largest / smallest));
    if (largest / smallest > CHECK_RATIO_GOOD) {
        name(check, finding,
             check_format(check, "%s (|gradient| %.3g)", check_name(check, check->smallest_row), smallest));
        name(check, finding,
             check_format(check, "%s (|gradient| %.3g)", check_name(check, check->largest_row), largest));
    }
    return check_findings_keep(check, finding, error);
}

/* ---- structure ---- */

static hn_status find_constant(struct check *check, hn_error *error) {
    struct finding *never = check_findings_find(check, HN_SEVERITY_WARNING, "violated_constant_row",
                                                "violated rows that depend on no free column");
    struct finding *always =
        check_findings_find(check, HN_SEVERITY_NOTE, "constant_row", "rows that depend on no free column");
    for (size_t i = 0; i < check->rows; i++)
        if (check->by_y.first[i] == check->by_y.first[i + 1])
            name(check, check->violation[i] > 0 ? never : always, check_name(check, i));
    hn_status status = check_findings_keep(check, never, error);
    return status == HN_OK ? check_findings_keep(check, always, error) : status;
}

static hn_status find_duplicates(struct check *check, hn_error *error) {
    struct duplicates duplicates;
    struct finding *finding =
        check_findings_find(check, HN_SEVERITY_NOTE, "duplicated_row", "rows that repeat an earlier one");
    hn_status status = duplicates_find(&duplicates, check, error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < check->rows; i++) {
        size_t original = duplicates.original[i];
        double factor = duplicates.factor[i];
        if (original == i)
            continue;
        const char *shown = check_name(check, i), *earlier = check_name(check, original);
        name(check, finding,
             factor == 1 ? check_format(check, "%s (same as %s)", shown, earlier)
                         : check_format(check, "%s (%.6g times %s)", shown, factor, earlier));
    }
    return check_findings_keep(check, finding, error);
}

static hn_status find_absent_columns(struct check *check, hn_error *error) {
    struct finding *nowhere =
        check_findings_find(check, HN_SEVERITY_WARNING, "unused_column", "columns in no row and not in the objective");
    struct finding *loose =
        check_findings_find(check, HN_SEVERITY_NOTE, "unconstrained_column", "columns in the objective, but in no row");
    unsigned char *seen = arena_take(&check->arena, check->columns + 1, 1);
    if (!seen)
        return error_no_memory(error, "check");
    memset(seen, 0, check->columns);
    for (size_t e = 0; e < check->by_y.count; e++)
        seen[check->by_y.column[e]] |= e < check_jacobian_count(check) ? 1 : 2;
    for (size_t j = 0; j < check->columns; j++)
        if (seen[j] % 2 == 0 && !hn_is_valid(hn_model_output(check->model, j).fixed))
            name(check, seen[j] ? loose : nowhere, hn_model_output(check->model, j).name);
    hn_status status = check_findings_keep(check, nowhere, error);
    return status == HN_OK ? check_findings_keep(check, loose, error) : status;
}

static hn_status find_odd_inputs(struct check *check, hn_error *error) {
    struct finding *unused = check_findings_find(check, HN_SEVERITY_WARNING, "unused_input",
                                                 "inputs that no row and no objective depends on");
    struct finding *boundless =
        check_findings_find(check, HN_SEVERITY_NOTE, "unbounded_input", "inputs without a finite box to sample from");
    unsigned char *seen = arena_take(&check->arena, check->inputs + 1, 1);
    if (!seen)
        return error_no_memory(error, "check");
    memset(seen, 0, check->inputs);
    for (size_t e = 0; e < check->by_x.count; e++)
        seen[check->by_x.column[e]] = 1;
    for (size_t i = 0; i < check->inputs; i++) {
        hn_input_info input = hn_model_input(check->model, i);
        if (!seen[i])
            name(check, unused, input.name);
        if (!isfinite(input.lower) || !isfinite(input.upper))
            name(check, boundless, input.name);
    }
    hn_status status = check_findings_keep(check, unused, error);
    return status == HN_OK ? check_findings_keep(check, boundless, error) : status;
}

/* ---- derivatives ---- */

static void name_if_wrong(struct check *check, struct finding *finding, const char *what,
                          const hn_check_difference *d) {
    if (d->checked > 0 && d->error > CHECK_ERROR_GOOD)
        name(check, finding,
             check_format(check, "%s at point %zu (%.9g, finite differences %.9g)", what, d->point, d->derivative,
                          d->difference));
}

static hn_status find_derivatives(struct check *check, hn_error *error) {
    static const char y_names[][32] = {"J", "gradient of the objective", ""};
    static const char x_names[][32] = {"dc/dx", "objective with respect to x", "bounds with respect to x"};
    struct finding *finding =
        check_findings_find(check, HN_SEVERITY_WARNING, "derivative", "derivatives differ from finite differences");
    for (int class = 0; class < DIFFERENCE_CLASSES; class ++) {
        name_if_wrong(check, finding, y_names[class], &check->y_check[class]);
        name_if_wrong(check, finding, x_names[class], &check->x_check[class]);
    }
    name_if_wrong(check, finding, "Hessian-vector product", &check->product_check);
    name_if_wrong(check, finding, "Hessian", &check->hessian_check);
    return check_findings_keep(check, finding, error);
}

/* ---- the layer's results ---- */

static hn_status find_not_corrected(struct check *check, hn_error *error) {
    const hn_check_correction *c = check->correction;
    struct finding *finding =
        check_findings_find(check, HN_SEVERITY_WARNING, "not_corrected", "starts that auto does not correct");
    for (size_t k = 0; k < c->count; k++)
        if (c->reports[k].outcome != HN_OUTCOME_OK)
            name(check, finding,
                 check_format(check, "%s (%s)", check->inputs ? check_format(check, "inputs of point %zu", k) : "start",
                              hn_outcome_text(c->reports[k].outcome)));
    return check_findings_keep(check, finding, error);
}

static hn_status find_conflict(struct check *check, hn_error *error) {
    const hn_check_conflict *conflict = check->conflict;
    bool single = conflict && conflict->count == 1;
    struct finding *finding = check_findings_find(check, HN_SEVERITY_WARNING, "conflict",
                                                  single ? "group that looks infeasible (not proven)"
                                                         : "groups that together look infeasible (not proven)");
    for (size_t i = 0; conflict && i < conflict->count; i++)
        name(check, finding, hn_model_group(check->model, conflict->groups[i]).name);
    return check_findings_keep(check, finding, error);
}

/* "depends on a, b and 2 more" */
static const char *describe_dependence(struct check *check, const hn_check_dependent *d) {
    enum { SHOWN = 3 };
    const char *text = "the gradient is 0";
    for (size_t i = 0; i < d->count && i < SHOWN; i++) {
        const char *other = check_name(check, d->others[i]);
        text = i == 0 ? check_format(check, "depends on %s", other) : check_format(check, "%s, %s", text, other);
    }
    return d->total > SHOWN ? check_format(check, "%s and %zu more", text, d->total - SHOWN) : text;
}

static hn_status find_dependent(struct check *check, hn_error *error) {
    const hn_check_rank *rank = check->rank;
    struct finding *finding = check_findings_find(check, HN_SEVERITY_NOTE, "dependent_row",
                                                  "rows whose gradient depends on others where the correction ended");
    for (size_t k = 0; rank && k < rank->dependents; k++) {
        const hn_check_dependent *d = &rank->dependent[k];
        name(check, finding, check_format(check, "%s (%s)", check_name(check, d->row), describe_dependence(check, d)));
    }
    return check_findings_keep(check, finding, error);
}

/* ---- all findings ---- */

static hn_status find_at_start(struct check *check, hn_error *error) {
    hn_status status = find_derivatives(check, error);
    if (status == HN_OK)
        status = find_not_finite(check, error);
    if (status == HN_OK)
        status = find_crossed(check, error);
    if (status == HN_OK)
        status = find_constant(check, error);
    return status == HN_OK ? find_vanishing(check, error) : status;
}

static hn_status find_about_rows(struct check *check, hn_error *error) {
    hn_status status = find_not_corrected(check, error);
    if (status == HN_OK)
        status = find_conflict(check, error);
    if (status == HN_OK)
        status = find_duplicates(check, error);
    if (status == HN_OK)
        status = find_dependent(check, error);
    return status == HN_OK ? find_scaling(check, error) : status;
}

hn_status check_findings(struct check *check, hn_error *error) {
    check->findings_end = &check->findings;
    hn_status status = find_at_start(check, error);
    if (status == HN_OK)
        status = find_about_rows(check, error);
    if (status == HN_OK)
        status = find_absent_columns(check, error);
    return status == HN_OK ? find_odd_inputs(check, error) : status;
}
