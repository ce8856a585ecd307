/* nearest_barrier.h - one sample's interior-point method: every number and decision between the evaluations and the solves.
 *
 *     minimise |S (y - y_raw)|^2 / 2 - mu sum log s   subject to  c - s = bl,  c + s = bu  (each side of an inequality), c = b
 *
 * is solved to an accuracy proportional to mu, and mu decreases. Newton's step in y, the slacks s, the forces z (s z =
 * mu) and the multipliers is one solve with the plan's system, W = 1 / sum of z/s. A weight w on (new - old multiplier)
 * keeps W above 0 on equalities and on linearly dependent rows: the proximal method of multipliers. delta makes the
 * number of positive pivots that of the outputs. The length of a step keeps s and z positive and lowers the merit
 * function
 *
 *     |S (y - y_raw)|^2 / 2 - mu sum log s + nu (sum of the residuals of the equations above, rows in units of their gradients);
 *
 * if it does not, a second-order correction is tried, then shorter steps. All quantities are relative to the distance at the start, so that
 * units do not matter. Sources: Waechter, Biegler, "On the implementation of an interior-point filter
 * line-search algorithm", 2006 (start, mu, delta, second-order correction); Byrd, Gilbert, Nocedal, "A trust region method based on
 * interior point techniques", 2000 (merit function and nu).
 *
 * Part of search.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_BARRIER_H
#define HN_CORE_NEAREST_BARRIER_H

#include "base/real.h"
#include "core/nearest_rows.h"
#include "core/nearest_state.h"

SHARED_CONSTANT double FIRST_SHARE = 0.1; /* the first mu of all sides together, as a share of the energy */
SHARED_CONSTANT double FIRST_MU = 0.1;    /* first mu for f, in its unit */
SHARED_CONSTANT double FIRST_ROOM = 0.3;  /* least slack at the start, times sqrt(mu), in units of the row's gradient */
SHARED_CONSTANT double AGAIN_SHARE = 1e-4;                    /* start of a second attempt, relative to the first mu */
SHARED_CONSTANT double KEEP = 0.99;                           /* least fraction to the boundary of slacks and forces */
SHARED_CONSTANT double ARMIJO = 1e-4;                         /* required share of the predicted change (Armijo) */
SHARED_CONSTANT double LAST_SHARE = 1e-16;                    /* smallest mu, relative to the first one */
SHARED_CONSTANT double FILTER_LACK = 1e-5, FILTER_PHI = 1e-5; /* margin by which a step must improve on a filter pair */
SHARED_CONSTANT double SHORTEST = 0x1p-24;                    /* shortest step length */
SHARED_CONSTANT double LOOSE = 1e10;                          /* z s stays within this factor of mu */

/* ---- errors ---- */

/* The residual of row i at the iterate, in units of its gradient; gaps are stored in the row's vectors. */
static double barrier_row_lack(const struct nearest_view *v, size_t i) {
    if (row_is_equality(v, i)) {
        *side_gap(v, i, 0, 0) = row_value(v, i) - row_lower(v, i);
        *side_gap(v, i, 1, 0) = 0;
    } else
        for (size_t side = 0; side < 2; side++)
            *side_gap(v, i, side, 0) = side_is_there(v, i, side) ? side_room(v, i, side) - *side_slack(v, i, side) : 0;
    return (fabs(*side_gap(v, i, 0, 0)) + fabs(*side_gap(v, i, 1, 0))) / *view_row(v, ROW_NORM, i);
}

/* Residuals of the equations, slope and rest at the iterate; returns the largest relative to the start. */
static double barrier_errors(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double most = 0, rest = 0; /* rounded division is monotonic: the maximum stays the maximum */
    s->lack = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double lack = barrier_row_lack(v, i);
        s->lack += lack;
        most = larger(most, lack);
        if (!row_is_equality(v, i))
            *view_row(v, ROW_MULTIPLIER, i) = *side_force(v, i, 0) - *side_force(v, i, 1);
    }
    s->largest = rows_rest(v, ROW_MULTIPLIER, COLUMN_REST);
    for (size_t j = 0; j < p->outputs; j++) {
        rest = larger(rest, fabs(*view_column(v, COLUMN_REST, j)));
        *view_column(v, COLUMN_SLOPE, j) = column_slope(v, j);
    }
    return larger(larger(0, most / s->scale), rest / s->slope);
}

/* ---- the start ---- */

/* The violation of row i. */
static double barrier_row_violation(const struct nearest_view *v, size_t i) {
    return larger(larger(0, row_lower(v, i) - row_value(v, i)), row_value(v, i) - row_upper(v, i));
}

