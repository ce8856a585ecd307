/* affine_solve.c - see affine.h: one sample.
 *
 * Numbers of inequalities are in their own numbering; side is 1 on a lower bound, -1 on an upper one. A round: multipliers of equalities
 * and of active rows answer what their rows lack (correct), the active set changes until nothing is violated (search), y and c are
 * computed anew (move), and the residual is judged.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/affine.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 6 };
static const double NOISE = 0x1p-42;   /* of a row's terms: a violation that is none */
static const double DEPENDENT = 1e-11; /* what is left of a row that follows from active ones, of its square */
static const double NOTHING = 1e-15;   /* a residual that needs no further round */

/* One sample's numbers. */
struct search {
    const struct affine *a;
    struct affine_sample *sample;
    double *pull, *rest;      /* outputs: J' l - g; H d - that */
    double *y, *c;            /* outputs; rows: c + J d */
    double *l;                /* rows: multipliers */
    double *base, *lack;      /* equalities: multipliers before those of inequalities, and what their rows lack */
    double *value, *low, *up; /* inequalities: predicted c; bounds */
    double *noise;            /* what counts as none */
    double *force;            /* multipliers */
    double *factor;           /* (most + 1) x most: L of the active part of the Schur complement, by rows */
    double *solution, *side;  /* most: of its systems; of active rows */
    double *active;           /* most: their numbers */
    size_t count;             /* of active rows */
    int changes;
};

static void lay_out(struct search *s, double *memory) {
    const struct affine *a = s->a;
    size_t m = a->most + 1;
    s->pull = memory;
    s->rest = s->pull + a->outputs;
    s->y = s->rest + a->outputs;
    s->c = s->y + a->outputs;
    s->l = s->c + a->rows;
    s->base = s->l + a->rows;
    s->lack = s->base + a->equalities;
    s->value = s->lack + a->equalities;
    s->low = s->value + a->inequalities;
    s->up = s->low + a->inequalities;
    s->noise = s->up + a->inequalities;
    s->force = s->noise + a->inequalities;
    s->solution = s->force + a->inequalities;
    s->side = s->solution + m;
    s->active = s->side + m;
    s->factor = s->active + m;
}

/* to += factor x, count entries */
static void add_scaled(double *restrict to, double factor, const double *restrict x, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] += factor * x[i];
}

static size_t active_row(const struct search *s, size_t k) {
    return (size_t)s->active[k];
}

static double active_bound(const struct search *s, size_t k) {
    return s->side[k] > 0 ? s->low[active_row(s, k)] : s->up[active_row(s, k)];
}

/* ---- the factor of the active part ---- */

/* The row of L that row p would have behind the active ones; what is left of its diagonal. */
static double border(struct search *s, size_t p) {
    const struct affine *a = s->a;
    double left = a->schur[p * a->inequalities + p], *row = s->factor + s->count * a->most;
    for (size_t k = 0; k < s->count; k++) {
        const double *own = s->factor + k * a->most;
        double sum = a->schur[p * a->inequalities + active_row(s, k)];
        for (size_t t = 0; t < k; t++)
            sum -= own[t] * row[t];
        row[k] = sum / own[k];
        left -= row[k] * row[k];
    }
    return left;
}

/* solution = L'^-1 solution */
static void solve_back(struct search *s) {
    for (size_t k = s->count; k-- > 0;) {
        const double *own = s->factor + k * s->a->most;
        s->solution[k] /= own[k];
        add_scaled(s->solution, -s->solution[k], own, k);
    }
}

static void solve_forward(struct search *s) {
    for (size_t k = 0; k < s->count; k++) {
        const double *own = s->factor + k * s->a->most;
        for (size_t t = 0; t < k; t++)
            s->solution[k] -= own[t] * s->solution[t];
        s->solution[k] /= own[k];
    }
}

/* Row p becomes active, with the row of L that border() has left. */
static void join(struct search *s, size_t p, double side, double left) {
    s->factor[s->count * s->a->most + s->count] = sqrt(left);
    s->active[s->count] = (double)p;
    s->side[s->count++] = side;
}

/* The active row number q leaves; the rows of L behind it are computed anew. False where one is lost in rounding. */
static bool leave(struct search *s, size_t q) {
    size_t count = s->count;
    s->force[active_row(s, q)] = 0;
    for (s->count = q; s->count + 1 < count;) {
        size_t p = (size_t)s->active[s->count + 1];
        double left = border(s, p);
        if (!(left > 0))
            return false;
        join(s, p, s->side[s->count + 1], left);
    }
    return true;
}

/* ---- the search ---- */

