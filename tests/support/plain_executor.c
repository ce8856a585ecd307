/* plain_executor.c - see plain_executor.h. s is always the sample's slots.
 *
 * SPDX-License-Identifier: MIT */
#include "plain_executor.h"
#include "plain_tiled.h"

#include "core/point.h"

#include <math.h>
#include <string.h>

#define WORDS(list) plan_words(p, p->list)

static void set(double *s, uint32_t slot, bool flag) {
    int64_t bits = -(int64_t)flag;
    memcpy(&s[slot], &bits, sizeof bits);
}

static bool get(const double *s, uint32_t slot) {
    int64_t bits;
    memcpy(&bits, &s[slot], sizeof bits);
    return bits != 0;
}

/* ---- memory ---- */

static void begin(const struct executor *x, double *s) {
    const struct plan *p = x->plan;
    memset(s, 0, x->bytes);
    for (uint32_t i = 0; i < p->program.constants.count; i++)
        s[i] = plan_numbers(p, p->program.constants)[i];
    for (uint32_t i = 0; i < p->system.constant_slot.count; i++)
        s[WORDS(system.constant_slot)[i]] = plan_numbers(p, p->system.constant_value)[i];
}

static void load(const struct executor *x, double *s, uint32_t slot, size_t count, const double *const *from) {
    (void)x;
    if (from[0] && count)
        memcpy(s + slot, from[0], count * sizeof *s);
}

static void unload(const struct executor *x, const double *s, uint32_t slot, size_t count, double *const *to) {
    (void)x;
    if (to[0] && count)
        memcpy(to[0], s + slot, count * sizeof *s);
}

static void copy(const struct executor *x, double *s, uint32_t from, uint32_t to, size_t count, const bool *flags) {
    (void)x;
    if (flags[0])
        memmove(s + to, s + from, count * sizeof *s);
}

/* ---- the program ---- */

static double sum_of(const uint32_t *pairs, uint32_t count, const double *s) {
    double sum = s[pairs[0]] * s[pairs[1]];
    for (uint32_t k = 1; k < count; k++)
        sum += s[pairs[2 * k]] * s[pairs[2 * k + 1]];
    return sum;
}

static double linear_of(const double *coefficients, const uint32_t *columns, uint32_t count, const double *s) {
    double sum = coefficients[0] * s[columns[0]];
    for (uint32_t k = 1; k < count; k++)
        sum += coefficients[k] * s[columns[k]];
    return sum;
}

static void run(const struct plan *p, int phase, double *s) {
    for (uint32_t i = p->program.first[phase]; i < p->program.first[phase + 1]; i++) {
        const struct instruction at = plan_code(p)[i];
        const bool sum = at.code == CODE_DOT || at.code == CODE_LINEAR;
        const double a = s[sum ? 0 : at.a], b = s[sum ? 0 : at.b], c = s[sum ? 0 : at.c];
        if (at.code == CODE_LINEAR)
            s[at.destination] =
                linear_of(plan_numbers(p, p->program.coefficients) + at.a, WORDS(program.columns) + at.c, at.b, s);
        else if (at.code == CODE_DOT)
            s[at.destination] = sum_of(WORDS(program.pairs) + 2 * (size_t)at.a, at.b, s);
        else if (at.code == CODE_SINCOS) {
            s[at.destination] = operator_apply(OP_SIN, a, 0, 0);
            s[at.c] = operator_apply(OP_COS, a, 0, 0);
        } else if (at.code == CODE_MUL_ADD)
            s[at.destination] = a * b + c;
        else if (at.code == CODE_MUL_SUB)
            s[at.destination] = a * b - c;
        else if (at.code == CODE_SUB_MUL)
            s[at.destination] = c - a * b;
        else if (at.code == CODE_MUL_MUL)
            s[at.destination] = a * b * c;
        else
            s[at.destination] = operator_apply((enum op)at.code, a, b, c);
    }
}

static void prepare(const struct executor *x, double *s) {
    run(x->plan, 0, s);
}

/* ---- rows ---- */

struct row {
    double c, lower, upper, r, size;
    uint32_t first, end; /* entries of J */
};

