/* barrier_kernel.h - the work on rows and columns between the solves of barrier.h; compiled by each backend for its width.
 *
 * With p = ds/s the sides of a row move as s (1 + a p) and z (1 + a (m/(s z) - 1 - p)), m = the target mu; the length
 * a keeps every s and z positive. The target is m = mu (1 - a0)^2, where a0 is the length of the step with target 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_BARRIER_KERNEL_H
#define HN_CORE_BARRIER_KERNEL_H

#include "base/real.h"
#include "core/barrier.h"

#ifndef FREESTANDING
#include "base/simd.h"
#endif

#define AT(offset)      ((simd *)(void *)SLOT_AT(slots, offset))
#define SEEN_AT(offset) ((const simd *)(const void *)SLOT_AT(slots, offset))
#define ROW(vector, i)  (AT(task->by_rows + (uint32_t)(((size_t)(vector)*task->rows + (i)) * SLOT_STRIDE)) + part)
#define SEEN_ROW(vector, i)                                                                                            \
    (SEEN_AT(task->by_rows + (uint32_t)(((size_t)(vector)*task->rows + (i)) * SLOT_STRIDE)) + part)
#define COLUMN(which, j) (AT(task->by_columns + (uint32_t)(((size_t)(which)*task->columns + (j)) * SLOT_STRIDE)) + part)
#define SUMMARY(which)   (AT(task->summary + (uint32_t)(which)*SLOT_STRIDE) + part)

/* W of an equality as a share of its squares, and at least. */
#ifdef REAL_SINGLE
#define BARRIER_TIGHTNESS REAL(0x1p-14)
#define BARRIER_TIGHTEST  REAL(1e-30)
#else
#define BARRIER_TIGHTNESS REAL(0x1p-33)
#define BARRIER_TIGHTEST  REAL(1e-300)
#endif

/* One side of a row, lower or upper: J d changes their slacks with opposite signs. */
struct barrier_side {
    simd_bits there;
    simd slack, force;
    simd short_by; /* residual of the slack's equation */
    simd share;    /* p */
    simd fade;     /* m / (s z) */
};

struct barrier_row {
    simd_bits equality;
    struct barrier_side lower, upper;
};

SIMD_INLINE struct barrier_row kernel_barrier_row(const struct barrier_task *task, const real *slots, size_t i,
                                                  size_t part) {
    simd bl = SEEN_AT(task->lower[i])[part], bu = SEEN_AT(task->upper[i])[part], most = simd_all(REAL_MAX);
    struct barrier_row row; /* no initialiser: compilers turn it into a call */
    row.equality = simd_equal(bl, bu);
    simd v = *SEEN_ROW(BARRIER_VALUE, i);
    row.lower.there = simd_less_equal(simd_abs(bl), most) & ~row.equality;
    row.upper.there = simd_less_equal(simd_abs(bu), most) & ~row.equality;
    row.lower.slack = *SEEN_ROW(BARRIER_SLACK_LOWER, i);
    row.upper.slack = *SEEN_ROW(BARRIER_SLACK_UPPER, i);
    row.lower.force = simd_keep(row.lower.there, *SEEN_ROW(BARRIER_FORCE_LOWER, i));
    row.upper.force = *SEEN_ROW(BARRIER_FORCE_UPPER, i);
    row.lower.short_by = simd_keep(row.lower.there, v - bl - row.lower.slack);
    row.upper.short_by = simd_keep(row.upper.there, bu - v - row.upper.slack);
    row.lower.share = row.lower.fade = row.upper.share = row.upper.fade = simd_all(0);
    return row;
}

/* ---- the start ---- */

