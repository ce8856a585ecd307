/* policy_chunk.c - the stages of one chunk: network, layer, objective, refinement, the choice among candidates.
 *
 * SPDX-License-Identifier: MIT */
#include "training/policy_parts.h"

#include <math.h>
#include <string.h>

struct chunk chunk_of(const hn_policy *policy, struct policy_memory *memory, size_t number, size_t size, size_t total) {
    struct chunk c = {.policy = policy, .memory = memory, .first = number * size};
    c.count = total - c.first < size ? total - c.first : size;
    c.samples = c.count * policy->options.candidates;
    return c;
}

struct chunk chunk_beyond(const struct chunk *c, struct policy_memory *memory) {
    const hn_policy *p = c->policy;
    size_t skip = c->samples;
    *memory = *c->memory;
    memory->x += skip * p->inputs;
    memory->raw += skip * p->outputs;
    memory->y += skip * p->outputs;
    memory->objective += skip;
    memory->residual += skip;
    memory->reports += skip;
    memory->trial += skip * p->outputs;
    memory->trial_objective += skip;
    memory->trial_reports += skip;
    memory->multipliers += skip * p->refiner.rows;
    memory->length += skip;
    return (struct chunk){.policy = p, .memory = memory, .first = c->first, .count = c->count, .samples = c->count};
}

static size_t sample_at(const struct chunk *c, size_t input, size_t candidate) {
    return candidate * c->count + input;
}

/* ---- network ---- */

/* One candidate as the network gives it, from a row of all outputs or back into it. */
static void pick(const hn_policy *p, const double *all, double *own) {
    if (p->width == p->outputs)
        memcpy(own, all, p->outputs * sizeof *all);
    else
        for (size_t j = 0; j < p->width; j++)
            own[j] = all[p->completion.independent[j]];
}

static void put(const hn_policy *p, const double *own, double *all) {
    if (p->width == p->outputs) {
        memcpy(all, own, p->outputs * sizeof *own);
        return;
    }
    memset(all, 0, p->outputs * sizeof *all);
    for (size_t j = 0; j < p->width; j++)
        all[p->completion.independent[j]] = own[j];
}

/* The network gives all candidates of an input in one row; the layer wants each as a row of its own. */
static void spread(const struct chunk *c, const double *rows, const double *x) {
    const hn_policy *p = c->policy;
    size_t n = p->outputs, k = p->options.candidates;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < k; j++) {
            size_t s = sample_at(c, i, j);
            put(p, rows + (i * k + j) * p->width, c->memory->raw + s * n);
            if (x)
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
    const double *own = x ? x + c->first * c->policy->inputs : NULL;
    perceptron_forward(c->policy->network, c->memory->perceptron, c->count, own, c->memory->y);
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
    if (c->policy->options.scheme == HN_SCHEME_DC3)
        chunk_complete(c, NULL);
    else
        chunk_correct(c, c->policy->layer, NULL, c->memory->workspace);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the gradient is written through the samples
void chunk_objective(const struct chunk *c, const double *y, double *objective, double *gradient,
                     struct loss_weights weights) {
    const hn_policy *p = c->policy;
    struct policy_memory *m = c->memory;
    for (size_t s = 0; s < c->samples; s += LANES) {
        struct loss_sample samples[LANES];
        size_t count = c->samples - s < LANES ? c->samples - s : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = (struct loss_sample){.x = m->x + (s + i) * p->inputs,
                                              .y = y + (s + i) * p->outputs,
                                              .gradient = gradient ? gradient + (s + i) * p->outputs : NULL};
        loss_run(&p->loss, m->loss, samples, count, weights);
        for (size_t i = 0; i < count; i++) {
            objective[s + i] = samples[i].objective;
            m->residual[s + i] = samples[i].residual;
        }
    }
}

/* ---- refinement ---- */

/* Takes what was tried over where it is ok and lowers the objective. */
static void keep_better(const struct chunk *c) {
    struct policy_memory *m = c->memory;
    size_t n = c->policy->outputs;
    for (size_t s = 0; s < c->samples; s++) {
        hn_report *kept = &m->reports[s], *tried = &m->trial_reports[s];
        bool was_ok = kept->outcome == HN_OUTCOME_OK, is_ok = tried->outcome == HN_OUTCOME_OK;
        kept->iterations += tried->iterations;
        if (!is_ok || (was_ok && !(m->trial_objective[s] < m->objective[s]))) {
            m->length[s] *= 0.25;
            continue;
        }
        m->length[s] = fmin(1, 4 * m->length[s]);
        kept->outcome = tried->outcome;
        kept->violation = tried->violation;
        kept->worst = tried->worst;
        m->objective[s] = m->trial_objective[s];
        memcpy(m->y + s * n, m->trial + s * n, n * sizeof *m->y);
    }
}

static void refine_once(const struct chunk *c, bool known) {
    const hn_policy *p = c->policy;
    struct policy_memory *m = c->memory;
    size_t n = p->outputs;
    for (size_t s = 0; s < c->samples; s += LANES) {
        struct refine_sample samples[LANES];
        size_t count = c->samples - s < LANES ? c->samples - s : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = (struct refine_sample){.x = m->x + (s + i) * p->inputs,
                                                .y = m->y + (s + i) * n,
                                                .y_new = m->trial + (s + i) * n,
                                                .multipliers = m->multipliers + (s + i) * p->refiner.rows,
                                                .known = known,
                                                .length = m->length[s + i]};
        refiner_step(&p->refiner, m->refine, samples, count);
    }
    hn_batch batch = {.size = sizeof batch,
                      .count = c->samples,
                      .x = m->x,
                      .y_raw = m->trial,
                      .y = m->trial,
                      .report_size = sizeof(hn_report),
                      .reports = m->trial_reports};
    hn_layer_run(p->layer, &batch, m->workspace, hn_layer_workspace_bytes(p->layer), NULL);
}

void chunk_refine(const struct chunk *c, int steps) {
    struct policy_memory *m = c->memory;
    for (size_t s = 0; s < c->samples; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        refine_once(c, k > 0);
        chunk_objective(c, m->trial, m->trial_objective, NULL, OBJECTIVE_ALONE);
        keep_better(c);
    }
    for (size_t s = 0; steps > 0 && s < c->samples; s++) {
        double squares = 0;
        for (size_t j = 0; j < c->policy->outputs; j++) {
            double moved = m->y[s * c->policy->outputs + j] - m->raw[s * c->policy->outputs + j];
            squares += moved * moved;
        }
        m->reports[s].moved = sqrt(squares);
    }
}

/* ---- the choice ---- */

/* A value that is no number is the worst. */
static bool is_better(const struct chunk *c, const double *values, size_t a, size_t b) {
    const hn_report *reports = c->memory->reports;
    bool a_ok = reports[a].outcome == HN_OUTCOME_OK, b_ok = reports[b].outcome == HN_OUTCOME_OK;
    if (a_ok != b_ok)
        return a_ok;
    return values[a] < values[b] || (isnan(values[b]) && !isnan(values[a]));
}

void chunk_choose(const struct chunk *c, const double *values) {
    for (size_t i = 0; i < c->count; i++) {
        size_t best = sample_at(c, i, 0);
        for (size_t k = 1; k < c->policy->options.candidates; k++)
            if (is_better(c, values, sample_at(c, i, k), best))
                best = sample_at(c, i, k);
        c->memory->best[i] = best;
    }
}