static struct row row_of(const struct plan *p, const double *s, uint32_t i) {
    struct row w = {s[WORDS(value)[i]],       s[WORDS(lower)[i]],          s[WORDS(upper)[i]], 0, 0,
                    WORDS(jacobian.first)[i], WORDS(jacobian.first)[i + 1]};
    bool above = !(w.c <= w.upper), below = !(w.lower <= w.c);
    w.r = above ? w.c - w.upper : below ? w.c - w.lower : 0;
    w.size = fabs(w.r);
    if (p->options.relative && (above || below))
        w.size /= fabs(above ? w.upper : w.lower) > 1 ? fabs(above ? w.upper : w.lower) : 1;
    return w;
}

static double scale_of(const struct plan *p, const double *s, const struct row *w) {
    double most = 0;
    for (uint32_t e = w->first; e < w->end; e++)
        most = fabs(s[WORDS(jacobian.slot)[e]]) > most ? fabs(s[WORDS(jacobian.slot)[e]]) : most;
    return most < 1 ? 1 : most > 0x1p1021 ? 0x1p-1021 : ldexp(1, -ilogb(most));
}

static void evaluate(const struct executor *x, double *s, const bool *fresh, bool brief) {
    const struct plan *p = x->plan;
    double worst = 0, squares = 0;
    bool finite = true;
    run(p, 1, s);
    for (uint32_t i = 0; i < p->rows; i++) {
        const struct row w = row_of(p, s, i);
        if (fresh && fresh[0])
            s[p->scale + i] = scale_of(p, s, &w);
        s[p->residual + i] = w.r;
        worst = w.size > worst ? w.size : worst;
        finite = finite && isfinite(w.c);
        if (p->options.weighted)
            squares += s[p->scale + i] * w.r * (s[p->scale + i] * w.r);
    }
    if (brief)
        return;
    s[p->summary + SUMMARY_WORST] = worst;
    set(s, p->summary + SUMMARY_FINITE, finite);
    if (p->options.weighted)
        s[p->summary + SUMMARY_SQUARES] = squares;
}

/* to = A from or A' from; or taken away from what is there. */
static void multiply(const struct plan *p, double *s, bool columns, uint32_t from, uint32_t to, bool subtract) {
    const uint32_t *stream = columns ? WORDS(system.by_columns) : WORDS(system.by_rows);
    if (p->system.kind == FACTOR_TILED) {
        plain_tiled_multiply(p, s, columns, from, to, subtract);
        return;
    }
    for (uint32_t i = 0; i < (columns ? p->outputs : p->rows); i++) {
        double sum = subtract ? s[to + i] : 0;
        for (uint32_t k = *stream++; k > 0; k--, stream += 2)
            sum += (subtract ? -s[stream[0]] : s[stream[0]]) * s[from + stream[1]];
        s[to + i] = sum;
    }
}

static void activate(const struct plan *p, double *s, uint32_t i, const struct row *w, bool active, bool right) {
    set(s, p->active + i, active);
    if (right)
        s[p->right + i] = active ? s[p->scale + i] * w->r : 0;
    for (uint32_t e = w->first; e < w->end; e++)
        s[p->matrix + e] = active ? s[p->scale + i] * s[WORDS(jacobian.slot)[e]] : 0;
}

static void weigh(const struct executor *x, double *s, const struct executor_rows *rows) {
    const struct plan *p = x->plan;
    for (uint32_t i = 0; i < p->rows && rows->accepted[0]; i++) {
        const struct row w = row_of(p, s, i);
        double slack = s[p->scale + i] * (w.c - w.lower), other = s[p->scale + i] * (w.upper - w.c);
        bool counts = !(w.lower <= w.c && w.c <= w.upper) || slack < rows->hold[0] || other < rows->hold[0];
        counts = counts && !(rows->leads[0] && w.end - w.first > 1);
        activate(p, s, i, &w, counts || w.lower == w.upper, true);
    }
    if (!rows->holds[0])
        return;
    multiply(p, s, true, p->right, p->step, false);
    for (uint32_t k = 0; k < p->clip.slot.count; k++) {
        uint32_t i = WORDS(clip.slot)[k];
        const struct row w = row_of(p, s, i);
        double down = s[p->step + WORDS(clip.entry)[k]];
        if (!get(s, p->active + i) && ((w.c <= w.lower && down > 0) || (w.upper <= w.c && down < 0)))
            activate(p, s, i, &w, true, false);
    }
}

