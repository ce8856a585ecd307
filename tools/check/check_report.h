/* check_report.h - declarations shared by the printing parts of `hardnet check`.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CHECK_REPORT_H
#define HN_TOOLS_CHECK_REPORT_H

#include "check/check_view.h"
#include "common/headings.h"

/* [0, 2], >= 1, <= 3, = 0 or free, in the arena. */
const char *report_interval(struct check_view *check, double lower, double upper);

/* Length of the family part of a name, before '['. */
size_t report_family(const char *name);

/* Computes the width of the first column of every table; call it first. */
void report_measure(struct check_view *check);

void report_inputs(struct check_view *check);
void report_columns(struct check_view *check);
void report_definitions(struct check_view *check);
void report_rows(struct check_view *check); /* every one, with --all */

/* What was found by running the layer (check_layer_report.c, check_layer_json.c). */
void report_layer(struct check_view *check);
void report_correction(struct check_view *check);
void report_rank(struct check_view *check);
void report_theorem(struct check_view *check);

struct json;
void check_layer_json(struct json *json, struct check_view *check);

#endif
