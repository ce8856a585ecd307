/* nearest_lanes.c - see nearest.h: the search of up to plan.stride samples side by side.
 *
 *     evaluate    c and J at every sample's point, then the Hessian with its multipliers
 *     prepare     errors, mu, the system; a sample may go over to polishing, or end
 *     solve       factor, again with a larger delta where the signs of the pivots are wrong; solution, refined twice
 *     search      lengths of steps, each with an evaluation of all samples; those that have theirs stay where they are
 *
 * SPDX-License-Identifier: MIT */
#include "base/lanes.h"
#include "base/layout.h"
#include "nearest/nearest.h"
#include "nearest/nearest_polish.h"
#include "nearest/nearest_rows.h"

#include <string.h>

enum {
    MOST_ITERATIONS = 80,
    MOST_FACTORS = 24,
    MOST_FAILURES = 3,
    REFINEMENTS = 2,
    ATTEMPTS = 3,
    ATTEMPTS_OPTIMAL = 4
};
static const double CERTIFIED = 1e-8;   /* residual of the optimality conditions */
static const double POLISH_FROM = 1e-3; /* of the first mu */
static const double FIRST_DELTA = 1e-3; /* of the largest S^2 */

/* The samples of one call. */
struct group {
    const struct nearest *n;
    double *memory;
    struct nearest_sample *samples;
    size_t count;
    const struct nearest_watch *watch;
    bool cut; /* the watch has ended it */
    struct nearest_state state[LANES];
};

static struct nearest_view view_of(const struct group *g, size_t lane) {
    return nearest_view_of(&g->n->plan, g->memory, lane);
}

static bool is_busy(const struct group *g, size_t lane) {
    return g->state[lane].doing != NEAREST_IDLE;
}

static void run_phase(const struct group *g, int phase) {
    g->n->backend.run(g->n->plan.program, phase, g->memory);
}

static uint32_t unknown_vector(const struct nearest *n, size_t which) {
    const struct nearest_plan *p = &n->plan;
    return (uint32_t)(p->by_unknowns + which * (p->outputs + p->rows) * p->stride);
}

/* ---- the beginning ---- */

static void write_y(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    for (size_t j = 0; j < p->outputs; j++)
        v->at[p->y + j * p->stride] = *view_column(v, which, j);
}

static void load(const struct group *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_sample *sample = &g->samples[lane];
    for (size_t i = 0; i < p->inputs; i++)
        v.at[p->x + i * p->stride] = sample->x[i];
    for (size_t j = 0; j < p->outputs; j++) {
        *view_column(&v, COLUMN_RAW, j) = sample->raw[j];
        *view_column(&v, COLUMN_START, j) = *view_column(&v, COLUMN_Y, j) = sample->y[j];
    }
    write_y(&v, COLUMN_Y);
}

/* After the evaluation at the start. One that needs no search has multipliers of 0. */
static void begin(struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
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

static void set_multipliers(const struct nearest_view *v, size_t which) {
    const struct nearest_plan *p = v->plan;
    for (size_t i = 0; i < p->rows; i++)
        v->at[p->lambda + i * p->stride] = -*view_row(v, which, i) * *view_row(v, ROW_UNIT, i);
    if (p->optimal)
        v->at[p->sigma] = *view_number(v, NUMBER_UNIT);
}

/* The iterate, where c and J were evaluated: keep it, lower mu, polish or end. */
static void look(struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->doing != NEAREST_DESCENDS)
        return;
    barrier_lower_mu(&v, s);
    polish_keep(&v, s, ROW_MULTIPLIER, polish_residual_of(&v, ROW_MULTIPLIER, s->largest));
    if (s->mu <= POLISH_FROM * s->first_mu && s->mu < s->polished_mu) {
        polish_begin(&v, s);
        s->doing = NEAREST_POLISHES;
    } else if (++s->iterations > MOST_ITERATIONS || s->failures > MOST_FAILURES)
        s->doing = NEAREST_IDLE;
}

