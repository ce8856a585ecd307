/* bench_report.c - the printed report of `hardnet bench` and writes. See bench.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "bench/bench.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "common/json_writer.h"

#include <math.h>
#include <stdio.h>

/* ---- figures of both reports ---- */

static size_t count_outcome(const struct bench *bench, hn_outcome outcome) {
    size_t count = 0;
    for (size_t k = 0; k < bench->samples.count; k++)
        count += bench->reports[k].outcome == outcome;
    return count;
}

static struct spread spread_steps(const struct bench *bench) {
    struct spread spread = {NAN, NAN, NAN};
    size_t count = bench->samples.count;
    double *steps = base_allocate(count * sizeof *steps);
    for (size_t k = 0; steps && k < count; k++)
        steps[k] = bench->reports[k].iterations;
    if (steps)
        spread = figures_spread(steps, count);
    base_release(steps);
    return spread;
}

/* ---- text ---- */

/* What computes. */
static void print_place(const struct bench *bench, const hn_layer_info *info) {
    hn_device_info device = {.size = sizeof device};
    if (bench->device && hn_device_get_info(bench->device, &device, NULL) == HN_OK)
        printf("%s in %s", figures_name(device.name).text, hn_precision_text(device.precision));
    else
        printf("%s%s", hn_instructions_text(info->instructions), layer_choice_compiled(bench->layer));
}

static void bench_report_print_head(const struct bench *bench) {
    const struct bench_options *options = bench->options;
    hn_layer_info info = hn_layer_info_of(bench->layer);
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", figures_name(options->files.items[i]).text);
    printf("%s\n  %zu sample%s", console_plain(stdout), bench->samples.count, report_plural(bench->samples.count));
    if (bench->inputs > 0)
        printf(", inputs %s", options->x ? "from --x" : "sampled from their box");
    printf(", outputs %s\n  ", options->y ? "from --y" : "near the start values");
    layer_choice_print(bench->layer);
    printf("\n  ");
    print_place(bench, &info);
    printf(", %zu operators and %zu multiply-adds per sample and step\n", info.operators, info.multiply_adds);
    printf("  solved in the dimension of the %s, %zu, with %zu nonzeros in the factor below its diagonal%s\n",
           info.outputs_side ? "columns" : "rows", info.factor_order, info.factor_nonzeros,
           info.dense ? " (dense)" : "");
}

static void print_statuses(const struct bench *bench) {
    struct spread steps = spread_steps(bench);
    report_heading("Status");
    for (int outcome = 0; outcome < HN_OUTCOME_COUNT; outcome++) {
        size_t count = count_outcome(bench, (hn_outcome)outcome);
        if (count > 0)
            printf("  %-20s %9zu\n", hn_outcome_text((hn_outcome)outcome), count);
    }
    printf("  %-20s min %.0f, median %g, max %.0f\n", "steps", steps.least, steps.median, steps.most);
}

static void print_medians(const struct medians *medians) {
    printf(" %12s %12s %12s\n", figures_duration(medians->seconds).text, figures_duration(medians->per_sample).text,
           isfinite(medians->per_step) ? figures_duration(medians->per_step).text : "-");
}

static void print_timing(const struct bench *bench, const struct timing *timing) {
    printf("  %7d %9zu  %-20s %9zu", timing->threads, timing->batch,
           timing->backward ? "forward and backward" : "forward", timing->runs);
    print_medians(&timing->all);
    if (!bench->device)
        return;
    printf("  %7s %9s  %-20s %9s", "", "", "  without copies", "");
    print_medians(&timing->inside);
}

void bench_print(const struct bench *bench) {
    bench_report_print_head(bench);
    print_statuses(bench);
    report_heading("Time (medians)");
    printf("  %7s %9s  %-20s %9s %12s %12s %12s\n", "threads", "batch", "", "runs", "time", "per sample", "and step");
    for (size_t i = 0; i < bench->timing_count; i++)
        print_timing(bench, &bench->timings[i]);
    if (bench->taped < bench->samples.count)
        printf("  (the gradient is timed over %zu samples: more would need more than 1 GiB)\n", bench->taped);
}

