/* loss_gradient.c - one chunk of a batch: the losses of hardnet/train.h and their gradients.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "nn/network_parts.h"
#include "training/trainer_parts.h"

#include <math.h>
#include <string.h>

struct train_chunk {
    hn_trainer *trainer;
    struct chunk chunk;
    struct policy_memory *memory;
    struct learn_memory *own;
    struct learn_sums *sums;
    double *grad_parameters;
};

/* ---- memory ---- */

static void loss_gradient_lay_out(struct layout *layout, void *context) {
    struct learn_memory *m = context;
    const hn_trainer *t = m->owner;
    size_t samples = CHUNK * t->options.policy.candidates, numbers = samples * t->outputs;
    if (t->layer) {
        m->workspace = layout_take(layout, hn_layer_workspace_bytes(t->layer), 1);
        m->tape = layout_take(layout, hn_layer_tape_bytes(t->layer, samples), 1);
        m->grad_lower = layout_take(layout, samples * t->rows, sizeof *m->grad_lower);
        m->grad_upper = layout_take(layout, samples * t->rows, sizeof *m->grad_upper);
    }
    if (t->options.policy.head)
        m->tape = layout_take(layout, samples, t->options.policy.head->tape_bytes);
    if (t->options.improve > 0)
        m->targets = layout_take(layout, numbers, sizeof *m->targets);
    m->grad_y = layout_take(layout, numbers, sizeof *m->grad_y);
    m->grad_raw = layout_take(layout, numbers, sizeof *m->grad_raw);
    m->moved = layout_take(layout, samples, sizeof *m->moved);
    m->total = layout_take(layout, samples, sizeof *m->total);
}

static hn_status create_one(const hn_trainer *t, struct learn_memory *m, hn_error *error) {
    bool tape = !t->layer || hn_layer_tape_bytes(t->layer, CHUNK * t->options.policy.candidates) > 0;
    m->block = tape ? layout_allocate(loss_gradient_lay_out, m) : NULL;
    return m->block ? HN_OK : error_no_memory(error, "training");
}

hn_status learn_memory_create(hn_trainer *t, hn_error *error) {
    size_t capacity = 0, members = (size_t)thread_pool_size(t->policy->thread_pool);
    hn_status status = HN_OK;
    t->memory = array_grow(NULL, &capacity, members, sizeof *t->memory);
    if (!t->memory)
        return error_no_memory(error, "training");
    for (size_t i = 0; i < members; i++)
        t->memory[i] = (struct learn_memory){.owner = t};
    for (size_t i = 0; i < members && status == HN_OK; i++)
        status = create_one(t, &t->memory[i], error);
    return status;
}

void learn_memory_release(hn_trainer *t) {
    for (int i = 0; t->memory && i < thread_pool_size(t->policy->thread_pool); i++)
        base_release(t->memory[i].block);
    base_release(t->memory);
}

/* ---- gradients of single samples ---- */

static double squared_distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The weight of a sample in the loss: 1 / batch size, less if another candidate is the best. */
static double weight_of(const struct train_chunk *l, size_t s) {
    const hn_trainer *t = l->trainer;
    return (s == l->memory->best[s % l->chunk.count] ? 1 : t->options.others) / (double)t->count;
}

/* The gradients of the losses `improve` and `targets` are bounded already. */
static bool imitates(const hn_trainer *t) {
    return t->targets || t->options.improve > 0;
}

/* Clips and weights the gradient of sample s with respect to y_raw; drops it if it or the loss is not finite. */
static void finish_gradient(const struct train_chunk *l, size_t s) {
    const hn_trainer *t = l->trainer;
    double *gradient = l->own->grad_raw + s * t->outputs, squares = 0;
    for (size_t j = 0; j < t->outputs; j++)
        squares += gradient[j] * gradient[j];
    if (!isfinite(squares) || !isfinite(l->own->total[s])) {
        memset(gradient, 0, t->outputs * sizeof *gradient);
        learn_sums_drop(l->sums, l->memory->residual[s], &l->memory->reports[s]);
        return;
    }
    double norm = sqrt(squares), most = imitates(t) ? 0 : t->options.clip_sample;
    double scale = most > 0 && norm > most ? most / norm : 1;
    for (size_t j = 0; j < t->outputs; j++)
        gradient[j] *= scale * weight_of(l, s);
}

/* ---- the loss `objective` ---- */

static void total_losses(const struct train_chunk *l) {
    const hn_train_options *o = &l->trainer->options;
    for (size_t s = 0; s < l->chunk.samples; s++) {
        double r = l->memory->residual[s];
        l->own->total[s] = l->memory->objective[s] + o->residual_weight * r + o->square_weight * r * r +
                           o->move_weight * l->own->moved[s];
    }
}

static struct loss_weights weights_of(const struct train_chunk *l) {
    return (struct loss_weights){l->trainer->options.residual_weight, l->trainer->options.square_weight};
}

