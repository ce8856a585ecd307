/* verb_table.c - hardnet table NAME=REPORT.json ...: reports side by side, a row each, as text and as JSON.
 *
 * Several reports under one name (NAME=A.json,B.json) are runs of one thing: the mean of their means and the worst of
 * their maxima, with the number of runs behind the name.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "common/command.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/json_writer.h"
#include "common/verbs.h"
#include "table/report_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 64, NAME = 64 };

static const char about[] =
    "Compares reports of hardnet eval (and of hardnet project) side by side: suboptimality, violation per group,\n"
    "time per sample. NAME=A.json,B.json is one row made of several runs: the mean of their means and the\n"
    "largest of their maxima.";

static const char example[] =
    "  hardnet table 'ours=out/mpc/eval.json' 'published=data/unicycle/published_hardnetpp.json' --out table.txt\n";

struct table_options {
    struct text_list files;
    const char *title, *out, *json;
};

struct table_row {
    char name[NAME];
    size_t runs;
    struct report_figures figures; /* over all runs */
};

struct table {
    const struct table_options *options;
    size_t count;
    struct table_row rows[ROWS];
};

/* ---- reading ---- */

static double worse(double a, double b) {
    return isnan(a) ? b : isnan(b) || a > b ? a : b;
}

static void merge_groups(struct report_figures *all, const struct report_figures *one, double share) {
    for (size_t i = 0; i < all->group_count; i++)
        for (size_t j = 0; j < one->group_count; j++)
            if (strcmp(all->groups[i].name, one->groups[j].name) == 0) {
                all->groups[i].mean += share * (one->groups[j].mean - all->groups[i].mean);
                all->groups[i].max = worse(all->groups[i].max, one->groups[j].max);
            }
}

static void merge(struct table_row *row, const struct report_figures *one) {
    struct report_figures *all = &row->figures;
    double share = 1 / (double)++row->runs;
    if (row->runs == 1) {
        *all = *one;
        return;
    }
    all->samples += one->samples;
    all->ok += one->ok;
    all->violation = worse(all->violation, one->violation);
    all->mean += share * (one->mean - all->mean);
    all->seconds_per_sample += share * (one->seconds_per_sample - all->seconds_per_sample);
    all->p50 += share * (one->p50 - all->p50);
    all->p90 += share * (one->p90 - all->p90);
    all->p99 += share * (one->p99 - all->p99);
    all->max = worse(all->max, one->max);
    merge_groups(all, one, share);
}

/* Paths up to the end, with commas between. */
static hn_status read_row(struct table_row *row, const char *paths, hn_error *error) {
    hn_status status = HN_OK;
    while (*paths && status == HN_OK) {
        char path[4096];
        size_t length = strcspn(paths, ",");
        struct report_figures one;
        if (length >= sizeof path)
            return error_set(error, HN_INVALID, "%.40s...: the path is too long", paths);
        memcpy(path, paths, length);
        path[length] = 0;
        status = report_read(&one, path, error);
        if (status == HN_OK)
            merge(row, &one);
        paths += length + (paths[length] == ',');
    }
    return status;
}

static hn_status read_all(struct table *table, hn_error *error) {
    const struct text_list *files = &table->options->files;
    hn_status status = HN_OK;
    for (size_t i = 0; i < files->count && status == HN_OK; i++) {
        struct table_row *row = &table->rows[table->count++];
        const char *sign = strchr(files->items[i], '=');
        size_t length = sign ? (size_t)(sign - files->items[i]) : strlen(files->items[i]);
        *row = (struct table_row){.runs = 0};
        snprintf(row->name, sizeof row->name, "%.*s", (int)(length < NAME ? length : NAME - 1), files->items[i]);
        status = read_row(row, sign ? sign + 1 : files->items[i], error);
    }
    return status;
}

/* ---- text ---- */

/* Four digits if that is readable. */
static void print_number(struct text *text, double value, int width) {
    if (isnan(value))
        text_print(text, "  %*s", width, "-");
    else if (value == 0 || (fabs(value) >= 1e-3 && fabs(value) < 1e4))
        text_print(text, "  %*.4g", width, value);
    else
        text_print(text, "  %*.2e", width, value);
}

static size_t name_width(const struct table *table) {
    size_t width = 10;
    for (size_t i = 0; i < table->count; i++) {
        size_t own = strlen(table->rows[i].name) + (table->rows[i].runs > 1 ? 9 : 0);
        width = own > width ? own : width;
    }
    return width;
}

/* Groups are those of the first row; a row that lacks one shows a dash. */
static const struct report_group *group_of(const struct table_row *row, const char *name) {
    for (size_t i = 0; i < row->figures.group_count; i++)
        if (strcmp(row->figures.groups[i].name, name) == 0)
            return &row->figures.groups[i];
    return NULL;
}