/* ---- JSON ---- */

static void write_settings(struct json *json, const struct bench *bench) {
    hn_layer_options settings = hn_layer_options_of(bench->layer);
    json_list(json, "files");
    for (size_t i = 0; i < bench->options->files.count; i++)
        json_text(json, NULL, bench->options->files.items[i]);
    json_end_list(json);
    json_count(json, "samples", bench->samples.count);
    json_count(json, "seed", bench->options->seed);
    json_text(json, "method", hn_method_text(settings.method));
    json_number(json, "damping", settings.damping >= 0 ? settings.damping : (double)NAN);
    json_number(json, "iterations", settings.iterations);
    json_number(json, "tolerance", settings.tolerance);
    json_flag(json, "relative", settings.relative);
    json_number(json, "effort", settings.effort);
    json_number(json, "threads", bench->threads);
}

static void write_layer(struct json *json, const struct bench *bench) {
    hn_layer_info info = hn_layer_info_of(bench->layer);
    hn_device_info device = {.size = sizeof device};
    if (bench->device && hn_device_get_info(bench->device, &device, NULL) == HN_OK) {
        json_text(json, "device", device.name);
        json_text(json, "precision", hn_precision_text(device.precision));
    }
    json_text(json, "instructions", hn_instructions_text(info.instructions));
    json_flag(json, "compiled", info.compiled);
    json_count(json, "inputs", info.inputs);
    json_count(json, "outputs", info.outputs);
    json_count(json, "rows", info.rows);
    json_count(json, "jacobian_nonzeros", info.jacobian_nonzeros);
    json_count(json, "factor_order", info.factor_order);
    json_count(json, "factor_added", info.factor_added);
    json_count(json, "factor_nonzeros", info.factor_nonzeros);
    json_flag(json, "outputs_side", info.outputs_side);
    json_flag(json, "dense", info.dense);
    json_count(json, "operators", info.operators);
    json_count(json, "multiply_adds", info.multiply_adds);
}

static void write_outcomes(struct json *json, const struct bench *bench) {
    struct spread steps = spread_steps(bench);
    json_object(json, "statuses");
    for (int outcome = 0; outcome < HN_OUTCOME_COUNT; outcome++)
        json_count(json, hn_outcome_text((hn_outcome)outcome), count_outcome(bench, (hn_outcome)outcome));
    json_end_object(json);
    json_object(json, "steps");
    json_number(json, "min", steps.least);
    json_number(json, "median", steps.median);
    json_number(json, "max", steps.most);
    json_end_object(json);
}

static void write_medians(struct json *json, const struct medians *medians) {
    json_number(json, "seconds", medians->seconds);
    json_number(json, "per_sample", medians->per_sample);
    json_number(json, "per_step", medians->per_step);
}

static void write_timing(struct json *json, const struct bench *bench, const struct timing *timing) {
    json_object(json, NULL);
    json_number(json, "threads", timing->threads);
    json_count(json, "batch", timing->batch);
    json_flag(json, "backward", timing->backward);
    json_count(json, "runs", timing->runs);
    write_medians(json, &timing->all);
    if (bench->device) {
        json_object(json, "without_copies");
        write_medians(json, &timing->inside);
        json_end_object(json);
    }
    json_end_object(json);
}

hn_status bench_write_json(const struct bench *bench, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_text(&json, "verb", "bench");
    write_settings(&json, bench);
    write_layer(&json, bench);
    write_outcomes(&json, bench);
    json_list(&json, "timings");
    for (size_t i = 0; i < bench->timing_count; i++)
        write_timing(&json, bench, &bench->timings[i]);
    json_end_list(&json);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}