/* The least slack: a share of sqrt(mu), at most a quarter of the distance between the bounds. */
static double barrier_least_slack(const struct nearest_view *v, size_t i, double reach) {
    double least = reach * *view_row(v, ROW_NORM, i);
    bool both = side_is_there(v, i, 0) && side_is_there(v, i, 1);
    return both ? smaller(least, 0.25 * (row_upper(v, i) - row_lower(v, i))) : least;
}

static void barrier_measure_start(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double squares = 0;
    *view_number(v, NUMBER_UNIT) = 1;
    *view_number(v, NUMBER_CURVATURE) = p->largest_square;
    s->energy = s->slope = 0;
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(v, COLUMN_Y, j) - *view_column(v, COLUMN_RAW, j);
        if (p->fixed[j])
            continue;
        squares += away * away;
        s->energy += p->square[j] * away * away;
        s->slope = larger(s->slope, p->square[j] * fabs(away));
    }
    s->scale = real_sqrt(squares);
}

/* For f: a unit in which its derivatives at the start are at most 1; lengths are in the user's units. */
static void barrier_measure_cost(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double largest = 0;
    int power = 0;
    for (size_t j = 0; j < p->outputs; j++)
        largest = larger(largest, p->fixed[j] ? 0 : fabs(*view_slot(v, p->gradient[j])));
    if (largest > 1 && largest <= REAL_MAX)
        frexp(largest, &power);
    *view_number(v, NUMBER_UNIT) = ldexp(1.0, power > 1000 ? -1000 : -power);
    *view_number(v, NUMBER_CURVATURE) = 1;
    *view_number(v, NUMBER_COST) = program_cost(v);
    if (s->attempt == 0)
        s->start_cost = *view_slot(v, p->own_cost);
    s->scale = s->slope = 1;
    s->energy = fabs(program_cost(v)) + 1;
}

/* After c and J were evaluated at COLUMN_Y: slacks, forces, mu. */
static void barrier_begin(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double sides = 0;
    if (p->optimal)
        barrier_measure_cost(v, s);
    else
        barrier_measure_start(v, s);
    for (size_t i = 0; i < p->rows; i++) {
        row_measure(v, i);
        if (s->attempt == 0)
            *view_row(v, ROW_START, i) = barrier_row_violation(v, i) / *view_row(v, ROW_UNIT, i);
        sides += (double)side_is_there(v, i, 0) + (double)side_is_there(v, i, 1);
    }
    s->first_mu =
        (p->optimal ? FIRST_MU : FIRST_SHARE * s->energy / larger(sides, 1)) * (s->attempt > 1 ? AGAIN_SHARE : 1);
    s->mu = s->first_mu;
    s->penalty = 0;
    s->filters = p->optimal && s->attempt % 3 == 0;
    s->filter.count = 0;
    s->filter.phi = 0;
    s->delta = s->damped = 0;
    s->polished_mu = s->first_mu;
    double reach = FIRST_ROOM * real_sqrt(s->mu / *view_number(v, NUMBER_CURVATURE));
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t side = 0; side < 2; side++) {
            bool there = side_is_there(v, i, side);
            double least = barrier_least_slack(v, i, reach), room = side_room(v, i, side);
            *side_slack(v, i, side) = there ? (room > least ? room : least) : 1;
            *side_force(v, i, side) = there ? s->mu / *side_slack(v, i, side) : 0;
        }
        *view_row(v, ROW_MULTIPLIER, i) = *side_force(v, i, 0) - *side_force(v, i, 1);
    }
    barrier_errors(v, s);
    s->filter.most = 1e4 * larger(1, s->lack);
    s->filter.few = 1e-4 * larger(1, s->lack);
}

/* ---- mu ---- */

/* The largest |s z - mu|, relative to the first mu. */
static double barrier_uneven(const struct nearest_view *v, const struct nearest_state *s) {
    double worst = 0;
    for (size_t i = 0; i < v->plan->rows; i++)
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side))
                worst = larger(worst, fabs(*side_slack(v, i, side) * *side_force(v, i, side) - s->mu));
    return worst / s->first_mu;
}

/* Decreases mu as long as the errors allow. */
static void barrier_lower_mu(const struct nearest_view *v, struct nearest_state *s) {
    double share = s->mu / s->first_mu, errors = barrier_errors(v, s);
    while (share > LAST_SHARE && larger(errors, barrier_uneven(v, s)) <= 10 * share) {
        share = larger(LAST_SHARE, smaller(0.1 * share, share * real_sqrt(share)));
        s->mu = share * s->first_mu;
        s->programmes++;
        s->penalty = 0;
        s->filter.count = 0;
        s->filter.phi = 0;
    }
}

