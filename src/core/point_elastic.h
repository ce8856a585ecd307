/* point_elastic.h - the QP of auto's elastic stage, for one sample. At an iterate with values c and Jacobian J the step
 * s of the stage minimises
 *
 *     delta |s|^2 / 2 + |t|^2 / 2    subject to    bl - t <= c + J S s <= bu + t        (rows weighted by W, columns by S)
 *
 * by a primal-dual interior-point method. Each side of a row has a slack a > 0 and a multiplier z > 0 with a z = mu and t = z. The
 * distance to the bound is a - z, so slack and multiplier determine each other without further unknowns. On an equality t is the
 * residual. mu decreases to 0. The linear systems are those of an ordinary step with row weights sqrt(z / (a + z)), which tend to 1 on
 * active bounds and to 0 elsewhere.
 *
 *     point_elastic_qp_prepare   after a decision: writes A and W r of the next system instead of an ordinary step's
 *     point_elastic_qp_advance   after that step: updates slacks, multipliers and x; at the end sets y to the solution
 *
 * c and J are those of the iterate throughout. In units of W and S: v = c - A x with x the scaled negative step; for
 * the upper side d = bu - v, a = d + z; for the lower one d = v - bl. The system for a z = aim, linearised, is that of
 * a step with row weights w = sum of z / (a + z) and right-hand side c - v + (sum of +-(z^2 + aim) / (a + z)) / w.
 *
 * Column scales are powers of two, at most 1 / |A e_j| (largest entry) at any iterate or trial of the stage: outputs
 * with small coefficients take long steps, and those whose coefficients were large at any iterate do not (More 1978).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_POINT_ELASTIC_H
#define HN_CORE_POINT_ELASTIC_H

#include "base/real.h"
#include "core/point.h"
#include "core/sample_auto.h"
#include "core/summary.h"

/* ---- decisions between the linear systems ---- */

/* Sums of a step of the QP. */
struct elastic_sums {
    real gap;    /* sum of a z */
    real loss;   /* largest relative decrease of a slack or multiplier in a step of length 1 */
    real energy; /* delta |s|^2 + |t|^2 */
};

SAMPLE_CONSTANT real ELASTIC_FIRST_AIM = REAL(0.1);  /* first target, relative to mu, */
SAMPLE_CONSTANT real ELASTIC_LEAST_AIM = REAL(0.02); /* and least later one */
SAMPLE_CONSTANT real ELASTIC_KEEP = REAL(0.99);      /* fraction to the boundary */
SAMPLE_CONSTANT real ELASTIC_GAP = REAL(0.1);   /* times the energy: gap at which the QP is solved accurately enough */
SAMPLE_CONSTANT real ELASTIC_LEFT = REAL(1e-4); /* relative residual at the end */
SAMPLE_CONSTANT real ELASTIC_LEAST_WEIGHT = REAL(1e-30);
SAMPLE_CONSTANT real ELASTIC_WIDEST = REAL(0x1p30); /* scale of a column */
enum { ELASTIC_MOST_SOLVES = 40 };

SAMPLE_FUNCTION void elastic_open(struct elastic *e, real squares, real sides) {
    e->sides = sides;
    e->mu = squares / sample_greater(sides, 1);
    e->aim = ELASTIC_FIRST_AIM * e->mu;
    e->left = 1;
    e->solves = 0;
}

/* After a step of this length; true at the end. Sets the next target: closer to mu after short steps. */
SAMPLE_FUNCTION bool elastic_advance(struct elastic *e, real length, const struct elastic_sums *sums) {
    e->mu = sums->gap / sample_greater(e->sides, 1);
    e->aim = e->mu * sample_greater(ELASTIC_LEAST_AIM, REAL(0.5) * (1 - length));
    e->left *= 1 - length;
    e->solves++;
    bool settled = sums->gap <= ELASTIC_GAP * sums->energy && e->left <= ELASTIC_LEFT;
    return settled || e->solves >= ELASTIC_MOST_SOLVES;
}

/* ---- rows ---- */

/* A slack and its multiplier; 0 without a bound. */
struct elastic_side {
    bool there; /* the bound is finite and not that of an equality */
    real *slack, *force;
    real towards; /* derivative of -(distance to the bound) with respect to v: 1 upper, -1 lower */
};

/* One row, in units of its weight. */
struct elastic_row {
    real c, lower, upper;
    real v;
    bool equality;
    struct elastic_side below, above;
};

