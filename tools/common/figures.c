/* figures.c - see figures.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/figures.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int figures_compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

struct spread figures_spread(double *values, size_t count) {
    qsort(values, count, sizeof *values, figures_compare);
    double below = values[(count - 1) / 2], above = values[count / 2];
    return (struct spread){values[0], below == above ? below : 0.5 * below + 0.5 * above, values[count - 1]};
}

struct figure figures_duration(double seconds) {
    static const char units[][3] = {"s", "ms", "us", "ns"};
    struct figure figure;
    double value = seconds;
    size_t unit = 0;
    while (value < 0.9995 && unit + 1 < sizeof units / sizeof units[0]) {
        value *= 1e3;
        unit++;
    }
    snprintf(figure.text, sizeof figure.text, value < 999.5 ? "%.3g %s" : "%.0f %s", value, units[unit]);
    return figure;
}

struct figure figures_percent(double share) {
    struct figure figure;
    double percent = 100 * share, size = fabs(percent);
    if (size > 99.9 && size < 100) /* all is 100 %, nearly all is not */
        percent = percent > 0 ? 99.9 : -99.9;
    snprintf(figure.text, sizeof figure.text,
             size >= 1e15  ? "%.2g"
             : size >= 100 ? "%.0f"
             : size >= 10  ? "%.1f"
                           : "%.2g",
             percent);
    size_t length = strlen(figure.text);
    if (length > 2 && strcmp(figure.text + length - 2, ".0") == 0)
        figure.text[length - 2] = '\0';
    return figure;
}

struct figure figures_name(const char *name) {
    struct figure figure = {.text = ""};
    printable_copy(figure.text, sizeof figure.text, name);
    return figure;
}
