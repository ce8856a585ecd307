/* active_set.h - the active-set method for affine constraints (affine.h), one sample; the target defines NEAREST_AT
 * (nearest_rows.h).
 *
 * Inequalities have their own numbering; side is 1 on a lower bound, -1 on an upper one. A round: the multipliers of equalities and active
 * rows are corrected by their residuals (correct), the active set changes until no row is violated (settle), y and c are computed again
 * (move), and the residual is judged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ACTIVE_SET_H
#define HN_CORE_ACTIVE_SET_H

#include "base/real.h"
#include "core/nearest_layout.h"
#include "core/nearest_state.h"

#define OWN(vector, k) (*NEAREST_AT(vector, k)) /* a number of the sample */

enum { AFFINE_ROUNDS = 6 };
SHARED_CONSTANT double AFFINE_NOISE = 0x1p-42;   /* rounding errors, relative to a row's terms */
SHARED_CONSTANT double AFFINE_DEPENDENT = 1e-11; /* share of the square of a row that depends on active rows */
SHARED_CONSTANT double AFFINE_NOTHING = 1e-15;   /* a residual small enough to stop */

/* The larger one; if one is NaN, the other. */
SHARED_FUNCTION double affine_larger(double a, double b) {
    return a > b || b != b ? a : b;
}

/* One sample's numbers. */
struct affine_search {
    const struct affine *a;
    struct affine_sample *sample;
    double *pull, *rest;      /* outputs: J' l - g; H d - (J' l - g) */
    double *y, *c;            /* outputs; rows: c + J d */
    double *l;                /* rows: multipliers */
    double *base, *lack;      /* equalities: multipliers without inequalities, and residuals */
    double *value, *low, *up; /* inequalities: predicted c; bounds */
    double *noise;            /* violations that count as 0 */
    double *force;            /* multipliers */
    double *factor;           /* (most + 1) x most: L of the active part of the Schur complement, row-major */
    double *solution, *side;  /* most: solution; side of each active row */
    double *active;           /* most: indices of active rows */
    size_t count;             /* number of active rows */
    int changes;
};

static void affine_lay_out(struct affine_search *s, double *memory) {
    const struct affine *a = s->a;
    size_t m = a->most + 1;
    s->pull = memory;
    s->rest = NEAREST_AT(s->pull, a->outputs);
    s->y = NEAREST_AT(s->rest, a->outputs);
    s->c = NEAREST_AT(s->y, a->outputs);
    s->l = NEAREST_AT(s->c, a->rows);
    s->base = NEAREST_AT(s->l, a->rows);
    s->lack = NEAREST_AT(s->base, a->equalities);
    s->value = NEAREST_AT(s->lack, a->equalities);
    s->low = NEAREST_AT(s->value, a->inequalities);
    s->up = NEAREST_AT(s->low, a->inequalities);
    s->noise = NEAREST_AT(s->up, a->inequalities);
    s->force = NEAREST_AT(s->noise, a->inequalities);
    s->solution = NEAREST_AT(s->force, a->inequalities);
    s->side = NEAREST_AT(s->solution, m);
    s->active = NEAREST_AT(s->side, m);
    s->factor = NEAREST_AT(s->active, m);
}

/* to += factor x; x is a list of the plan */
SHARED_FUNCTION void affine_add(double *__restrict__ to, double factor, const double *__restrict__ x, size_t count) {
    for (size_t i = 0; i < count; i++)
        OWN(to, i) += factor * x[i];
}

/* The same if x is a vector of the sample. */
SHARED_FUNCTION void affine_add_own(double *__restrict__ to, double factor, const double *__restrict__ x,
                                    size_t count) {
    for (size_t i = 0; i < count; i++)
        OWN(to, i) += factor * OWN(x, i);
}

SHARED_FUNCTION void affine_copy(double *__restrict__ to, const double *__restrict__ from, size_t count) {
    for (size_t i = 0; i < count; i++)
        OWN(to, i) = OWN(from, i);
}

SHARED_FUNCTION void affine_clear(double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        OWN(to, i) = 0;
}

static size_t affine_active_row(const struct affine_search *s, size_t k) {
    return (size_t)OWN(s->active, k);
}

