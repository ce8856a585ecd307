/* adjoint.c - the exact gradient of a correction, step by step backwards over LANES samples at once.
 *
 * For one step y+ = y - A' H^-1 W r with H = A A' + eps I, v = H^-1 W r, s = A' v, and p the gradient with respect to y+:
 *
 *     q = H^-1 A p,   t = p - A' q,   g = -D W q          D = 1 on equalities and violated rows, else 0
 *     grad_y  = p + J' g - d/dy [ v' A(y) t - q' A(y) s ]
 *     grad_x += d/dx (g' c) - d/dx [ the same ]
 *     grad_bu = -g above and on equalities,   grad_bl = -g below
 *
 * W, eps and the active rows are constant nearby. With as many unknowns as outputs, K = A' A + eps I, u = K^-1 p gives q = A u and
 * t = eps u, and eps v = W r - A s; only v' A t = (eps v)' A u is needed, so that nothing is divided by eps. From the forward run
 * come the iterates y_k and eps_k alone (the tape); all else is computed again, to the same bits.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"

#include <math.h>
#include <string.h>

static void clear(const struct worker *worker, uint32_t place, int lane, size_t count) {
    for (size_t i = 0; i < count; i++)
        lane_at(worker, place, lane)[i * (size_t)worker->lanes] = 0;
}

/* Where y before the step of this number lies; sets the lane's eps. */
static const double *find_iterate(struct worker *worker, int lane, int step) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    const double *tape = tape_of(layer, worker->batch, own->sample);
    const double *eps = tape + TAPE_HEAD, *iterates = eps + layer->tape_steps;
    if (layer->weighted) {
        own->eps = fabs(eps[step]);
        *lane_at(worker, layer->task.eps, lane) = own->eps;
        mask_set(worker, layer->mask_clip, lane, signbit(eps[step]));
    }
    return iterates + (size_t)step * layer->outputs;
}

static void load_iterate(struct worker *worker, int lane, int step) {
    lane_write(worker, worker->layer->y, lane, worker->layer->outputs, find_iterate(worker, lane, step));
}

/* ---- finishing ---- */

/* grad_x += (d of each row by x)' weights. */
static void pull_rows(const struct worker *worker, int lane, const struct place_matrix *matrix, uint32_t weights,
                      double *grad_x) {
    for (size_t i = 0; i < matrix->rows; i++) {
        double weight = lane_at(worker, weights, lane)[i * (size_t)worker->lanes];
        for (size_t e = matrix->first[i]; weight != 0 && e < matrix->first[i + 1]; e++)
            grad_x[matrix->column[e]] += weight * *lane_at(worker, matrix->place[e], lane);
    }
}

static void pull_fixed(const struct worker *worker, int lane, double *grad_x) {
    const hn_layer *layer = worker->layer;
    const struct place_matrix *matrix = &layer->fixed_x;
    for (size_t f = 0; f < layer->fixed.count; f++) {
        double weight = *lane_at(worker, layer->gradient + layer->fixed.offset[f], lane);
        for (size_t e = matrix->first[f]; e < matrix->first[f + 1]; e++)
            grad_x[matrix->column[e]] += weight * *lane_at(worker, matrix->place[e], lane);
    }
}

static void write_inputs(const struct worker *worker, int lane, double *grad_x) {
    const hn_layer *layer = worker->layer;
    lane_read(worker, layer->grad_x, lane, layer->inputs, grad_x);
    pull_rows(worker, lane, &layer->lower_x, layer->adjoint.grad_lower, grad_x);
    pull_rows(worker, lane, &layer->upper_x, layer->adjoint.grad_upper, grad_x);
    pull_fixed(worker, lane, grad_x);
}

/* The parts of the caller's gradient that belong to one sample; what was not asked for has no numbers. */
struct part {
    double *values;
    size_t count;
};

