/* rows_kernel.h - residuals, row weights and plain vector work over lanes; compiled by each backend for its width.
 *
 *     r = c - bu above, c - bl below, 0 between; on an equality c - bu, whatever its sign
 *
 * Comparisons treat a NaN as violated. Every sum runs over rows or columns in ascending order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_ROWS_KERNEL_H
#define HN_CPU_ROWS_KERNEL_H

#include "cpu/backend.h"
#include "cpu/blocks_kernel.h"
#include "cpu/row_values_kernel.h"
#include "cpu/unload_kernel.h"

#define AT(offset)      ((simd *)(void *)SLOT_AT(slots, offset))
#define MASK_AT(offset) ((simd_bits *)(void *)SLOT_AT(slots, offset))

/* Summary of all rows of a lane; separate accumulators for even and odd rows hide latency. */
struct row_summary {
    simd worst;
    simd_bits finite;
};

SIMD_INLINE void kernel_residual_row(const struct rows_task *task, double *slots, size_t i, size_t part,
                                     struct row_summary *summary) {
    simd c = AT(task->value[i])[part], size;
    simd r = kernel_row(c, AT(task->lower[i])[part], AT(task->upper[i])[part], task->relative, &size);
    AT(task->residual)[i * LANE_PARTS + part] = r;
    summary->worst = simd_select(simd_less(summary->worst, size), size, summary->worst);
    summary->finite &= kernel_finite(c);
}

/* Summed in the order of rows: decisions about steps depend on this sum. */
SIMD_INLINE simd kernel_squares(const struct rows_task *task, const double *slots, size_t part) {
    const simd *r = (const simd *)(const void *)SLOT_AT(slots, task->residual) + part;
    const simd *scale = (const simd *)(const void *)SLOT_AT(slots, task->scale) + part;
    simd sum = simd_all(0);
    for (size_t i = 0; i < task->rows; i++) {
        simd own = scale[i * LANE_PARTS] * r[i * LANE_PARTS];
        sum += own * own;
    }
    return sum;
}

SIMD_INLINE void kernel_residual_part(const struct rows_task *task, double *slots, size_t part) {
    struct row_summary even = {simd_all(0), ~simd_bits_all(0)}, odd = even;
    size_t i = 0;
    for (; i + 1 < task->rows; i += 2) {
        kernel_residual_row(task, slots, i, part, &even);
        kernel_residual_row(task, slots, i + 1, part, &odd);
    }
    if (i < task->rows)
        kernel_residual_row(task, slots, i, part, &even);
    simd *summary = AT(task->summary) + part;
    if (task->block_count > 0) {
        kernel_block_residuals(task, slots, part, &even.worst);
        even.finite &= kernel_finite(even.worst);
    }
    summary[(size_t)SUMMARY_WORST * LANE_PARTS] = simd_select(simd_less(even.worst, odd.worst), odd.worst, even.worst);
    MASK_AT(task->summary)[(size_t)SUMMARY_FINITE * LANE_PARTS + part] = even.finite & odd.finite;
    if (task->weighted)
        summary[(size_t)SUMMARY_SQUARES * LANE_PARTS] = kernel_squares(task, slots, part);
}

static void kernel_residual(const struct rows_task *task, double *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        kernel_residual_part(task, slots, part);
}

/* r without a summary. */
static void kernel_residual_only(const struct rows_task *task, double *slots) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd unused, lower = AT(task->lower[i])[part], upper = AT(task->upper[i])[part];
            AT(task->residual)
            [i * LANE_PARTS + part] = kernel_row(AT(task->value[i])[part], lower, upper, false, &unused);
        }
    for (size_t part = 0; task->block_count > 0 && part < LANE_PARTS; part++) {
        simd unused = simd_all(0);
        kernel_block_residuals(task, slots, part, &unused);
    }
}

/* ---- row weights ---- */

SIMD_INLINE bool kernel_knows(const struct rows_task *task, size_t i) {
    return task->known && task->known[i].known;
}

