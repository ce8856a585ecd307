/* nearest_rows.h - the numbers of one sample of a search, and one row of it: its kind, its two sides, and how they move along a step.
 *
 * A target defines NEAREST_AT(slots, offset), the address of a sample's number: samples share slots, one per lane, on a CPU; on a device
 * the numbers of a thread's sample are interleaved with those of its warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_ROWS_H
#define HN_CORE_NEAREST_ROWS_H

#include "base/real.h"
#include "core/nearest_layout.h"

/* The samples of one call; kernels are called by the names of struct backend. */
struct nearest_group {
    const struct backend *kernels;
    const struct nearest_parts *n;
    double *memory;
    size_t count;
};

/* The sample in a lane: its slots, and its vectors over rows and outputs, which kernels do not access: those of a sample are contiguous,
 * by row and by output. */
struct nearest_view {
    const struct nearest_plan *plan;
    double *at, *rows, *columns;
};

SHARED_FUNCTION struct nearest_view nearest_view_of(const struct nearest_group *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    struct nearest_view v = {p, g->memory + lane, NEAREST_AT(g->memory, p->by_rows + lane * ROW_VECTORS * p->rows),
                             NEAREST_AT(g->memory, p->by_columns + lane * COLUMN_VECTORS * p->outputs)};
    return v;
}

SHARED_FUNCTION double *view_slot(const struct nearest_view *v, size_t offset) {
    return NEAREST_AT(v->at, offset);
}

SHARED_FUNCTION double *view_row(const struct nearest_view *v, size_t which, size_t i) {
    return NEAREST_AT(v->rows, i * ROW_VECTORS + which);
}

SHARED_FUNCTION double *view_column(const struct nearest_view *v, size_t which, size_t j) {
    return NEAREST_AT(v->columns, j * COLUMN_VECTORS + which);
}

SHARED_FUNCTION double *view_unknown(const struct nearest_view *v, size_t which, size_t i) {
    const struct nearest_plan *p = v->plan;
    return view_slot(v, p->by_unknowns + (which * (p->outputs + p->rows) + i) * p->stride);
}

SHARED_FUNCTION double *view_number(const struct nearest_view *v, size_t which) {
    return view_slot(v, v->plan->numbers + which * v->plan->stride);
}

/* y_j of the program. */
SHARED_FUNCTION double *view_y(const struct nearest_view *v, size_t j) {
    return view_slot(v, v->plan->y + j * v->plan->stride);
}

/* Copies the program's y to a vector over outputs. */
SHARED_FUNCTION void view_write_y(const struct nearest_view *v, size_t which) {
    for (size_t j = 0; j < v->plan->outputs; j++)
        *view_y(v, j) = *view_column(v, which, j);
}

/* Writes leaves of the program; from: NULL writes zeros. */
SHARED_FUNCTION void view_write_leaves(const struct nearest_view *v, uint32_t leaves, size_t count,
                                       const double *from) {
    for (size_t i = 0; i < count; i++)
        *view_slot(v, leaves + i * v->plan->stride) = from ? from[i] : 0;
}

/* The larger and the smaller number; a if b is NaN. One instruction each, unlike fmax, which is a call. */
SHARED_FUNCTION double larger(double a, double b) {
    return b > a ? b : a;
}

SHARED_FUNCTION double smaller(double a, double b) {
    return b < a ? b : a;
}

SHARED_FUNCTION double row_value(const struct nearest_view *v, size_t i) {
    return *view_slot(v, v->plan->value[i]) * *view_row(v, ROW_UNIT, i);
}

SHARED_FUNCTION double row_lower(const struct nearest_view *v, size_t i) {
    return *view_slot(v, v->plan->lower[i]) * *view_row(v, ROW_UNIT, i);
}

SHARED_FUNCTION double row_upper(const struct nearest_view *v, size_t i) {
    return *view_slot(v, v->plan->upper[i]) * *view_row(v, ROW_UNIT, i);
}

/* The kind of row i, after it was determined. */
SHARED_FUNCTION unsigned row_kind(const struct nearest_view *v, size_t i) {
    return (unsigned)*view_row(v, ROW_KIND, i);
}

SHARED_FUNCTION bool row_is_equality(const struct nearest_view *v, size_t i) {
    return row_kind(v, i) == KIND_EQUALITY;
}

/* One side of an inequality, 0 lower, 1 upper. Their slacks are c - bl and bu - c. */
SHARED_FUNCTION bool side_is_there(const struct nearest_view *v, size_t i, size_t side) {
    return row_kind(v, i) >> side & 1;
}

SHARED_FUNCTION double side_room(const struct nearest_view *v, size_t i, size_t side) {
    return side ? row_upper(v, i) - row_value(v, i) : row_value(v, i) - row_lower(v, i);
}

SHARED_FUNCTION double *side_slack(const struct nearest_view *v, size_t i, size_t side) {
    return view_row(v, ROW_SLACK_LOWER + side, i);
}

SHARED_FUNCTION double *side_force(const struct nearest_view *v, size_t i, size_t side) {
    return view_row(v, ROW_FORCE_LOWER + side, i);
}