static void parts_of(const hn_layer *layer, const hn_gradient *gradient, size_t sample, struct part parts[4]) {
    size_t n = layer->outputs, inputs = layer->inputs, m = layer->rows;
    parts[0] = (struct part){gradient->grad_y_raw + sample * n, n};
    parts[1] = gradient->grad_x ? (struct part){gradient->grad_x + sample * inputs, inputs} : (struct part){0};
    parts[2] = gradient->grad_lower ? (struct part){gradient->grad_lower + sample * m, m} : (struct part){0};
    parts[3] = gradient->grad_upper ? (struct part){gradient->grad_upper + sample * m, m} : (struct part){0};
}

static void write_parts(const struct worker *worker, int lane, const struct part parts[4]) {
    const hn_layer *layer = worker->layer;
    if (parts[1].values)
        write_inputs(worker, lane, parts[1].values);
    for (size_t f = 0; f < layer->fixed.count; f++)
        *lane_at(worker, layer->gradient + layer->fixed.offset[f], lane) = 0;
    lane_read(worker, layer->gradient, lane, parts[0].count, parts[0].values);
    lane_read(worker, layer->adjoint.grad_lower, lane, parts[2].count, parts[2].values);
    lane_read(worker, layer->adjoint.grad_upper, lane, parts[3].count, parts[3].values);
}

/* A gradient that is not finite must not reach an optimiser: it becomes 0 and the sample is flagged. */
static void finish_gradient(struct worker *worker, int lane, const hn_gradient *gradient) {
    struct lane *own = &worker->lane[lane];
    if (own->attempt > 0) {
        load_iterate(worker, lane, 0);
        restart_pull(worker, lane, own->attempt);
    }
    struct part parts[4];
    size_t unused;
    parts_of(worker->layer, gradient, own->sample, parts);
    write_parts(worker, lane, parts);
    bool finite = true;
    for (int i = 0; i < 4; i++)
        finite = finite && all_finite(parts[i].values, parts[i].count, &unused);
    for (int i = 0; i < 4 && !finite; i++)
        for (size_t k = 0; k < parts[i].count; k++)
            parts[i].values[k] = 0;
    if (gradient->flagged)
        gradient->flagged[own->sample] =
            !finite || own->attempt == TAPE_TOO_SHORT || report_outcome(worker->batch, own->sample) != HN_OUTCOME_OK;
    own->busy = false;
}

/* ---- loading ---- */

static void open_gradient(struct worker *worker, int lane, const hn_gradient *gradient) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    size_t outputs = layer->outputs;
    const double *tape = tape_of(layer, worker->batch, own->sample);
    own->steps = (int)tape[TAPE_STEPS];
    own->attempt = (int)tape[TAPE_ATTEMPT];
    lane_write(worker, layer->gradient, lane, outputs, gradient->grad_y + own->sample * outputs);
    if (own->attempt < 0) /* a fallback does not depend on y_raw, and a way that is lost has no gradient */
        clear(worker, layer->gradient, lane, outputs);
    clear(worker, layer->grad_x, lane, layer->inputs);
    clear(worker, layer->adjoint.grad_lower, lane, layer->rows);
    clear(worker, layer->adjoint.grad_upper, lane, layer->rows);
    worker_load_inputs(worker, lane, own->sample);
}

/* Row weights belong to the first iterate. */
static void weigh_fresh(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (int lane = 0; lane < worker->lanes; lane++) {
        const struct lane *own = &worker->lane[lane];
        bool fresh = own->busy && own->fresh;
        mask_set(worker, layer->mask_fresh, lane, fresh);
        if (fresh)
            load_iterate(worker, lane, 0);
    }
    worker->backend.run(layer->program, 1, worker->slots);
    worker->backend.rescale(&layer->task, worker->slots, layer->mask_fresh);
}

static bool take_samples(struct worker *worker, const hn_gradient *gradient) {
    bool taken = false;
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        size_t sample;
        if (own->busy || !queue_take(worker->queue, worker->batch->count, &sample))
            continue;
        *own = (struct lane){.busy = true, .fresh = true, .sample = sample};
        open_gradient(worker, lane, gradient);
        taken = true;
    }
    return taken;
}

