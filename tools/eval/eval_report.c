/* eval_report.c - the printed report of `hardnet eval`. See eval.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/certificate.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "common/layer_choice.h"
#include "eval/eval.h"
#include "reference/reference.h"

#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 20, NOT_OK_LINES = 5 };

/* ---- figures ---- */

size_t eval_count(const struct eval *eval, hn_outcome outcome) {
    size_t count = 0;
    for (size_t k = 0; k < eval->reached; k++)
        count += eval->reports[k].outcome == outcome;
    return count;
}

double eval_shown(const struct eval *eval, double objective) {
    return hn_model_objective(eval->model).maximize ? -objective : objective;
}

bool eval_counts(const struct eval *eval, size_t sample) {
    return eval->reports[sample].outcome == HN_OUTCOME_OK ||
           (eval->options->judging.allow_infeasible && isfinite(eval->objective[sample]));
}

double eval_mean_objective(const struct eval *eval) {
    double sum = 0;
    size_t count = 0;
    for (size_t k = 0; k < eval->reached; k++)
        if (eval_counts(eval, k)) {
            sum += eval->objective[k];
            count++;
        }
    return count > 0 ? eval_shown(eval, sum / (double)count) : (double)NAN;
}

double eval_mean_optimum(const struct eval *eval) {
    double sum = 0;
    size_t count = 0;
    for (size_t k = 0; k < eval->reached; k++)
        if (!isnan(eval->optima[k].objective)) {
            sum += eval->optima[k].objective;
            count++;
        }
    return count > 0 ? eval_shown(eval, sum / (double)count) : (double)NAN;
}

const char *eval_worst(const struct eval *eval, size_t sample) {
    const hn_report *report = &eval->reports[sample];
    bool none = report->worst >= eval->rows || report->violation == 0;
    return none ? NULL : hn_model_row(eval->model, report->worst).name;
}

/* ---- the head ---- */

static void print_network(const struct eval *eval) {
    const hn_network_options *network = &eval->network;
    printf("  network %zu", network->inputs);
    for (size_t i = 0; i < network->hidden_count; i++)
        printf("-%zu", network->hidden[i]);
    printf("-%zu, %s%s%s, %zu candidate%s, %d refinement step%s at most\n", network->outputs,
           hn_activation_text(network->activation), network->residual ? ", residual" : "",
           network->layer_norm ? ", layer norm" : "", eval->settings.candidates,
           report_plural(eval->settings.candidates), eval->settings.refine,
           report_plural((size_t)eval->settings.refine));
}

static void print_correction(const struct eval *eval) {
    const hn_policy_options *o = &eval->settings;
    const struct baseline *b = &eval->baseline;
    if (b->scheme == SCHEME_LAYER)
        layer_choice_print(eval->layer);
    else if (b->scheme == SCHEME_DC3)
        printf("dc3, at most %d steps of %g with momentum %g", b->correction_steps, b->correction_rate, b->momentum);
    else
        printf("no correction");
    if (b->scheme != SCHEME_LAYER)
        printf(", tolerance %g%s", o->layer.tolerance, o->layer.relative ? " relative to the bounds" : "");
    if (eval->file_tolerance != o->layer.tolerance)
        printf(" (the file says %g)", eval->file_tolerance);
}

/* Reports refinement on the CPU, which happens if the device lacks memory for it. */
static void print_where(const struct eval *eval) {
    bool device = eval->settings.device, leaves = device && eval->settings.refine > 0 && !eval->device.refines;
    if (device)
        printf(", %s%s", device_choice_described(&eval->device).text, leaves ? "; refinement on the CPU" : "");
    if (!device || leaves)
        printf(", %s%s, %d thread%s", hn_instructions_text(hn_layer_info_of(eval->layer).instructions),
               layer_choice_compiled(eval->layer), eval->threads, report_plural((size_t)eval->threads));
    printf("\n");
}

static void eval_report_print_head(const struct eval *eval) {
    const struct eval_options *options = eval->options;
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", figures_name(options->files.items[i]).text);
    printf(" with %s%s\n", figures_name(options->net).text, console_plain(stdout));
    print_network(eval);
    printf("  ");
    print_correction(eval);
    printf("\n  %zu sample%s", eval->samples.count, report_plural(eval->samples.count));
    if (options->x)
        printf(" from %s", figures_name(options->x).text);
    else
        printf(" drawn with seed %zu", options->judging.seed);
    print_where(eval);
}

static void print_statuses(const struct eval *eval) {
    report_heading("Status");
    for (int outcome = 0; outcome < HN_OUTCOME_COUNT; outcome++) {
        size_t count = eval_count(eval, (hn_outcome)outcome);
        enum tone tone = outcome == HN_OUTCOME_OK ? TONE_GOOD : TONE_WARNING;
        if (count > 0)
            printf("  %s%-*s%s %9zu\n", console_tone(stdout, tone), NAME_WIDTH, hn_outcome_text((hn_outcome)outcome),
                   console_plain(stdout), count);
    }
    certificate_print(eval->layer, eval->reports, eval->reached, NAME_WIDTH);
    if (eval->reached < eval->samples.count)
        printf("  %-*s %9zu\n", NAME_WIDTH, "(not begun)", eval->samples.count - eval->reached);
    if (eval->broken > 0)
        printf("  (rows of --x that break a requirement of the model: %zu)\n", eval->broken);
    if (eval->outside > 0)
        printf("  (rows of --x outside the box of the inputs: %zu)\n", eval->outside);
}

/* ---- objective ---- */