/* way: 0 the step, 1 the second-order correction. */
SHARED_FUNCTION double *side_gap(const struct nearest_view *v, size_t i, size_t side, size_t way) {
    return view_row(v, ROW_GAP_LOWER + 2 * way + side, i);
}

/* The change of a slack along a step. */
SHARED_FUNCTION double side_change(const struct nearest_view *v, size_t i, size_t side, size_t way) {
    double along = *view_row(v, ROW_ALONG + way, i);
    return *side_gap(v, i, side, way) + (side ? -along : along);
}

/* Entry e of J, of row i. */
SHARED_FUNCTION double row_entry(const struct nearest_view *v, size_t i, size_t e) {
    return *view_slot(v, v->plan->entry[e]) * *view_row(v, ROW_UNIT, i);
}

/* J in the units of its rows, into the system's matrix. */
SHARED_FUNCTION void rows_write_matrix(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++)
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            *view_slot(v, p->matrix + e * p->stride) = row_entry(v, i, e);
}

/* A right-hand side for the rows with ROW_SIDE != 0: the solution is large if they are linearly dependent. No sum of
 * its entries vanishes by chance. */
SHARED_FUNCTION void rows_ask_dependence(const struct nearest_view *v) {
    const struct nearest_plan *p = v->plan;
    double sign = 1;
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(v, UNKNOWN_RIGHT, j) = 0;
    for (size_t i = 0; i < p->rows; i++) {
        bool asked = *view_row(v, ROW_SIDE, i) != 0;
        *view_unknown(v, UNKNOWN_RIGHT, p->outputs + i) = asked ? sign : 0;
        sign = asked ? -0.875 * sign : sign;
        sign = fabs(sign) < 0.25 ? 4 * sign : sign;
    }
}

/* sum_k J_ik x_k; entries of x are `apart` numbers apart */
SHARED_FUNCTION double row_product(const struct nearest_view *v, size_t i, const double *x, size_t apart) {
    const struct nearest_plan *p = v->plan;
    double sum = 0;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
        if (!p->fixed[p->column[e]])
            sum += row_entry(v, i, e) * *NEAREST_AT(x, p->column[e] * apart);
    return sum;
}

/* The objective's derivative with respect to output j at the program's y, already evaluated; 0 for fixed outputs. */
SHARED_FUNCTION double column_slope(const struct nearest_view *v, size_t j) {
    const struct nearest_plan *p = v->plan;
    if (p->fixed[j])
        return 0;
    return p->optimal ? *view_slot(v, p->gradient[j]) * *view_number(v, NUMBER_UNIT)
                      : p->square[j] * (*view_y(v, j) - *view_column(v, COLUMN_RAW, j));
}

/* The objective itself; 0 for a distance. */
SHARED_FUNCTION double program_cost(const struct nearest_view *v) {
    return v->plan->optimal ? *view_slot(v, v->plan->cost) * *view_number(v, NUMBER_UNIT) : 0;
}

/* to = slope - J' l at the program's y. Returns the largest multiplier in the user's units; that of a row whose gradient is below 1 counts
 * in units of its largest entry; otherwise a multiplier of a row in tiny units would make every residual small. */
SHARED_FUNCTION double rows_rest(const struct nearest_view *v, size_t multipliers, size_t to) {
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

/* The unit of row i, its gradient's norm in that unit, from the evaluated J, and its kind. */
SHARED_FUNCTION void row_measure(const struct nearest_view *v, size_t i) {
    const struct nearest_plan *p = v->plan;
    double largest = 0, squares = 0;
    int power = 0;
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
        if (!p->fixed[p->column[e]])
            largest = larger(largest, fabs(*view_slot(v, p->entry[e])));
    if (largest > 0 && largest <= REAL_MAX)
        frexp(largest, &power);
    *view_row(v, ROW_UNIT, i) = ldexp(1.0, power > 1000 ? -1000 : -power);
    for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
        if (!p->fixed[p->column[e]])
            squares += row_entry(v, i, e) * row_entry(v, i, e);
    double norm = real_sqrt(squares), lower = row_lower(v, i), upper = row_upper(v, i);
    *view_row(v, ROW_NORM, i) = norm > 0 && norm <= REAL_MAX ? norm : 1;
    *view_row(v, ROW_HELD, i) = 1;
    *view_row(v, ROW_KIND, i) =
        lower == upper ? KIND_EQUALITY : (fabs(lower) <= REAL_MAX ? 1 : 0) + (fabs(upper) <= REAL_MAX ? 2 : 0);
}

/* The damping of a row: w. */
SHARED_FUNCTION double row_damping(const struct nearest_view *v, size_t i) {
    double norm = *view_row(v, ROW_NORM, i);
    return 0x1p-44 * norm * norm / *view_number(v, NUMBER_CURVATURE) * *view_row(v, ROW_HELD, i);
}

/* Added to the diagonal of H; otherwise the pivot of an output that f does not depend on would be 0. */
SHARED_FUNCTION double proximal(const struct nearest_view *v) {
    return v->plan->optimal ? 0x1p-30 * *view_number(v, NUMBER_CURVATURE) : 0;
}

#endif
