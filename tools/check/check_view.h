/* check_view.h - data shared by the printing parts of `hardnet check`: options, result (hardnet/check.h) and an arena
 * for texts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CHECK_VIEW_H
#define HN_TOOLS_CHECK_VIEW_H

#include "base/arena.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/survey.h"
#include "hardnet/check.h"

struct check_options {
    struct common_options common;
    struct text_list files;
    bool all, pattern, seeded;
    size_t points, seed, survey;
    const char *x, *json, *picture;
};

struct check_view {
    const struct check_options *options;
    const hn_model *model;
    const hn_check *found;
    struct survey survey; /* of the input range; count 0: not requested */
    struct arena arena;   /* of texts */
    struct progress progress, bar;
    double begun;
    int name_width; /* of the report's first column */
    bool starved;   /* memory was out for a name or a sentence */
};

static const double CHECK_ERROR_GOOD = 1e-6; /* a derivative that agrees better than this is right */

void check_report(struct check_view *check);
void check_print_pattern(struct check_view *check);
hn_status check_write_picture(struct check_view *check, const char *path, hn_error *error);
hn_status check_write_json(struct check_view *check, const char *path, hn_error *error);

/* The printable name of a row or of hn_check_difference.row; the name of an entry of x or, after those, of y. */
const char *view_name(struct check_view *check, size_t value);
const char *view_entry(struct check_view *check, size_t entry);

/* A name with control characters replaced, so that a model cannot play with the terminal. */
const char *view_safe(struct check_view *check, const char *name);

/* A text in the arena, cut at 300 bytes; "?", and the view is starved, when memory is out. */
__attribute__((format(printf, 2, 3))) const char *view_format(struct check_view *check, const char *format, ...);

#endif
