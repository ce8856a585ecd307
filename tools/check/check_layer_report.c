/* check_layer_report.c - the printed report of `hardnet check` about the layer, its result and the theorem. See
 * check_report.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "common/console.h"
#include "hardnet/device.h"

#include <math.h>
#include <stdio.h>

enum { NAMES_SHOWN = 6, DEPENDENTS_SHOWN = 6 };

/* ---- the layer ---- */

static const char *device_figures(struct check_view *check, const hn_device_forecast *f) {
    if (f->form == HN_DEVICE_DENSE)
        return view_format(check, "a step has %zu operands beside the linear system, which is loops", f->operands);
    const char *text =
        view_format(check, "a step has %zu operands, at most %zu are straight code", f->operands, f->operands_most);
    if (f->form == HN_DEVICE_STRAIGHT)
        return text;
    return view_format(check, "%s; its longest part has %zu kB as loops, at most %zu are rolled", text,
                       (f->bytes + 999) / 1000, f->bytes_most / 1000);
}

static void report_device(struct check_view *check) {
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_error error = {.text = ""};
    hn_status status = hn_device_predict(&forecast, check->model, NULL, &error);
    printf("  %-*s  %s\n", check->name_width, "on a device",
           status == HN_OK
               ? view_format(check, "%s: %s", hn_device_form_text(forecast.form), device_figures(check, &forecast))
               : view_format(check, "none: %s", error.text));
}

void report_layer(struct check_view *check) {
    const hn_check_correction *c = check->found->correction;
    const hn_layer_info *info = &c->info;
    int width = check->name_width;
    report_heading("Layer (method auto)");
    if (c->why_not) {
        printf("  none: %s\n", c->why_not);
        return;
    }
    printf("  %-*s  %zu unknown%s, one per %s", width, "system", info->factor_order, report_plural(info->factor_order),
           info->outputs_side ? "column" : "row");
    if (info->factor_added > 0)
        printf(" and one per %s kept out (%zu)", info->outputs_side ? "row" : "column", info->factor_added);
    printf("\n");
    printf("  %-*s  %zu nonzero%s below the diagonal, %s\n", width, "factor", info->factor_nonzeros,
           report_plural(info->factor_nonzeros), info->dense ? "dense" : "sparse");
    printf("  %-*s  %zu operator%s for c and J, %zu multiply-adds\n", width, "each step", info->operators,
           report_plural(info->operators), info->multiply_adds);
    report_device(check);
}

/* ---- the correction ---- */

static const char *remark_of(struct check_view *check, const hn_report *report) {
    if (report->outcome == HN_OUTCOME_OK)
        return "";
    if (report->outcome == HN_OUTCOME_NONFINITE_INPUT && report->culprit < check->found->inputs + check->found->outputs)
        return view_format(check, "  start of %s", view_entry(check, report->culprit));
    if (report->outcome == HN_OUTCOME_BAD_BOUNDS && report->culprit < check->found->rows)
        return view_format(check, "  bounds of %s", view_name(check, report->culprit));
    return report->worst < check->found->rows ? view_format(check, "  worst %s", view_name(check, report->worst)) : "";
}

static void print_sample(struct check_view *check, size_t k) {
    const hn_report *report = &check->found->correction->reports[k];
    enum tone tone = report->outcome == HN_OUTCOME_OK ? TONE_GOOD : TONE_WARNING;
    const char *where = check->found->inputs == 0 ? "start" : view_format(check, "inputs of point %zu", k);
    printf("  %-*s  %s%-20s%s %6d %11.3g %11.3g %11.3g%s\n", check->name_width, where, console_tone(stdout, tone),
           hn_outcome_text(report->outcome), console_plain(stdout), report->iterations, report->violation_before,
           report->violation, report->moved, remark_of(check, report));
}

/* ---- conflicting constraints ---- */

static const char *join_groups(struct check_view *check, const hn_check_conflict *conflict) {
    const char *text = "";
    for (size_t i = 0; i < conflict->count; i++) {
        const char *name = view_safe(check, hn_model_group(check->model, conflict->groups[i]).name);
        text = i == 0 ? name : view_format(check, "%s, %s", text, name);
    }
    return text;
}

static const char *how_sure(const struct check_view *check, const hn_check_conflict *conflict) {
    if (conflict->count == hn_model_group_count(check->model) && conflict->count == 1)
        return "it is the only group";
    if (!conflict->minimal)
        return "not all of them may be needed: the search was cut short";
    if (conflict->count == 1)
        return "without it the rest can be corrected";
    return conflict->smallest ? "without any one of them the others can be corrected, and no smaller set was found"
                              : "without any one of them the others can be corrected";
}

static void print_violated(struct check_view *check, const hn_check_conflict *conflict) {
    bool all = check->options->all || conflict->violated <= NAMES_SHOWN;
    size_t shown = all ? conflict->violated : NAMES_SHOWN;
    if (conflict->violated == 0)
        return;
    printf("    rows that stay violated:");
    for (size_t i = 0; i < shown; i++)
        printf("%s %s (%.3g)", i > 0 ? "," : "", view_name(check, conflict->rows[i].row), conflict->rows[i].violation);
    if (!all)
        printf(", ... %zu more; --all lists them", conflict->violated - shown);
    printf("\n");
}

static void print_conflict(struct check_view *check) {
    const hn_check_conflict *conflict = check->found->conflict;
    if (conflict->why_not) {
        printf("  what stands in the way was not searched for: %s\n", conflict->why_not);
        return;
    }
    printf("  %sno point was found%s where %s%s: group%s %s\n", console_tone(stdout, TONE_WARNING),
           console_plain(stdout), conflict->count > 1 ? "these hold together" : "this holds",
           conflict->point > 0 ? view_format(check, " (inputs of point %zu)", conflict->point) : "",
           report_plural(conflict->count), join_groups(check, conflict));
    printf("    %s; %zu relaxed model%s tried, from this start and auto's restarts: no proof that there is no such "
           "point\n",
           how_sure(check, conflict), conflict->solves, report_plural(conflict->solves));
    print_violated(check, conflict);
}