/* The first stored entry of a row's A; known rows store none. */
SIMD_INLINE size_t kernel_first(const struct rows_task *task, size_t i) {
    return kernel_knows(task, i) ? task->first[i + 1] : task->first[i];
}

/* New weights for the lanes of the mask: the power of two next below 1 / max(1, largest entry of the row). */
static void kernel_rescale(const struct rows_task *task, double *slots, uint32_t mask) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd most = simd_all(0), *scale = AT(task->scale) + i * LANE_PARTS + part;
            if (kernel_knows(task, i)) {
                *scale = simd_select(MASK_AT(mask)[part], simd_all(task->known[i].scale), *scale);
                continue;
            }
            for (size_t e = task->first[i]; e < task->first[i + 1]; e++) {
                simd size = simd_abs(AT(task->entry[e])[part]);
                most = simd_select(simd_less(most, size), size, most);
            }
            *scale = simd_select(MASK_AT(mask)[part], kernel_scale_for(most), *scale);
        }
    for (size_t k = 0; k < task->block_count; k++)
        for (size_t part = 0; part < LANE_PARTS; part++)
            kernel_block_rescale(task, &task->blocks[k], slots, part, MASK_AT(mask)[part]);
}

SIMD_INLINE simd_bits kernel_active_row(const struct rows_task *task, const double *slots, size_t i, size_t part) {
    const simd *c = (const simd *)(const void *)SLOT_AT(slots, task->value[i]) + part;
    const simd *lower = (const simd *)(const void *)SLOT_AT(slots, task->lower[i]) + part;
    const simd *upper = (const simd *)(const void *)SLOT_AT(slots, task->upper[i]) + part;
    const simd *hold = (const simd *)(const void *)SLOT_AT(slots, task->hold) + part;
    const simd_bits *leads = (const simd_bits *)(const void *)SLOT_AT(slots, task->leads) + part;
    simd scale = ((const simd *)(const void *)SLOT_AT(slots, task->scale))[i * LANE_PARTS + part];
    return kernel_active(*c, *lower, *upper, scale, *hold,
                         task->first[i + 1] - task->first[i] > 1 ? *leads : simd_bits_all(0));
}

/* Commits c, J and the active rows of the present y for the lanes of the mask. */
static void kernel_weigh(const struct rows_task *task, double *slots, uint32_t mask) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd_bits take = MASK_AT(mask)[part], *active = MASK_AT(task->active) + i * LANE_PARTS + part;
            simd scale = AT(task->scale)[i * LANE_PARTS + part], r = AT(task->residual)[i * LANE_PARTS + part];
            simd_bits now = kernel_active_row(task, slots, i, part);
            simd *right = AT(task->right) + i * LANE_PARTS + part;
            *active = (take & now) | (~take & *active);
            *right = simd_select(take, simd_keep(now, scale * r), *right);
            for (size_t e = kernel_first(task, i); e < task->first[i + 1]; e++) {
                simd *a = AT(task->matrix) + e * LANE_PARTS + part;
                *a = simd_select(take, simd_keep(now, scale * AT(task->entry[e])[part]), *a);
            }
        }
    for (size_t k = 0; k < task->block_count; k++)
        for (size_t part = 0; part < LANE_PARTS; part++)
            kernel_block_weigh(task, &task->blocks[k], slots, part, MASK_AT(mask)[part]);
}

static void kernel_shift(const struct rows_task *task, double *slots) {
    const simd *eps = AT(task->eps);
    for (size_t i = 0; i < task->rows * LANE_PARTS; i++)
        AT(task->shift)[i] = simd_select(MASK_AT(task->active)[i], eps[i % LANE_PARTS], simd_all(1));
}

/* The largest sum of squares of a row of A. */
static void kernel_largest(const struct rows_task *task, double *slots, uint32_t to) {
    simd most[LANE_PARTS];
    for (int part = 0; part < LANE_PARTS; part++)
        most[part] = simd_all(0);
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd sum = simd_all(0);
            if (kernel_knows(task, i))
                sum = simd_keep(MASK_AT(task->active)[i * LANE_PARTS + part], simd_all(task->known[i].squares));
            for (size_t e = kernel_first(task, i); e < task->first[i + 1]; e++) {
                simd a = AT(task->matrix)[e * LANE_PARTS + part];
                sum += a * a;
            }
            most[part] = simd_select(simd_less(most[part], sum), sum, most[part]);
        }
    for (int part = 0; part < LANE_PARTS; part++)
        AT(to)[part] = most[part];
}