/* J H^-1/2 and H^-1/2 g with its square. */
static void kernel_barrier_scale(const struct barrier_task *task, real *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd energy = simd_all(0);
        for (size_t j = 0; j < task->columns; j++) {
            simd scale = simd_all(1) / simd_sqrt(*COLUMN(BARRIER_CURVATURE, j));
            simd slope = scale * AT(task->gradient[j])[part];
            *COLUMN(BARRIER_SCALE, j) = scale;
            *COLUMN(BARRIER_SLOPE, j) = *COLUMN(BARRIER_REST, j) = slope;
            *COLUMN(BARRIER_STEP, j) = simd_all(0);
            energy += slope * slope;
        }
        *SUMMARY(BARRIER_ENERGY) = energy;
        for (size_t e = 0; e < task->first[task->rows]; e++)
            AT(task->matrix)
        [e * SLOT_STEP + part] = AT(task->entry[e])[part] * *COLUMN(BARRIER_SCALE, task->column[e]);
    }
}

SIMD_INLINE simd kernel_barrier_sides(const struct barrier_task *task, const real *slots, size_t part) {
    simd sides = simd_all(0), most = simd_all(REAL_MAX);
    for (size_t i = 0; i < task->rows; i++) {
        simd bl = SEEN_AT(task->lower[i])[part], bu = SEEN_AT(task->upper[i])[part];
        simd_bits open = ~simd_equal(bl, bu);
        sides += simd_keep(open & simd_less_equal(simd_abs(bl), most), simd_all(1));
        sides += simd_keep(open & simd_less_equal(simd_abs(bu), most), simd_all(1));
    }
    return sides;
}

/* A slack is at least the change of the row by a step with energy mu; slack times force = mu. */
SIMD_INLINE void kernel_barrier_side(simd room, simd least, simd mu, simd_bits there, simd *slack, simd *force) {
    *slack = simd_select(there, simd_greater(least, room), simd_all(1));
    *force = simd_keep(there, mu / *slack);
}

/* Slacks and forces around mu = energy / 10 per side, y = their difference (in DUAL) for the first residual. */
static void kernel_barrier_begin(const struct barrier_task *task, real *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd sides = kernel_barrier_sides(task, slots, part), one = simd_all(1);
        simd mu = simd_greater(simd_all(REAL(1e-30)), simd_all(REAL(0.1)) * *SUMMARY(BARRIER_ENERGY));
        mu = mu / simd_greater(one, sides);
        simd reach = simd_all(REAL(0.3)) * simd_sqrt(mu);
        for (size_t i = 0; i < task->rows; i++) {
            simd squares = simd_all(0), c = AT(task->value[i])[part], most = simd_all(REAL_MAX);
            simd bl = AT(task->lower[i])[part], bu = AT(task->upper[i])[part];
            simd_bits open = ~simd_equal(bl, bu);
            for (size_t e = task->first[i]; e < task->first[i + 1]; e++)
                squares += AT(task->matrix)[e * SLOT_STEP + part] * AT(task->matrix)[e * SLOT_STEP + part];
            simd least = simd_greater(simd_all(REAL(1e-30)), reach * simd_sqrt(squares));
            *ROW(BARRIER_VALUE, i) = c;
            *ROW(BARRIER_TIGHT, i) = simd_greater(simd_all(BARRIER_TIGHTEST), simd_all(BARRIER_TIGHTNESS) * squares);
            kernel_barrier_side(c - bl, least, mu, open & simd_less_equal(simd_abs(bl), most),
                                ROW(BARRIER_SLACK_LOWER, i), ROW(BARRIER_FORCE_LOWER, i));
            kernel_barrier_side(bu - c, least, mu, open & simd_less_equal(simd_abs(bu), most),
                                ROW(BARRIER_SLACK_UPPER, i), ROW(BARRIER_FORCE_UPPER, i));
            *ROW(BARRIER_DUAL, i) = *ROW(BARRIER_FORCE_LOWER, i) - *ROW(BARRIER_FORCE_UPPER, i);
        }
        *SUMMARY(BARRIER_SIDES) = sides;
        *SUMMARY(BARRIER_LEFT) = one;
        *SUMMARY(BARRIER_DONE) = simd_all(0);
    }
}

/* ---- one iteration ---- */