static double affine_active_bound(const struct affine_search *s, size_t k) {
    return OWN(s->side, k) > 0 ? OWN(s->low, affine_active_row(s, k)) : OWN(s->up, affine_active_row(s, k));
}

/* ---- Cholesky factor of the active rows ---- */

/* Computes the row of L that appends row p to the active rows; returns the square of its diagonal entry. */
static double affine_border(struct affine_search *s, size_t p) {
    const struct affine *a = s->a;
    double left = a->schur[p * a->inequalities + p], *row = NEAREST_AT(s->factor, s->count * a->most);
    for (size_t k = 0; k < s->count; k++) {
        const double *own = NEAREST_AT(s->factor, k * a->most);
        double sum = a->schur[p * a->inequalities + affine_active_row(s, k)];
        for (size_t t = 0; t < k; t++)
            sum -= OWN(own, t) * OWN(row, t);
        OWN(row, k) = sum / OWN(own, k);
        left -= OWN(row, k) * OWN(row, k);
    }
    return left;
}

/* solution = L'^-1 solution */
static void affine_backward(struct affine_search *s) {
    for (size_t k = s->count; k-- > 0;) {
        const double *own = NEAREST_AT(s->factor, k * s->a->most);
        OWN(s->solution, k) /= OWN(own, k);
        affine_add_own(s->solution, -OWN(s->solution, k), own, k);
    }
}

static void affine_forward(struct affine_search *s) {
    for (size_t k = 0; k < s->count; k++) {
        const double *own = NEAREST_AT(s->factor, k * s->a->most);
        for (size_t t = 0; t < k; t++)
            OWN(s->solution, k) -= OWN(own, t) * OWN(s->solution, t);
        OWN(s->solution, k) /= OWN(own, k);
    }
}

/* Appends row p to the active rows; affine_border has computed its row of L. */
static void affine_join(struct affine_search *s, size_t p, double side, double left) {
    OWN(s->factor, s->count * s->a->most + s->count) = real_sqrt(left);
    OWN(s->active, s->count) = (double)p;
    OWN(s->side, s->count) = side;
    s->count++;
}

/* Removes active row q and recomputes the rows of L after it. False if a diagonal entry is lost to rounding. */
static bool affine_leave(struct affine_search *s, size_t q) {
    size_t count = s->count;
    OWN(s->force, affine_active_row(s, q)) = 0;
    for (s->count = q; s->count + 1 < count;) {
        size_t p = (size_t)OWN(s->active, s->count + 1);
        double left = affine_border(s, p);
        if (!(left > 0))
            return false;
        affine_join(s, p, OWN(s->side, s->count + 1), left);
    }
    return true;
}

/* ---- the search ---- */

/* The most violated inequality, in units of its row; false if all are satisfied. */
static bool affine_find_violated(const struct affine_search *s, size_t *row, double *side) {
    const struct affine *a = s->a;
    double most = 0;
    for (size_t i = 0; i < a->inequalities; i++) {
        double below = OWN(s->low, i) - OWN(s->value, i), above = OWN(s->value, i) - OWN(s->up, i);
        double worst = below > above ? below : above;
        if (worst > OWN(s->noise, i) && worst * a->unit[i] > most && OWN(s->force, i) == 0) {
            most = worst * a->unit[i];
            *row = i;
            *side = below > above ? 1 : -1;
        }
    }
    return most > 0;
}

/* The largest step at which no multiplier of an active row changes its sign; *which: the row that blocks it. */
static double affine_longest(const struct affine_search *s, double side, size_t *which) {
    double best = REAL_INFINITY;
    for (size_t k = 0; k < s->count; k++) {
        double falls = side * OWN(s->side, k) * OWN(s->solution, k);
        double has = affine_larger(OWN(s->side, k) * OWN(s->force, affine_active_row(s, k)), 0);
        if (falls > 0 && has < best * falls) {
            best = has / falls;
            *which = k;
        }
    }
    return best;
}

/* Changes the multiplier of row p by t, those of the active rows accordingly, and the rows, unless p depends on the
 * active ones. */
