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

static const hn_report *report_of(const struct worker *worker, int lane) {
    return &worker->batch->reports[worker->lane[lane].sample];
}

/* Whether the returned y depends on y_raw at all; a fallback does not. */
static bool came_through(const hn_report *report) {
    return report->outcome != HN_OUTCOME_BAD_BOUNDS && report->outcome != HN_OUTCOME_NONFINITE_INPUT;
}

static void clear(const struct worker *worker, uint32_t place, int lane, size_t count) {
    for (size_t i = 0; i < count; i++)
        lane_at(worker, place, lane)[i * LANES] = 0;
}

/* ---- finishing ---- */

/* grad_x += (d of each row by x)' weights. */
static void pull_rows(const struct worker *worker, int lane, const struct place_matrix *matrix, uint32_t weights,
                      double *grad_x) {
    for (size_t i = 0; i < matrix->rows; i++) {
        double weight = lane_at(worker, weights, lane)[i * LANES];
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
        gradient->flagged[own->sample] = !finite || report_of(worker, lane)->outcome != HN_OUTCOME_OK;
    own->busy = false;
}

/* ---- loading ---- */

static void open_gradient(struct worker *worker, int lane, const hn_gradient *gradient) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    size_t outputs = layer->outputs;
    const hn_report *report = report_of(worker, lane);
    own->steps = came_through(report) ? (int)*tape_of(layer, worker->batch, own->sample) : 0;
    lane_write(worker, layer->gradient, lane, outputs, gradient->grad_y + own->sample * outputs);
    if (!came_through(report))
        clear(worker, layer->gradient, lane, outputs);
    clear(worker, layer->grad_x, lane, layer->inputs);
    clear(worker, layer->adjoint.grad_lower, lane, layer->rows);
    clear(worker, layer->adjoint.grad_upper, lane, layer->rows);
    worker_load_inputs(worker, lane, own->sample);
}

static void load_iterate(struct worker *worker, int lane, int step) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    const double *tape = tape_of(layer, worker->batch, own->sample);
    size_t most = (size_t)layer->options.iterations;
    lane_write(worker, layer->y, lane, layer->outputs, tape + 1 + most + (size_t)step * layer->outputs);
    own->eps = tape[1 + (size_t)step];
    *lane_at(worker, layer->task.eps, lane) = own->eps;
}

/* Row weights belong to the first iterate. */
static void weigh_fresh(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (int lane = 0; lane < LANES; lane++) {
        const struct lane *own = &worker->lane[lane];
        bool fresh = own->busy && own->fresh;
        mask_set(worker, layer->mask_fresh, lane, fresh);
        if (fresh)
            load_iterate(worker, lane, 0);
    }
    layer->backend.run(layer->program, 1, worker->slots);
    layer->backend.rescale(&layer->task, worker->slots, layer->mask_fresh);
}

static bool take_samples(struct worker *worker, const hn_gradient *gradient) {
    bool taken = false;
    for (int lane = 0; lane < LANES; lane++) {
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
        layer->backend.run(layer->program, 0, worker->slots);
        for (int lane = 0; lane < LANES; lane++)
            if (worker->lane[lane].busy && worker->lane[lane].steps == 0)
                finish_gradient(worker, lane, gradient);
    }
    for (int lane = 0; lane < LANES; lane++) {
        busy = busy || worker->lane[lane].busy;
        fresh = fresh || (worker->lane[lane].busy && worker->lane[lane].fresh);
    }
    if (fresh && layer->weighted)
        weigh_fresh(worker);
    for (int lane = 0; lane < LANES; lane++)
        worker->lane[lane].fresh = false;
    return busy;
}

/* ---- one step back ---- */

static void evaluate_step(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    for (int lane = 0; lane < LANES; lane++) {
        struct lane *own = &worker->lane[lane];
        mask_set(worker, layer->mask_accept, lane, true);
        if (own->busy)
            load_iterate(worker, lane, --own->steps);
    }
    layer->backend.run(layer->program, 1, worker->slots);
    layer->backend.residual(&layer->task, worker->slots);
    if (layer->weighted) {
        layer->backend.weigh(&layer->task, worker->slots, layer->mask_accept);
        layer->backend.shift(&layer->task, worker->slots);
    }
}

/* q, v, t, s with one unknown per row. */
static void solve_rows(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &layer->backend;
    const struct damped *system = &layer->system;
    double *slots = worker->slots;
    backend->multiply(&system->by_rows, slots, layer->gradient, layer->work);
    const struct damped_sides sides = {2, {layer->right, layer->work}, {layer->adjoint.v, layer->adjoint.q}};
    backend->solve(system, slots, &sides);
    backend->multiply(&system->by_columns, slots, layer->adjoint.q, layer->step);
    backend->subtract(slots, layer->gradient, layer->step, layer->leaf_t, layer->outputs);
    backend->multiply(&system->by_columns, slots, layer->adjoint.v, layer->leaf_s);
}

/* q, eps v, t / eps, s with one unknown per output. */
static void solve_outputs(const struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &layer->backend;
    const struct damped *system = &layer->system;
    double *slots = worker->slots;
    backend->multiply(&system->by_columns, slots, layer->right, layer->step);
    const struct damped_sides sides = {2, {layer->step, layer->gradient}, {layer->leaf_s, layer->leaf_t}};
    backend->solve(system, slots, &sides);
    backend->multiply(&system->by_rows, slots, layer->leaf_t, layer->adjoint.q);
    backend->multiply(&system->by_rows, slots, layer->leaf_s, layer->work);
    backend->subtract(slots, layer->right, layer->work, layer->adjoint.v, layer->rows);
}

static void step_back(struct worker *worker) {
    const hn_layer *layer = worker->layer;
    const struct backend *backend = &layer->backend;
    double *slots = worker->slots;
    evaluate_step(worker);
    if (layer->system.outputs_side)
        solve_outputs(worker);
    else
        solve_rows(worker);
    backend->adjoint_rows(&layer->task, &layer->adjoint, slots);
    backend->run(layer->program, 2, slots);
    backend->multiply(&layer->system.by_columns, slots, layer->adjoint.kept, layer->step); /* -J' g = A' D q */
    backend->subtract(slots, layer->gradient, layer->step, layer->gradient, layer->outputs);
    backend->scatter_subtract(slots, layer->bracket_y.place, layer->bracket_y.offset, layer->bracket_y.count,
                              layer->gradient);
    backend->scatter_subtract(slots, layer->pull_x.place, layer->pull_x.offset, layer->pull_x.count, layer->grad_x);
    backend->scatter_subtract(slots, layer->bracket_x.place, layer->bracket_x.offset, layer->bracket_x.count,
                              layer->grad_x);
}

void worker_gradient(struct worker *worker, const hn_gradient *gradient) {
    while (load_gradient(worker, gradient)) {
        step_back(worker);
        for (int lane = 0; lane < LANES; lane++)
            if (worker->lane[lane].busy && worker->lane[lane].steps == 0)
                finish_gradient(worker, lane, gradient);
    }
}
