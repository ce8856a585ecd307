/* point.h - access to one sample's slots through the plan: sums over its rows, bounds, start points.
 *
 * Operations on single samples that are not entries of executors. Common subset of C99 and C++, as sample.h.
 *
 *     max |r| and its row           point_violation
 *     |A|^2, |W r|^2, |A' W r|^2    point_slope
 *     the joint part of |W r|^2     point_joint
 *     |J' r|^2 / (|J|^2 |r|^2)      point_stationarity, with scaled rows
 *     starts, fixed values          point_start, point_set_fixed, point_clip, point_fall_back, point_restart
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_POINT_H
#define HN_CORE_POINT_H

#include "base/random_state.h"
#include "base/real.h"
#include "core/restart.h"
#include "core/sample.h"

#ifndef FREESTANDING
#include "base/random.h"
#include "core/plan.h"
#endif

/* Emitted files and kernels define these as constants. */
#ifndef POINT_PLAN
#define POINT_PLAN(p)  ((p)->plan)
#define POINT_WIDTH(p) ((p)->width)
#endif

/* Loops over rows and outputs read blocks of this many numbers before they use the first, to hide memory latency. */
#ifndef POINT_AT_ONCE
#define POINT_AT_ONCE 1
#endif
#ifndef POINT_UNROLL
#define POINT_UNROLL SHARED_LOOP /* unrolls a loop to have several loads in flight */
#endif

struct point {
    const struct plan *plan;
    real *slots;  /* slot 0 of the sample; */
    size_t width; /* distance between consecutive slots */
};

SHARED_FUNCTION real *point_at(const struct point *p, uint32_t slot) {
    return p->slots + (size_t)slot * POINT_WIDTH(p);
}

/* As a maximum, one instruction; a branch on the sign would be mispredicted half the time. */
SHARED_FUNCTION real point_abs(real a) {
    return sample_greater(a, -a);
}

/* ---- vectors and masks ---- */

/* Copies count numbers between vectors whose elements are from_width and to_width apart. */
SHARED_FUNCTION void point_move(const real *from, size_t from_width, real *to, size_t to_width, size_t count) {
    size_t i = 0;
    SHARED_LOOP
    for (; i + POINT_AT_ONCE <= count; i += POINT_AT_ONCE) {
        real block[POINT_AT_ONCE];
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++)
            block[k] = from[(i + k) * from_width];
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++)
            to[(i + k) * to_width] = block[k];
        LOOP_STAYS;
    }
    SHARED_LOOP
    for (; i < count; i++)
        to[i * to_width] = from[i * from_width];
}

SHARED_FUNCTION void point_read(const struct point *p, uint32_t slot, size_t count, real *to) {
    point_move(point_at(p, slot), POINT_WIDTH(p), to, 1, count);
}

SHARED_FUNCTION void point_write(const struct point *p, uint32_t slot, size_t count, const real *from) {
    point_move(from, 1, point_at(p, slot), POINT_WIDTH(p), count);
}

SHARED_FUNCTION void point_copy(const struct point *p, uint32_t from, uint32_t to, size_t count) {
    point_move(point_at(p, from), POINT_WIDTH(p), point_at(p, to), POINT_WIDTH(p), count);
}

/* values may be NULL. */
SHARED_FUNCTION void point_zero(real *values, size_t count) {
    SHARED_LOOP
    for (size_t i = 0; values && i < count; i++) {
        values[i] = 0;
        LOOP_STAYS;
    }
}

/* Canonical NaN: the NaN that a computation gives depends on the processor. */
SHARED_FUNCTION real point_number(real a) {
    return a == a ? a : REAL_NAN;
}

SHARED_FUNCTION void point_clear(const struct point *p, uint32_t slot, size_t count) {
    real *to = point_at(p, slot);
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        to[i * POINT_WIDTH(p)] = 0;
}

/* Index i of a list, or its last one: blocks may read beyond the end. */
SHARED_FUNCTION size_t point_index(size_t i, size_t count) {
    return i < count ? i : count - 1;
}