/* W, and both right-hand sides; J H^-1/2 times the rest is in RIGHT already. Keeps the inverses for the step. */
static void kernel_barrier_rows(const struct barrier_task *task, real *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd gap = simd_all(0);
        for (size_t i = 0; i < task->rows; i++) {
            struct barrier_row r = kernel_barrier_row(task, slots, i, part);
            simd lower = simd_keep(r.lower.there, simd_all(1) / r.lower.slack);
            simd upper = simd_keep(r.upper.there, simd_all(1) / r.upper.slack);
            simd stiff_lower = r.lower.force * lower, stiff_upper = r.upper.force * upper;
            simd w = simd_all(1) / simd_greater(simd_all(REAL(1e-30)), stiff_lower + stiff_upper);
            w = simd_select(r.equality, *ROW(BARRIER_TIGHT, i), w);
            simd right =
                r.upper.force + stiff_upper * r.upper.short_by - r.lower.force - stiff_lower * r.lower.short_by;
            simd missing = AT(task->lower[i])[part] - *ROW(BARRIER_VALUE, i);
            *ROW(BARRIER_RIGHT, i) += simd_select(r.equality, missing, w * right);
            *ROW(BARRIER_RIGHT2, i) = w * (lower - upper);
            *ROW(BARRIER_INVERSE_LOWER, i) = lower;
            *ROW(BARRIER_INVERSE_UPPER, i) = upper;
            *ROW(BARRIER_FADE_LOWER, i) = simd_keep(r.lower.there, lower / r.lower.force);
            *ROW(BARRIER_FADE_UPPER, i) = simd_keep(r.upper.there, upper / r.upper.force);
            AT(task->shift)[i * SLOT_STEP + part] = w;
            gap += r.lower.slack * r.lower.force;
            gap += r.upper.slack * r.upper.force;
        }
        *SUMMARY(BARRIER_GAP) = gap / simd_greater(simd_all(1), *SUMMARY(BARRIER_SIDES));
    }
}

/* p of both sides of row i for the target mu: J dd = change + aim change2. */
SIMD_INLINE void kernel_barrier_shares(const struct barrier_task *task, const real *slots, size_t i, size_t part,
                                       simd aim, struct barrier_row *row) {
    simd change = *SEEN_ROW(BARRIER_CHANGE, i) + aim * *SEEN_ROW(BARRIER_CHANGE2, i);
    row->lower.share = (row->lower.short_by + change) * *SEEN_ROW(BARRIER_INVERSE_LOWER, i);
    row->upper.share = (row->upper.short_by - change) * *SEEN_ROW(BARRIER_INVERSE_UPPER, i);
    row->lower.fade = aim * *SEEN_ROW(BARRIER_FADE_LOWER, i);
    row->upper.fade = aim * *SEEN_ROW(BARRIER_FADE_UPPER, i);
}

/* The largest relative loss of a slack or a force for a step of length 1. */
SIMD_INLINE simd kernel_barrier_loss(const struct barrier_side *side, simd loss) {
    simd force = simd_keep(side->there, simd_all(1) + side->share - side->fade);
    return simd_greater(force, simd_greater(-side->share, loss));
}

SIMD_INLINE simd kernel_barrier_length(const struct barrier_task *task, const real *slots, size_t part, simd aim,
                                       real keep) {
    simd loss = simd_all(0);
    for (size_t i = 0; i < task->rows; i++) {
        struct barrier_row row = kernel_barrier_row(task, slots, i, part);
        kernel_barrier_shares(task, slots, i, part, aim, &row);
        loss = kernel_barrier_loss(&row.lower, loss);
        loss = kernel_barrier_loss(&row.upper, loss);
    }
    return simd_select(simd_less(simd_all(keep), loss), simd_all(keep) / loss, simd_all(1));
}

SIMD_INLINE void kernel_barrier_move(const struct barrier_side *side, simd length, simd *slack, simd *force) {
    *slack = side->slack * (simd_all(1) + length * side->share);
    *force = side->force * (simd_all(1) + length * (side->fade - simd_all(1) - side->share));
}

