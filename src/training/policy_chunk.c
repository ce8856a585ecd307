/* policy_chunk.c - the workspaces of a policy's threads, and the stages of one chunk: network, layer or head, objective,
 * the choice among candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "training/training_parts.h"

#include <math.h>
#include <string.h>

/* ---- memory ---- */

static struct policy_memory place_member(struct layout *layout, const hn_policy *p) {
    struct policy_memory m = {.perceptron = perceptron_memory_of(p->network, CHUNK)};
    const hn_head *head = p->options.head;
    size_t samples = CHUNK * p->options.candidates;
    perceptron_place_training(layout, &m.perceptron);
    refiner_place(layout, &p->refiner, CHUNK, p->options.candidates, p->improves, &m.refine);
    m.head = layout_take(layout, head ? head->memory_bytes : 0, 1);
    m.notes = layout_take(layout, head ? samples : 0, sizeof *m.notes);
    m.value = layout_take(layout, samples, sizeof *m.value);
    return m;
}

static void policy_memory_place(struct layout *layout, void *context) {
    hn_policy *p = context;
    int threads = thread_pool_size(p->thread_pool);
    p->memory = layout_take(layout, (size_t)threads, sizeof *p->memory);
    for (int i = 0; i < threads; i++) {
        struct policy_memory memory = place_member(layout, p);
        if (p->memory)
            p->memory[i] = memory;
    }
}

hn_status policy_memory_create(hn_policy *p, hn_error *error) {
    const hn_head *head = p->options.head;
    p->block = layout_allocate(policy_memory_place, p);
    if (!p->block)
        return error_no_memory(error, "a policy");
    for (int i = 0; i < thread_pool_size(p->thread_pool); i++) {
        refiner_begin(&p->refiner, &p->memory[i].refine);
        if (head && head->begin)
            head->begin(head->context, p->memory[i].head);
    }
    return HN_OK;
}

struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total) {
    struct chunk c = {.policy = policy,
                      .memory = memory,
                      .first = number * size,
                      .samples = memory->refine.samples,
                      .best = memory->refine.best};
    c.count = total - c.first < size ? total - c.first : size;
    c.samples.count = c.count * policy->options.candidates;
    return c;
}

static size_t sample_at(const struct chunk *c, size_t input, size_t candidate) {
    return candidate * c->count + input;
}

/* ---- network ---- */

/* Copies one candidate's network outputs from a row of all outputs, or back into it. */
static void pick(const hn_policy *p, const double *all, double *own) {
    if (p->width == p->outputs)
        memcpy(own, all, p->outputs * sizeof *all);
    else
        for (size_t j = 0; j < p->width; j++)
            own[j] = all[p->options.head->columns[j]];
}

static void put(const hn_policy *p, const double *own, double *all) {
    if (p->width == p->outputs) {
        memcpy(all, own, p->outputs * sizeof *own);
        return;
    }
    memset(all, 0, p->outputs * sizeof *all);
    for (size_t j = 0; j < p->width; j++)
        all[p->options.head->columns[j]] = own[j];
}

/* The network outputs all candidates of an input in one row; the layer needs one row per candidate. */
static void spread(const struct chunk *c, const double *rows, const double *x) {
    const hn_policy *p = c->policy;
    size_t n = p->outputs, k = p->options.candidates;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < k; j++) {
            size_t s = sample_at(c, i, j);
            put(p, rows + (i * k + j) * p->width, c->samples.raw + s * n);
            memcpy(c->samples.x + s * p->inputs, x + i * p->inputs, p->inputs * sizeof *rows);
        }
}

void chunk_gather(const struct chunk *c, const double *samples, double *rows) {
    size_t n = c->policy->outputs, k = c->policy->options.candidates;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < k; j++)
            pick(c->policy, samples + sample_at(c, i, j) * n, rows + (i * k + j) * c->policy->width);
}

void chunk_network(const struct chunk *c, const double *x) {
    const double *own = x + c->first * c->policy->inputs;
    perceptron_forward(&c->memory->perceptron, c->count, own, c->samples.y);
    spread(c, c->samples.y, own);
}

/* ---- outputs ---- */

void chunk_correct(const struct chunk *c, hn_layer *layer, void *tape, void *workspace) {
    hn_batch batch = samples_as_batch(&c->samples);
    batch.tape = tape;
    hn_layer_run(layer, &batch, workspace, hn_layer_workspace_bytes(layer), NULL);
}

/* The outputs of a head, evaluated by the layer without steps. */
static hn_head_batch head_batch(const struct chunk *c, void *tape) {
    const struct samples *m = &c->samples;
    return (hn_head_batch){.count = m->count,
                           .x = m->x,
                           .raw = m->raw,
                           .y = m->y,
                           .notes = c->memory->notes,
                           .tape = tape,
                           .tolerance = c->policy->options.layer.tolerance,
                           .relative = c->policy->options.layer.relative,
                           .memory = c->memory->head};
}

/* Completes the report of the layer at y with the notes of the head. */
static void amend(const struct chunk *c, size_t s) {
    const hn_head_note *note = &c->memory->notes[s];
    hn_report *report = &c->samples.reports[s];
    size_t n = c->policy->outputs;
    report->moved = sqrt(samples_squared_distance(c->samples.y + s * n, c->samples.raw + s * n, n));
    report->violation_before = note->violation_before;
    report->iterations = report->steps = note->steps;
    if (report->outcome == HN_OUTCOME_ITERATION_LIMIT && note->stalled)
        report->outcome = HN_OUTCOME_STALLED;
}

void chunk_map(const struct chunk *c, void *tape) {
    const hn_policy *p = c->policy;
    const hn_head_batch batch = head_batch(c, tape);
    hn_batch judged = samples_as_batch(&c->samples);
    judged.y_raw = judged.y;
    memset(c->memory->notes, 0, c->samples.count * sizeof *c->memory->notes);
    p->options.head->map(p->options.head->context, &batch);
    hn_layer_run(p->layer, &judged, c->memory->refine.workspace, hn_layer_workspace_bytes(p->layer), NULL);
    for (size_t s = 0; s < c->samples.count; s++)
        amend(c, s);
}

void chunk_map_back(const struct chunk *c, void *tape, const double *grad_y, double *grad_raw) {
    hn_head_batch batch = head_batch(c, tape);
    batch.grad_y = grad_y;
    batch.grad_raw = grad_raw;
    c->policy->options.head->back(c->policy->options.head->context, &batch);
}

/* ---- objective and choice ---- */

// NOLINTNEXTLINE(readability-non-const-parameter): both are written through the batch
void chunk_objective(const struct chunk *c, double *residual, double *gradient, struct loss_weights weights) {
    const struct samples *m = &c->samples;
    const struct loss_batch batch = {m->count, m->x, m->y, gradient, m->objective, residual};
    loss_run(&c->policy->refiner.loss, c->memory->refine.loss, &batch, weights);
}

void chunk_choose(const struct chunk *c, const double *values) {
    const struct candidates among = {c->count, c->policy->options.candidates, values, c->samples.reports, c->best};
    choose_best(&among);
}
