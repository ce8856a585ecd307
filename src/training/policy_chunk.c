/* policy_chunk.c - the stages of one chunk: network, layer, objective, the choice among candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "training/policy_parts.h"

#include <string.h>

struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total) {
    struct chunk c = {.policy = policy, .memory = memory, .first = number * size};
    c.count = total - c.first < size ? total - c.first : size;
    c.samples = c.count * policy->options.candidates;
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

static void policy_chunk_put(const hn_policy *p, const double *own, double *all) {
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
            policy_chunk_put(p, rows + (i * k + j) * p->width, c->memory->raw + s * n);
            memcpy(c->memory->x + s * p->inputs, x + i * p->inputs, p->inputs * sizeof *rows);
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
    perceptron_forward(c->memory->perceptron, c->count, own, c->memory->y);
    spread(c, c->memory->y, own);
}

/* ---- layer and objective ---- */

void chunk_correct(const struct chunk *c, hn_layer *layer, void *tape, void *workspace) {
    struct policy_memory *m = c->memory;
    hn_batch batch = {.size = sizeof batch,
                      .count = c->samples,
                      .x = m->x,
                      .y_raw = m->raw,
                      .y = m->y,
                      .report_size = sizeof(hn_report),
                      .reports = m->reports,
                      .tape = tape};
    hn_layer_run(layer, &batch, workspace, hn_layer_workspace_bytes(layer), NULL);
}

void chunk_outputs(const struct chunk *c) {
    if (c->policy->options.head)
        chunk_map(c, NULL);
    else
        chunk_correct(c, c->policy->layer, NULL, c->memory->refine.workspace);
}

// NOLINTNEXTLINE(readability-non-const-parameter): both are written through the batch
void chunk_objective(const struct chunk *c, const double *y, double *objective, double *gradient,
                     struct loss_weights weights) {
    const struct policy_memory *m = c->memory;
    const struct loss_batch batch = {c->samples, m->x, y, gradient, objective, m->residual};
    loss_run(&c->policy->loss, m->refine.loss, &batch, weights);
}

void chunk_cost(const struct chunk *c) {
    const struct policy_memory *m = c->memory;
    const struct loss_batch batch = {.count = c->samples, .x = m->x, .y = m->y, .objective = m->objective};
    loss_run(&c->policy->loss, m->refine.loss, &batch, OBJECTIVE_ONLY);
}

struct refine_task chunk_samples(const struct chunk *c) {
    const struct policy_memory *m = c->memory;
    return (struct refine_task){.count = c->samples,
                                .x = m->x,
                                .raw = m->raw,
                                .y = m->y,
                                .objective = m->objective,
                                .residual = m->residual,
                                .reports = m->reports};
}

void chunk_choose(const struct chunk *c, const double *values) {
    const struct candidates among = {c->count, c->policy->options.candidates, values, c->memory->reports};
    choose_best(&among, c->memory->best);
}
