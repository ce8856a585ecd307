/* rollout_report.c - the printed report of `hardnet rollout`. See rollout.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "rollout/rollout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 11, START_LINES = 10, NOT_OK_LINES = 5 };

/* ---- pieces ---- */

static int name_width(const struct rollout *r) {
    size_t width = strlen("controller");
    for (size_t i = 0; i < r->count; i++) {
        size_t own = strlen(r->controllers[i].name);
        width = own > width ? own : width;
    }
    return (int)width;
}

static void print_number(double value, int digits) {
    if (isfinite(value))
        printf("  %*.*g", WIDTH, digits, value);
    else
        printf("  %*s", WIDTH, "-");
}

static void rollout_report_print_head(const struct rollout *r) {
    const struct rollout_options *o = r->options;
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < o->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", figures_name(o->files.items[i]).text);
    printf(" in closed loop%s\n  %zu step%s from %zu start%s, ", console_plain(stdout), r->steps,
           report_plural(r->steps), r->starts, report_plural(r->starts));
    for (size_t i = 0; i < o->feedback.count; i++)
        printf("%s%s", i > 0 ? ", " : "", figures_name(o->feedback.items[i]).text);
    if (o->plant)
        printf(" of the plant %s", figures_name(o->plant).text);
    if (o->disturbance)
        printf(", disturbed by N(0, %s^2) with seed %zu", figures_name(o->disturbance).text, o->judging.seed);
    printf("\n");
    if (o->cost)
        printf("  cost: the sum of %s over the steps", figures_name(o->cost).text);
    if (o->final_cost)
        printf(", and %s of the last", figures_name(o->final_cost).text);
    printf("%s", o->cost ? "\n" : "");
    if (o->margin)
        printf("  margin: the smallest %s of all steps\n", figures_name(o->margin).text);
}

/* ---- the table ---- */

static void print_titles(const struct rollout *r, int width) {
    printf("\n%s  %-*s", console_tone(stdout, TONE_HEADING), width, "controller");
    if (r->formulas.has_cost)
        printf("  %*s", WIDTH, r->starts > 1 ? "mean cost" : "cost");
    if (r->formulas.has_cost && r->starts > 1)
        printf("  %*s", WIDTH, "highest");
    if (r->formulas.margin)
        printf("  %*s", WIDTH, "margin");
    printf("  %*s  %*s  %*s  %s%s\n", WIDTH, "max |r|", WIDTH, "time a step", WIDTH, "slowest", "steps ok",
           console_plain(stdout));
}

static void print_controller(const struct rollout *r, const struct controller *c, int width) {
    const struct rollout_total *total = &c->total;
    enum tone tone = total->ok == total->steps ? TONE_GOOD : TONE_WARNING;
    printf("  %-*s", width, figures_name(c->name).text);
    if (r->formulas.has_cost)
        print_number(total->cost, 6);
    if (r->formulas.has_cost && r->starts > 1)
        print_number(total->highest, 6);
    if (r->formulas.margin)
        print_number(total->margin, 4);
    print_number(total->violation, 3);
    printf("  %*s", WIDTH, figures_duration(c->seconds).text);
    printf("  %*s  %s%zu of %zu%s\n", WIDTH, figures_duration(c->slowest).text, console_tone(stdout, tone), total->ok,
           total->steps, console_plain(stdout));
}

static void print_starts(const struct rollout *r) {
    size_t shown = r->starts < START_LINES ? r->starts : START_LINES;
    if (r->starts < 2 || !r->formulas.has_cost)
        return;
    report_heading("Cost by start, counted from 0");
    printf("  %-8s", "start");
    for (size_t i = 0; i < r->count; i++)
        printf("  %*.*s", WIDTH, WIDTH, figures_name(r->controllers[i].name).text);
    printf("\n");
    for (size_t start = 0; start < shown; start++) {
        printf("  %-8zu", start);
        for (size_t i = 0; i < r->count; i++)
            print_number(r->controllers[i].totals[start].cost, 6);
        printf("\n");
    }
    if (shown < r->starts)
        printf("  ... %zu more; --report lists all\n", r->starts - shown);
}

/* ---- steps that are not ok ---- */

static void print_not_ok(const struct rollout *r, const struct controller *c, size_t start, size_t k) {
    const struct rollout_step *step = &c->steps[start * r->steps + k];
    printf("  %-*s  start %-4zu step %-4zu %-20s", name_width(r), figures_name(c->name).text, start, k, step->status);
    print_number(step->violation, 3);
    printf("  %s\n", step->worst < SIZE_MAX ? figures_name(hn_model_row(r->model, step->worst).name).text : "");
}

/* A few steps of each controller. */
static void print_all_not_ok(const struct rollout *r, const struct controller *c) {
    size_t shown = 0, left = c->total.steps - c->total.ok;
    for (size_t i = 0; i < c->total.steps && shown < NOT_OK_LINES; i++)
        if (!c->steps[i].ok) {
            print_not_ok(r, c, i / r->steps, i % r->steps);
            shown++;
        }
    if (shown < left)
        printf("  %-*s  ... %zu more; --report lists all\n", name_width(r), figures_name(c->name).text, left - shown);
}

/* ---- states beyond the box ---- */

static void print_outside(const struct rollout *r, const struct controller *c) {
    const struct outside_inputs *outside = &c->total.outside;
    const char *input = figures_name(hn_model_input(r->model, outside->input).name).text;
    printf("  %-*s  %zu of %zu states in %zu of %zu loop%s; the farthest by %.3g (%s", name_width(r),
           figures_name(c->name).text, outside->beyond, outside->rows, c->total.loops_outside, r->starts,
           report_plural(r->starts), outside->farthest, input);
    if (isfinite(outside->share))
        printf(", %s %% of the width of its box", figures_percent(outside->share).text);
    printf(")\n");
}

static void print_all_outside(const struct rollout *r) {
    bool any = false;
    for (size_t i = 0; i < r->count; i++)
        any = any || r->controllers[i].total.loops_outside > 0;
    if (!any)
        return;
    report_heading("Outside the box that inputs are sampled from");
    for (size_t i = 0; i < r->count; i++)
        if (r->controllers[i].total.loops_outside > 0)
            print_outside(r, &r->controllers[i]);
}

void rollout_print(const struct rollout *r) {
    int width = name_width(r);
    rollout_report_print_head(r);
    print_titles(r, width);
    for (size_t i = 0; i < r->count; i++)
        print_controller(r, &r->controllers[i], width);
    print_starts(r);
    print_all_outside(r);
    if (rollout_all_ok(r))
        return;
    report_heading("Not ok, counted from 0 (status, max |r|, worst row)");
    for (size_t i = 0; i < r->count; i++)
        print_all_not_ok(r, &r->controllers[i]);
}