static void assemble(const struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_plan *p = v.plan;
    for (size_t i = 0; is_busy(g, lane) && i < p->rows; i++)
        for (size_t e = p->first[i]; e < p->first[i + 1]; e++)
            v.at[p->matrix + e * p->stride] = row_entry(&v, i, e);
    if (g->state[lane].doing == NEAREST_POLISHES)
        polish_assemble(&v);
    else if (g->state[lane].doing == NEAREST_DESCENDS)
        barrier_assemble(&v, &g->state[lane]);
}

/* ---- solving ---- */

static bool has_signs(const struct group *g, size_t lane) {
    const struct nearest_plan *p = &g->n->plan;
    const double *summary = g->memory + p->system.summary + lane;
    return summary[(size_t)SIGNED_POSITIVE * p->stride] == (double)p->outputs &&
           summary[(size_t)SIGNED_LOST * p->stride] == 0;
}

/* A larger delta for a sample whose pivots have wrong signs; a polish ends there. true: factor again. */
static bool damp(struct group *g, size_t lane) {
    struct nearest_state *s = &g->state[lane];
    const struct nearest_view v = view_of(g, lane);
    double least = FIRST_DELTA * *view_number(&v, NUMBER_CURVATURE);
    if (!is_busy(g, lane) || has_signs(g, lane))
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

static void factor(struct group *g) {
    bool again = true;
    for (size_t lane = 0; lane < g->count; lane++)
        g->state[lane].delta = 0;
    for (size_t lane = 0; lane < g->count; lane++)
        assemble(g, lane);
    for (int k = 0; k < MOST_FACTORS && again; k++) {
        again = false;
        g->n->backend.signed_factor(&g->n->plan.system, g->memory);
        for (size_t lane = 0; lane < g->count; lane++) {
            g->state[lane].factorisations += k == 0 && is_busy(g, lane);
            bool wrong = damp(g, lane);
            g->state[lane].factorisations += wrong && k + 1 < MOST_FACTORS;
            again = wrong || again;
        }
    }
}

/* ---- the search along the step ---- */

/* Puts the sample back to its iterate. */
static void go_back(const struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    write_y(&v, COLUMN_Y);
}

static void begin_step(struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    struct nearest_state *s = &g->state[lane];
    s->settled = true;
    if (s->doing == NEAREST_POLISHES) {
        if (s->polish < 0 || !polish_step(&v)) {
            s->doing = NEAREST_DESCENDS;
            s->polish = -1;
            go_back(g, lane);
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
static void solve_second(struct group *g, const bool *asked) {
    uint32_t right = unknown_vector(g->n, UNKNOWN_RIGHT), step = unknown_vector(g->n, UNKNOWN_STEP2);
    for (size_t lane = 0; lane < g->count; lane++) {
        const struct nearest_view v = view_of(g, lane);
        if (asked[lane]) {
            g->state[lane].way = 1;
            barrier_right(&v, &g->state[lane]);
        }
    }
    g->n->backend.signed_solve(&g->n->plan.system, g->memory, right, step);
    for (size_t lane = 0; lane < g->count; lane++) {
        const struct nearest_view v = view_of(g, lane);
        if (asked[lane]) {
            barrier_second(&v, &g->state[lane]);
            barrier_try(&v, &g->state[lane]);
        }
    }
}

/* After an evaluation; true where a length is still to be found. */
static bool judge(struct group *g, size_t lane, bool *second) {
    const struct nearest_view v = view_of(g, lane);
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
        go_back(g, lane);
        return true; /* c and J at the iterate again */
    case BARRIER_SECOND:
        *second = true;
        return true;
    default:
        barrier_try(&v, s);
        return true;
    }
}

static void search(struct group *g) {
    bool second[LANES] = {false}, any = true;
    for (size_t lane = 0; lane < g->count; lane++)
        begin_step(g, lane);
    while (any) {
        bool asked = false;
        run_phase(g, 1);
        any = false;
        for (size_t lane = 0; lane < g->count; lane++) {
            any = judge(g, lane, &second[lane]) || any;
            asked = asked || second[lane];
        }
        if (asked)
            solve_second(g, second);
    }
}

/* Moves to what the search found; a polish goes on or ends. */
static void take_over(struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->doing == NEAREST_DESCENDS && s->polish >= 0 && s->length > 0)
        barrier_accept(&v, s);
    s->polish = s->polish < 0 ? 0 : s->polish;
    if (s->doing == NEAREST_POLISHES && !polish_judge(&v, s)) {
        s->doing = s->kept <= CERTIFIED ? NEAREST_IDLE : NEAREST_DESCENDS;
        go_back(g, lane);
    }
}

/* ---- the end ---- */

static double energy(const struct nearest_view *v, size_t which) {
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
static bool is_closer(const struct nearest_view *v, const struct nearest_state *s) {
    double worth = 0, before = energy(v, COLUMN_START);
    for (size_t i = 0; i < v->plan->rows; i++)
        worth += fabs(*view_row(v, ROW_KEPT, i) * *view_row(v, ROW_UNIT, i)) * *view_row(v, ROW_START, i);
    if (v->plan->optimal)
        return s->kept_cost <= s->start_cost + worth / *view_number(v, NUMBER_UNIT) + 0x1p-40 * fabs(s->start_cost);
    return energy(v, COLUMN_KEPT) <= before + 2 * worth + 0x1p-40 * before;
}

static void finish(const struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    const struct nearest_state *s = &g->state[lane];
    struct nearest_sample *sample = &g->samples[lane];
    bool taken = s->kept <= CERTIFIED && is_closer(&v, s);
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
static bool ended(struct group *g) {
    g->cut = g->cut || (g->watch && g->watch->ends(g->watch->context));
    return g->cut;
}

static void search_all(struct group *g) {
    bool busy = true;
    while (busy && !ended(g)) {
        run_phase(g, 1);
        for (size_t lane = 0; lane < g->count; lane++) {
            const struct nearest_view v = view_of(g, lane);
            look(g, lane);
            set_multipliers(&v, g->state[lane].doing == NEAREST_POLISHES ? ROW_POLISH : ROW_MULTIPLIER);
        }
        nearest_bend(g->n, g->memory);
        factor(g);
        nearest_solve(g->n, g->memory);
        search(g);
        busy = false;
        for (size_t lane = 0; lane < g->count; lane++) {
            take_over(g, lane);
            busy = busy || is_busy(g, lane);
        }
    }
}

/* A sample that has not arrived, or at something further away, begins again where it began, closer to its bounds. */
static bool begins_again(struct group *g, size_t lane) {
    const struct nearest_view v = view_of(g, lane);
    struct nearest_state *s = &g->state[lane];
    if (s->kept <= CERTIFIED && is_closer(&v, s))
        return false;
    s->attempt++;
    s->failures = s->iterations = 0;
    s->kept = INFINITY;
    for (size_t j = 0; j < v.plan->outputs; j++)
        *view_column(&v, COLUMN_Y, j) =
            *view_column(&v, s->attempt == 3 && !v.plan->fixed[j] ? COLUMN_RAW : COLUMN_START, j);
    go_back(g, lane);
    return true;
}

// NOLINTNEXTLINE(readability-non-const-parameter): it is written through the group
void nearest_run(const struct nearest *n, double *memory, struct nearest_sample *samples, size_t count,
                 const struct nearest_watch *watch) {
    struct group g = {.n = n, .memory = memory, .samples = samples, .count = count, .watch = watch};
    const int attempts = n->plan.optimal ? ATTEMPTS_OPTIMAL : ATTEMPTS;
    bool again[LANES], any = true;
    for (size_t lane = 0; lane < count; lane++) {
        load(&g, lane);
        g.state[lane] = (struct nearest_state){.kept = INFINITY};
        again[lane] = true;
    }
    run_phase(&g, 0);
    for (int attempt = 0; attempt < attempts && any && !g.cut; attempt++) {
        run_phase(&g, 1);
        for (size_t lane = 0; lane < count; lane++)
            if (again[lane])
                begin(&g, lane);
        search_all(&g);
        any = false;
        for (size_t lane = 0; lane < count && attempt + 1 < attempts && !g.cut; lane++)
            any = (again[lane] = begins_again(&g, lane)) || any;
    }
    for (size_t lane = 0; lane < count; lane++)
        finish(&g, lane);
}

/* ---- life ---- */

/* The Hessian's entries in the program, unless they are too many. */
static hn_status create_plan(struct nearest *n, const hn_model *model, const struct nearest_goal *goal, uint32_t stride,
                             hn_error *error) {
    hn_error own = {.status = HN_OK};
    hn_status status = goal->by_products ? HN_LIMIT : nearest_plan_create(&n->plan, model, goal, NULL, stride, &own);
    if (status != HN_LIMIT) {
        if (status != HN_OK && error)
            *error = own;
        return status;
    }
    status = nearest_products_create(&n->products, model, goal->optimal, stride, error);
    return status == HN_OK ? nearest_plan_create(&n->plan, model, goal, &n->products, stride, error) : status;
}

static size_t aligned(size_t bytes) {
    return (bytes + LAYOUT_ALIGNMENT - 1) / LAYOUT_ALIGNMENT * LAYOUT_ALIGNMENT;
}

hn_status nearest_create(struct nearest *n, const hn_model *model, const struct nearest_goal *goal,
                         hn_instructions instructions, bool alone, hn_error *error) {
    *n = (struct nearest){.plan = {.stride = 0}};
    hn_status status = backend_choose(&n->backend, instructions, error);
    if (alone)
        n->backend = backend_single();
    if (status == HN_OK)
        status = create_plan(n, model, goal, alone ? 1 : LANES, error);
    if (status == HN_OK)
        status = nearest_inputs_create(&n->by_inputs, model, goal->optimal, alone ? 1 : LANES, error);
    n->products_at = aligned(n->plan.bytes) / sizeof(double);
    n->inputs_at = n->products_at + aligned(n->products.bytes) / sizeof(double);
    n->bytes = n->inputs_at * sizeof(double) + n->by_inputs.bytes;
    return status;
}

void nearest_release(struct nearest *n) {
    nearest_plan_release(&n->plan);
    nearest_products_release(&n->products);
    nearest_inputs_release(&n->by_inputs);
}

void nearest_begin(const struct nearest *n, double *memory) {
    nearest_plan_prepare(&n->plan, memory);
    if (n->products.program) {
        memset(memory + n->products_at, 0, n->products.bytes);
        program_prepare(n->products.program, memory + n->products_at);
    }
    if (n->by_inputs.program)
        program_prepare(n->by_inputs.program, memory + n->inputs_at);
}

void nearest_solve(const struct nearest *n, double *memory) {
    const struct backend *b = &n->backend;
    const struct signed_system *system = &n->plan.system;
    uint32_t right = unknown_vector(n, UNKNOWN_RIGHT), rest = unknown_vector(n, UNKNOWN_REST);
    uint32_t step = unknown_vector(n, UNKNOWN_STEP);
    b->signed_solve(system, memory, right, step);
    for (int k = 0; k < REFINEMENTS; k++) {
        b->signed_residual(system, memory, right, step, rest);
        b->signed_solve(system, memory, rest, rest);
        b->add(memory, rest, step, system->order);
    }
}

void nearest_bend(const struct nearest *n, double *memory) {
    const struct nearest_plan *p = &n->plan;
    const struct product_places places = {memory, p->x, p->y, p->sigma, p->lambda, p->hessian};
    n->backend.run(p->program, 2, memory);
    if (n->products.program)
        nearest_products_run(&n->products, &n->backend, memory + n->products_at, &places);
}
