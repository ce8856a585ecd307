/* search_text.h - see nearest.h: the search of samples side by side. A text for the processor and for a device.
 *
 *     evaluate    c and J at every sample's point, then the Hessian with its multipliers
 *     prepare     errors, mu, the system; a sample may go over to polishing, or end
 *     solve       factor, again with a larger delta where the signs of the pivots are wrong; solution, refined twice
 *     search      lengths of steps, each with an evaluation of all samples; those that have theirs stay where they are
 *
 * Whoever includes it says how many samples there are at most (NEAREST_AT_ONCE), whether a search is to end early (NEAREST_ENDS of its
 * watch), and what solve_text.h and nearest_barrier_text.h ask for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_SEARCH_TEXT_H
#define HN_NEAREST_SEARCH_TEXT_H

#include "nearest/nearest_barrier_text.h"
#include "nearest/nearest_polish_text.h"
#include "nearest/nearest_samples.h"
#include "nearest/solve_text.h"

struct nearest_watch;

enum {
    SEARCH_ITERATIONS = 80,
    SEARCH_FACTORS = 24,
    SEARCH_FAILURES = 3,
    SEARCH_REFINEMENTS = 2,
    SEARCH_ATTEMPTS = 3,
    SEARCH_ATTEMPTS_OPTIMAL = 4
};
static const double SEARCH_CERTIFIED = 1e-8; /* residual of the optimality conditions */
static const double SEARCH_POLISHES = 1e-3;  /* of the first mu */
static const double SEARCH_DELTA = 1e-3;     /* of the largest S^2 */

/* The samples of one call. */
struct search_group {
    const struct backend *kernels;
    const struct nearest_parts *n;
    double *memory;
    struct nearest_sample *samples;
    size_t count;
    const struct nearest_watch *watch;
    bool cut; /* the watch has ended it */
    struct nearest_state state[NEAREST_AT_ONCE];
};

static struct nearest_view search_view(const struct search_group *g, size_t lane) {
    return nearest_view_of(&g->n->plan, g->memory, lane);
}

static bool search_is_busy(const struct search_group *g, size_t lane) {
    return g->state[lane].doing != NEAREST_IDLE;
}

static void search_evaluate(const struct search_group *g, int phase) {
    g->kernels->run(g->n->plan.program, phase, g->memory);
}

/* ---- the beginning ---- */

static void search_write_y(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        *view_slot(v, p->y + j * p->stride) = *view_column(v, which, j);
}

static void search_load(const struct search_group *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    const struct nearest_view v = search_view(g, lane);
    const struct nearest_sample *sample = &g->samples[lane];
    for (size_t i = 0; i < p->inputs; i++)
        *view_slot(&v, p->x + i * p->stride) = sample->x[i];
    for (size_t j = 0; j < p->outputs; j++) {
        *view_column(&v, COLUMN_RAW, j) = sample->raw[j];
        *view_column(&v, COLUMN_START, j) = *view_column(&v, COLUMN_Y, j) = sample->y[j];
    }
    search_write_y(&v, COLUMN_Y);
}

/* After the evaluation at the start. One that needs no search has multipliers of 0. */
static void search_begin(struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    barrier_begin(&v, s);
    for (size_t i = 0; s->attempt == 0 && i < v.plan->rows; i++)
        *view_row(&v, ROW_POLISH, i) = 0;
    if (s->attempt == 0)
        polish_keep(&v, s, ROW_POLISH, polish_residual(&v, ROW_POLISH));
    bool finite = s->energy > 0 && s->energy <= DBL_MAX;
    s->doing = finite && s->first_mu > 0 ? NEAREST_DESCENDS : NEAREST_IDLE;
}

/* ---- preparing ---- */

static void search_set_multipliers(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++)
        *view_slot(v, p->lambda + i * p->stride) = -*view_row(v, which, i) * *view_row(v, ROW_UNIT, i);
    if (p->optimal)
        *view_slot(v, p->sigma) = *view_number(v, NUMBER_UNIT);
}

/* The iterate, where c and J were evaluated: keep it, lower mu, polish or end. */
static void search_look(struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->doing != NEAREST_DESCENDS)
        return;
    barrier_lower_mu(&v, s);
    polish_keep(&v, s, ROW_MULTIPLIER, polish_residual_of(&v, ROW_MULTIPLIER, s->largest));
    if (s->mu <= SEARCH_POLISHES * s->first_mu && s->mu < s->polished_mu) {
        polish_begin(&v, s);
        s->doing = NEAREST_POLISHES;
    } else if (++s->iterations > SEARCH_ITERATIONS || s->failures > SEARCH_FAILURES)
        s->doing = NEAREST_IDLE;
}

static void search_assemble(const struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    const struct nearest_plan *p = v.plan;
    for (size_t i = 0; search_is_busy(g, lane) && i < p->rows; i++)
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            *view_slot(&v, p->matrix + e * p->stride) = row_entry(&v, i, e);
    if (g->state[lane].doing == NEAREST_POLISHES)
        polish_assemble(&v);
    else if (g->state[lane].doing == NEAREST_DESCENDS)
        barrier_assemble(&v, &g->state[lane]);
}