/* ---- vectors ---- */

static void kernel_copy(double *slots, uint32_t from, uint32_t to, size_t count, uint32_t mask) {
    for (size_t i = 0; i < count * LANE_PARTS; i++)
        AT(to)[i] = simd_select(MASK_AT(mask)[i % LANE_PARTS], AT(from)[i], AT(to)[i]);
}

static void kernel_inner(double *slots, uint32_t a, uint32_t b, size_t count, uint32_t to) {
    simd sums[LANE_PARTS];
    for (int part = 0; part < LANE_PARTS; part++)
        sums[part] = simd_all(0);
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

/* y = base - step for all columns; records whether y moved and is finite. */
static void kernel_step(const struct rows_task *task, double *slots, uint32_t base, uint32_t step, uint32_t y) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd_bits moved = simd_bits_all(0), usable = ~simd_bits_all(0);
        for (size_t j = 0; j < task->columns; j++) {
            simd old = AT(base)[j * LANE_PARTS + part], new = old - AT(step)[j * LANE_PARTS + part];
            moved |= simd_not_equal(old, new);
            usable &= kernel_finite(new);
            AT(y)[j * LANE_PARTS + part] = new;
        }
        MASK_AT(task->summary)[(size_t)SUMMARY_MOVED * LANE_PARTS + part] = moved;
        MASK_AT(task->summary)[(size_t)SUMMARY_USABLE * LANE_PARTS + part] = usable;
    }
}

/* Clips y to its bounds for the lanes of the mask. */
static void kernel_clip(const struct clip_task *task, double *slots, uint32_t y, uint32_t mask) {
    for (size_t e = 0; e < task->count; e++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd *at = AT(y + task->offset[e]) + part;
            simd lower = AT(task->lower[e])[part], upper = AT(task->upper[e])[part];
            *at = simd_select(MASK_AT(mask)[part] & simd_less(*at, lower), lower, *at);
            *at = simd_select(MASK_AT(mask)[part] & simd_less(upper, *at), upper, *at);
        }
}

/* Activates, for the lanes of the mask, the bound rows of outputs on a bound that a step along -A' W r would leave.
 * After kernel_weigh, at the same y. */
static void kernel_hold_bounds(const struct rows_task *task, const struct clip_task *clip, double *slots,
                               uint32_t slope, uint32_t mask) {
    for (size_t e = 0; e < clip->count; e++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            size_t i = clip->row[e], at = i * LANE_PARTS + part, entry = task->first[i];
            simd y = AT(task->value[i])[part], down = AT(slope + clip->offset[e])[part];
            simd_bits below = simd_less_equal(y, AT(clip->lower[e])[part]) & simd_less(simd_all(0), down);
            simd_bits above = simd_less_equal(AT(clip->upper[e])[part], y) & simd_less(down, simd_all(0));
            simd_bits *active = MASK_AT(task->active) + at, held = MASK_AT(mask)[part] & (below | above) & ~*active;
            simd *a = AT(task->matrix) + entry * LANE_PARTS + part;
            if (!kernel_knows(task, i))
                *a = simd_select(held, AT(task->scale)[at] * AT(task->entry[entry])[part], *a);
            *active |= held;
        }
}

/* ---- the adjoint ---- */