/* ---- the system ---- */

/* z/s, summed over the sides of an inequality. */
static double barrier_row_stiffness(const struct nearest_view *v, size_t i) {
    double stiff = 0;
    for (size_t side = 0; side < 2; side++)
        if (side_is_there(v, i, side))
            stiff += *side_force(v, i, side) / *side_slack(v, i, side);
    return larger(1e-30, stiff);
}

/* The right-hand side of row i for the gaps of the step s->way. */
static double barrier_row_right(const struct nearest_view *v, const struct nearest_state *s, size_t i) {
    double held = row_damping(v, i) * *view_row(v, ROW_MULTIPLIER, i), sum = 0;
    if (row_is_equality(v, i))
        return held - *side_gap(v, i, 0, s->way);
    for (size_t side = 0; side < 2; side++) {
        double slack = *side_slack(v, i, side), sign = side ? -1 : 1;
        if (side_is_there(v, i, side))
            sum += sign * (s->mu - *side_force(v, i, side) * *side_gap(v, i, side, s->way)) / slack;
    }
    return sum / barrier_row_stiffness(v, i) + held;
}

static void barrier_right(const struct nearest_view *v, const struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(v, UNKNOWN_RIGHT, j) = -*view_column(v, COLUMN_SLOPE, j);
    for (size_t i = 0; i < p->rows; i++)
        *view_unknown(v, UNKNOWN_RIGHT, p->outputs + i) = barrier_row_right(v, s, i);
}

/* Diagonal and right-hand side. */
static void barrier_assemble(const struct nearest_view *v, const struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_unknown(v, UNKNOWN_DIAGONAL, j) =
            p->fixed[j] ? 1 : p->square[j] + *view_slot(v, p->curvature[j]) + (s->delta + proximal(v));
    for (size_t i = 0; i < p->rows; i++) {
        double w = row_is_equality(v, i) ? 0 : 1 / barrier_row_stiffness(v, i);
        *view_unknown(v, UNKNOWN_DIAGONAL, p->outputs + i) = -(w + row_damping(v, i));
    }
    barrier_right(v, s);
}

/* ---- the step ---- */

/* d(z) of a side along the step. */
SHARED_FUNCTION double barrier_force_change(const struct nearest_view *v, const struct nearest_state *s, size_t i,
                                            size_t side) {
    double slack = *side_slack(v, i, side), force = *side_force(v, i, side);
    return (s->mu - force * side_change(v, i, side, s->way)) / slack - force;
}

/* The larger of `most` and the relative decrease of `now`. A division only if the decrease may be larger. */
SHARED_FUNCTION double barrier_loss(double change, double now, double most) {
    return -change > most * now * (1 - 0x1p-49) ? larger(most, -change / now) : most;
}

/* The change of row i along the step with its damping: from J, or, after J was evaluated elsewhere, from the row's
 * equation. */
static double barrier_row_along(const struct nearest_view *v, const struct nearest_state *s, size_t i) {
    double old = *view_row(v, ROW_MULTIPLIER, i), w = row_damping(v, i);
    double minus = *view_unknown(v, UNKNOWN_STEP + s->way, v->plan->outputs + i); /* - the new multiplier */
    if (s->way == 0)
        return row_product(v, i, view_unknown(v, UNKNOWN_STEP, 0), v->plan->stride) - w * (minus + old);
    if (row_is_equality(v, i))
        return 0;
    return *view_unknown(v, UNKNOWN_RIGHT, v->plan->outputs + i) - w * old + minus / barrier_row_stiffness(v, i);
}

/* Changes of the rows along the step, and the longest steps that keep slacks and forces positive. */
static void barrier_measure_step(const struct nearest_view *v, struct nearest_state *s) {
    double slack = 0, force = 0, keep = larger(KEEP, 1 - s->mu / s->first_mu);
    for (size_t i = 0; i < v->plan->rows; i++) {
        *view_row(v, ROW_ALONG + s->way, i) = barrier_row_along(v, s, i);
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side)) {
                slack = barrier_loss(side_change(v, i, side, s->way), *side_slack(v, i, side), slack);
                force = barrier_loss(barrier_force_change(v, s, i, side), *side_force(v, i, side), force);
            }
    }
    s->length = slack > keep ? keep / slack : 1;
    s->forces = force > keep ? keep / force : 1;
    if (s->attempt % 2 == 0)
        s->length = s->forces = smaller(s->length, s->forces);
}

