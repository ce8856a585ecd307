/* rows_kernel.h - residuals, row weights and plain vector work over lanes; compiled by each backend for its width.
 *
 *     r = c - bu above, c - bl below, 0 between; on an equality c - bu, whatever its sign
 *
 * Comparisons are such that a NaN never counts as held. Every sum runs over rows or columns in ascending order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_ROWS_KERNEL_H
#define HN_SPARSE_ROWS_KERNEL_H

#include "base/wide.h"
#include "sparse/rows.h"

#include <float.h>

#define AT(place)      ((wide *)(void *)(slots + (place)))
#define MASK_AT(place) ((wide_bits *)(void *)(slots + (place)))

WIDE_INLINE wide_bits kernel_finite(wide a) {
    return wide_less_equal(wide_abs(a), wide_all(DBL_MAX));
}

/* r of one row, and |r| against 1 or against the bound that it is measured from. */
WIDE_INLINE wide kernel_row(wide c, wide lower, wide upper, const bool relative, wide *size) {
    wide_bits above = ~wide_less_equal(c, upper), below = ~wide_less_equal(lower, c);
    wide r = wide_select(above, c - upper, wide_keep(below, c - lower));
    *size = wide_abs(r);
    if (relative) {
        wide bound = wide_abs(wide_select(above, upper, lower));
        wide unit = wide_select(wide_less(wide_all(1), bound), bound, wide_all(1));
        *size = wide_keep(above | below, *size / unit);
    }
    return r;
}

WIDE_INLINE void kernel_residual_part(const struct rows_task *task, double *slots, size_t part, const bool relative,
                                      const bool weighted) {
    wide worst = wide_all(0), squares = wide_all(0);
    wide_bits finite = ~wide_bits_all(0);
    wide *r = AT(task->residual) + part;
    const wide *scale = AT(task->scale) + part;
    for (size_t i = 0; i < task->rows; i++) {
        wide c = AT(task->value[i])[part], size;
        r[i * LANE_PARTS] = kernel_row(c, AT(task->lower[i])[part], AT(task->upper[i])[part], relative, &size);
        worst = wide_select(wide_less(worst, size), size, worst);
        finite &= kernel_finite(c);
        if (weighted) {
            wide own = scale[i * LANE_PARTS] * r[i * LANE_PARTS];
            squares += own * own;
        }
    }
    wide *summary = AT(task->summary) + part;
    summary[SUMMARY_WORST * LANE_PARTS] = worst;
    summary[SUMMARY_SQUARES * LANE_PARTS] = squares;
    MASK_AT(task->summary)[SUMMARY_FINITE * LANE_PARTS + part] = finite;
}

static void kernel_residual(const struct rows_task *task, double *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        if (task->weighted && task->relative)
            kernel_residual_part(task, slots, part, true, true);
        else if (task->weighted)
            kernel_residual_part(task, slots, part, false, true);
        else if (task->relative)
            kernel_residual_part(task, slots, part, true, false);
        else
            kernel_residual_part(task, slots, part, false, false);
}

/* ---- row weights ---- */

/* 2^-e for a = 1.f 2^e >= 1, and 1 below: exact, and the same over a whole octave. */
WIDE_INLINE wide kernel_scale_for(wide a) {
    wide_bits exponent = wide_bits_right(wide_to_bits(a), 52);
    wide_bits turned = wide_bits_left(wide_bits_subtract(wide_bits_all(2046), exponent), 52);
    wide scale = wide_of_bits(turned);
    wide_bits huge = wide_less(wide_all(0x1p1021), a);
    scale = wide_select(huge, wide_all(0x1p-1021), scale);
    return wide_select(wide_less(a, wide_all(1)), wide_all(1), scale);
}

/* New weights for the lanes of the mask: the power of two next below 1 / max(1, largest entry of the row). */
static void kernel_rescale(const struct rows_task *task, double *slots, uint32_t mask) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            wide most = wide_all(0), *scale = AT(task->scale) + i * LANE_PARTS + part;
            for (size_t e = task->first[i]; e < task->first[i + 1]; e++) {
                wide size = wide_abs(AT(task->entry[e])[part]);
                most = wide_select(wide_less(most, size), size, most);
            }
            *scale = wide_select(MASK_AT(mask)[part], kernel_scale_for(most), *scale);
        }
}

/* Takes over c, J and the active rows of the present y for the lanes of the mask. */
static void kernel_weigh(const struct rows_task *task, double *slots, uint32_t mask) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            wide_bits take = MASK_AT(mask)[part], *active = MASK_AT(task->active) + i * LANE_PARTS + part;
            wide scale = AT(task->scale)[i * LANE_PARTS + part], r = AT(task->residual)[i * LANE_PARTS + part];
            wide_bits now =
                wide_not_equal(r, wide_all(0)) | wide_equal(AT(task->lower[i])[part], AT(task->upper[i])[part]);
            wide *right = AT(task->right) + i * LANE_PARTS + part;
            *active = (take & now) | (~take & *active);
            *right = wide_select(take, scale * r, *right);
            for (size_t e = task->first[i]; e < task->first[i + 1]; e++) {
                wide *a = AT(task->matrix) + e * LANE_PARTS + part;
                *a = wide_select(take, wide_keep(now, scale * AT(task->entry[e])[part]), *a);
            }
        }
}