/* Adjoint of kernel_clip at y - step: the gradient of a clipped y is added to that of the bound. */
static void kernel_unclip(const struct clip_task *task, double *slots, const struct unclip_places *at, uint32_t mask) {
    for (size_t e = 0; e < task->count; e++)
        for (size_t part = 0; part < LANE_PARTS; part++) {
            simd y = AT(at->y + task->offset[e])[part] - AT(at->step + task->offset[e])[part];
            simd *p = AT(at->gradient + task->offset[e]) + part;
            simd_bits below = MASK_AT(mask)[part] & simd_less(y, AT(task->lower[e])[part]);
            simd_bits above = MASK_AT(mask)[part] & simd_less(AT(task->upper[e])[part], y);
            AT(at->grad_lower)[(size_t)task->row[e] * LANE_PARTS + part] += simd_keep(below, *p);
            AT(at->grad_upper)[(size_t)task->row[e] * LANE_PARTS + part] += simd_keep(above, *p);
            *p = simd_keep(~(below | above), *p);
        }
}

/* Without weights W q is q and W v is v; no copy is needed. */
SIMD_INLINE void kernel_adjoint_part(const struct rows_task *task, const struct adjoint_task *adjoint, double *slots,
                                     size_t part, const bool weighted, const bool bounds) {
    for (size_t i = 0; i < task->rows; i++) {
        size_t at = i * LANE_PARTS + part;
        simd r = AT(task->residual)[at], q = AT(adjoint->q)[at];
        simd_bits equality = simd_equal(AT(task->lower[i])[part], AT(task->upper[i])[part]);
        simd_bits counts = equality | simd_not_equal(r, simd_all(0)); /* D */
        simd weighed = q;
        if (weighted) {
            simd scale = AT(task->scale)[at], v = AT(adjoint->v)[at];
            simd_bits active = MASK_AT(task->active)[at];
            AT(adjoint->leaf_q)[at] = simd_keep(active, scale * q);
            AT(adjoint->leaf_v)[at] = simd_keep(active, scale * v);
            q -= AT(adjoint->damped)[part] * AT(task->right)[at]; /* contribution of eps to r */
            weighed = scale * q;
            AT(adjoint->kept)[at] = simd_keep(counts, q);
        }
        AT(adjoint->pulled)[at] = simd_keep(counts, weighed);
        if (bounds) {
            simd_bits below = ~equality & simd_less(r, simd_all(0));
            AT(adjoint->grad_upper)[at] += simd_keep(counts & ~below, weighed);
            AT(adjoint->grad_lower)[at] += simd_keep(below, weighed);
        }
    }
}

static void kernel_adjoint_rows(const struct rows_task *task, const struct adjoint_task *adjoint, double *slots,
                                bool bounds) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        if (task->weighted)
            kernel_adjoint_part(task, adjoint, slots, part, true, true);
        else if (bounds)
            kernel_adjoint_part(task, adjoint, slots, part, false, true);
        else
            kernel_adjoint_part(task, adjoint, slots, part, false, false);
        kernel_block_adjoints(task, adjoint, slots, part, task->weighted || bounds);
    }
}

/* to[offset] = to[offset] - value at `from`, for every entry. */
static void kernel_scatter_subtract(double *slots, const uint32_t *from, const uint32_t *offset, size_t count,
                                    uint32_t to) {
    for (size_t e = 0; e < count; e++)
        for (int part = 0; part < LANE_PARTS; part++)
            AT(to + offset[e])[part] -= AT(from[e])[part];
}

/* ---- between lanes and samples: count numbers per lane, contiguous in the sample's memory ---- */

/* to[lane] may be NULL: the lane is skipped. */
static void kernel_unload(const double *slots, uint32_t offset, size_t count, double *const *to) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        kernel_unload_part(SLOT_AT(slots, offset) + part * WIDTH, count, to + part * WIDTH);
}

/* Lanes without a sample get unspecified values. */
static void kernel_load(double *slots, uint32_t offset, size_t count, const double *const *from) {
    for (size_t part = 0; part < LANE_PARTS; part++)
        kernel_load_part(SLOT_AT(slots, offset) + part * WIDTH, count, from + part * WIDTH);
}

/* to = to + a */
static void kernel_add(double *slots, uint32_t a, uint32_t to, size_t count) {
    for (size_t i = 0; i < count * LANE_PARTS; i++)
        AT(to)[i] += AT(a)[i];
}

#undef AT
#undef MASK_AT

#endif
