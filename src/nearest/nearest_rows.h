/* nearest_rows.h - one row of one sample: its kind, its two sides, and how they move along a step. For the files of this module.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_ROWS_H
#define HN_NEAREST_ROWS_H

#include "nearest/nearest_plan.h"

#include <float.h>
#include <math.h>

/* The larger one and the smaller one; a where b is NaN. One instruction each, where fmax is a call. */
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

static inline double smaller(double a, double b) {
    return b < a ? b : a;
}

static inline double row_value(const struct nearest_view *v, size_t i) {
    return v->at[v->plan->value[i]] * *view_row(v, ROW_UNIT, i);
}

static inline double row_lower(const struct nearest_view *v, size_t i) {
    return v->at[v->plan->lower[i]] * *view_row(v, ROW_UNIT, i);
}

static inline double row_upper(const struct nearest_view *v, size_t i) {
    return v->at[v->plan->upper[i]] * *view_row(v, ROW_UNIT, i);
}

/* The kind of row i, once it is known. */
static inline unsigned row_kind(const struct nearest_view *v, size_t i) {
    return (unsigned)*view_row(v, ROW_KIND, i);
}

static inline bool row_is_equality(const struct nearest_view *v, size_t i) {
    return row_kind(v, i) == KIND_EQUALITY;
}

/* One side of an inequality, 0 lower, 1 upper. Their slacks are c - bl and bu - c. */
static inline bool side_is_there(const struct nearest_view *v, size_t i, size_t side) {
    return row_kind(v, i) >> side & 1;
}

static inline double side_room(const struct nearest_view *v, size_t i, size_t side) {
    return side ? row_upper(v, i) - row_value(v, i) : row_value(v, i) - row_lower(v, i);
}

static inline double *side_slack(const struct nearest_view *v, size_t i, size_t side) {
    return view_row(v, ROW_SLACK_LOWER + side, i);
}

static inline double *side_force(const struct nearest_view *v, size_t i, size_t side) {
    return view_row(v, ROW_FORCE_LOWER + side, i);
}

/* way: 0 the step, 1 the second one. */
static inline double *side_gap(const struct nearest_view *v, size_t i, size_t side, size_t way) {
    return view_row(v, ROW_GAP_LOWER + 2 * way + side, i);
}

/* How much a slack changes along a step. */
static inline double side_change(const struct nearest_view *v, size_t i, size_t side, size_t way) {
    double along = *view_row(v, ROW_ALONG + way, i);
    return *side_gap(v, i, side, way) + (side ? -along : along);
}

/* Entry e of J, of row i. */
static inline double row_entry(const struct nearest_view *v, size_t i, size_t e) {
    return v->at[v->plan->entry[e]] * *view_row(v, ROW_UNIT, i);
}

/* sum_k J_ik x_k with x by outputs, so far apart */
static inline double row_product(const struct nearest_view *v, size_t i, const double *x, size_t apart) {
    const struct nearest_plan *p = v->plan;
    double sum = 0;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
        if (!p->fixed[p->column[e]])
            sum += row_entry(v, i, e) * x[p->column[e] * apart];
    return sum;
}

/* The objective's derivative by output j at the program's y, where the program was run; 0 where the output is fixed. */
static inline double column_slope(const struct nearest_view *v, size_t j) {
    const struct nearest_plan *p = v->plan;
    if (p->fixed[j])
        return 0;
    return p->optimal ? v->at[p->gradient[j]] * *view_number(v, NUMBER_UNIT)
                      : p->square[j] * (v->at[p->y + j * p->stride] - *view_column(v, COLUMN_RAW, j));
}

/* The same for the objective itself, of which a distance has no need. */
static inline double program_cost(const struct nearest_view *v) {
    return v->plan->optimal ? v->at[v->plan->cost] * *view_number(v, NUMBER_UNIT) : 0;
}

/* to = slope - J' l at the program's y; the multipliers' largest entry, in the user's units, but for rows whose gradient there is
 * below 1: theirs count in units of its largest entry, or any multiplier of a row in tiny units would make every rest look small. */
static inline double rows_rest(const struct nearest_view *v, size_t multipliers, size_t to) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, to, j) = column_slope(v, j);
    for (size_t i = 0; i < p->rows; i++) {
        double l = *view_row(v, multipliers, i), most = 0;
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++) {
            double entry = row_entry(v, i, e);
            if (p->fixed[p->column[e]])
                continue;
            most = larger(most, fabs(entry));
            *view_column(v, to, p->column[e]) -= entry * l;
        }
        largest = larger(largest, fabs(l * smaller(most, *view_row(v, ROW_UNIT, i))));
    }
    return largest / *view_number(v, NUMBER_UNIT);
}

#endif