/* Adds the gradient of move_weight |y - y_raw|^2 with respect to y, or to y_raw with sign -1. */
static void add_pull(const struct train_chunk *l, size_t s, double sign, double *gradient) {
    size_t n = l->trainer->outputs;
    double factor = sign * 2 * l->trainer->options.move_weight;
    for (size_t j = 0; j < n; j++)
        gradient[j] += factor * (l->memory->y[s * n + j] - l->memory->raw[s * n + j]);
}

/* The layer passes no gradient to a raw output beyond its bound, even if moving it inside would lower the loss. The
 * gradient with respect to the bound tells: if the loss decreases as the bound moves inwards, that gradient is used. */
static void pull_inside(const struct train_chunk *l, size_t s, double *gradient) {
    const hn_trainer *t = l->trainer;
    const struct bound_rows *bounds = &t->bounds;
    for (size_t b = 0; b < bounds->count; b++) {
        double lower = l->own->grad_lower[s * t->rows + bounds->row[b]];
        double upper = l->own->grad_upper[s * t->rows + bounds->row[b]];
        gradient[bounds->column[b]] += t->options.inward * (fmin(0, lower) + fmax(0, upper));
    }
}

static void back_through_layer(const struct train_chunk *l) {
    const hn_trainer *t = l->trainer;
    struct policy_memory *m = l->memory;
    hn_batch batch = {.size = sizeof batch,
                      .count = l->chunk.samples,
                      .x = m->x,
                      .y_raw = m->raw,
                      .y = m->y,
                      .report_size = sizeof(hn_report),
                      .reports = m->reports};
    hn_gradient gradient = {.size = sizeof gradient,
                            .grad_y = l->own->grad_y,
                            .grad_y_raw = l->own->grad_raw,
                            .grad_lower = l->own->grad_lower,
                            .grad_upper = l->own->grad_upper};
    batch.tape = l->own->tape;
    for (size_t s = 0; s < l->chunk.samples; s++)
        add_pull(l, s, 1, l->own->grad_y + s * t->outputs);
    hn_layer_gradient(t->layer, &batch, &gradient, l->own->workspace, hn_layer_workspace_bytes(t->layer), NULL);
    for (size_t s = 0; s < l->chunk.samples; s++) {
        add_pull(l, s, -1, l->own->grad_raw + s * t->outputs);
        pull_inside(l, s, l->own->grad_raw + s * t->outputs);
    }
}

static void measure_moves(const struct train_chunk *l) {
    size_t n = l->trainer->outputs;
    for (size_t s = 0; s < l->chunk.samples; s++)
        l->own->moved[s] = squared_distance(l->memory->y + s * n, l->memory->raw + s * n, n);
}

static void learn_objective(const struct train_chunk *l) {
    const struct chunk *c = &l->chunk;
    chunk_correct(c, l->trainer->layer, l->own->tape, l->own->workspace);
    chunk_objective(c, l->memory->y, l->memory->objective, l->own->grad_y, weights_of(l));
    measure_moves(l);
    total_losses(l);
    chunk_choose(c, l->own->total);
    back_through_layer(l);
}

/* The same through the head. Samples that it reports as lost are dropped. */
static void learn_head(const struct train_chunk *l) {
    const struct chunk *c = &l->chunk;
    chunk_map(c, l->own->tape);
    chunk_objective(c, l->memory->y, l->memory->objective, l->own->grad_y, weights_of(l));
    measure_moves(l);
    total_losses(l);
    for (size_t s = 0; s < c->samples; s++)
        if (l->memory->notes[s].lost)
            l->own->total[s] = NAN;
    chunk_choose(c, l->own->total);
    chunk_map_back(c, l->own->tape, l->own->grad_y, l->own->grad_raw);
}

/* ---- the losses `improve` and `targets`: regression of y_raw on a constant ---- */

/* Huber's loss of the distance, in units of the network's output scales: the gradient is bounded, so that an output
 * between two targets moves to one of them, not to their mean. */
static void draw_towards(const struct train_chunk *l, size_t s, const double *goal) {
    size_t n = l->trainer->outputs, candidate = s / l->chunk.count;
    const double *raw = l->memory->raw + s * n, *scale = l->trainer->network->output.scale + candidate * n;
    double squares = 0, huber = l->trainer->options.huber;
    for (size_t j = 0; j < n; j++)
        squares += (raw[j] - goal[j]) / scale[j] * ((raw[j] - goal[j]) / scale[j]);
    double distance = sqrt(squares);
    bool straight = huber > 0 && distance > huber;
    double factor = straight ? 2 * huber / distance : 2;
    l->own->total[s] = straight ? huber * (2 * distance - huber) : squares;
    for (size_t j = 0; j < n; j++)
        l->own->grad_raw[s * n + j] = factor * (raw[j] - goal[j]) / (scale[j] * scale[j]);
}