static void largest(const struct executor *x, double *s) {
    const struct plan *p = x->plan;
    s[p->largest] = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        double sum = 0;
        for (uint32_t e = WORDS(jacobian.first)[i]; e < WORDS(jacobian.first)[i + 1]; e++)
            sum += s[p->matrix + e] * s[p->matrix + e];
        s[p->largest] = s[p->largest] < sum ? sum : s[p->largest];
    }
}

/* ---- the system: b becomes z ---- */

static const uint32_t *add_pairs(const uint32_t *stream, const double *s, double *sum) {
    for (uint32_t k = *stream++; k > 0; k--, stream += 2)
        *sum += s[stream[0]] * s[stream[1]];
    return stream;
}

/* An added unknown has a pivot below 0, which is not part of the range. */
static double pivot_of(const struct plan *p, double *s, uint32_t unknown, double whole, double d) {
    bool added = unknown >= p->system.order - p->system.added;
    return !added ? plain_pivot(p, s, whole, d) : d < whole * 0x1p-50 ? 1 / d : 0;
}

static void factor_listed(const struct plan *p, double *s, double *z) {
    const uint32_t *at = WORDS(system.stream);
    for (uint32_t j = 0, entry = 0; j < p->system.order; j++) {
        uint32_t below = at[0], before = at[1], unknown = WORDS(system.permutation)[j];
        double whole = s[at[2]];
        at = add_pairs(at + 3, s, &whole);
        double d = whole;
        for (uint32_t k = 0; k < before; k++, at += 3) {
            d += s[at[0]] * s[at[1]];
            z[unknown] -= s[at[0]] * z[at[2]];
        }
        s[p->system.inverse + j] = pivot_of(p, s, unknown, whole, d);
        for (uint32_t e = 0; e < below; e++, entry++) {
            uint32_t negated = at[0];
            double sum = s[at[1]];
            at = add_pairs(at + 2, s, &sum);
            s[negated] = -sum;
            s[p->system.lower + entry] = sum * s[p->system.inverse + j];
        }
    }
}

static void factor_walked(const struct plan *p, double *s, double *z) {
    const uint32_t *at = WORDS(system.stream), *first = WORDS(system.row_first), *column = WORDS(system.row_column);
    const uint32_t *own = WORDS(system.row_entry), *order = WORDS(system.permutation);
    double *lower = s + p->system.lower, *row = s + p->system.negated, whole = 0;
    for (uint32_t i = 0; i < p->system.order; i++) {
        for (uint32_t left = *at++; left > 0; left--) {
            uint32_t j = at[0];
            double sum = s[at[1]];
            at = add_pairs(at + 2, s, &sum);
            *(left > 1 ? &row[j] : &whole) = sum;
        }
        double d = whole;
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            double n = row[column[k]];
            for (uint32_t e = WORDS(system.column_first)[column[k]]; e < own[k]; e++)
                row[WORDS(system.row_number)[e]] -= lower[e] * n;
            lower[own[k]] = n * s[p->system.inverse + column[k]];
            d -= lower[own[k]] * n;
        }
        s[p->system.inverse + i] = pivot_of(p, s, order[i], whole, d);
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            z[order[i]] -= lower[own[k]] * z[order[column[k]]];
    }
}

static void substitute_back(const struct plan *p, const double *s, double *z) {
    const uint32_t *first = WORDS(system.column_first), *order = WORDS(system.permutation);
    for (uint32_t j = p->system.order; j-- > 0;) {
        double sum = z[order[j]] * s[p->system.inverse + j];
        for (uint32_t e = first[j]; e < first[j + 1]; e++)
            sum -= s[p->system.lower + e] * z[WORDS(system.row_unknown)[e]];
        z[order[j]] = sum;
    }
}

