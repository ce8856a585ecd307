/* check_report.h - what the printing parts of `hardnet check` share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CHECK_REPORT_H
#define HN_TOOLS_CHECK_REPORT_H

#include "check/check.h"

/* A heading in bold after an empty line; the format may be followed by values. */
__attribute__((format(printf, 1, 2))) void report_heading(const char *format, ...);

/* [0, 2], >= 1, <= 3, = 0 or free, in the arena. */
const char *report_interval(struct check *check, double lower, double upper);

/* Length of the family's part of a name: what stands before '['. */
size_t report_family(const char *name);

/* " s" unless the count is one. */
const char *report_plural(size_t count);

/* Finds the width of the first column of every table; comes first. */
void report_measure(struct check *check);

void report_inputs(struct check *check);
void report_columns(struct check *check);
void report_definitions(struct check *check);
void report_rows(struct check *check); /* every one, with --all */

#endif