/* Fills free lanes until every lane has a step to go or no sample is left; false when no lane has one. */
static bool load_gradient(struct worker *worker, const hn_gradient *gradient) {
    const hn_layer *layer = worker->layer;
    bool fresh = false, busy = false;
    while (take_samples(worker, gradient)) {
        worker->backend.run(layer->program, 0, worker->slots);
        for (int lane = 0; lane < worker->lanes; lane++)
            if (worker->lane[lane].busy && worker->lane[lane].steps == 0)
                finish_gradient(worker, lane, gradient);
    }
    for (int lane = 0; lane < worker->lanes; lane++) {
        busy = busy || worker->lane[lane].busy;
        fresh = fresh || (worker->lane[lane].busy && worker->lane[lane].fresh);
    }
    if (fresh && layer->weighted)
        weigh_fresh(worker);
    for (int lane = 0; lane < worker->lanes; lane++)
        worker->lane[lane].fresh = false;
    return busy;
}

/* ---- one step back ---- */

static enum stage stage_of(const struct worker *worker, int lane) {
    bool global = worker->lane[lane].attempt > 0 || mask_get(worker, worker->layer->mask_clip, lane);
    return global ? STAGE_GLOBAL : STAGE_NEAR;
}

static void evaluate_step(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const double *from[LANES] = {NULL};
    for (int lane = 0; lane < worker->lanes; lane++) {
        struct lane *own = &worker->lane[lane];
        mask_set(worker, layer->mask_clip, lane, false);
        if (!own->busy)
            continue;
        from[lane] = find_iterate(worker, lane, --own->steps);
        tape_prefetch(worker, lane, own->steps - 1, false);
    }
    worker->backend.load(worker->slots, layer->y, layer->outputs, from);
    worker->backend.run(layer->program, 1, worker->slots);
    if (!layer->weighted)
        worker->backend.residual_only(&layer->task, worker->slots);
    else {
        bool clips[LANES] = {false};
        worker->backend.residual(&layer->task, worker->slots);
        for (int lane = 0; lane < worker->lanes; lane++) {
            struct lane *own = &worker->lane[lane];
            enum stage stage = stage_of(worker, lane);
            own->leads = own->busy && own->steps == 0 && stage == STAGE_NEAR && control_leads(worker, lane);
            *lane_at(worker, layer->task.hold, lane) = control_hold(worker, lane, stage);
            clips[lane] = own->busy && mask_get(worker, layer->mask_clip, lane);
        }
        worker->backend.weigh(&layer->task, worker->slots, layer->mask_accept);
        worker_hold_bounds(worker, clips);
        worker->backend.shift(&layer->task, worker->slots);
    }
}

/* v and s alone, so that the gradient can go back through the clipping before it meets the system. */
static void solve_forward(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &worker->backend;
    const struct damped *system = &layer->system;
    double *slots = worker->slots;
    if (system->outputs_side) {
        const struct damped_sides sides = {1, {layer->step}, {layer->leaf_s}};
        backend->multiply(&system->by_columns, slots, layer->right, layer->step);
        backend->solve(system, slots, &sides);
    } else {
        const struct damped_sides sides = {1, {layer->right}, {layer->adjoint.v}};
        backend->solve(system, slots, &sides);
        backend->multiply(&system->by_columns, slots, layer->adjoint.v, layer->leaf_s);
    }
}

/* Back through the clipping, where a lane's step was clipped. */
static void unclip(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct unclip_places at = {layer->y, layer->leaf_s, layer->gradient, layer->adjoint.grad_lower,
                                     layer->adjoint.grad_upper};
    bool any = false;
    for (int lane = 0; lane < worker->lanes; lane++)
        any = any || mask_get(worker, layer->mask_clip, lane);
    if (!any)
        return;
    solve_forward(worker);
    worker->backend.unclip(&layer->clip, worker->slots, &at, layer->mask_clip);
}

