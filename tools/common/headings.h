/* headings.h - shared parts of printed reports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_HEADINGS_H
#define HN_TOOLS_HEADINGS_H

#include <stddef.h>

/* A heading in bold after an empty line; the format may be followed by values. */
__attribute__((format(printf, 1, 2))) void report_heading(const char *format, ...);

/* "s" unless the count is one. */
const char *report_plural(size_t count);

#endif
