/* check_lists.c - inputs, columns, definitions and rows by name. See check_report.h.
 *
 * A family (entries with the same name before '[') is one line, unless --all lists every entry.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "common/console.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FAMILY_LINES = 6, /* a family with more entries is abbreviated */
    LIST_LINES = 40,  /* a list with more lines is cut */
    LEAST_WIDTH = 22,
    MOST_WIDTH = 44,
};

/* ---- helpers ---- */

const char *report_interval(struct check_view *check, double lower, double upper) {
    if (lower == upper)
        return view_format(check, "= %g", lower);
    if (lower == -INFINITY && upper == INFINITY)
        return "free";
    if (lower == -INFINITY)
        return view_format(check, "<= %g", upper);
    if (upper == INFINITY)
        return view_format(check, ">= %g", lower);
    return view_format(check, "[%g, %g]", lower, upper);
}

size_t report_family(const char *name) {
    return strcspn(name, "[");
}

static bool same_family(const char *a, const char *b) {
    size_t length = report_family(a);
    return report_family(b) == length && strncmp(a, b, length) == 0;
}

/* ---- entries of inputs or columns, family by family ---- */

struct entry {
    const char *name;
    double lower, upper, start;
    bool fixed, by_inputs;
};

struct listing {
    struct check_view *check;
    struct entry (*entry)(struct check_view *check, size_t index);
    size_t count;
    size_t most; /* entries of a family that are listed one by one; more are one line */
    const char *noun;
    bool starts; /* show start values */
    bool counts; /* some line is a family with its size */
};

static struct entry input_entry(struct check_view *check, size_t index) {
    hn_input_info input = hn_model_input(check->model, index);
    return (struct entry){.name = view_safe(check, input.name), .lower = input.lower, .upper = input.upper};
}

static struct entry column_entry(struct check_view *check, size_t index) {
    hn_output_info output = hn_model_output(check->model, index);
    struct entry entry = {.name = view_safe(check, output.name), .fixed = hn_is_valid(output.fixed)};
    entry.lower = check->found->lower[index];
    entry.upper = check->found->upper[index];
    entry.start = check->found->y[index];
    entry.by_inputs = entry.fixed ? hn_depends_on_inputs(output.fixed)
                                  : hn_depends_on_inputs(output.lower) || hn_depends_on_inputs(output.upper);
    return entry;
}

static struct entry definition_entry(struct check_view *check, size_t index) {
    return (struct entry){.name = view_safe(check, hn_model_definition(check->model, index).name)};
}

static const char *check_lists_describe(struct check_view *check, const struct entry *entry) {
    const char *where = report_interval(check, entry->lower, entry->upper);
    if (entry->fixed)
        where = view_format(check, "fixed at %g", entry->start);
    return entry->by_inputs ? view_format(check, "%s by inputs", where) : where;
}

static bool same_range(const struct entry *a, const struct entry *b) {
    bool same_kind = !a->fixed && !b->fixed && a->by_inputs == b->by_inputs;
    return same_kind && a->lower == b->lower && a->upper == b->upper;
}

/* The first two intervals of a family, and whether it has more. */
static const char *describe_family(const struct listing *list, size_t first, size_t end) {
    const char *seen[2] = {"", ""};
    struct entry before = {.name = NULL};
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        struct entry entry = list->entry(list->check, i);
        if (i > first && same_range(&entry, &before)) /* most families are alike: compare before formatting */
            continue;
        before = entry;
        const char *text = check_lists_describe(list->check, &entry);
        bool known = (count > 0 && strcmp(seen[0], text) == 0) || (count > 1 && strcmp(seen[1], text) == 0);
        if (known)
            continue;
        if (count == 2)
            return view_format(list->check, "%s, %s, ...", seen[0], seen[1]);
        seen[count++] = text;
    }
    return count == 1 ? seen[0] : view_format(list->check, "%s or %s", seen[0], seen[1]);
}

static const char *describe_starts(const struct listing *list, size_t first, size_t end) {
    double lowest = INFINITY, highest = -INFINITY;
    for (size_t i = first; i < end; i++) {
        double start = list->entry(list->check, i).start;
        if (isnan(start))
            return "not a number";
        lowest = start < lowest ? start : lowest;
        highest = start > highest ? start : highest;
    }
    return lowest == highest ? view_format(list->check, "%g", lowest)
                             : view_format(list->check, "%g to %g", lowest, highest);
}

static void print_line(const struct listing *list, const char *name, const char *count, const char *where,
                       const char *start) {
    printf("  %-*s", list->check->name_width, name);
    if (list->counts)
        printf("  %-15s", count);
    if (list->starts)
        printf("  %-26s  start %s\n", where, start);
    else
        printf("  %s\n", where);
}