/* The inequality that is violated most, in units of its row; false: none is. */
static bool find_violated(const struct search *s, size_t *row, double *side) {
    const struct affine *a = s->a;
    double most = 0;
    for (size_t i = 0; i < a->inequalities; i++) {
        double below = s->low[i] - s->value[i], above = s->value[i] - s->up[i], worst = below > above ? below : above;
        if (worst > s->noise[i] && worst * a->unit[i] > most && s->force[i] == 0) {
            most = worst * a->unit[i];
            *row = i;
            *side = below > above ? 1 : -1;
        }
    }
    return most > 0;
}

/* How far multipliers may go before one of an active row changes its sign; which one. */
static double longest(const struct search *s, double side, size_t *which) {
    double best = HUGE_VAL;
    for (size_t k = 0; k < s->count; k++) {
        double falls = side * s->side[k] * s->solution[k];
        double has = fmax(s->side[k] * s->force[active_row(s, k)], 0);
        if (falls > 0 && has < best * falls) {
            best = has / falls;
            *which = k;
        }
    }
    return best;
}

/* Multipliers of row p and of the active ones move by t; so do the rows, unless p follows from the active ones. */
static void advance(struct search *s, size_t p, double t, bool moves) {
    const struct affine *a = s->a;
    s->force[p] += t;
    for (size_t k = 0; k < s->count; k++)
        s->force[active_row(s, k)] -= t * s->solution[k];
    if (!moves)
        return;
    add_scaled(s->value, t, a->schur + p * a->inequalities, a->inequalities);
    for (size_t k = 0; k < s->count; k++)
        add_scaled(s->value, -t * s->solution[k], a->schur + active_row(s, k) * a->inequalities, a->inequalities);
}

/* Brings row p to its bound. False: no multipliers do that. */
static bool satisfy(struct search *s, size_t p, double side) {
    const struct affine *a = s->a;
    while (s->changes++ < (int)(8 * (a->inequalities + 8))) {
        double left = border(s, p), bound = side > 0 ? s->low[p] : s->up[p];
        bool moves = left > DEPENDENT * a->schur[p * a->inequalities + p] && s->count < a->most;
        memcpy(s->solution, s->factor + s->count * a->most, s->count * sizeof *s->solution);
        solve_back(s);
        size_t which = 0;
        double whole = moves ? side * (bound - s->value[p]) / left : HUGE_VAL, first = longest(s, side, &which);
        double t = whole < first ? whole : first;
        if (!(t < HUGE_VAL))
            return false;
        advance(s, p, side * t, moves);
        if (whole <= first) {
            join(s, p, side, left);
            return true;
        }
        if (!leave(s, which))
            return false;
    }
    return false;
}

static bool search(struct search *s) {
    size_t p = 0;
    double side = 0;
    while (find_violated(s, &p, &side))
        if (!satisfy(s, p, side))
            return false;
    return true;
}

/* ---- rounds ---- */

/* Multipliers answer what equalities and active rows lack at c; rows are predicted. */
static bool correct(struct search *s) {
    const struct affine *a = s->a;
    size_t e = a->equalities, n = a->inequalities;
    for (size_t k = 0; k < e; k++)
        s->lack[k] = s->sample->lower[a->equality[k]] - s->c[a->equality[k]];
    for (size_t i = 0; i < n; i++)
        s->value[i] = s->c[a->inequality[i]];
    for (size_t k = 0; k < e; k++) {
        double sum = 0;
        for (size_t t = 0; t < e; t++)
            sum += a->solver[k * e + t] * s->lack[t];
        s->base[k] += sum;
        add_scaled(s->value, sum, a->coupling + k * n, n);
    }
    for (size_t k = 0; k < s->count; k++)
        s->solution[k] = active_bound(s, k) - s->value[active_row(s, k)];
    solve_forward(s);
    solve_back(s);
    for (size_t k = 0; k < s->count; k++) {
        s->force[active_row(s, k)] += s->solution[k];
        add_scaled(s->value, s->solution[k], a->schur + active_row(s, k) * n, n);
    }
    for (size_t k = s->count; k-- > 0;) { /* what has the wrong sign now was next to nothing */
        double force = s->force[active_row(s, k)];
        if (s->side[k] * force > 0)
            continue;
        add_scaled(s->value, -force, a->schur + active_row(s, k) * n, n);
        if (!leave(s, k))
            return false;
    }
    return true;
}

static void add_row(const struct affine *a, size_t i, double factor, double *to) {
    size_t first = a->first[i], count = a->first[i + 1] - first;
    if (a->dense[i])
        add_scaled(to + a->column[first], factor, a->number + first, count);
    else
        for (size_t e = first; e < first + count; e++)
            to[a->column[e]] += factor * a->number[e];
}

