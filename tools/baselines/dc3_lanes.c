/* dc3_lanes.c - see dc3.h; LANES samples side by side.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/dc3.h"

#include "baselines/completion_lanes.h"

#include <math.h>
#include <string.h>

/* The samples of one call, a lane each. */
struct group {
    const struct completion *completion;
    const struct baseline_program *program;
    double *slots;
    const struct dc3_settings *settings;
    struct dc3_sample *samples;
    size_t count;
    struct held held;
    bool moves[LANES]; /* lanes that take the present step */
};

static struct group group_of(const struct completion *c, double *slots, const struct dc3_settings *settings,
                             struct dc3_sample *samples, size_t count) {
    const struct held held = {settings->tolerance, settings->relative};
    return (struct group){c, &c->program, slots, settings, samples, count, held, {false}};
}

static bool any_moves(const struct group *g) {
    bool any = false;
    for (size_t lane = 0; lane < g->count; lane++)
        any = any || g->moves[lane];
    return any;
}

static void load_inputs(const struct group *g) {
    const double *x[LANES] = {NULL};
    for (size_t lane = 0; lane < g->count; lane++)
        x[lane] = g->samples[lane].x;
    completion_load(g->completion, g->slots, x);
}

static double *at(const struct group *g, uint32_t offset, size_t entry, size_t lane) {
    return g->slots + offset + entry * LANES + lane;
}

/* ---- V ---- */