/* ---- solving ---- */

/* A larger delta for a sample whose pivots have wrong signs; a polish ends there. true: factor again. */
static bool search_damp(struct search_group *g, size_t lane) {
    struct nearest_state *s = &g->state[lane];
    const struct nearest_view v = search_view(g, lane);
    double least = SEARCH_DELTA * *view_number(&v, NUMBER_CURVATURE);
    if (!search_is_busy(g, lane) || nearest_has_signs(&v))
        return false;
    if (s->doing == NEAREST_POLISHES) {
        s->polish = -1;
        return false;
    }
    s->delta = s->delta > 0 ? 8 * s->delta : larger(least, s->damped / 4);
    s->damped = s->delta;
    barrier_assemble(&v, s);
    return true;
}

static void search_factor(struct search_group *g) {
    bool again = true;
    for (size_t lane = 0; lane < g->count; lane++)
        g->state[lane].delta = 0;
    for (size_t lane = 0; lane < g->count; lane++)
        search_assemble(g, lane);
    for (int k = 0; k < SEARCH_FACTORS && again; k++) {
        again = false;
        g->kernels->signed_factor(&g->n->plan.system, g->memory);
        for (size_t lane = 0; lane < g->count; lane++) {
            g->state[lane].factorisations += k == 0 && search_is_busy(g, lane);
            bool wrong = search_damp(g, lane);
            g->state[lane].factorisations += wrong && k + 1 < SEARCH_FACTORS;
            again = wrong || again;
        }
    }
}

/* ---- the search along the step ---- */

/* Puts the sample back to its iterate. */
static void search_go_back(const struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    search_write_y(&v, COLUMN_Y);
}

static void search_begin_step(struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    s->settled = true;
    if (s->doing == NEAREST_POLISHES) {
        if (s->polish < 0 || !polish_step(&v)) {
            s->doing = NEAREST_DESCENDS;
            s->polish = -1;
            search_go_back(g, lane);
        }
        return;
    }
    if (s->doing != NEAREST_DESCENDS)
        return;
    s->settled = false;
    if (!barrier_direction(&v, s)) {
        s->failures++;
        s->settled = true;
        s->length = 0;
        s->damped = larger(s->damped, *view_number(&v, NUMBER_CURVATURE));
        return;
    }
    barrier_try(&v, s);
}

/* Second steps, where they are asked for. */
static void search_solve_second(struct search_group *g, const bool *asked) {
    const struct nearest_plan *p = &g->n->plan;
    for (size_t lane = 0; lane < g->count; lane++) {
        const struct nearest_view v = search_view(g, lane);
        if (asked[lane]) {
            g->state[lane].way = 1;
            barrier_right(&v, &g->state[lane]);
        }
    }
    g->kernels->signed_solve(&p->system, g->memory, nearest_vector(p, UNKNOWN_RIGHT), nearest_vector(p, UNKNOWN_STEP2));
    for (size_t lane = 0; lane < g->count; lane++) {
        const struct nearest_view v = search_view(g, lane);
        if (asked[lane]) {
            barrier_second(&v, &g->state[lane]);
            barrier_try(&v, &g->state[lane]);
        }
    }
}

/* After an evaluation; true where a length is still to be found. */
static bool search_judge(struct search_group *g, size_t lane, bool *second) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    *second = false;
    if (s->settled)
        return false;
    switch (barrier_judge(&v, s)) {
    case BARRIER_SETTLED:
        s->settled = true;
        s->failures = 0;
        return false;
    case BARRIER_FAILED:
        s->settled = true;
        s->failures++;
        s->length = 0;
        search_go_back(g, lane);
        return true; /* c and J at the iterate again */
    case BARRIER_SECOND:
        *second = true;
        return true;
    default:
        barrier_try(&v, s);
        return true;
    }
}

static void search_along(struct search_group *g) {
    bool second[NEAREST_AT_ONCE] = {false}, any = true;
    for (size_t lane = 0; lane < g->count; lane++)
        search_begin_step(g, lane);
    while (any) {
        bool asked = false;
        search_evaluate(g, 1);
        any = false;
        for (size_t lane = 0; lane < g->count; lane++) {
            any = search_judge(g, lane, &second[lane]) || any;
            asked = asked || second[lane];
        }
        if (asked)
            search_solve_second(g, second);
    }
}

/* Moves to what the search found; a polish goes on or ends. */
static void search_take_over(struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->doing == NEAREST_DESCENDS && s->polish >= 0 && s->length > 0)
        barrier_accept(&v, s);
    s->polish = s->polish < 0 ? 0 : s->polish;
    if (s->doing == NEAREST_POLISHES && !polish_judge(&v, s)) {
        s->doing = s->kept <= SEARCH_CERTIFIED ? NEAREST_IDLE : NEAREST_DESCENDS;
        search_go_back(g, lane);
    }
}

/* ---- the end ---- */

static double search_energy(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    double sum = 0;
    for (size_t j = 0; j < p->outputs; j++) {
        double away = *view_column(v, which, j) - *view_column(v, COLUMN_RAW, j);
        sum += p->fixed[j] ? 0 : p->square[j] * away * away;
    }
    return sum;
}