static void print_reference(const struct eval *eval) {
    struct optima_count count = eval_count_optima(eval);
    printf("  %-*s mean %.6g, %s, best of %zu start%s\n", NAME_WIDTH, "reference", eval_mean_optimum(eval),
           judging_solver(&eval->options->judging), eval->options->judging.starts,
           report_plural(eval->options->judging.starts));
    printf("  %-*s %zu of %zu found, %zu of them solved, %zu from the cache", NAME_WIDTH, "", count.found,
           eval->reached, count.solved, count.cached);
    if (eval->reference_seconds > 0)
        printf(", %s", figures_duration(eval->reference_seconds).text);
    printf("\n");
    if (count.late > 0)
        printf("  %-*s %zu solve%s cut at %g s: more starts or a larger --reference-seconds may find better\n",
               NAME_WIDTH, "", count.late, report_plural(count.late), eval->options->judging.seconds);
    if (count.better > 0)
        printf("  %-*s %zu sample%s clearly better than the reference\n", NAME_WIDTH, "", count.better,
               report_plural(count.better));
}

static void print_distances(const char *name, const struct suboptimality *s) {
    printf("  %-*s mean %.4g, max %.4g, median %.4g, 90 %% %.4g, 99 %% %.4g (%zu sample%s)\n", NAME_WIDTH, name,
           s->mean, s->max, s->median, s->ninety, s->ninety_nine, s->count, report_plural(s->count));
}

/* Relative to |f*| alone is left out where some optimum is near 0: the figure would be about that optimum. */
static void print_gap(const struct eval *eval) {
    const struct gap *gap = &eval->gap;
    if (gap->absolute.count == 0)
        return;
    if (!gap->near_zero)
        print_distances("suboptimality", &eval->suboptimality);
    print_distances("absolute gap", &gap->absolute);
    if (isnan(gap->typical)) {
        printf("  %-*s every optimum is 0: no gap is relative\n", NAME_WIDTH, "");
        return;
    }
    print_distances("relative gap", &gap->relative);
    printf("  %-*s max(|f*|, %.4g)%s; within", NAME_WIDTH, "  to", gap->typical,
           gap->near_zero ? ", as some optima are near 0" : "");
    for (int i = 0; i < GAP_SHARES; i++)
        printf("%s %g %%: %.1f %%", i > 0 ? "," : "", 100 * eval_gap_shares[i],
               100 * (double)gap->within[i] / (double)gap->relative.count);
    printf("\n");
}

static void print_objective(const struct eval *eval) {
    hn_objective_info objective = hn_model_objective(eval->model);
    if (!objective.name)
        return;
    report_heading("Objective: %s %s", objective.maximize ? "maximize" : "minimize", figures_name(objective.name).text);
    printf("  %-*s mean %.6g of %s\n", NAME_WIDTH, "network", eval_mean_objective(eval),
           eval->options->judging.allow_infeasible ? "all samples, ok or not" : "the samples that are ok");
    if (eval->prospects.count > 0) {
        printf("  %-*s ", NAME_WIDTH, "prospects");
        prospects_print(stdout, &eval->prospects, eval->model);
        printf("\n");
    }
    if (!eval->optima)
        return;
    print_reference(eval);
    print_gap(eval);
}

/* ---- time ---- */

static void print_times(const struct eval *eval) {
    static const char names[TIMES][20] = {"network", "layer", "all of it", "all, on all threads", "one sample alone"};
    if (eval->time_batch > 0) {
        report_heading("Time per sample, %s, %zu at a time", eval->settings.device ? "on the device" : "one thread",
                       eval->time_batch);
        for (int i = 0; i < TIMES; i++)
            if (!isnan(eval->times[i]))
                printf("  %-*s %s\n", NAME_WIDTH, names[i], figures_duration(eval->times[i]).text);
    }
    printf("  %-*s %s", NAME_WIDTH, "the whole run", figures_duration(eval->seconds).text);
    if (eval->reached > 0)
        printf(", %s per sample", figures_duration(eval->seconds / (double)eval->reached).text);
    if (eval->reached > 0 && !eval->settings.device)
        printf(" on %d thread%s", eval->threads, report_plural((size_t)eval->threads));
    printf("\n");
}

/* ---- samples that are not ok ---- */

static void print_not_ok(const struct eval *eval, size_t sample) {
    const hn_report *report = &eval->reports[sample];
    const char *worst = eval_worst(eval, sample);
    printf("  sample %-6zu %-*s ", sample, NAME_WIDTH, hn_outcome_text(report->outcome));
    if (isfinite(report->violation))
        printf("%11.4g", report->violation);
    else
        printf("%11s", "-");
    printf("  %s\n", worst ? figures_name(worst).text : "");
}

static void print_all_not_ok(const struct eval *eval) {
    size_t left = eval->reached - eval_count(eval, HN_OUTCOME_OK), shown = 0;
    if (left == 0)
        return;
    report_heading("Not ok: %zu of %zu, counted from 0 (status, violation, worst row)", left, eval->reached);
    for (size_t k = 0; k < eval->reached && shown < NOT_OK_LINES; k++)
        if (eval->reports[k].outcome != HN_OUTCOME_OK) {
            print_not_ok(eval, k);
            shown++;
        }
    if (shown < left)
        printf("  ... %zu more; --report lists all samples\n", left - shown);
}

void eval_print(const struct eval *eval) {
    eval_report_print_head(eval);
    print_statuses(eval);
    groups_print(eval->by, eval->model);
    print_objective(eval);
    print_times(eval);
    print_all_not_ok(eval);
}