static void print_heading(const struct table *table, struct text *text, int width) {
    const struct report_figures *first = &table->rows[0].figures;
    for (const char *at = table->options->title; at && *at;) {
        char piece[PRINTABLE_PIECE] = "";
        text_append(text, piece, printable_piece(&at, piece));
    }
    text_print(text, "%s", table->options->title ? "\n\n" : "");
    text_print(text, "%-*s  %-18s", width, "", "suboptimality");
    for (size_t g = 0; g < first->group_count; g++)
        text_print(text, "  %-18.18s", figures_name(first->groups[g].name).text);
    text_print(text, "  %9s  %s\n%-*s", "time a", "all ok", width, "");
    for (size_t g = 0; g <= first->group_count; g++)
        text_print(text, "  %8s  %8s", "mean", "max");
    text_print(text, "  %9s\n", "sample");
}

static void print_row(const struct table *table, const struct table_row *row, struct text *text, int width) {
    const struct report_figures *f = &row->figures;
    char name[NAME + 16];
    if (row->runs > 1)
        snprintf(name, sizeof name, "%s (%zu runs)", row->name, row->runs);
    else
        snprintf(name, sizeof name, "%s", row->name);
    text_print(text, "%-*s", width, figures_name(name).text);
    print_number(text, f->mean, 8);
    print_number(text, f->max, 8);
    for (size_t g = 0; g < table->rows[0].figures.group_count; g++) {
        const struct report_group *group = group_of(row, table->rows[0].figures.groups[g].name);
        print_number(text, group ? group->mean : (double)NAN, 8);
        print_number(text, group ? group->max : (double)NAN, 8);
    }
    text_print(text, "  %9s", isnan(f->seconds_per_sample) ? "-" : figures_duration(f->seconds_per_sample).text);
    if (f->samples > 0)
        text_print(text, "  %zu of %zu", f->ok, f->samples);
    text_print(text, "\n");
}

/* ---- JSON ---- */

static void write_row(const struct table_row *row, struct json *json) {
    const struct report_figures *f = &row->figures;
    json_object(json, NULL);
    json_text(json, "name", row->name);
    json_count(json, "runs", row->runs);
    json_count(json, "samples", f->samples);
    json_count(json, "ok", f->ok);
    json_number(json, "violation", f->violation);
    json_object(json, "suboptimality");
    json_number(json, "mean", f->mean);
    json_number(json, "max", f->max);
    json_number(json, "p50", f->p50);
    json_number(json, "p90", f->p90);
    json_number(json, "p99", f->p99);
    json_end_object(json);
    json_object(json, "groups");
    for (size_t g = 0; g < f->group_count; g++) {
        json_object(json, f->groups[g].name);
        json_number(json, "mean", f->groups[g].mean);
        json_number(json, "max", f->groups[g].max);
        json_end_object(json);
    }
    json_end_object(json);
    json_number(json, "seconds_per_sample", f->seconds_per_sample);
    json_end_object(json);
}

static hn_status write_json(const struct table *table, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_text(&json, "title", table->options->title);
    json_list(&json, "rows");
    for (size_t i = 0; i < table->count; i++)
        write_row(&table->rows[i], &json);
    json_end_list(&json);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}

/* ---- running ---- */

static hn_status write_table(const struct table *table, hn_error *error) {
    struct text text = {.bytes = NULL};
    int width = (int)name_width(table);
    print_heading(table, &text, width);
    for (size_t i = 0; i < table->count; i++)
        print_row(table, &table->rows[i], &text, width);
    hn_status status = text.failed ? error_no_memory(error, "the table") : HN_OK;
    if (status == HN_OK)
        fwrite(text.bytes, 1, text.count, stdout);
    if (status == HN_OK && table->options->out)
        status = text_write(&text, table->options->out, error);
    text_release(&text);
    return status;
}

static hn_status make_table(struct table *table, hn_error *error) {
    hn_status status = read_all(table, error);
    if (status == HN_OK)
        status = write_table(table, error);
    return status == HN_OK && table->options->json ? write_json(table, table->options->json, error) : status;
}

static int verb_table_run(void *values) {
    const struct table_options *options = values;
    hn_error error = {.status = HN_OK};
    if (options->files.count == 0 || options->files.count > ROWS) {
        console_error(options->files.count ? "at most %d reports fit a table"
                                           : "no report is given; give NAME=REPORT.json",
                      ROWS);
        return VERB_MISUSED;
    }
    struct table *table = base_allocate(sizeof *table);
    if (!table) {
        console_error("table: out of memory");
        return VERB_FAILED;
    }
    table->options = options;
    table->count = 0;
    hn_status status = make_table(table, &error);
    base_release(table);
    return status == HN_OK ? VERB_OK : verb_explain(&error);
}

int verb_table(int argc, char **argv) {
    struct table_options o = {.title = NULL};
    const struct option table[] = {
        {.name = "title", .value = "TEXT", .help = "a line above the table", .text = &o.title},
        WRITTEN_FILE("out", "FILE", "write the table as text", o.out),
        WRITTEN_FILE("json", "FILE", "write the table as JSON", o.json),
    };
    const struct command command = {.name = "table",
                                    .usage = "NAME=REPORT.json[,REPORT.json...] ... [options]",
                                    .about = about,
                                    .example = example,
                                    .files_are_reports = true,
                                    .run = verb_table_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