/* The changes along the step of the objective and of the barrier's logarithms, and the curvature of both. */
struct barrier_slopes {
    double objective, walls, curved;
};

static struct barrier_slopes barrier_slopes_of(const struct nearest_view *v, const struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    struct barrier_slopes all = {0, 0, 0};
    for (size_t j = 0; j < p->outputs; j++)
        all.objective += *view_column(v, COLUMN_SLOPE, j) * *view_unknown(v, UNKNOWN_STEP, j);
    all.curved = -all.objective; /* d'Hd = -slope' d + l' J d */
    for (size_t i = 0; i < p->rows; i++) {
        all.curved -= *view_unknown(v, UNKNOWN_STEP, p->outputs + i) * *view_row(v, ROW_ALONG, i);
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side)) {
                double change = side_change(v, i, side, 0), slack = *side_slack(v, i, side);
                all.walls -= s->mu * change / slack;
                all.curved += *side_force(v, i, side) / slack * change * change;
            }
    }
    return all;
}

/* After the solve: changes of the rows, nu, the longest step; false if the step is not finite or not a descent
 * direction. */
static bool barrier_direction(const struct nearest_view *v, struct nearest_state *s) {
    s->way = 0;
    barrier_measure_step(v, s);
    s->longest = s->length;
    struct barrier_slopes all = barrier_slopes_of(v, s);
    double wanted = all.objective + all.walls + 0.5 * larger(0, all.curved);
    if (s->lack > 0 && wanted > 0.9 * s->penalty * s->lack)
        s->penalty = 1.0625 * wanted / (0.9 * s->lack);
    s->change = all.objective + all.walls - s->penalty * s->lack;
    s->down = all.objective + all.walls;
    return (s->change <= 0 || s->filters) && s->length > 0 && fabs(s->change) <= REAL_MAX; /* false for NaN */
}

/* Writes the trial point to the program's y. */
static void barrier_try(const struct nearest_view *v, const struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_y(v, j) = *view_column(v, COLUMN_Y, j) + s->length * *view_unknown(v, UNKNOWN_STEP + s->way, j);
}

/* The objective's change; exact for a distance: slope' d a + |S d|^2 a^2 / 2. */
static double barrier_objective_change(const struct nearest_view *v, const struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    double linear = 0, square = 0;
    if (p->optimal)
        return program_cost(v) - *view_number(v, NUMBER_COST);
    for (size_t j = 0; j < p->outputs; j++) {
        double d = *view_unknown(v, UNKNOWN_STEP + s->way, j);
        linear += *view_column(v, COLUMN_SLOPE, j) * d;
        square += p->fixed[j] ? 0 : p->square[j] * d * d;
    }
    return s->length * (linear + 0.5 * s->length * square);
}

/* The change of sum log s: the logarithm of a product, split before it overflows or underflows. */
static double barrier_walls_change(const struct nearest_view *v, const struct nearest_state *s) {
    double product = 1, sum = 0;
    for (size_t i = 0; i < v->plan->rows; i++)
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side)) {
                product *= 1 + s->length * side_change(v, i, side, s->way) / *side_slack(v, i, side);
                if (!(product > 1e-200 && product < 1e200)) {
                    sum += elementary_log(product);
                    product = 1;
                }
            }
    return sum + elementary_log(product);
}

/* Residuals of the equations at the trial point; keeps: stores its gaps as those of the second step. */
static double barrier_trial_lack(const struct nearest_view *v, const struct nearest_state *s, bool keeps) {
    double sum = 0;
    for (size_t i = 0; i < v->plan->rows; i++) {
        double lack = 0, gap[2] = {0, 0};
        if (row_is_equality(v, i))
            gap[0] = row_value(v, i) - row_lower(v, i);
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side))
                gap[side] =
                    side_room(v, i, side) - *side_slack(v, i, side) - s->length * side_change(v, i, side, s->way);
        for (size_t side = 0; side < 2; side++) {
            lack += fabs(gap[side]);
            if (keeps)
                *side_gap(v, i, side, 1) = s->length * *side_gap(v, i, side, 0) + gap[side];
        }
        sum += lack / *view_row(v, ROW_NORM, i);
    }
    return sum;
}

/* ---- the filter ---- */