/* Whether count numbers, `width` apart, are finite; else the index of the first that is not, in culprit. Almost always they are: a - a
 * is 0 for finite a, else NaN, and needs no branch. */
SHARED_FUNCTION bool point_all_finite(const real *values, size_t width, size_t count, size_t *culprit) {
    real lost0 = 0, lost1 = 0, lost2 = 0, lost3 = 0; /* an array would need memset on targets without one */
    const size_t whole = count / 4 * 4;
    size_t i = 0;
    SHARED_LOOP
    for (; i < whole; i += 4) {
        lost0 += values[i * width] - values[i * width];
        lost1 += values[(i + 1) * width] - values[(i + 1) * width];
        lost2 += values[(i + 2) * width] - values[(i + 2) * width];
        lost3 += values[(i + 3) * width] - values[(i + 3) * width];
    }
    SHARED_LOOP
    for (i = whole; i < count; i++)
        lost0 += values[i * width] - values[i * width];
    if (lost0 + lost1 + lost2 + lost3 == 0)
        return true;
    SHARED_LOOP
    for (i = 0; i < count && sample_is_finite(values[i * width]);)
        i++;
    *culprit = i;
    return false;
}

SHARED_FUNCTION bool point_finite(const struct point *p, uint32_t slot, size_t count, size_t *culprit) {
    return point_all_finite(point_at(p, slot), POINT_WIDTH(p), count, culprit);
}

SHARED_FUNCTION bool point_mask(const struct point *p, uint32_t slot) {
    return mask_read(point_at(p, slot));
}

SHARED_FUNCTION void point_set_mask(const struct point *p, uint32_t slot, bool value) {
    mask_write(point_at(p, slot), value);
}

/* ---- rows ---- */

/* c, bl, bu and r of a block of rows. */
struct point_rows {
    real c[POINT_AT_ONCE], lower[POINT_AT_ONCE], upper[POINT_AT_ONCE], r[POINT_AT_ONCE];
};

SHARED_FUNCTION void point_read_rows(const struct point *p, size_t first, struct point_rows *rows) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const real *r = point_at(p, plan->residual);
    DEVICE_UNROLL
    for (size_t k = 0; k < POINT_AT_ONCE; k++) {
        size_t i = point_index(first + k, plan->rows);
        rows->c[k] = *point_at(p, value[i]);
        rows->lower[k] = *point_at(p, lower[i]);
        rows->upper[k] = *point_at(p, upper[i]);
        rows->r[k] = r[i * POINT_WIDTH(p)];
    }
}

/* The violation of a block is -lambda_min, at its first row. It exceeds that of its rows, except by rounding. */
SHARED_FUNCTION real point_block_violation(const struct point *p, real worst, size_t *row) {
#ifdef PLAN_BLOCKS
    const struct plan *plan = POINT_PLAN(p);
    SHARED_LOOP
    for (size_t k = 0; k < plan->blocks.count; k++) {
        const struct set_block *block = &plan_blocks(plan)[k];
        real least = *point_at(p, block->storage);
        SHARED_LOOP
        for (uint32_t a = 1; a < set_values(block); a++)
            least = -sample_greater(-least, -*point_at(p, block->storage + a));
        bool inside = *row - block->row < set_rows(block); /* unsigned */
        if (-least > worst || (least < 0 && (inside || *row == SIZE_MAX))) {
            worst = -least;
            *row = block->row;
        }
    }
#else
    (void)p;
    (void)row;
#endif
    return worst;
}