/* 2 r in the rows that are not solved, as multipliers; and V_y with them. */
static void slope(const struct group *g) {
    const struct completion *c = g->completion;
    uint32_t v = g->program->v;
    for (size_t i = 0; i < g->program->rows; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            *at(g, v, i, lane) = c->solved[i] ? 0 : 2 * *at(g, c->residual, i, lane);
    g->completion->backend.multiply(&c->by_columns, g->slots, v, c->gradient);
}

/* ---- forward ---- */

static void unload(const struct group *g, uint32_t offset, double *const *to) {
    g->completion->backend.unload(g->slots, offset, g->program->outputs, to);
}

/* The raw outputs, completed, into their samples and into y. */
static void complete_raw(struct group *g) {
    const struct completion *c = g->completion;
    double *raw[LANES] = {NULL}, *y[LANES] = {NULL};
    bool wanted[LANES] = {false}, found[LANES] = {false};
    load_inputs(g);
    for (size_t lane = 0; lane < g->count; lane++) {
        wanted[lane] = true;
        for (size_t k = 0; k < c->width; k++)
            *at(g, g->program->y, c->independent[k], lane) = g->samples[lane].raw[c->independent[k]];
        raw[lane] = g->samples[lane].raw;
        y[lane] = g->samples[lane].y;
    }
    unload(g, g->program->y, raw); /* what stays when it cannot be completed */
    completion_solve(c, g->slots, &g->held, wanted, found);
    for (size_t lane = 0; lane < g->count; lane++) {
        g->samples[lane].completed = g->moves[lane] = found[lane];
        g->samples[lane].steps = 0;
        if (found[lane])
            continue;
        memcpy(y[lane], raw[lane], g->program->outputs * sizeof *y[lane]);
        raw[lane] = y[lane] = NULL;
    }
    unload(g, g->program->y, raw);
    unload(g, g->program->y, y);
}

/* Samples end where the rows that are not solved hold, too. */
static void judge(struct group *g) {
    for (size_t lane = 0; lane < g->count; lane++) {
        double violation =
            g->moves[lane] ? completion_violation(g->completion, g->slots, lane, false, g->held.relative) : 0;
        g->moves[lane] = violation > g->held.tolerance; /* which no NaN is */
    }
}

static void measure_raw(const struct group *g) {
    for (size_t lane = 0; lane < g->count; lane++) {
        double solved = completion_violation(g->completion, g->slots, lane, true, false);
        double others = completion_violation(g->completion, g->slots, lane, false, false);
        bool finite = g->samples[lane].completed && isfinite(solved + others);
        g->samples[lane].before = finite ? fmax(solved, others) : (double)INFINITY;
    }
}

/* z - s with s = rate V'(z) + momentum s, in the lanes that move; y before that goes onto the tape. */
static void dc3_lanes_take_step(const struct group *g) {
    const struct completion *c = g->completion;
    uint32_t step = c->memory[0];
    double *tape[LANES] = {NULL};
    for (size_t lane = 0; lane < g->count; lane++)
        if (g->moves[lane] && g->samples[lane].tape)
            tape[lane] = g->samples[lane].tape + (size_t)g->samples[lane].steps * g->program->outputs;
    unload(g, g->program->y, tape);
    slope(g);
    completion_fold(c, g->slots, c->gradient);
    for (size_t k = 0; k < c->width; k++)
        for (size_t lane = 0; lane < LANES; lane++) {
            double *s = at(g, step, c->independent[k], lane);
            *s = g->settings->rate * *at(g, c->gradient, c->independent[k], lane) + g->settings->momentum * *s;
            if (g->moves[lane])
                *at(g, g->program->y, c->independent[k], lane) -= *s;
        }
}

/* A lane that cannot be completed after its step ends before it. */
static void complete_step(struct group *g) {
    double *y[LANES] = {NULL};
    const double *back[LANES] = {NULL};
    bool found[LANES] = {false}, lost = false;
    completion_solve(g->completion, g->slots, &g->held, g->moves, found);
    for (size_t lane = 0; lane < g->count; lane++) {
        if (g->moves[lane] && found[lane]) {
            y[lane] = g->samples[lane].y;
            g->samples[lane].steps++;
        }
        lost = lost || (g->moves[lane] && !found[lane]);
        g->moves[lane] = g->moves[lane] && found[lane];
        back[lane] = g->samples[lane].y;
    }
    unload(g, g->program->y, y);
    if (lost) /* all lanes get what their samples have: the same bits for those that go on */
        g->completion->backend.load(g->slots, g->program->y, g->program->outputs, back);
}

static void run_group(const struct completion *c, double *slots, const struct dc3_settings *settings,
                      struct dc3_sample *samples, size_t count) {
    struct group g = group_of(c, slots, settings, samples, count);
    complete_raw(&g);
    measure_raw(&g);
    judge(&g);
    memset(slots + c->memory[0], 0, c->program.outputs * LANES * sizeof *slots);
    for (int k = 0; k < settings->steps && any_moves(&g); k++) {
        dc3_lanes_take_step(&g);
        complete_step(&g);
        judge(&g);
    }
}

static size_t group_size(size_t count, size_t first) {
    return count - first < LANES ? count - first : LANES;
}

void dc3_run(const struct completion *c, double *slots, const struct dc3_settings *settings, struct dc3_sample *samples,
             size_t count) {
    for (size_t first = 0; first < count; first += LANES)
        run_group(c, slots, settings, samples + first, group_size(count, first));
}

/* ---- the way back ---- */

/* c, J and r where each lane was before its step k, or in the end where it has taken no more than k. */
static void return_to(struct group *g, int k) {
    const double *y[LANES] = {NULL};
    for (size_t lane = 0; lane < g->count; lane++) {
        const struct dc3_sample *sample = &g->samples[lane];
        g->moves[lane] = sample->completed && k < sample->steps;
        y[lane] = g->moves[lane] ? sample->tape + (size_t)k * g->program->outputs : sample->y;
    }
    g->completion->backend.load(g->slots, g->program->y, g->program->outputs, y);
    completion_evaluate(g->completion, g->slots);
}

/* Multipliers of the rows that are solved, and how y moves along them when z moves by the direction t: h_w dw = -h_z t. */
static void find_tangent(const struct group *g) {
    const struct completion *c = g->completion;
    const struct backend *backend = &g->completion->backend;
    const struct damped_sides sides = {2, {c->right[0], c->right[1]}, {c->unknown[0], c->unknown[1]}};
    backend->multiply(&c->system.by_rows, g->slots, c->gradient, c->right[0]);
    backend->multiply(&c->by_rows, g->slots, g->program->t, c->right[1]);
    backend->solve(&c->system, g->slots, &sides);
    backend->multiply(&c->system.by_columns, g->slots, c->unknown[1], c->step);
    backend->subtract(g->slots, g->program->t, c->step, g->program->t, g->program->outputs);
    for (size_t i = 0; i < g->program->rows; i++)
        for (size_t lane = 0; c->solved[i] && lane < LANES; lane++)
            *at(g, g->program->v, i, lane) = -*at(g, c->unknown[0], i, lane);
}

/* -V''(z) t into the gradient's independent entries; t is in the leaf of the second derivatives. */
static void curve(const struct group *g) {
    const struct completion *c = g->completion;
    const struct backend *backend = &g->completion->backend;
    slope(g);
    find_tangent(g);
    backend->run(g->program->program, 2, g->slots);
    memset(g->slots + c->gradient, 0, g->program->outputs * LANES * sizeof *g->slots);
    backend->scatter_subtract(g->slots, g->program->bracket.at, g->program->bracket.entry, g->program->bracket.count,
                              c->gradient);
    backend->multiply(&c->by_rows, g->slots, g->program->t, c->right[0]);
    for (size_t i = 0; i < g->program->rows; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            bool violated = !c->solved[i] && *at(g, c->residual, i, lane) != 0;
            *at(g, c->right[0], i, lane) *= violated ? 2 : 0;
        }
    backend->multiply_subtract(&c->by_columns, g->slots, c->right[0], c->gradient);
    completion_fold(c, g->slots, c->gradient);
}

/* Back over step k: s' = momentum s' - z', z' += rate V''(z) s', where s' and z' are the gradients by s and z. */
static void step_back(struct group *g, int k) {
    const struct completion *c = g->completion;
    const uint32_t by_z = c->memory[0], by_s = c->memory[1];
    return_to(g, k);
    memset(g->slots + g->program->t, 0, g->program->outputs * LANES * sizeof *g->slots);
    for (size_t i = 0; i < c->width; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            double *s = at(g, by_s, c->independent[i], lane);
            if (g->moves[lane])
                *s = g->settings->momentum * *s - *at(g, by_z, c->independent[i], lane);
            *at(g, g->program->t, c->independent[i], lane) = *s;
        }
    curve(g);
    for (size_t i = 0; i < c->width; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            if (g->moves[lane])
                *at(g, by_z, c->independent[i], lane) -=
                    g->settings->rate * *at(g, c->gradient, c->independent[i], lane);
}

static void write_gradients(const struct group *g) {
    const struct completion *c = g->completion;
    for (size_t lane = 0; lane < g->count; lane++) {
        struct dc3_sample *sample = &g->samples[lane];
        memset(sample->grad_raw, 0, g->program->outputs * sizeof *sample->grad_raw);
        for (size_t i = 0; sample->completed && i < c->width; i++)
            sample->grad_raw[c->independent[i]] = *at(g, c->memory[0], c->independent[i], lane);
    }
}

static void pull_group(const struct completion *c, double *slots, const struct dc3_settings *settings,
                       struct dc3_sample *samples, size_t count) {
    struct group g = group_of(c, slots, settings, samples, count);
    const double *grad[LANES] = {NULL};
    int most = 0;
    for (size_t lane = 0; lane < count; lane++) {
        grad[lane] = samples[lane].grad_y;
        most = samples[lane].steps > most ? samples[lane].steps : most;
    }
    load_inputs(&g);
    return_to(&g, most);
    c->backend.load(slots, c->memory[0], c->program.outputs, grad);
    memset(slots + c->memory[1], 0, c->program.outputs * LANES * sizeof *slots);
    completion_fold(c, slots, c->memory[0]);
    for (int k = most - 1; k >= 0; k--)
        step_back(&g, k);
    write_gradients(&g);
}

void dc3_gradient(const struct completion *c, double *slots, const struct dc3_settings *settings,
                  struct dc3_sample *samples, size_t count) {
    for (size_t first = 0; first < count; first += LANES)
        pull_group(c, slots, settings, samples + first, group_size(count, first));
}
