/* check_pattern.c - the pattern of J as text, fitted to the terminal. See check_view.h and pattern.h.
 *
 * One cell per entry if the terminal is wide enough: # varies, + is constant. Otherwise a cell is a block: . : # by
 * density.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_report.h"
#include "check/pattern.h"
#include "common/console.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 60, LABEL_WIDTH = 18 };

static char cell_mark(const struct pattern_cell *cell, double block, bool single) {
    double share = (double)cell->count / block;
    if (cell->count == 0)
        return ' ';
    if (single)
        return cell->varies ? '#' : '+';
    return share < 0.05 ? '.' : share < 0.3 ? ':' : '#';
}

/* The group that starts in this line of cells, or NULL. */
static const char *group_at(struct check_view *check, const struct pattern *pattern, size_t line) {
    for (size_t g = 0; g < hn_model_group_count(check->model); g++) {
        hn_group_info info = hn_model_group(check->model, g);
        if (info.count > 0 && pattern_place(info.first, check->found->rows, pattern->height) == line)
            return view_safe(check, info.name);
    }
    return NULL;
}

/* Names of column families under the frame, at their first columns, unless they overlap. */
static void print_families(struct check_view *check, const struct pattern *pattern) {
    size_t printed = 0;
    printf("   ");
    for (size_t j = 0; j < check->found->outputs; j++) {
        const char *name = view_safe(check, hn_model_output(check->model, j).name);
        size_t length = report_family(name), place = pattern_place(j, check->found->outputs, pattern->width);
        bool first = j == 0;
        if (!first) {
            const char *before = view_safe(check, hn_model_output(check->model, j - 1).name);
            first = report_family(before) != length || strncmp(before, name, length) != 0;
        }
        if (!first || (printed > 0 && place <= printed) || place + length > pattern->width + LABEL_WIDTH)
            continue;
        printf("%*s%.*s", (int)(place - printed), "", (int)length, name);
        printed = place + length;
    }
    printf("\n");
}

static void print_edge(size_t width) {
    printf("  +");
    for (size_t i = 0; i < width; i++)
        putchar('-');
    printf("+\n");
}

void check_print_pattern(struct check_view *check) {
    struct pattern pattern;
    size_t room = console_width() - 4 - LABEL_WIDTH;
    if (check->found->rows == 0)
        return;
    if (pattern_create(&pattern, check, MOST_LINES, room, NULL) != HN_OK) {
        check->starved = true;
        return;
    }
    bool single = pattern.height == check->found->rows && pattern.width == check->found->outputs;
    double block =
        (double)check->found->rows / (double)pattern.height * (double)check->found->outputs / (double)pattern.width;
    report_heading("Pattern of J (%s)", single ? "# varies, + is constant" : "blocks: . some entries, : many, # most");
    print_edge(pattern.width);
    for (size_t line = 0; line < pattern.height; line++) {
        const char *group = group_at(check, &pattern, line);
        printf("  |");
        for (size_t i = 0; i < pattern.width; i++)
            putchar(cell_mark(&pattern.cells[line * pattern.width + i], block, single));
        printf("|%s%.*s\n", group ? " " : "", LABEL_WIDTH - 2, group ? group : "");
    }
    print_edge(pattern.width);
    print_families(check, &pattern);
}