static void print_family(const struct listing *list, size_t first, size_t end) {
    const char *from = list->entry(list->check, first).name, *to = list->entry(list->check, end - 1).name;
    print_line(list, view_format(list->check, "%s .. %s", from, to),
               view_format(list->check, "%zu %ss", end - first, list->noun), describe_family(list, first, end),
               list->starts ? describe_starts(list, first, end) : "");
}

static void print_entry(const struct listing *list, size_t index) {
    struct entry entry = list->entry(list->check, index);
    print_line(list, entry.name, "", check_lists_describe(list->check, &entry),
               view_format(list->check, "%g", entry.start));
}

static size_t family_end(const struct listing *list, size_t first) {
    const char *name = list->entry(list->check, first).name;
    size_t end = first + 1;
    while (end < list->count && same_family(name, list->entry(list->check, end).name))
        end++;
    return end;
}

static void print_listing(struct listing *list) {
    bool all = list->check->options->all;
    size_t lines = 0;
    for (size_t first = 0, end; first < list->count && !all; first = end) {
        end = family_end(list, first);
        list->counts = list->counts || end - first > list->most;
    }
    for (size_t first = 0, end; first < list->count; first = end) {
        end = family_end(list, first);
        if (!all && lines >= LIST_LINES) {
            printf("  ... %zu more %ss; --all lists them\n", list->count - first, list->noun);
            return;
        }
        if (!all && end - first > list->most) {
            print_family(list, first, end);
            lines++;
            continue;
        }
        for (size_t i = first; i < end; i++, lines++)
            print_entry(list, i);
    }
}

/* ---- the first column ---- */

static size_t listing_width(const struct listing *list) {
    size_t widest = 0;
    for (size_t first = 0, end; first < list->count; first = end) {
        end = family_end(list, first);
        bool single = list->check->options->all || end - first <= list->most;
        size_t from = strlen(list->entry(list->check, first).name);
        size_t to = strlen(list->entry(list->check, end - 1).name), width = single ? to : from + strlen(" .. ") + to;
        widest = width > widest ? width : widest;
    }
    return widest;
}

void report_measure(struct check_view *check) {
    const struct listing lists[] = {
        {.check = check, .entry = input_entry, .count = check->found->inputs, .most = FAMILY_LINES},
        {.check = check, .entry = column_entry, .count = check->found->outputs, .most = FAMILY_LINES},
        {.check = check, .entry = definition_entry, .count = hn_model_definition_count(check->model), .most = 1},
    };
    size_t width = 0, other;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        other = listing_width(&lists[i]);
        width = other > width ? other : width;
    }
    for (size_t g = 0; g < hn_model_group_count(check->model); g++) {
        other = strlen(hn_model_group(check->model, g).name);
        width = other > width ? other : width;
    }
    check->name_width = width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : (int)width;
}

/* ---- the lists ---- */

void report_inputs(struct check_view *check) {
    struct listing list = {check, input_entry, check->found->inputs, FAMILY_LINES, "input", false, false};
    if (check->found->inputs == 0)
        return;
    report_heading("Inputs (params without a value), and the box they are sampled from");
    print_listing(&list);
    for (size_t i = 0; i < hn_model_requirement_count(check->model); i++)
        printf("  samples must meet %s\n", view_safe(check, hn_model_requirement(check->model, i).name));
}

void report_columns(struct check_view *check) {
    struct listing list = {check, column_entry, check->found->outputs, FAMILY_LINES, "column", true, false};
    report_heading("Columns (outputs)");
    print_listing(&list);
}

/* ---- definitions ---- */

void report_definitions(struct check_view *check) {
    size_t count = hn_model_definition_count(check->model);
    struct listing list = {.check = check, .entry = definition_entry, .count = count};
    bool all = check->options->all;
    if (count == 0)
        return;
    report_heading("Defined variables (no columns)%s", all ? ", and their values at the start" : "");
    for (size_t first = 0, end; first < count; first = end) {
        end = all ? first + 1 : family_end(&list, first);
        const char *name = definition_entry(check, first).name, *to = definition_entry(check, end - 1).name;
        if (all)
            printf("  %-*s  %g\n", check->name_width, name, check->found->definition[first]);
        else if (end - first == 1)
            printf("  %s\n", name);
        else
            printf("  %-*s  %zu variables\n", check->name_width, view_format(check, "%s .. %s", name, to), end - first);
    }
}

/* ---- rows ---- */

void report_rows(struct check_view *check) {
    report_heading("Rows at the start");
    printf("  %-*s  %12s %14s %12s  %12s  %10s\n", check->name_width, "row", "lower", "value", "upper", "violation",
           "|gradient|");
    for (size_t i = 0; i < check->found->rows; i++)
        printf("  %-*s  %12g %14.8g %12g  %12.4g  %10.4g\n", check->name_width, view_name(check, i),
               check->found->row_lower[i], check->found->row_value[i], check->found->row_upper[i],
               check->found->violation[i], check->found->row_norm[i]);
}