SHARED_FUNCTION struct elastic_row elastic_row_at(const struct point *p, uint32_t i) {
    const struct plan *plan = POINT_PLAN(p);
    struct elastic_row row;
    real scale = *point_at(p, plan->scale + i);
    row.c = scale * *point_at(p, plan_words(plan, plan->value)[i]);
    row.lower = scale * *point_at(p, plan_words(plan, plan->lower)[i]);
    row.upper = scale * *point_at(p, plan_words(plan, plan->upper)[i]);
    row.v = *point_at(p, plan->reached + i);
    row.equality = row.lower == row.upper;
    row.below.there = !row.equality && sample_is_finite(row.lower);
    row.above.there = !row.equality && sample_is_finite(row.upper);
    row.below.slack = point_at(p, plan->slack_lower + i);
    row.above.slack = point_at(p, plan->slack_upper + i);
    row.below.force = point_at(p, plan->force_lower + i);
    row.above.force = point_at(p, plan->force_upper + i);
    row.below.towards = -1;
    row.above.towards = 1;
    return row;
}

/* ---- the start ---- */

/* Entry e of row i of W J S. */
SHARED_FUNCTION real elastic_entry(const struct point *p, uint32_t i, uint32_t e) {
    const struct plan *plan = POINT_PLAN(p);
    real own = *point_at(p, plan->scale + i) * *point_at(p, plan_words(plan, plan->jacobian.slot)[e]);
    return own * *point_at(p, plan->column_scale + plan_words(plan, plan->jacobian.column)[e]);
}

/* Updates S from J at y; anew: ignores earlier points. */
SHARED_FUNCTION void point_elastic_columns(const struct point *p, bool anew) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    const uint32_t *column = plan_words(plan, plan->jacobian.column);
    SHARED_LOOP
    for (uint32_t j = 0; anew && j < plan->outputs; j++)
        *point_at(p, plan->column_scale + j) = ELASTIC_WIDEST;
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        SHARED_LOOP
        for (uint32_t e = first[i]; e < first[i + 1]; e++) {
            real size = point_abs(*point_at(p, plan->scale + i) * *point_at(p, slot[e]));
            real *scale = point_at(p, plan->column_scale + column[e]);
            if (size * *scale >= 2 && sample_is_finite(size))
                *scale = 1 / number_power_of_two(size);
        }
    }
}

/* a z = mu and a - z = d. */
SHARED_FUNCTION void elastic_split(const struct elastic_side *side, real d, real mu) {
    real root = real_sqrt(d * d + 4 * mu), more = REAL(0.5) * (point_abs(d) + root), less = mu / more;
    *side->slack = d > 0 ? more : less;
    *side->force = d > 0 ? less : more;
}

SHARED_FUNCTION void point_elastic_begin(const struct point *p, struct elastic *e, real squares) {
    const struct plan *plan = POINT_PLAN(p);
    real sides = 0;
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        sides += (row.below.there ? REAL(1.0) : REAL(0.0)) + (row.above.there ? REAL(1.0) : REAL(0.0));
    }
    elastic_open(e, squares, sides);
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        *row.below.slack = *row.above.slack = 1;
        *row.below.force = *row.above.force = 0;
        if (row.below.there)
            elastic_split(&row.below, row.c - row.lower, e->mu);
        if (row.above.there)
            elastic_split(&row.above, row.upper - row.c, e->mu);
        *point_at(p, plan->reached + i) = row.c;
    }
    point_clear(p, plan->along, plan->outputs);
}

/* ---- the system ---- */

/* Contribution of a side to the weight and right-hand side of its row. */
SHARED_FUNCTION void elastic_add_side(const struct elastic_side *side, real aim, real *weight, real *force) {
    real z = *side->force, whole = *side->slack + z;
    *weight += z / whole;
    *force += side->towards * ((z * z + aim) / whole);
}

SHARED_FUNCTION void point_elastic_weigh(const struct point *p, const struct elastic *e) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first);
    point_set_mask(p, plan->summary + SUMMARY_STRETCHED, true);
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        real weight = 0, force = 0;
        if (row.below.there)
            elastic_add_side(&row.below, e->aim, &weight, &force);
        if (row.above.there)
            elastic_add_side(&row.above, e->aim, &weight, &force);
        if (row.equality) {
            weight = 1;
            force = row.v - row.upper;
        }
        bool counts = row.equality || row.below.there || row.above.there;
        real root = counts ? real_sqrt(sample_greater(weight, ELASTIC_LEAST_WEIGHT)) : 0;
        point_set_mask(p, plan->active + i, true);
        *point_at(p, plan->right + i) = counts ? root * (row.c - row.v) + force / root : 0;
        SHARED_LOOP
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            *point_at(p, plan->matrix + k) = root * elastic_entry(p, i, k);
    }
}

/* ---- the step ---- */

/* Change of v of row i in a step of length 1. */
SHARED_FUNCTION real elastic_change(const struct point *p, uint32_t i, const struct elastic_row *row) {
    const struct plan *plan = POINT_PLAN(p);
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    real sum = 0;
    SHARED_LOOP
    for (uint32_t e = first[i]; e < first[i + 1]; e++)
        sum += elastic_entry(p, i, e) * *point_at(p, plan->step + column[e]);
    return row->c - sum - row->v;
}