/* Whether what was kept is no further away than the start, but for what the start's violation is worth: to first order its
 * multipliers times as much. */
static bool search_is_closer(const struct nearest_view *v, const struct nearest_state *s) {
    double worth = 0, before = search_energy(v, COLUMN_START);
    for (size_t i = 0; i < v->plan->rows; i++)
        worth += fabs(*view_row(v, ROW_KEPT, i) * *view_row(v, ROW_UNIT, i)) * *view_row(v, ROW_START, i);
    if (v->plan->optimal)
        return s->kept_cost <= s->start_cost + worth / *view_number(v, NUMBER_UNIT) + 0x1p-40 * fabs(s->start_cost);
    return search_energy(v, COLUMN_KEPT) <= before + 2 * worth + 0x1p-40 * before;
}

static void search_finish(const struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    const struct nearest_state *s = &g->state[lane];
    struct nearest_sample *sample = &g->samples[lane];
    bool taken = s->kept <= SEARCH_CERTIFIED && search_is_closer(&v, s);
    sample->kkt = taken ? s->kept : INFINITY;
    sample->programmes = s->programmes;
    sample->factorisations = s->factorisations;
    sample->before = s->start_cost;
    sample->objective = taken ? s->kept_cost : sample->before;
    sample->moved = false;
    for (size_t j = 0; taken && j < v.plan->outputs; j++) {
        double y = *view_column(&v, COLUMN_KEPT, j);
        sample->moved = sample->moved || y != sample->y[j];
        sample->y[j] = y;
    }
    for (size_t i = 0; sample->multipliers && i < v.plan->rows; i++)
        sample->multipliers[i] =
            taken ? *view_row(&v, ROW_KEPT, i) * *view_row(&v, ROW_UNIT, i) / *view_number(&v, NUMBER_UNIT) : 0;
}

/* Whether nobody waits for it any longer. */
static bool search_ended(struct search_group *g) {
    g->cut = g->cut || NEAREST_ENDS(g->watch);
    return g->cut;
}

static void search_all(struct search_group *g) {
    bool busy = true;
    while (busy && !search_ended(g)) {
        search_evaluate(g, 1);
        for (size_t lane = 0; lane < g->count; lane++) {
            const struct nearest_view v = search_view(g, lane);
            search_look(g, lane);
            search_set_multipliers(&v, g->state[lane].doing == NEAREST_POLISHES ? ROW_POLISH : ROW_MULTIPLIER);
        }
        nearest_bend(g->kernels, g->n, g->memory);
        search_factor(g);
        nearest_solve(g->kernels, &g->n->plan, g->memory, UNKNOWN_STEP, SEARCH_REFINEMENTS);
        search_along(g);
        busy = false;
        for (size_t lane = 0; lane < g->count; lane++) {
            search_take_over(g, lane);
            busy = busy || search_is_busy(g, lane);
        }
    }
}

/* A sample that has not arrived, or at something further away, begins again where it began, closer to its bounds. */
static bool search_begins_again(struct search_group *g, size_t lane) {
    const struct nearest_view v = search_view(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->kept <= SEARCH_CERTIFIED && search_is_closer(&v, s))
        return false;
    s->attempt++;
    s->failures = s->iterations = 0;
    s->kept = INFINITY;
    for (size_t j = 0; j < v.plan->outputs; j++)
        *view_column(&v, COLUMN_Y, j) =
            *view_column(&v, s->attempt == 3 && !v.plan->fixed[j] ? COLUMN_RAW : COLUMN_START, j);
    search_go_back(g, lane);
    return true;
}

/* At most plan.stride samples. */
// NOLINTNEXTLINE(readability-non-const-parameter): it is written through the group
static void search_run(const struct backend *kernels, const struct nearest_parts *n, double *memory,
                       struct nearest_sample *samples, size_t count, const struct nearest_watch *watch) {
    struct search_group g = {
        .kernels = kernels, .n = n, .memory = memory, .samples = samples, .count = count, .watch = watch};
    const struct nearest_state fresh = {.kept = INFINITY};
    const int attempts = n->plan.optimal ? SEARCH_ATTEMPTS_OPTIMAL : SEARCH_ATTEMPTS;
    bool again[NEAREST_AT_ONCE], any = true;
    for (size_t lane = 0; lane < count; lane++) {
        search_load(&g, lane);
        g.state[lane] = fresh;
        again[lane] = true;
    }
    search_evaluate(&g, 0);
    for (int attempt = 0; attempt < attempts && any && !g.cut; attempt++) {
        search_evaluate(&g, 1);
        for (size_t lane = 0; lane < count; lane++)
            if (again[lane])
                search_begin(&g, lane);
        search_all(&g);
        any = false;
        for (size_t lane = 0; lane < count && attempt + 1 < attempts && !g.cut; lane++)
            any = (again[lane] = search_begins_again(&g, lane)) || any;
    }
    for (size_t lane = 0; lane < count; lane++)
        search_finish(&g, lane);
}

#endif