/* The factor of the dense kind lies in the plan's own slots. */
static struct plain_full full_of(const struct plan *p, double *s) {
    return (struct plain_full){
        p->system.order, s + p->system.lower, s + p->system.inverse, s + p->system.negated, NULL, NULL};
}

static void gather_dense(const struct plan *p, double *s) {
    const uint32_t *at = WORDS(system.stream);
    for (size_t e = 0; e < (size_t)p->system.order * (p->system.order + 1) / 2; e++) {
        double sum = s[at[0]];
        at = add_pairs(at + 1, s, &sum);
        s[p->system.lower + e] = sum;
    }
}

static void solve(const struct plan *p, double *s, uint32_t from, uint32_t to) {
    uint32_t own = p->system.order - p->system.added, all = p->system.added > 0 ? p->system.solution : to;
    memmove(s + all, s + from, own * sizeof *s);
    memset(s + all + own, 0, p->system.added * sizeof *s);
    s[p->system.pivot_range] = HUGE_VAL;
    s[p->system.pivot_range + 1] = 0;
    if (p->system.kind == FACTOR_TILED) {
        plain_tiled_solve(p, s, s + to);
        return;
    }
    if (p->system.kind == FACTOR_DENSE) {
        const struct plain_full f = full_of(p, s);
        gather_dense(p, s);
        plain_factor(p, s, &f);
        plain_solve(&f, s + to);
        return;
    }
    if (p->system.kind == FACTOR_LISTED)
        factor_listed(p, s, s + all);
    else
        factor_walked(p, s, s + all);
    substitute_back(p, s, s + all);
    memmove(s + to, s + all, own * sizeof *s);
}

/* ---- the step ---- */