static void learn_improvement(const struct train_chunk *l) {
    const struct chunk *c = &l->chunk;
    const hn_policy *p = c->policy;
    size_t n = l->trainer->outputs;
    const double *starts = l->trainer->starts;
    const struct improve_task task = {.inputs = c->count,
                                      .candidates = p->options.candidates,
                                      .samples = chunk_samples(c),
                                      .best = l->memory->best,
                                      .targets = l->own->targets,
                                      .starts = starts ? starts + c->first * n : NULL};
    const struct improve_settings settings = {l->trainer->options.improve, l->trainer->options.explore,
                                              l->trainer->steps};
    if (!l->trainer->batch)
        refiner_correct(&p->refiner, &l->memory->refine, &task.samples);
    measure_moves(l);
    improve_run(&p->refiner, &l->memory->refine, &l->memory->beyond, &task, &settings);
    for (size_t s = 0; s < c->samples; s++)
        draw_towards(l, s, l->own->targets + s * n);
}

/* The candidate nearest to the target counts as the best. */
static void learn_targets(const struct train_chunk *l) {
    const struct chunk *c = &l->chunk;
    size_t n = l->trainer->outputs;
    chunk_correct(c, l->trainer->policy->layer, NULL, l->memory->refine.workspace);
    chunk_objective(c, l->memory->y, l->memory->objective, NULL, OBJECTIVE_ONLY);
    measure_moves(l);
    for (size_t s = 0; s < c->samples; s++)
        draw_towards(l, s, l->trainer->targets + (c->first + s % c->count) * n);
    chunk_choose(c, l->own->total);
}

/* ---- all of it ---- */

void learn_sums_add(struct learn_sums *sums, const struct learn_sample *sample) {
    if (!isfinite(sample->total))
        return; /* learn_sums_drop has counted it */
    sums->samples++;
    sums->ok += sample->report->outcome == HN_OUTCOME_OK;
    sums->loss += sample->total;
    sums->objective += sample->objective;
    sums->residual += isnan(sample->residual) ? (double)INFINITY : sample->residual;
    sums->moved += sample->moved;
    sums->steps += sample->report->iterations;
    sums->violation = fmax(sums->violation, sample->report->violation);
}

void learn_sums_drop(struct learn_sums *sums, double residual, const hn_report *report) {
    sums->dropped++;
    if (isnan(residual) && sums->undefined++ == 0)
        sums->undefined_row = report->worst;
}

static void add_sums(const struct train_chunk *l) {
    const struct policy_memory *m = l->memory;
    for (size_t i = 0; i < l->chunk.count; i++) {
        size_t s = m->best[i];
        const struct learn_sample sample = {l->own->total[s], m->objective[s], m->residual[s], l->own->moved[s],
                                            &m->reports[s]};
        learn_sums_add(l->sums, &sample);
    }
}

/* Copies raw and corrected outputs computed by a device. */
static void take_samples(const struct train_chunk *l) {
    const struct device_policy_samples *b = &l->trainer->batch->samples;
    const struct policy_memory *m = l->memory;
    size_t n = l->trainer->outputs, inputs = l->trainer->inputs;
    for (size_t s = 0; s < l->chunk.samples; s++) {
        size_t i = l->chunk.first + s % l->chunk.count, from = s / l->chunk.count * b->count + i;
        memcpy(m->x + s * inputs, b->x + i * inputs, inputs * sizeof *m->x);
        memcpy(m->raw + s * n, b->raw + from * n, n * sizeof *m->raw);
        memcpy(m->y + s * n, b->y + from * n, n * sizeof *m->y);
        m->objective[s] = b->objective[from];
        m->residual[s] = b->residual[from];
        m->reports[s] = b->reports[from];
    }
}

static void go_back(const struct train_chunk *l) {
    const hn_trainer *t = l->trainer;
    size_t width = t->network->width[t->network->layers];
    chunk_gather(&l->chunk, l->own->grad_raw, l->own->grad_y);
    if (t->batch)
        memcpy(t->batch->rows + l->chunk.first * width, l->own->grad_y,
               l->chunk.count * width * sizeof *l->own->grad_y);
    else
        perceptron_backward(l->memory->perceptron, l->chunk.count, l->own->grad_y, l->grad_parameters);
}

void learn_chunk(hn_trainer *t, int member, size_t number) {
    struct train_chunk l = {.trainer = t,
                            .memory = &t->policy->memory[member],
                            .own = &t->memory[member],
                            .sums = &t->sums[number],
                            .grad_parameters = t->gradients + number * t->parameters};
    l.chunk = chunk_of(t->policy, l.memory, number, CHUNK, t->count);
    *l.sums = (struct learn_sums){.samples = 0};
    if (t->batch)
        take_samples(&l);
    else
        chunk_network(&l.chunk, t->x);
    if (t->targets)
        learn_targets(&l);
    else if (t->options.improve > 0)
        learn_improvement(&l);
    else if (t->options.policy.head)
        learn_head(&l);
    else
        learn_objective(&l);
    add_sums(&l);
    for (size_t s = 0; s < l.chunk.samples; s++)
        finish_gradient(&l, s);
    go_back(&l);
}