/* Whether the predicted decrease of the objective is large relative to the residuals: then it decides on acceptance. */
static bool barrier_promises(const struct nearest_state *s) {
    double slope = -s->down, lack = s->lack;
    return slope > 0 && s->length * slope * slope * real_sqrt(slope) > lack * real_sqrt(real_sqrt(real_sqrt(lack))) &&
           lack <= s->filter.few;
}

static bool barrier_filter_lets(const struct nearest_filter *f, double lack, double phi) {
    for (size_t k = 0; k < f->count; k++)
        if (lack >= f->lack[k] && phi >= f->objective[k])
            return false;
    return lack <= f->most;
}

/* A full filter drops its oldest pair. */
static void barrier_filter_add(struct nearest_filter *f, double lack, double phi) {
    size_t full = f->count == FILTER_PAIRS;
    for (size_t k = 1; full && k < FILTER_PAIRS; k++) {
        f->lack[k - 1] = f->lack[k];
        f->objective[k - 1] = f->objective[k];
    }
    f->count += !full;
    f->lack[f->count - 1] = (1 - FILTER_LACK) * lack;
    f->objective[f->count - 1] = phi - FILTER_PHI * lack;
}

static bool barrier_filter_judges(const struct nearest_state *s, double noise) {
    const struct nearest_filter *f = &s->filter;
    double phi = f->phi + s->taken;
    if (!(s->leaves <= REAL_MAX && fabs(s->taken) <= REAL_MAX) || !barrier_filter_lets(f, s->leaves, phi - noise))
        return false;
    if (barrier_promises(s))
        return s->taken <= ARMIJO * s->length * s->down + noise;
    return s->leaves <= (1 - FILTER_LACK) * s->lack || s->taken <= noise - FILTER_PHI * s->lack;
}

/* After c was evaluated at the trial point. */
enum barrier_verdict {
    BARRIER_SETTLED, /* the step is accepted */
    BARRIER_SHORTER, /* try another length */
    BARRIER_SECOND,  /* solve for the second-order correction; its gaps are stored */
    BARRIER_FAILED   /* the line search failed */
};
static enum barrier_verdict barrier_judge(const struct nearest_view *v, struct nearest_state *s) {
    bool first = s->way == 0 && s->length == s->longest;
    double lack = barrier_trial_lack(v, s, first);
    s->leaves = lack;
    s->taken = barrier_objective_change(v, s) - s->mu * barrier_walls_change(v, s);
    double change = s->taken + s->penalty * (lack - s->lack);
    double noise = 0x1p-48 * (s->energy + s->penalty * s->lack);
    if (s->filters ? barrier_filter_judges(s, 0x1p-48 * s->energy) : change <= ARMIJO * s->length * s->change + noise)
        return BARRIER_SETTLED;
    if (first && lack >= s->lack && lack <= REAL_MAX)
        return BARRIER_SECOND;
    s->length = s->way ? 0.5 * s->longest : 0.5 * s->length;
    s->way = 0;
    return s->length < SHORTEST ? BARRIER_FAILED : BARRIER_SHORTER;
}

/* Clamps z to within a factor of mu / s; rarely active. */
SHARED_FUNCTION double barrier_held_force(double z, double slack, double mu) {
    double product = z * slack;
    if (product * LOOSE > 2 * mu && 2 * product < LOOSE * mu)
        return z;
    return smaller(larger(mu / (LOOSE * slack), z), LOOSE * mu / slack);
}

/* Moves to the trial point. */
static void barrier_accept(const struct nearest_view *v, struct nearest_state *s) {
    const struct nearest_plan *p = v->plan;
    bool armijo = barrier_promises(s) && s->taken <= ARMIJO * s->length * s->down;
    if (s->filters && !armijo)
        barrier_filter_add(&s->filter, s->lack, s->filter.phi);
    s->filter.phi += s->taken;
    for (size_t j = 0; j < p->outputs; j++)
        *view_column(v, COLUMN_Y, j) = *view_y(v, j);
    *view_number(v, NUMBER_COST) = program_cost(v);
    for (size_t i = 0; i < p->rows; i++) {
        double *multiplier = view_row(v, ROW_MULTIPLIER, i);
        double after = -*view_unknown(v, UNKNOWN_STEP + s->way, p->outputs + i);
        *multiplier += s->forces * (after - *multiplier);
        for (size_t side = 0; side < 2; side++)
            if (side_is_there(v, i, side)) {
                double *slack = side_slack(v, i, side), *force = side_force(v, i, side);
                double z = *force + s->forces * barrier_force_change(v, s, i, side);
                *slack += s->length * side_change(v, i, side, s->way);
                *force = barrier_held_force(z, *slack, s->mu);
            }
    }
}

#endif