/* The largest |r| and its row, SIZE_MAX when no constraint is violated; infinite when a value is not finite. */
SHARED_FUNCTION real point_violation(const struct point *p, size_t *row) {
    const size_t count = POINT_PLAN(p)->rows;
    real worst = 0;
    *row = SIZE_MAX;
    SHARED_LOOP
    for (size_t i = 0; i < count; i += POINT_AT_ONCE) {
        struct point_rows rows;
        point_read_rows(p, i, &rows);
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            real size = point_abs(rows.r[k]);
            bool bounds = rows.lower[k] == rows.lower[k] && rows.upper[k] == rows.upper[k];
            if (!sample_is_finite(rows.c[k]) || !sample_is_finite(size) || !bounds) {
                *row = point_index(i + k, count);
                return REAL_INFINITY;
            }
            *row = size > worst ? point_index(i + k, count) : *row;
            worst = size > worst ? size : worst;
        }
    }
    return point_block_violation(p, worst, row);
}

/* The first row whose bounds cross, are NaN, or exclude finite values. Constant bounds were checked with the model. */
SHARED_FUNCTION bool point_bad_bounds(const struct point *p, size_t *row) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const uint32_t *bounded = plan_words(plan, plan->bounded);
    SHARED_LOOP
    for (size_t first = 0; first < plan->bounded.count; first += POINT_AT_ONCE) {
        real low[POINT_AT_ONCE], high[POINT_AT_ONCE];
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            size_t i = bounded[point_index(first + k, plan->bounded.count)];
            low[k] = *point_at(p, lower[i]);
            high[k] = *point_at(p, upper[i]);
        }
        DEVICE_UNROLL
        for (size_t k = 0; k < POINT_AT_ONCE; k++)
            if (!(low[k] <= high[k]) || low[k] == REAL_INFINITY || high[k] == -REAL_INFINITY) {
                *row = bounded[point_index(first + k, plan->bounded.count)];
                return true;
            }
    }
    return false;
}

/* Whether all entries of row i of J are constants. */
SHARED_FUNCTION bool point_row_is_affine(const struct point *p, size_t i) {
    const uint32_t *first = plan_words(POINT_PLAN(p), POINT_PLAN(p)->jacobian.first);
    const uint32_t *slot = plan_words(POINT_PLAN(p), POINT_PLAN(p)->jacobian.slot);
    SHARED_LOOP
    for (size_t e = first[i]; e < first[i + 1]; e++)
        if (slot[e] >= POINT_PLAN(p)->program.constants.count)
            return false;
    return true;
}

/* Zeroes entries of the slope that would push an output beyond its active bound. */
SHARED_FUNCTION void point_project(const struct point *p, real *slope) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *output = plan_words(plan, plan->clip.entry), *row = plan_words(plan, plan->clip.slot);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    SHARED_LOOP
    for (size_t k = 0; k < plan->clip.entry.count; k++) {
        real y = *point_at(p, plan->base + output[k]), *own = &slope[output[k]];
        if ((*own > 0 && y == *point_at(p, lower[row[k]])) || (*own < 0 && y == *point_at(p, upper[row[k]])))
            *own = 0;
    }
}

/* Whether all rows of the block that row i is in are affine: W r mixes them. True without a block. */
SHARED_FUNCTION bool point_block_is_affine(const struct point *p, size_t i) {
#ifdef PLAN_BLOCKS
    const struct plan *plan = POINT_PLAN(p);
    SHARED_LOOP
    for (size_t k = 0; k < plan->blocks.count; k++) {
        const struct set_block *block = &plan_blocks(plan)[k];
        SHARED_LOOP
        for (size_t row = block->row; i - block->row < set_rows(block) && row < block->row + set_rows(block); row++)
            if (!point_row_is_affine(p, row))
                return false;
    }
#else
    (void)p;
    (void)i;
#endif
    return true;
}