/* Multipliers of all rows, y and c. */
static void move(struct search *s) {
    const struct affine *a = s->a;
    const struct affine_sample *sample = s->sample;
    memset(s->l, 0, a->rows * sizeof *s->l);
    memcpy(s->lack, s->base, a->equalities * sizeof *s->lack);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = active_row(s, k);
        s->l[a->inequality[i]] = s->force[i];
        add_scaled(s->lack, -s->force[i], a->answer + i * a->equalities, a->equalities);
    }
    for (size_t k = 0; k < a->equalities; k++)
        s->l[a->equality[k]] = s->lack[k];
    for (size_t j = 0; j < a->outputs; j++)
        s->pull[j] = sample->slope ? -sample->slope[j] : 0;
    for (size_t i = 0; i < a->rows; i++)
        if (s->l[i] != 0)
            add_row(a, i, s->l[i], s->pull);
    memcpy(s->c, sample->value, a->rows * sizeof *s->c);
    memset(s->y, 0, a->outputs * sizeof *s->y);
    for (size_t j = 0; j < a->outputs; j++)
        if (a->full)
            add_scaled(s->y, s->pull[j], a->solved + j * a->outputs, a->outputs);
        else
            s->y[j] = a->inverse[j] * s->pull[j];
    for (size_t j = 0; j < a->outputs; j++) {
        s->y[j] += sample->start[j];
        if (s->y[j] != sample->start[j])
            add_scaled(s->c, s->y[j] - sample->start[j], a->columns + j * a->rows, a->rows);
    }
}

static double row_residual(const struct affine_sample *sample, size_t i, double c, double l) {
    double low = sample->lower[i], up = sample->upper[i], worst = fmax(fmax(low - c, c - up), 0);
    if (low == up || l == 0)
        return worst;
    double room = l > 0 ? c - low : up - c;
    return fmax(worst, fabs(l) * fmax(room, 0));
}

/* H d + g - J' l */
static void find_rest(const struct search *s) {
    const struct affine *a = s->a;
    for (size_t j = 0; j < a->outputs; j++)
        s->rest[j] = -s->pull[j];
    for (size_t j = 0; j < a->outputs; j++) {
        double d = s->y[j] - s->sample->start[j];
        if (a->full)
            add_scaled(s->rest, d, a->hessian + j * a->outputs, a->outputs);
        else
            s->rest[j] += a->weight[j] * d;
    }
}

/* As polish_residual of nearest_polish.h, at y. */
static double residual(const struct search *s) {
    const struct affine *a = s->a;
    double largest = 0, worst = 0, sum = 0;
    find_rest(s);
    for (size_t i = 0; i < a->rows; i++)
        largest = fmax(largest, fabs(s->l[i]) * a->gauge[i]);
    for (size_t j = 0; j < a->outputs; j++) {
        double rest = a->inverse[j] > 0 ? fabs(s->rest[j]) : 0;
        worst = fmax(worst, rest / fmax(1, largest));
        sum += rest;
    }
    for (size_t i = 0; i < a->rows; i++) {
        double lack = row_residual(s->sample, i, s->c[i], s->l[i]);
        worst = fmax(worst, lack);
        sum += lack + fabs(s->c[i]) + fabs(s->l[i]);
    }
    return sum <= DBL_MAX ? worst : HUGE_VAL; /* fmax hides a NaN, a sum does not */
}

/* Keeps what is better than before; false: no further round is needed, or of use. */
static bool judge(const struct search *s) {
    struct affine_sample *sample = s->sample;
    double found = residual(s), before = sample->kkt;
    if (found < before) {
        sample->kkt = found;
        memcpy(sample->y, s->y, s->a->outputs * sizeof *s->y);
        memcpy(sample->multipliers, s->l, s->a->rows * sizeof *s->l);
    }
    return found > NOTHING && found < 0.25 * before;
}

static void begin(struct search *s) {
    const struct affine *a = s->a;
    const struct affine_sample *sample = s->sample;
    s->count = 0;
    s->changes = 0;
    memset(s->base, 0, a->equalities * sizeof *s->base);
    memset(s->force, 0, a->inequalities * sizeof *s->force);
    for (size_t i = 0; i < a->inequalities; i++) {
        size_t row = a->inequality[i];
        s->low[i] = sample->lower[row];
        s->up[i] = sample->upper[row];
        double low = s->low[i] > -HUGE_VAL ? fabs(s->low[i]) : 0, up = s->up[i] < HUGE_VAL ? fabs(s->up[i]) : 0;
        s->noise[i] = NOISE * (fabs(sample->value[row]) + fmax(low, up));
    }
    move(s);
}

void affine_solve(const struct affine *a, double *memory, struct affine_sample *sample) {
    struct search s = {.a = a, .sample = sample};
    lay_out(&s, memory);
    sample->kkt = HUGE_VAL;
    sample->rounds = 0;
    begin(&s);
    bool goes_on = true;
    while (goes_on && sample->rounds++ < MOST_ROUNDS) {
        goes_on = correct(&s) && search(&s);
        if (goes_on)
            move(&s);
        goes_on = goes_on && judge(&s);
    }
    sample->changes = s.changes;
}