static void affine_advance(struct affine_search *s, size_t p, double t, bool moves) {
    const struct affine *a = s->a;
    OWN(s->force, p) += t;
    for (size_t k = 0; k < s->count; k++)
        OWN(s->force, affine_active_row(s, k)) -= t * OWN(s->solution, k);
    if (!moves)
        return;
    affine_add(s->value, t, a->schur + p * a->inequalities, a->inequalities);
    for (size_t k = 0; k < s->count; k++)
        affine_add(s->value, -t * OWN(s->solution, k), a->schur + affine_active_row(s, k) * a->inequalities,
                   a->inequalities);
}

/* Moves row p to its bound; false if the problem is infeasible: no multipliers achieve this. */
static bool affine_satisfy(struct affine_search *s, size_t p, double side) {
    const struct affine *a = s->a;
    while (s->changes++ < (int)(8 * (a->inequalities + 8))) {
        double left = affine_border(s, p), bound = side > 0 ? OWN(s->low, p) : OWN(s->up, p);
        bool moves = left > AFFINE_DEPENDENT * a->schur[p * a->inequalities + p] && s->count < a->most;
        affine_copy(s->solution, NEAREST_AT(s->factor, s->count * a->most), s->count);
        affine_backward(s);
        size_t which = 0;
        double whole = moves ? side * (bound - OWN(s->value, p)) / left : REAL_INFINITY;
        double first = affine_longest(s, side, &which);
        double t = whole < first ? whole : first;
        if (!(t < REAL_INFINITY))
            return false;
        affine_advance(s, p, side * t, moves);
        if (whole <= first) {
            affine_join(s, p, side, left);
            return true;
        }
        if (!affine_leave(s, which))
            return false;
    }
    return false;
}

static bool affine_settle(struct affine_search *s) {
    size_t p = 0;
    double side = 0;
    while (affine_find_violated(s, &p, &side))
        if (!affine_satisfy(s, p, side))
            return false;
    return true;
}

/* ---- rounds ---- */

/* Corrects the multipliers for the residuals of equalities and active rows at c; predicts the rows. */
static bool affine_correct(struct affine_search *s) {
    const struct affine *a = s->a;
    size_t e = a->equalities, n = a->inequalities;
    for (size_t k = 0; k < e; k++)
        OWN(s->lack, k) = s->sample->lower[a->equality[k]] - OWN(s->c, a->equality[k]);
    for (size_t i = 0; i < n; i++)
        OWN(s->value, i) = OWN(s->c, a->inequality[i]);
    for (size_t k = 0; k < e; k++) {
        double sum = 0;
        for (size_t t = 0; t < e; t++)
            sum += a->solver[k * e + t] * OWN(s->lack, t);
        OWN(s->base, k) += sum;
        affine_add(s->value, sum, a->coupling + k * n, n);
    }
    for (size_t k = 0; k < s->count; k++)
        OWN(s->solution, k) = affine_active_bound(s, k) - OWN(s->value, affine_active_row(s, k));
    affine_forward(s);
    affine_backward(s);
    for (size_t k = 0; k < s->count; k++) {
        OWN(s->force, affine_active_row(s, k)) += OWN(s->solution, k);
        affine_add(s->value, OWN(s->solution, k), a->schur + affine_active_row(s, k) * n, n);
    }
    for (size_t k = s->count; k-- > 0;) { /* a multiplier that has the wrong sign now was almost 0 */
        double force = OWN(s->force, affine_active_row(s, k));
        if (OWN(s->side, k) * force > 0)
            continue;
        affine_add(s->value, -force, a->schur + affine_active_row(s, k) * n, n);
        if (!affine_leave(s, k))
            return false;
    }
    return true;
}

static void affine_add_row(const struct affine *a, size_t i, double factor, double *to) {
    size_t first = a->first[i], count = a->first[i + 1] - first;
    if (a->dense[i])
        affine_add(NEAREST_AT(to, a->column[first]), factor, a->number + first, count);
    else
        for (size_t e = first; e < first + count; e++)
            OWN(to, a->column[e]) += factor * a->number[e];
}