static double inner(const double *a, const double *b, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void shift(const struct plan *p, double *s, double eps) {
    s[p->eps] = eps;
    for (uint32_t i = 0; i < p->rows; i++)
        s[p->shift + i] = get(s, p->active + i) ? eps : 1;
}

static void step(const struct executor *x, double *s, const double *eps, const bool *clipped) {
    const struct plan *p = x->plan;
    bool outputs = p->options.outputs_side, moved = false, usable = true;
    if (eps)
        shift(p, s, eps[0]);
    if (outputs)
        multiply(p, s, true, p->right, p->gradient, false);
    solve(p, s, outputs ? p->gradient : p->right, outputs ? p->step : p->unknown);
    if (!outputs)
        multiply(p, s, true, p->unknown, p->step, false);
    s[p->step_gain] =
        outputs ? inner(s + p->step, s + p->gradient, p->outputs) : inner(s + p->unknown, s + p->right, p->rows);
    s[p->step_squares] = inner(s + p->step, s + p->step, p->outputs);
    for (uint32_t j = 0; j < p->outputs; j++) {
        double old = s[p->base + j];
        s[p->y + j] = old - s[p->step + j];
        moved = moved || s[p->y + j] != old;
    }
    for (uint32_t k = 0; clipped && clipped[0] && k < p->clip.slot.count; k++) {
        double *y = &s[p->y + WORDS(clip.entry)[k]];
        const struct row w = row_of(p, s, WORDS(clip.slot)[k]);
        *y = *y < w.lower ? w.lower : *y;
        *y = w.upper < *y ? w.upper : *y;
    }
    for (uint32_t j = 0; j < p->outputs; j++)
        usable = usable && isfinite(s[p->y + j]);
    set(s, p->summary + SUMMARY_MOVED, moved);
    set(s, p->summary + SUMMARY_USABLE, usable);
}

/* ---- the adjoint; the letters are those of cpu/lanes_back.c ---- */

static void subtract(double *s, uint32_t a, uint32_t b, uint32_t to, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        s[to + i] = s[a + i] - s[b + i];
}

/* v and s on the rows' side; s, and eps v once q is there, on the outputs' side. */
static void solve_forward(const struct plan *p, double *s) {
    if (p->options.outputs_side) {
        multiply(p, s, true, p->right, p->step, false);
        solve(p, s, p->step, p->leaf_s);
    } else {
        solve(p, s, p->right, p->v);
        multiply(p, s, true, p->v, p->leaf_s, false);
    }
}

static void unclip(const struct plan *p, double *s) {
    for (uint32_t k = 0; k < p->clip.slot.count; k++) {
        uint32_t i = WORDS(clip.slot)[k], j = WORDS(clip.entry)[k];
        const struct row w = row_of(p, s, i);
        double y = s[p->y + j] - s[p->leaf_s + j];
        if (!(y < w.lower) && !(w.upper < y))
            continue;
        s[p->grad_lower + i] += y < w.lower ? s[p->gradient + j] : 0; /* both where bounds cross */
        s[p->grad_upper + i] += w.upper < y ? s[p->gradient + j] : 0;
        s[p->gradient + j] = 0;
    }
}

static void solve_backward(const struct plan *p, double *s) {
    if (p->options.outputs_side) {
        solve(p, s, p->gradient, p->leaf_t);
        multiply(p, s, false, p->leaf_t, p->q, false);
        multiply(p, s, false, p->leaf_s, p->work, false);
        subtract(s, p->right, p->work, p->v, p->rows);
    } else {
        multiply(p, s, false, p->gradient, p->work, false);
        solve(p, s, p->work, p->q);
        multiply(p, s, true, p->q, p->step, false);
        subtract(s, p->gradient, p->step, p->leaf_t, p->outputs);
    }
}

static void pull_row(const struct plan *p, double *s, uint32_t i, double damped, bool bounds) {
    const struct row w = row_of(p, s, i);
    bool equality = w.lower == w.upper, counts = equality || w.r != 0, below = !equality && w.r < 0;
    double q = s[p->q + i], weighed = q;
    if (p->options.weighted) {
        bool active = get(s, p->active + i);
        s[p->leaf_q + i] = active ? s[p->scale + i] * q : 0;
        s[p->leaf_v + i] = active ? s[p->scale + i] * s[p->v + i] : 0;
        q -= damped * s[p->right + i];
        weighed = s[p->scale + i] * q;
        s[p->kept + i] = counts ? q : 0;
    }
    s[p->pulled + i] = counts ? weighed : 0;
    if (!bounds && !p->options.weighted)
        return;
    s[p->grad_upper + i] += counts && !below ? weighed : 0;
    s[p->grad_lower + i] += below ? weighed : 0;
}

static void scatter(const struct plan *p, double *s, struct plan_entries entries, uint32_t to) {
    for (uint32_t k = 0; k < entries.slot.count; k++)
        s[to + plan_words(p, entries.entry)[k]] -= s[plan_words(p, entries.slot)[k]];
}

static void back(const struct executor *x, double *s, const struct executor_back *step) {
    const struct plan *p = x->plan;
    double damped = 0;
    if (p->options.weighted)
        shift(p, s, step->eps[0]);
    solve_forward(p, s);
    if (p->options.weighted && step->clipped[0])
        unclip(p, s);
    solve_backward(p, s);
    if (p->options.weighted && step->slope[0] != 0)
        damped = inner(s + p->q, s + p->v, p->rows) * step->slope[0];
    for (uint32_t i = 0; i < p->rows; i++)
        pull_row(p, s, i, damped, step->bounds);
    run(p, 2, s);
    multiply(p, s, true, p->kept, p->gradient, true);
    scatter(p, s, p->bracket_y, p->gradient);
    scatter(p, s, p->pull_x, p->grad_x);
    scatter(p, s, p->bracket_x, p->grad_x);
}

struct executor plain_executor(const struct plan *plan) {
    size_t full = plan->system.kind == FACTOR_TILED ? plain_tiled_numbers(plan) : 0;
    return (struct executor){.name = "plain",
                             .width = 1,
                             .bytes = (plan->slots + full) * sizeof(double),
                             .plan = plan,
                             .begin = begin,
                             .load = load,
                             .unload = unload,
                             .copy = copy,
                             .prepare = prepare,
                             .evaluate = evaluate,
                             .weigh = weigh,
                             .largest = largest,
                             .step = step,
                             .back = back};
}