/* Sums over A and W r of the last commit; scratch: outputs. */
SHARED_FUNCTION void point_slope(const struct point *p, real *scratch, struct sample_slope *out) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const uint32_t *slot = plan_words(plan, plan->jacobian.slot);
    const real *a = point_at(p, plan->matrix), *b = point_at(p, plan->right);
    out->entries = out->squares = out->slope = out->steep = 0;
    out->size = 1;
    out->affine = true;
    point_zero(scratch, plan->outputs);
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        real right = b[i * POINT_WIDTH(p)];
        bool known = plan_knows(plan, i), active = point_mask(p, (uint32_t)(plan->active + i));
        real weight = active ? *point_at(p, (uint32_t)(plan->scale + i)) : 0;
        out->squares += right * right;
        out->affine = out->affine && (right == 0 || (point_row_is_affine(p, i) && point_block_is_affine(p, i)));
        SHARED_LOOP
        for (size_t e = first[i]; e < first[i + 1]; e++) {
            real entry = known ? weight * *point_at(p, slot[e]) : a[e * POINT_WIDTH(p)];
            out->entries += entry * entry;
            scratch[column[e]] += entry * right;
        }
    }
    point_project(p, scratch);
    SHARED_LOOP
    for (size_t k = 0; k < plan->outputs; k++) {
        out->slope += scratch[k] * scratch[k];
        out->steep += point_abs(scratch[k]);
        out->size = sample_greater(out->size, point_abs(*point_at(p, plan->base + (uint32_t)k)));
    }
}

SHARED_FUNCTION real point_joint(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *joint = plan_words(plan, plan->joint);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const real *scale = point_at(p, plan->scale), *r = point_at(p, plan->residual);
    real sum = 0;
    POINT_UNROLL
    for (size_t k = 0; k < plan->joint.count; k++) {
        size_t i = joint[k];
        real part = scale[i * POINT_WIDTH(p)] * r[i * POINT_WIDTH(p)];
        bool meets = *point_at(p, lower[i]) == *point_at(p, upper[i]);
        sum += meets ? 0 : part * part;
    }
    return sum;
}

SHARED_FUNCTION bool point_entries_finite(const struct point *p) {
    const uint32_t *slot = plan_words(POINT_PLAN(p), POINT_PLAN(p)->jacobian.slot);
    SHARED_LOOP
    for (size_t e = 0; e < POINT_PLAN(p)->entries; e++)
        if (!sample_is_finite(*point_at(p, slot[e])))
            return false;
    return true;
}

/* 1 / max(1, largest entry) of row i of J. */
SHARED_FUNCTION real point_row_scale(const struct point *p, size_t i) {
    const uint32_t *first = plan_words(POINT_PLAN(p), POINT_PLAN(p)->jacobian.first);
    const uint32_t *slot = plan_words(POINT_PLAN(p), POINT_PLAN(p)->jacobian.slot);
    real most = 1;
    SHARED_LOOP
    for (size_t e = first[i]; e < first[i + 1]; e++)
        most = sample_greater(most, point_abs(*point_at(p, slot[e])));
    return 1 / most;
}

/* Over violated rows; r and J scaled so that squares do not overflow. scratch: outputs. */
SHARED_FUNCTION real point_stationarity(const struct point *p, real *scratch) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const uint32_t *slot = plan_words(plan, plan->jacobian.slot);
    const real *r = point_at(p, plan->residual);
    real entries = 0, squares = 0, sum = 0, largest = 0;
    point_zero(scratch, plan->outputs);
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++)
        largest = sample_greater(largest, point_abs(r[i * POINT_WIDTH(p)] * point_row_scale(p, i)));
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        real scale = point_row_scale(p, i), own = r[i * POINT_WIDTH(p)] * scale / largest;
        squares += own * own;
        SHARED_LOOP
        for (size_t e = first[i]; e < first[i + 1]; e++) {
            real entry = own != 0 ? *point_at(p, slot[e]) * scale : 0;
            entries += entry * entry;
            scratch[column[e]] += entry * own;
        }
    }
    SHARED_LOOP
    for (size_t k = 0; k < plan->outputs; k++)
        sum += scratch[k] * scratch[k];
    return sum == 0 ? 0 : sum / (entries * squares);
}

/* ---- starts ---- */