/* Multipliers of all rows, y and c. */
static void affine_move(struct affine_search *s) {
    const struct affine *a = s->a;
    const struct affine_sample *sample = s->sample;
    affine_clear(s->l, a->rows);
    affine_copy(s->lack, s->base, a->equalities);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = affine_active_row(s, k);
        OWN(s->l, a->inequality[i]) = OWN(s->force, i);
        affine_add(s->lack, -OWN(s->force, i), a->answer + i * a->equalities, a->equalities);
    }
    for (size_t k = 0; k < a->equalities; k++)
        OWN(s->l, a->equality[k]) = OWN(s->lack, k);
    for (size_t j = 0; j < a->outputs; j++)
        OWN(s->pull, j) = sample->slope ? -sample->slope[j] : 0;
    for (size_t i = 0; i < a->rows; i++)
        if (OWN(s->l, i) != 0)
            affine_add_row(a, i, OWN(s->l, i), s->pull);
    for (size_t i = 0; i < a->rows; i++)
        OWN(s->c, i) = sample->value[i];
    affine_clear(s->y, a->outputs);
    for (size_t j = 0; j < a->outputs; j++)
        if (a->full)
            affine_add(s->y, OWN(s->pull, j), a->solved + j * a->outputs, a->outputs);
        else
            OWN(s->y, j) = a->inverse[j] * OWN(s->pull, j);
    for (size_t j = 0; j < a->outputs; j++) {
        OWN(s->y, j) += sample->start[j];
        if (OWN(s->y, j) != sample->start[j])
            affine_add(s->c, OWN(s->y, j) - sample->start[j], a->columns + j * a->rows, a->rows);
    }
}

static double affine_row_residual(const struct affine_sample *sample, size_t i, double c, double l) {
    double low = sample->lower[i], up = sample->upper[i], worst = affine_larger(affine_larger(low - c, c - up), 0);
    if (low == up || l == 0)
        return worst;
    double room = l > 0 ? c - low : up - c;
    return affine_larger(worst, fabs(l) * affine_larger(room, 0));
}

/* H d + g - J' l */
static void affine_find_rest(const struct affine_search *s) {
    const struct affine *a = s->a;
    for (size_t j = 0; j < a->outputs; j++)
        OWN(s->rest, j) = -OWN(s->pull, j);
    for (size_t j = 0; j < a->outputs; j++) {
        double d = OWN(s->y, j) - s->sample->start[j];
        if (a->full)
            affine_add(s->rest, d, a->hessian + j * a->outputs, a->outputs);
        else
            OWN(s->rest, j) += a->weight[j] * d;
    }
}

/* The residual of polish_residual (nearest_newton.h), at y. */
static double affine_residual(const struct affine_search *s) {
    const struct affine *a = s->a;
    double largest = 0, worst = 0, sum = 0;
    affine_find_rest(s);
    for (size_t i = 0; i < a->rows; i++)
        largest = affine_larger(largest, fabs(OWN(s->l, i)) * a->gauge[i]);
    for (size_t j = 0; j < a->outputs; j++) {
        double rest = a->inverse[j] > 0 ? fabs(OWN(s->rest, j)) : 0;
        worst = affine_larger(worst, rest / affine_larger(1, largest));
        sum += rest;
    }
    for (size_t i = 0; i < a->rows; i++) {
        double lack = affine_row_residual(s->sample, i, OWN(s->c, i), OWN(s->l, i));
        worst = affine_larger(worst, lack);
        sum += lack + fabs(OWN(s->c, i)) + fabs(OWN(s->l, i));
    }
    return sum <= REAL_MAX ? worst : REAL_INFINITY; /* affine_larger hides a NaN, a sum does not */
}

/* Keeps the best iterate; false if no further round is needed or useful. */
static bool affine_judge(const struct affine_search *s) {
    struct affine_sample *sample = s->sample;
    double found = affine_residual(s), before = sample->kkt;
    if (found < before) {
        sample->kkt = found;
        for (size_t j = 0; j < s->a->outputs; j++)
            sample->y[j] = OWN(s->y, j);
        for (size_t i = 0; i < s->a->rows; i++)
            sample->multipliers[i] = OWN(s->l, i);
    }
    return found > AFFINE_NOTHING && found < 0.25 * before;
}

