/* policy.c - see hardnet/policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "training/policy_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_CANDIDATES = 1000 };

void hn_policy_get_defaults(hn_policy_options *out) {
    *out = (hn_policy_options){.layer = hn_layer_defaults(),
                               .candidates = 1,
                               .scheme = HN_SCHEME_LAYER,
                               .correction_steps = 100,
                               .correction_rate = 0.1,
                               .momentum = 0.5};
}

/* ---- life ---- */

static hn_status check_options(const hn_policy *p, hn_error *error) {
    const hn_policy_options *o = &p->options;
    hn_status status = scheme_check(o, error);
    if (status != HN_OK)
        return status;
    if (o->candidates < 1 || o->candidates > MOST_CANDIDATES)
        return error_set(error, HN_INVALID, "candidates %zu: choose 1 to %d", o->candidates, MOST_CANDIDATES);
    if (o->refine < 0)
        return error_set(error, HN_INVALID, "refine %d: choose 0 or more steps", o->refine);
    if (o->scheme != HN_SCHEME_LAYER && p->refines)
        return error_set(error, HN_INVALID, "refinement steps need a layer; the scheme is %s",
                         hn_scheme_text(o->scheme));
    if (!p->has_objective && (p->refines || o->candidates > 1))
        return error_set(error, HN_INVALID, "the model has no objective: %s need one",
                         o->candidates > 1 ? "candidates" : "refinement steps");
    return HN_OK;
}

static hn_status check_widths(const hn_policy *p, hn_error *error) {
    hn_network_options network = hn_network_options_of(p->network);
    size_t candidates = p->options.candidates, outputs = candidates * p->width;
    if (network.inputs == p->inputs && network.outputs == outputs)
        return HN_OK;
    return error_set(error, HN_INVALID,
                     "the network has %zu inputs and %zu outputs; the model needs %zu and %zu (%zu candidates%s)",
                     network.inputs, network.outputs, p->inputs, outputs, candidates,
                     p->completion.bytes ? " of its independent outputs" : "");
}

static hn_status build(hn_policy *p, hn_error *error) {
    hn_layer_options layer = policy_layer(&p->options);
    hn_status status = check_options(p, error);
    if (status == HN_OK)
        status = hn_layer_create(&p->layer, p->model, &layer, error);
    if (status == HN_OK && p->options.scheme == HN_SCHEME_DC3)
        status = completion_create(&p->completion, p->model, p->layer, error);
    p->width = p->completion.bytes ? p->completion.width : p->outputs;
    if (status == HN_OK)
        status = check_widths(p, error);
    if (status == HN_OK && p->has_objective)
        status = loss_create(&p->loss, p->model, error);
    if (status == HN_OK && p->refines)
        status = refiner_create(&p->refiner, p->model, p->options.layer.instructions, error);
    if (status == HN_OK)
        status = team_create(&p->team, p->options.threads, error);
    return status == HN_OK ? policy_memory_create(p, error) : status;
}

hn_status policy_create(hn_policy **out, const hn_model *model, const hn_network *network,
                        const hn_policy_options *options, bool improves, hn_error *error) {
    *out = NULL;
    if (!model || !network)
        return error_missing(error, "hn_policy_create", model ? "network" : "model");
    hn_policy *p = base_allocate(sizeof *p);
    if (!p)
        return error_no_memory(error, "a policy");
    *p = (hn_policy){.model = model, .network = network, .options = options ? *options : hn_policy_defaults()};
    p->inputs = hn_model_input_count(model);
    p->outputs = hn_model_output_count(model);
    p->has_objective = hn_model_objective(model).name != NULL;
    p->refines = improves || p->options.refine > 0;
    p->room = p->options.candidates + (improves ? 1 : 0);
    hn_status status = build(p, error);
    if (status != HN_OK) {
        hn_policy_destroy(p);
        return status;
    }
    *out = p;
    return HN_OK;
}

hn_status hn_policy_create(hn_policy **out, const hn_model *model, const hn_network *network,
                           const hn_policy_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_policy_create", "out");
    return policy_create(out, model, network, options, false, error);
}

void hn_policy_destroy(hn_policy *p) {
    if (!p)
        return;
    policy_memory_release(p);
    team_destroy(p->team);
    completion_release(&p->completion);
    hn_layer_destroy(p->layer);
    loss_release(&p->loss);
    refiner_release(&p->refiner);
    hn_network_destroy(p->owned);
    base_release(p);
}

void hn_policy_get_options(const hn_policy *policy, hn_policy_options *out) {
    *out = policy ? policy->options : hn_policy_defaults();
}

const hn_network *hn_policy_network(const hn_policy *policy) {
    return policy ? policy->network : NULL;
}

/* ---- running ---- */

static void write_out(const struct chunk *c) {
    const hn_policy *p = c->policy;
    const struct policy_memory *m = c->memory;
    for (size_t i = 0; i < c->count; i++) {
        size_t s = m->best[i], to = c->first + i;
        if (p->out_y)
            memcpy(p->out_y + to * p->outputs, m->y + s * p->outputs, p->outputs * sizeof *m->y);
        if (p->out_objective)
            p->out_objective[to] = p->has_objective ? m->objective[s] : (double)NAN;
        if (p->out_reports)
            p->out_reports[to] = m->reports[s];
    }
}

/* Where nothing corrects, outputs that are not ok are usual: the one that violates least is the best of them. */
static void set_values(const struct chunk *c) {
    const struct policy_memory *m = c->memory;
    bool corrected = c->policy->options.scheme == HN_SCHEME_LAYER;
    for (size_t s = 0; c->policy->has_objective && s < c->samples; s++) {
        bool ok = m->reports[s].outcome == HN_OUTCOME_OK;
        m->value[s] = corrected || ok ? m->objective[s] : m->reports[s].violation;
    }
}

/* So many inputs that every thread gets several chunks, in whole lanes where there are enough. No bit depends on it. */
static size_t chunk_size(const hn_policy *p, size_t count) {
    size_t share = count / (4 * (size_t)team_size(p->team)) + 1, size = (share + LANES - 1) / LANES * LANES;
    return size < CHUNK ? size : CHUNK;
}

static void work(void *context, int member) {
    hn_policy *p = context;
    size_t size = p->job_size, chunks = (p->job_count + size - 1) / size;
    for (;;) {
        size_t number = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);
        if (number >= chunks)
            return;
        struct chunk c = chunk_of(p, &p->memory[member], number, size, p->job_count);
        chunk_network(&c, p->job_x);
        chunk_outputs(&c);
        if (p->has_objective)
            chunk_objective(&c, c.memory->y, c.memory->objective, NULL, OBJECTIVE_ALONE);
        chunk_refine(&c, p->options.refine);
        set_values(&c);
        chunk_choose(&c, c.memory->value);
        write_out(&c);
    }
}

hn_status hn_policy_run(hn_policy *p, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                        hn_report *reports, hn_error *error) {
    if (!p || (count && !x && p->inputs))
        return error_missing(error, "hn_policy_run", p ? "x" : "policy");
    p->job_x = x;
    p->job_count = count;
    p->job_size = chunk_size(p, count);
    p->next = 0;
    p->out_y = y;
    p->out_objective = objective;
    p->out_reports = reports;
    team_run(p->team, work, p);
    return HN_OK;
}
