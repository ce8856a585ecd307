/* groups.c - see groups.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/groups.h"

#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"

#include <math.h>
#include <stdio.h>

enum { GROUP_LINES = 40, NAME_WIDTH = 20 };

static void add_group(struct group_violation *by, const hn_group_info *group, const double *residual, size_t sample) {
    bool finite = true;
    for (size_t i = group->first; i < group->first + group->count; i++) {
        double violation = fabs(residual[i]);
        if (!isfinite(violation)) {
            finite = false;
            continue;
        }
        by->entries++;
        by->sum += violation;
        if (violation > by->max) {
            by->max = violation;
            by->row = i;
            by->sample = sample;
        }
    }
    by->not_finite += !finite;
}

void groups_add(struct group_violation *by, const hn_model *model, const double *residual, size_t sample) {
    for (size_t g = 0; g < hn_model_group_count(model); g++) {
        hn_group_info group = hn_model_group(model, g);
        add_group(&by[g], &group, residual, sample);
    }
}

static void print_group(const struct group_violation *by, const hn_model *model, size_t g) {
    struct figure name = figures_name(hn_model_group(model, g).name);
    if (by->entries > 0)
        printf("  %-*s %11.4g %11.4g", NAME_WIDTH, name.text, by->sum / (double)by->entries, by->max);
    else
        printf("  %-*s %11s %11s", NAME_WIDTH, name.text, "-", "-");
    if (by->max > 0)
        printf("  %s (sample %zu)", figures_name(hn_model_row(model, by->row).name).text, by->sample);
    if (by->not_finite > 0)
        printf("  %s(%zu sample%s not finite, left out)%s", console_tone(stdout, TONE_WARNING), by->not_finite,
               report_plural(by->not_finite), console_plain(stdout));
    printf("\n");
}

void groups_print(const struct group_violation *by, const hn_model *model) {
    size_t count = hn_model_group_count(model);
    if (count == 0)
        return;
    report_heading("Violation");
    printf("  %-*s %11s %11s  %s\n", NAME_WIDTH, "", "mean", "max", "worst row");
    for (size_t g = 0; g < count && g < GROUP_LINES; g++)
        print_group(&by[g], model, g);
    if (count > GROUP_LINES)
        printf("  ... %zu more groups; --report has them all\n", count - GROUP_LINES);
}

static void write_group(const struct group_violation *by, const hn_model *model, size_t g, struct json *json) {
    bool finite = by->not_finite == 0 && by->entries > 0;
    json_object(json, hn_model_group(model, g).name);
    json_number(json, "mean", finite ? by->sum / (double)by->entries : (double)NAN);
    json_number(json, "max", finite ? by->max : (double)NAN);
    json_text(json, "worst", by->max > 0 ? hn_model_row(model, by->row).name : NULL);
    json_count(json, "not_finite", by->not_finite);
    json_end_object(json);
}

void groups_write(const struct group_violation *by, const hn_model *model, struct json *json) {
    json_object(json, "groups");
    for (size_t g = 0; g < hn_model_group_count(model); g++)
        write_group(&by[g], model, g, json);
    json_end_object(json);
}