/* Sets fixed outputs to their values; a non-finite value is not set, and the result is false. */
SHARED_FUNCTION bool point_set_fixed(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *slot = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    bool finite = true;
    SHARED_LOOP
    for (size_t f = 0; f < plan->fixed.slot.count; f++) {
        real value = *point_at(p, slot[f]);
        if (sample_is_finite(value))
            *point_at(p, plan->y + output[f]) = value;
        else
            finite = false;
    }
    return finite;
}

/* y = the model's start values. */
SHARED_FUNCTION void point_start(const struct point *p) {
    const uint32_t *start = plan_words(POINT_PLAN(p), POINT_PLAN(p)->start);
    SHARED_LOOP
    for (uint32_t j = 0; j < POINT_PLAN(p)->outputs; j++)
        *point_at(p, POINT_PLAN(p)->y + j) = *point_at(p, start[j]);
}

/* Whether y = the model's start values, except for fixed outputs. */
SHARED_FUNCTION bool point_is_start(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *start = plan_words(plan, plan->start), *fixed = plan_words(plan, plan->fixed.entry);
    size_t next = 0;
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++) {
        bool is_fixed = next < plan->fixed.entry.count && fixed[next] == j;
        next += is_fixed;
        if (!is_fixed && *point_at(p, plan->y + j) != *point_at(p, start[j]))
            return false;
    }
    return true;
}

/* Clips y to the bounds of the outputs; finite for any x. */
SHARED_FUNCTION void point_clip(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *row = plan_words(plan, plan->bounds.slot), *output = plan_words(plan, plan->bounds.entry);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    SHARED_LOOP
    for (size_t k = 0; k < plan->bounds.slot.count; k++) {
        real *y = point_at(p, plan->y + output[k]);
        real low = *point_at(p, lower[row[k]]), high = *point_at(p, upper[row[k]]);
        if (*y < low)
            *y = low;
        if (*y > high)
            *y = high;
        if (!sample_is_finite(*y))
            *y = 0;
    }
}

/* y = start values clipped to their bounds; finite for any x. */
SHARED_FUNCTION void point_fall_back(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    point_start(p);
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++)
        if (!sample_is_finite(*point_at(p, plan->y + j)))
            *point_at(p, plan->y + j) = 0;
    point_clip(p);
}

/* Iterates over the outputs, with the data that an attempt's start may depend on. */
struct point_outputs {
    struct random random;
    size_t next; /* index into the clipped outputs, in ascending order */
};

SHARED_FUNCTION struct restart_output point_next_output(const struct point *p, struct point_outputs *all, uint32_t j) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *output = plan_words(plan, plan->clip.entry), *row = plan_words(plan, plan->clip.slot);
    struct restart_output own = {0, 0, -REAL_INFINITY, REAL_INFINITY, 0, 0};
    while (all->next < plan->clip.entry.count && output[all->next] < j)
        all->next++;
    if (all->next < plan->clip.entry.count && output[all->next] == j) {
        own.lower = *point_at(p, plan_words(plan, plan->lower)[row[all->next]]);
        own.upper = *point_at(p, plan_words(plan, plan->upper)[row[all->next]]);
    }
    own.raw = *point_at(p, plan->raw + j);
    own.start = *point_at(p, plan_words(plan, plan->start)[j]);
    own.uniform = random_uniform(&all->random);
    own.normal = random_normal(&all->random);
    return own;
}

SHARED_FUNCTION struct point_outputs point_first_output(int attempt) {
    struct point_outputs all;
    all.random = random_start(RESTART_SEED, (uint64_t)attempt);
    all.next = 0;
    return all;
}

/* y = the start of an attempt. */
SHARED_FUNCTION void point_restart(const struct point *p, int attempt) {
    struct point_outputs all = point_first_output(attempt);
    SHARED_LOOP
    for (uint32_t j = 0; j < POINT_PLAN(p)->outputs; j++) {
        struct restart_output own = point_next_output(p, &all, j);
        *point_at(p, POINT_PLAN(p)->y + j) = restart_point(attempt, &own);
    }
    point_set_fixed(p);
}

#endif