/* q, v, t, s with one unknown per row. */
static void solve_rows(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &worker->backend;
    const struct damped *system = &layer->system;
    double *slots = worker->slots;
    backend->multiply(&system->by_rows, slots, layer->gradient, layer->work);
    const struct damped_sides sides = {2, {layer->right, layer->work}, {layer->adjoint.v, layer->adjoint.q}};
    backend->solve(system, slots, &sides);
    const uint32_t from[2] = {layer->adjoint.q, layer->adjoint.v}, to[2] = {layer->step, layer->leaf_s};
    backend->multiply_two(&system->by_columns, slots, from, to);
    backend->subtract(slots, layer->gradient, layer->step, layer->leaf_t, layer->outputs);
}

/* q, eps v, t / eps, s with one unknown per output. */
static void solve_outputs(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &worker->backend;
    const struct damped *system = &layer->system;
    double *slots = worker->slots;
    backend->multiply(&system->by_columns, slots, layer->right, layer->step);
    const struct damped_sides sides = {2, {layer->step, layer->gradient}, {layer->leaf_s, layer->leaf_t}};
    backend->solve(system, slots, &sides);
    const uint32_t from[2] = {layer->leaf_t, layer->leaf_s}, to[2] = {layer->adjoint.q, layer->work};
    backend->multiply_two(&system->by_rows, slots, from, to);
    backend->subtract(slots, layer->right, layer->work, layer->adjoint.v, layer->rows);
}

/* What eps owes to r: (q' v) d(eps)/dr, where eps follows |W r|. On the outputs' side v is eps times what it should be. */
static void weigh_damping(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    worker->backend.inner(worker->slots, layer->adjoint.q, layer->adjoint.v, layer->rows, layer->adjoint.damped);
    for (int lane = 0; lane < worker->lanes; lane++) {
        double *damped = lane_at(worker, layer->adjoint.damped, lane), slope = 0;
        if (worker->lane[lane].busy)
            slope = control_slope(worker, lane, stage_of(worker, lane));
        if (slope != 0 && layer->system.outputs_side)
            slope /= worker->lane[lane].eps;
        *damped = slope != 0 ? *damped * slope : 0;
    }
}

static void step_back(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &worker->backend;
    double *slots = worker->slots;
    evaluate_step(worker);
    if (layer->weighted)
        unclip(worker);
    if (layer->system.outputs_side)
        solve_outputs(worker);
    else
        solve_rows(worker);
    if (layer->weighted)
        weigh_damping(worker);
    backend->adjoint_rows(&layer->task, &layer->adjoint, slots, worker->bounds);
    backend->run(layer->program, 2, slots);
    backend->multiply_subtract(&layer->system.by_columns, slots, layer->adjoint.kept,
                               layer->gradient); /* J' g = -A' D q */
    backend->scatter_subtract(slots, layer->bracket_y.place, layer->bracket_y.offset, layer->bracket_y.count,
                              layer->gradient);
    backend->scatter_subtract(slots, layer->pull_x.place, layer->pull_x.offset, layer->pull_x.count, layer->grad_x);
    backend->scatter_subtract(slots, layer->bracket_x.place, layer->bracket_x.offset, layer->bracket_x.count,
                              layer->grad_x);
}

/* Whether anything asks for the gradient of a bound. */
static bool wants_bounds(const hn_layer *layer, const hn_gradient *gradient) {
    bool through = layer->lower_x.first[layer->rows] > 0 || layer->upper_x.first[layer->rows] > 0;
    return gradient->grad_lower || gradient->grad_upper || (gradient->grad_x && through);
}

void worker_gradient(struct worker *worker, const hn_gradient *gradient) {
    worker->bounds = wants_bounds(worker->layer, gradient);
    for (int lane = 0; lane < worker->lanes; lane++)
        mask_set(worker, worker->layer->mask_accept, lane, true);
    while (load_gradient(worker, gradient)) {
        step_back(worker);
        for (int lane = 0; lane < worker->lanes; lane++)
            if (worker->lane[lane].busy && worker->lane[lane].steps == 0)
                finish_gradient(worker, lane, gradient);
    }
}
