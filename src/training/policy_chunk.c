/* policy_chunk.c - the stages of one chunk: network, layer, objective, the choice among candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "training/policy_parts.h"

#include <string.h>

struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total) {
    struct chunk c = {.policy = policy, .memory = memory, .first = number * size, .samples = memory->samples};
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
            policy_chunk_put(p, rows + (i * k + j) * p->width, c->samples.raw + s * n);
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
    perceptron_forward(c->memory->perceptron, c->count, own, c->samples.y);
    spread(c, c->samples.y, own);
}

/* ---- layer and objective ---- */

void chunk_correct(const struct chunk *c, hn_layer *layer, void *tape, void *workspace) {
    hn_batch batch = samples_as_batch(&c->samples);
    batch.tape = tape;
    hn_layer_run(layer, &batch, workspace, hn_layer_workspace_bytes(layer), NULL);
}

void chunk_outputs(const struct chunk *c) {
    if (c->policy->options.head)
        chunk_map(c, NULL);
    else
        chunk_correct(c, c->policy->layer, NULL, c->memory->refine.workspace);
}

// NOLINTNEXTLINE(readability-non-const-parameter): both are written through the batch
void chunk_objective(const struct chunk *c, double *residual, double *gradient, struct loss_weights weights) {
    const struct samples *m = &c->samples;
    const struct loss_batch batch = {m->count, m->x, m->y, gradient, m->objective, residual};
    loss_run(&c->policy->loss, c->memory->refine.loss, &batch, weights);
}

void chunk_choose(const struct chunk *c, const double *values) {
    const struct candidates among = {c->count, c->policy->options.candidates, values, c->samples.reports,
                                     c->memory->best};
    choose_best(&among);
}