/* Relative decrease of slack and multiplier in a step of length 1; change: that of v. */
SHARED_FUNCTION void elastic_losses(const struct elastic_side *side, real change, real aim, real *slack, real *force) {
    real a = *side->slack, z = *side->force, towards = side->towards * change;
    *slack = (z + towards - aim / a) / (a + z);
    *force = (a - towards - aim / z) / (a + z);
}

SHARED_FUNCTION void elastic_look(const struct elastic_side *side, real change, real aim, struct elastic_sums *sums) {
    real slack, force;
    elastic_losses(side, change, aim, &slack, &force);
    sums->loss = sample_greater(sums->loss, sample_greater(slack, force));
}

SHARED_FUNCTION void elastic_move(const struct elastic_side *side, real change, real aim, real length,
                                  struct elastic_sums *sums) {
    real slack, force;
    elastic_losses(side, change, aim, &slack, &force);
    *side->slack *= 1 - length * slack;
    *side->force *= 1 - length * force;
    sums->gap += *side->slack * *side->force;
    sums->energy += *side->force * *side->force;
}

SHARED_FUNCTION void elastic_move_rows(const struct point *p, real aim, real length, struct elastic_sums *sums) {
    const struct plan *plan = POINT_PLAN(p);
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        real change = *point_at(p, plan->change + i), v = row.v + length * change;
        if (row.below.there)
            elastic_move(&row.below, change, aim, length, sums);
        if (row.above.there)
            elastic_move(&row.above, change, aim, length, sums);
        if (row.equality)
            sums->energy += (v - row.upper) * (v - row.upper);
        *point_at(p, plan->reached + i) = v;
    }
}

/* True at the end of the QP. delta: the damping of the system just solved. */
SHARED_FUNCTION bool point_elastic_advance(const struct point *p, struct elastic *e, real delta) {
    const struct plan *plan = POINT_PLAN(p);
    struct elastic_sums sums = {0, 0, 0};
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        real change = elastic_change(p, i, &row);
        *point_at(p, plan->change + i) = change;
        if (row.below.there)
            elastic_look(&row.below, change, e->aim, &sums);
        if (row.above.there)
            elastic_look(&row.above, change, e->aim, &sums);
    }
    real length = sums.loss > ELASTIC_KEEP ? ELASTIC_KEEP / sums.loss : 1;
    elastic_move_rows(p, e->aim, length, &sums);
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++) {
        real *x = point_at(p, plan->along + j);
        *x += length * (*point_at(p, plan->step + j) - *x);
        sums.energy += delta * *x * *x;
    }
    return elastic_advance(e, length, &sums);
}

/* ---- result ---- */

/* y = base - S x, the flags MOVED and USABLE, and |W r|^2 of the linear model. */
SHARED_FUNCTION void point_elastic_finish(const struct point *p) {
    const struct plan *plan = POINT_PLAN(p);
    bool moved = false, finite = true;
    real left = 0;
    SHARED_LOOP
    for (uint32_t j = 0; j < plan->outputs; j++) {
        real base = *point_at(p, plan->base + j);
        real y = base - *point_at(p, plan->column_scale + j) * *point_at(p, plan->along + j);
        moved = moved || y != base;
        finite = finite && sample_is_finite(y);
        *point_at(p, plan->y + j) = y;
    }
    SHARED_LOOP
    for (uint32_t i = 0; i < plan->rows; i++) {
        struct elastic_row row = elastic_row_at(p, i);
        real r = row.v > row.upper ? row.v - row.upper : row.v < row.lower ? row.v - row.lower : 0;
        left += r * r;
    }
    *point_at(p, plan->step_gain) = left;
    point_set_mask(p, plan->summary + SUMMARY_MOVED, moved);
    point_set_mask(p, plan->summary + SUMMARY_USABLE, finite);
}

/* ---- interface, for a sample in the elastic stage ---- */

SHARED_FUNCTION void point_elastic_qp_prepare(const struct point *p, struct sample *s) {
    if (s->phase == PHASE_ELASTIC_END) { /* J is that of the rejected trial */
        point_elastic_columns(p, false);
        return;
    }
    if (s->qp.solves == 0) {
        point_elastic_columns(p, s->elastic == 0);
        point_elastic_begin(p, &s->qp, s->squares);
    }
    point_elastic_weigh(p, &s->qp);
}

SHARED_FUNCTION void point_elastic_qp_advance(const struct point *p, struct sample *s) {
    point_copy(p, POINT_PLAN(p)->base, POINT_PLAN(p)->y, POINT_PLAN(p)->outputs); /* rows that are outputs read y */
    bool done = s->phase == PHASE_ELASTIC && point_elastic_advance(p, &s->qp, s->eps);
    point_set_mask(p, POINT_PLAN(p)->summary + SUMMARY_STRETCHED, false);
    point_set_mask(p, POINT_PLAN(p)->summary + SUMMARY_USABLE, true);
    if (done)
        point_elastic_finish(p);
    sample_advanced(s, done);
}

#endif