SIMD_INLINE void kernel_barrier_move_rows(const struct barrier_task *task, real *slots, size_t part, simd aim,
                                          simd length) {
    for (size_t i = 0; i < task->rows; i++) {
        struct barrier_row row = kernel_barrier_row(task, slots, i, part);
        kernel_barrier_shares(task, slots, i, part, aim, &row);
        simd multiplier = *ROW(BARRIER_FORCE_LOWER, i);
        multiplier += length * (*ROW(BARRIER_DUAL, i) + aim * *ROW(BARRIER_DUAL2, i));
        kernel_barrier_move(&row.lower, length, ROW(BARRIER_SLACK_LOWER, i), ROW(BARRIER_FORCE_LOWER, i));
        kernel_barrier_move(&row.upper, length, ROW(BARRIER_SLACK_UPPER, i), ROW(BARRIER_FORCE_UPPER, i));
        *ROW(BARRIER_FORCE_LOWER, i) = simd_select(row.equality, multiplier, *ROW(BARRIER_FORCE_LOWER, i));
        *ROW(BARRIER_VALUE, i) += length * (*ROW(BARRIER_CHANGE, i) + aim * *ROW(BARRIER_CHANGE2, i));
    }
}

/* Moves d; the objective's decrease. */
SIMD_INLINE simd kernel_barrier_move_columns(const struct barrier_task *task, real *slots, size_t part, simd aim,
                                             simd length) {
    simd gain = simd_all(0), left = simd_all(1) - length;
    for (size_t j = 0; j < task->columns; j++) {
        simd d = *COLUMN(BARRIER_STEP, j) + length * (*COLUMN(BARRIER_ALONG, j) + aim * *COLUMN(BARRIER_ALONG2, j));
        gain -= d * (*COLUMN(BARRIER_SLOPE, j) + simd_all(REAL(0.5)) * d);
        *COLUMN(BARRIER_STEP, j) = d;
        *COLUMN(BARRIER_REST, j) *= left;
    }
    return gain;
}

/* Takes the step; true if converged: the gap is small relative to the gain, and the residuals vanish. */
static void kernel_barrier_advance(const struct barrier_task *task, real *slots) {
    for (size_t part = 0; part < LANE_PARTS; part++) {
        simd one = simd_all(1), mu = *SUMMARY(BARRIER_GAP);
        simd_bits done = simd_not_equal(*SUMMARY(BARRIER_DONE), simd_all(0));
        simd away = one - kernel_barrier_length(task, slots, part, simd_all(0), 1);
        simd aim = mu * simd_greater(simd_all(REAL(0.01)), away * away);
        simd length = kernel_barrier_length(task, slots, part, aim, REAL(0.99));
        length = simd_keep(~done, length);
        kernel_barrier_move_rows(task, slots, part, aim, length);
        simd gain = kernel_barrier_move_columns(task, slots, part, aim, length);
        *SUMMARY(BARRIER_LEFT) *= one - length;
        simd gap = aim * *SUMMARY(BARRIER_SIDES);
        simd enough = simd_all(REAL(0.02)) * simd_abs(gain) + simd_all(REAL(1e-12)) * *SUMMARY(BARRIER_ENERGY);
        done |= simd_less_equal(gap, enough) & simd_less_equal(*SUMMARY(BARRIER_LEFT), simd_all(REAL(1e-4)));
        *SUMMARY(BARRIER_DONE) = simd_keep(done, one);
    }
}

/* y in DUAL: the multiplier of every row, positive at a lower bound. */
static void kernel_barrier_multipliers(const struct barrier_task *task, real *slots) {
    for (size_t i = 0; i < task->rows; i++)
        for (size_t part = 0; part < LANE_PARTS; part++)
            *ROW(BARRIER_DUAL, i) = *ROW(BARRIER_FORCE_LOWER, i) - *ROW(BARRIER_FORCE_UPPER, i);
}

#undef AT
#undef SEEN_AT
#undef ROW
#undef SEEN_ROW
#undef COLUMN
#undef SUMMARY

#endif
