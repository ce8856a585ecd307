/* point.h - one sample's slots, read as a plan describes them: sums over its rows, bounds, starts.
 *
 * What is asked seldom, and of one sample: executors have no entry for it. Like sample.h this is the common subset of C99 and C++, so
 * that whoever runs one sample per thread can compile the same text.
 *
 *     max |r| and its row           point_violation
 *     |A|^2, |W r|^2, |A' W r|^2    point_slope
 *     the joint part of |W r|^2     point_joint
 *     |J' r|^2 / (|J|^2 |r|^2)      point_stationarity, rows brought to one scale
 *     starts, fixed values          point_start, point_set_fixed, point_clip, point_fall_back, point_restart
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_POINT_H
#define HN_CORE_POINT_H

#include "base/real.h"

#ifndef FREESTANDING
#include "base/random.h"
#include "core/mask.h"
#include "core/plan.h"
#endif

/* A text that knows the plan, and that slots are numbers, defines these. */
#ifndef POINT_PLAN
#define POINT_PLAN(p)  ((p)->plan)
#define POINT_WIDTH(p) ((p)->width)
#endif

#ifndef POINT_UNROLL
#define POINT_UNROLL SHARED_LOOP /* a loop whose reads are many at once where memory answers late */
#endif

struct point {
    const struct plan *plan;
    real *slots;  /* the sample's number of slot 0; */
    size_t width; /* that of the next slot is so much further on */
};

SHARED_FUNCTION real *point_at(const struct point *p, uint32_t slot) {
    return p->slots + (size_t)slot * POINT_WIDTH(p);
}

/* As a maximum, which is one instruction: a branch on the sign of a number is mispredicted half the time. */
SHARED_FUNCTION real point_abs(real a) {
    return sample_greater(a, -a);
}

/* ---- vectors and masks ---- */

SHARED_FUNCTION void point_read(const struct point *p, uint32_t slot, size_t count, real *to) {
    const real *from = point_at(p, slot);
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * POINT_WIDTH(p)];
}

/* A NaN becomes the one that C names: which one a computation gives depends on the processor. */
SHARED_FUNCTION real point_number(real a) {
    return a == a ? a : REAL_NAN;
}

SHARED_FUNCTION void point_write(const struct point *p, uint32_t slot, size_t count, const real *from) {
    real *to = point_at(p, slot);
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        to[i * POINT_WIDTH(p)] = from[i];
}

SHARED_FUNCTION void point_clear(const struct point *p, uint32_t slot, size_t count) {
    real *to = point_at(p, slot);
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        to[i * POINT_WIDTH(p)] = 0;
}

/* Whether count numbers from a slot on are finite; else the first that is not, into culprit. */
SHARED_FUNCTION bool point_finite(const struct point *p, uint32_t slot, size_t count, size_t *culprit) {
    const real *from = point_at(p, slot);
    SHARED_LOOP
    for (size_t i = 0; i < count; i++)
        if (!sample_is_finite(from[i * POINT_WIDTH(p)])) {
            *culprit = i;
            return false;
        }
    return true;
}

SHARED_FUNCTION bool point_mask(const struct point *p, uint32_t slot) {
    return mask_read(point_at(p, slot));
}

SHARED_FUNCTION void point_set_mask(const struct point *p, uint32_t slot, bool value) {
    mask_write(point_at(p, slot), value);
}

/* ---- rows ---- */

/* The largest |r| and its row, SIZE_MAX where no row is violated; infinite when a value is not finite. */
SHARED_FUNCTION real point_violation(const struct point *p, size_t *row) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const real *r = point_at(p, plan->residual);
    real worst = 0;
    *row = SIZE_MAX;
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        real size = point_abs(r[i * POINT_WIDTH(p)]), low = *point_at(p, lower[i]), high = *point_at(p, upper[i]);
        if (!sample_is_finite(*point_at(p, value[i])) || !sample_is_finite(size) || low != low || high != high) {
            *row = i;
            return REAL_INFINITY;
        }
        if (size > worst) {
            worst = size;
            *row = i;
        }
    }
    return worst;
}

/* The first row whose bounds cross, are no numbers, or leave nothing between them. */
SHARED_FUNCTION bool point_bad_bounds(const struct point *p, size_t *row) {
    const uint32_t *lower = plan_words(POINT_PLAN(p), POINT_PLAN(p)->lower),
                   *upper = plan_words(POINT_PLAN(p), POINT_PLAN(p)->upper);
    SHARED_LOOP
    for (size_t i = 0; i < POINT_PLAN(p)->rows; i++) {
        real low = *point_at(p, lower[i]), high = *point_at(p, upper[i]);
        *row = i;
        if (!(low <= high) || low == REAL_INFINITY || high == -REAL_INFINITY)
            return true;
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

/* Takes out of the slope of the squares what would lead an output beyond a bound that it is on. */
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

/* Sums over A and W r as they were last taken; scratch: outputs. */
SHARED_FUNCTION void point_slope(const struct point *p, real *scratch, struct sample_slope *out) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    const uint32_t *slot = plan_words(plan, plan->jacobian.slot);
    const real *a = point_at(p, plan->matrix), *b = point_at(p, plan->right);
    out->entries = out->squares = out->slope = out->steep = 0;
    out->size = 1;
    out->affine = true;
    SHARED_LOOP
    for (size_t k = 0; k < plan->outputs; k++)
        scratch[k] = 0;
    SHARED_LOOP
    for (size_t i = 0; i < plan->rows; i++) {
        real right = b[i * POINT_WIDTH(p)];
        bool known = plan_knows(plan, i), active = point_mask(p, (uint32_t)(plan->active + i));
        real weight = active ? *point_at(p, (uint32_t)(plan->scale + i)) : 0;
        out->squares += right * right;
        out->affine = out->affine && (right == 0 || point_row_is_affine(p, i));
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
    SHARED_LOOP
    for (size_t k = 0; k < plan->outputs; k++)
        scratch[k] = 0;
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

/* Fixed outputs take their values; false where one is not finite, and is left alone. */
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

/* Whether y = the model's start values, but for fixed outputs. */
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

/* y goes into the bounds of the outputs; finite whatever x is. */
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

/* y = start values inside their bounds; finite whatever x is. */
SHARED_FUNCTION void point_fall_back(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    point_start(p);
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++)
        if (!sample_is_finite(*point_at(p, plan->y + j)))
            *point_at(p, plan->y + j) = 0;
    point_clip(p);
}

/* The outputs one after the other, with what an attempt's start may depend on. */
struct point_outputs {
    struct random random;
    size_t next; /* among the clipped outputs, which ascend */
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

/* y = where an attempt begins. */
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
