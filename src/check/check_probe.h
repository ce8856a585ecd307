/* check_probe.h - r, J and the gradient of V = |r|^2 / 2 at CHECK_MOST points side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_PROBE_H
#define HN_CHECK_PROBE_H

#include "check/point_table.h"

/* Vectors have CHECK_MOST numbers for each entry. */
struct probe {
    const struct check *check;
    struct board board;
    double *residual;                                 /* rows: NaN if c or a bound is not finite */
    double *gradient;                                 /* columns: J' r */
    double energy[CHECK_MOST], violation[CHECK_MOST]; /* V, max |r| */
};

hn_status probe_create(struct probe *probe, struct check *check, hn_error *error);
void probe_release(struct probe *probe);

/* Sets the point of a sample; its results are available after the run. */
void probe_place(const struct probe *probe, size_t sample, const double *x, const double *y);
void probe_run(struct probe *probe);

/* The CHECK_MOST numbers of a nonzero of J (numbered as in check->by_y), of c, of a bound. */
const double *probe_entry(const struct probe *probe, size_t entry);
const double *probe_value(const struct probe *probe, size_t row);
const double *probe_lower(const struct probe *probe, size_t row);
const double *probe_upper(const struct probe *probe, size_t row);

#endif
