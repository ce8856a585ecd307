/* figures.h - formats of numbers and names in reports, and medians.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_FIGURES_H
#define HN_TOOLS_FIGURES_H

#include <stddef.h>

/* Of count numbers, count > 0; the median of an even count is the mean of the two in the middle. */
struct spread {
    double least, median, most;
};

/* Sorts the numbers, which must not be NaN. */
struct spread figures_spread(double *values, size_t count);

struct figure {
    char text[96];
};

/* 12.3 us, 4.56 ms, 7.89 s */
struct figure figures_duration(double seconds);

/* 0.5 as 50: per cent, as a plain number. */
struct figure figures_percent(double share);

/* A name that is safe to print (base/utf8.h); a long one is cut. */
struct figure figures_name(const char *name);

#endif