static void affine_begin(struct affine_search *s) {
    const struct affine *a = s->a;
    const struct affine_sample *sample = s->sample;
    s->count = 0;
    s->changes = 0;
    affine_clear(s->base, a->equalities);
    affine_clear(s->force, a->inequalities);
    for (size_t i = 0; i < a->inequalities; i++) {
        size_t row = a->inequality[i];
        OWN(s->low, i) = sample->lower[row];
        OWN(s->up, i) = sample->upper[row];
        double low = OWN(s->low, i) > -REAL_INFINITY ? fabs(OWN(s->low, i)) : 0;
        double up = OWN(s->up, i) < REAL_INFINITY ? fabs(OWN(s->up, i)) : 0;
        OWN(s->noise, i) = AFFINE_NOISE * (fabs(sample->value[row]) + affine_larger(low, up));
    }
    affine_move(s);
}

static void affine_run(const struct affine *a, double *memory, struct affine_sample *sample) {
    struct affine_search s = {.a = a, .sample = sample};
    affine_lay_out(&s, memory);
    sample->kkt = REAL_INFINITY;
    sample->rounds = 0;
    affine_begin(&s);
    bool goes_on = true;
    while (goes_on && sample->rounds++ < AFFINE_ROUNDS) {
        goes_on = affine_correct(&s) && affine_settle(&s);
        if (goes_on)
            affine_move(&s);
        goes_on = goes_on && affine_judge(&s);
    }
    sample->changes = s.changes;
}

/* ---- the model's objective at a point; memory: workspace of its program ---- */

/* f at x and y, and its derivatives with respect to y. */
SHARED_FUNCTION double affine_look(const struct backend *kernels, const struct affine *a, double *memory,
                                   const double *x, const double *y, double *slope) {
    for (size_t i = 0; i < a->goal_inputs; i++)
        *NEAREST_AT(memory, a->goal_x + i) = x[i];
    for (size_t j = 0; j < a->outputs; j++)
        *NEAREST_AT(memory, a->goal_y + j) = y[j];
    kernels->run(a->goal, 0, memory);
    kernels->run(a->goal, 1, memory);
    for (size_t j = 0; j < a->outputs; j++)
        slope[j] = *NEAREST_AT(memory, a->goal_slope[j]);
    return *NEAREST_AT(memory, a->goal_cost);
}

/* At a solution: the KKT residual with f evaluated again, in units of the multipliers; sample->kkt becomes at least this. 0 if the goal is
 * the distance. */
SHARED_FUNCTION double affine_look_after(const struct backend *kernels, const struct affine *a, double *memory,
                                         const double *x, struct affine_sample *sample, double *slope, double *cost) {
    double largest = 1, rest = 0;
    if (!a->goal)
        return 0;
    *cost = affine_look(kernels, a, memory, x, sample->y, slope);
    for (size_t i = 0; i < a->rows; i++) {
        double l = sample->multipliers[i];
        largest = affine_larger(largest, fabs(l) * a->gauge[i]);
        for (size_t e = a->first[i]; l != 0 && e < a->first[i + 1]; e++)
            slope[a->column[e]] -= l * a->number[e];
    }
    for (size_t j = 0; j < a->outputs; j++)
        rest = a->inverse[j] > 0 && !(fabs(slope[j]) <= rest) ? fabs(slope[j]) : rest;
    sample->kkt = affine_larger(sample->kkt, rest / largest);
    return rest / largest;
}

/* ---- a sample, with the goal evaluated before and after ---- */

/* Whether the result is certified. */
SHARED_FUNCTION bool affine_solve(const struct backend *kernels, const struct affine *a,
                                  const struct affine_memory *memory, const double *x, struct affine_sample *sample,
                                  struct nearest_sample *result) {
    result->objective = result->before = 0;
    result->programmes = 1;
    if (a->goal) {
        affine_look(kernels, a, memory->goal, x, sample->start, memory->slope);
        sample->slope = memory->slope;
    }
    affine_run(a, memory->own, sample);
    bool solved = sample->kkt <= NEAREST_ENOUGH && affine_look_after(kernels, a, memory->goal, x, sample, memory->slope,
                                                                     &result->objective) <= NEAREST_ENOUGH;
    result->kkt = sample->kkt;
    result->factorisations = sample->changes;
    return solved;
}

#undef OWN

#endif