void report_correction(struct check_view *check) {
    const hn_check_correction *c = check->found->correction;
    if (c->why_not)
        return;
    report_heading("Correcting the start (method auto, tolerance %g): %zu of %zu ok", c->options.tolerance, c->ok,
                   c->count);
    printf("  %-*s  %-20s %6s %11s %11s %11s\n", check->name_width, "", "status", "steps", "violation", "after",
           "moved");
    for (size_t k = 0; k < c->count; k++)
        print_sample(check, k);
    if (c->options.iterations < c->own_iterations && c->failed < c->count)
        printf("  at most %d steps here, to keep the check fast; hardnet project allows %d\n", c->options.iterations,
               c->own_iterations);
    if (check->found->conflict)
        print_conflict(check);
}

/* ---- rank ---- */

/* "depends on a, b and 2 more" */
static const char *rank_describe(struct check_view *check, const hn_check_dependent *d) {
    enum { SHOWN = 3 };
    const char *text = "its gradient is 0";
    for (size_t i = 0; i < d->count && i < SHOWN; i++) {
        const char *name = view_name(check, d->others[i]);
        text = i == 0 ? view_format(check, "depends on %s", name) : view_format(check, "%s, %s", text, name);
    }
    return d->total > SHOWN ? view_format(check, "%s and %zu more", text, d->total - SHOWN) : text;
}

static void print_dependents(struct check_view *check, const hn_check_rank *rank) {
    size_t shown = check->options->all || rank->dependents <= DEPENDENTS_SHOWN ? rank->dependents : DEPENDENTS_SHOWN;
    for (size_t k = 0; k < shown; k++)
        printf("  %-*s  %s: %s\n", check->name_width, k == 0 ? "dependent rows" : "",
               view_name(check, rank->dependent[k].row), rank_describe(check, &rank->dependent[k]));
    if (shown < rank->dependents)
        printf("  %-*s  ... %zu more; --all lists them\n", check->name_width, "", rank->dependents - shown);
}

void report_rank(struct check_view *check) {
    const hn_check_rank *rank = check->found->rank;
    int width = check->name_width;
    if (!rank)
        return;
    report_heading("Rank where the correction ended (rows that are equalities or at a bound)");
    if (rank->why_not) {
        printf("  not computed: %s\n", rank->why_not);
        return;
    }
    enum tone tone = rank->rank == rank->active ? TONE_GOOD : TONE_WARNING;
    printf("  %-*s  %zu of %zu\n", width, "active rows", rank->active, check->found->rows);
    if (rank->active == 0)
        return;
    printf("  %-*s  %s%zu%s%s\n", width, "rank", console_tone(stdout, tone), rank->rank, console_plain(stdout),
           rank->rank == rank->active ? ", full" : "");
    if (rank->rank > 0)
        printf("  %-*s  about %.3g to %.3g, ratio %.3g\n", width, "singular values", rank->smallest, rank->largest,
               rank->largest / rank->smallest);
    print_dependents(check, rank);
}

/* ---- the theorem ---- */

static void check_layer_report_print_constants(const struct check_view *check, const hn_check_theorem *t) {
    int width = check->name_width;
    printf("  %-*s  at least %-10.4g smoothness of V = |r|^2/2: |grad V(a) - grad V(b)| <= L |a - b|\n", width, "L",
           t->L);
    printf("  %-*s  at most  %-10.4g |grad V|^2 >= 2 mu V; smallest at point %zu after %zu step%s\n", width, "mu",
           t->mu, t->mu_point, t->mu_step, report_plural(t->mu_step));
    printf("  %-*s  at least %-10.4g |J| <= G\n", width, "G", t->G);
    if (t->mu < 1e-6 * t->L)
        printf("  %-*s  mu is as good as 0: there J'r all but vanishes although rows are violated, and nothing is "
               "promised\n",
               width, "");
}

static void print_measured(const struct check_view *check, const char *name, const hn_check_rate *rate) {
    if (rate->steps > 0)
        printf("  %-*s  V falls to %.6g of itself each step (geometric mean; worst step %.6g)\n", check->name_width,
               name, rate->mean, rate->worst);
}

void report_theorem(struct check_view *check) {
    const hn_check_theorem *t = check->found->theorem;
    int width = check->name_width;
    if (!t)
        return;
    report_heading("The paper's theorem (estimates from samples, no bounds: L and G may be larger, mu smaller)");
    if (t->why_not) {
        printf("  not estimated: %s\n", t->why_not);
        return;
    }
    double half = t->L / 2, paper = t->at_paper.eps;
    bool inside = paper > half;
    check_layer_report_print_constants(check, t);
    printf("  %-*s  eps > L/2 = %.4g; the paper's eps = %g is %s\n", width, "the theorem needs", half, paper,
           inside ? view_format(check, "inside, rate %.6g", t->paper_rate) : "outside");
    printf("  %-*s  eps = %.4g, k = %.4g, rate 1 - 2 mu k = %.6g (1 at L/2)\n", width, "promises most at", t->eps, t->k,
           t->rate);
    print_measured(check, view_format(check, "measured, eps = %.4g", t->eps), &t->at_best);
    print_measured(check, view_format(check, "measured, eps = %g", paper), &t->at_paper);
    printf("  %-*s  %zu iterates, %zu pairs; V* = 0 %s\n", width, "from", t->points, t->pairs,
           check->found->correction->ok > 0 ? "is reached" : "is assumed, but no such point was found");
}