static void kernel_shift(const struct rows_task *task, double *slots) {
    const wide *eps = AT(task->eps);
    for (size_t i = 0; i < task->rows * LANE_PARTS; i++)
        AT(task->shift)[i] = wide_select(MASK_AT(task->active)[i], eps[i % LANE_PARTS], wide_all(1));
}

/* The largest sum of squares of a row of A. */
static void kernel_largest(const struct rows_task *task, double *slots, uint32_t to) {
    wide most[LANE_PARTS];
    for (int part = 0; part < LANE_PARTS; part++)
        most[part] = wide_all(0);
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            wide sum = wide_all(0);
            for (size_t e = task->first[i]; e < task->first[i + 1]; e++) {
                wide a = AT(task->matrix)[e * LANE_PARTS + part];
                sum += a * a;
            }
            most[part] = wide_select(wide_less(most[part], sum), sum, most[part]);
        }
    for (int part = 0; part < LANE_PARTS; part++)
        AT(to)[part] = most[part];
}

/* ---- vectors ---- */

static void kernel_copy(double *slots, uint32_t from, uint32_t to, size_t count, uint32_t mask) {
    for (size_t i = 0; i < count * LANE_PARTS; i++)
        AT(to)[i] = wide_select(MASK_AT(mask)[i % LANE_PARTS], AT(from)[i], AT(to)[i]);
}

static void kernel_inner(double *slots, uint32_t a, uint32_t b, size_t count, uint32_t to) {
    wide sums[LANE_PARTS];
    for (int part = 0; part < LANE_PARTS; part++)
        sums[part] = wide_all(0);
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < LANE_PARTS; part++)
            sums[part] += AT(a)[i * LANE_PARTS + part] * AT(b)[i * LANE_PARTS + part];
    for (int part = 0; part < LANE_PARTS; part++)
        AT(to)[part] = sums[part];
}

/* to = a - b */
static void kernel_subtract(double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count) {
    for (size_t i = 0; i < count * LANE_PARTS; i++)
        AT(to)[i] = AT(a)[i] - AT(b)[i];
}

/* y = base - step for all columns, with a word on whether it moved and whether it is finite. */
static void kernel_step(const struct rows_task *task, double *slots, uint32_t base, uint32_t step, uint32_t y) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        wide_bits moved = wide_bits_all(0), usable = ~wide_bits_all(0);
        for (size_t j = 0; j < task->columns; j++) {
            wide old = AT(base)[j * LANE_PARTS + part], new = old - AT(step)[j * LANE_PARTS + part];
            moved |= wide_not_equal(old, new);
            usable &= kernel_finite(new);
            AT(y)[j * LANE_PARTS + part] = new;
        }
        MASK_AT(task->summary)[SUMMARY_MOVED * LANE_PARTS + part] = moved;
        MASK_AT(task->summary)[SUMMARY_USABLE * LANE_PARTS + part] = usable;
    }
}

/* ---- the adjoint ---- */

static void kernel_adjoint_rows(const struct rows_task *task, const struct adjoint_task *adjoint, double *slots) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            size_t at = i * LANE_PARTS + part;
            wide r = AT(task->residual)[at], q = AT(adjoint->q)[at], v = AT(adjoint->v)[at];
            wide_bits equality = wide_equal(AT(task->lower[i])[part], AT(task->upper[i])[part]);
            wide_bits above = equality | wide_less(wide_all(0), r), below = ~equality & wide_less(r, wide_all(0));
            wide scale = task->weighted ? AT(task->scale)[at] : wide_all(1);
            wide_bits used = task->weighted ? above | below : ~wide_bits_all(0);
            AT(adjoint->leaf_q)[at] = wide_keep(used, scale * q);
            AT(adjoint->leaf_v)[at] = wide_keep(used, scale * v);
            AT(adjoint->kept)[at] = wide_keep(above | below, q);
            AT(adjoint->pulled)[at] = wide_keep(above | below, scale * q);
            AT(adjoint->grad_upper)[at] += wide_keep(above, scale * q);
            AT(adjoint->grad_lower)[at] += wide_keep(below, scale * q);
        }
}

/* to = to - value of the places, one per entry, each at its offset. */
static void kernel_scatter_subtract(double *slots, const uint32_t *place, const uint32_t *offset, size_t count,
                                    uint32_t to) {
    for (size_t e = 0; e < count; e++)
        for (int part = 0; part < LANE_PARTS; part++)
            AT(to + offset[e])[part] -= AT(place[e])[part];
}

/* to = to + a */
static void kernel_add(double *slots, uint32_t a, uint32_t to, size_t count) {
    for (size_t i = 0; i < count * LANE_PARTS; i++)
        AT(to)[i] += AT(a)[i];
}

#undef AT
#undef MASK_AT

#endif
