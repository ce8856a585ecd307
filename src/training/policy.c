/* policy.c - see hardnet/policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arithmetic.h"
#include "base/error.h"
#include "base/memory.h"
#include "training/policy_parts.h"

#include <math.h>
#include <string.h>

static const double MOST_TOLERANCE = 1;

void hn_policy_get_defaults(hn_policy_options *out) {
    if (out)
        *out = (hn_policy_options){.layer = hn_layer_defaults(), .candidates = 1};
}

/* ---- life ---- */

/* Limits for options from a file, so that no file can make every sample ok or run without end. */
static hn_status check_limits(const hn_layer_options *o, hn_error *error) {
    if (!(o->tolerance <= MOST_TOLERANCE))
        return error_about(error, HN_INVALID, error_option("tolerance"), "tolerance %s: a policy has at most %s",
                           error_number(o->tolerance).text, error_number(MOST_TOLERANCE).text);
    if (o->iterations > HN_POLICY_MOST_ITERATIONS)
        return error_about(error, HN_INVALID, error_option("iterations"), "iterations %d: a policy has at most %d",
                           o->iterations, HN_POLICY_MOST_ITERATIONS);
    return HN_OK;
}

hn_layer_options policy_layer(const hn_policy_options *options) {
    hn_layer_options layer = options->layer;
    if (!options->head && !options->uncorrected)
        return layer;
    layer.method = HN_METHOD_PAPER;
    layer.damping = -1;
    layer.iterations = 0;
    layer.kernel = NULL; /* it is the method's */
    layer.effort = 1;
    return layer;
}

static hn_status policy_check_options(const hn_policy *p, hn_error *error) {
    const hn_policy_options *o = &p->options;
    hn_status status = check_limits(&o->layer, error);
    if (status == HN_OK && o->head)
        status = head_check(o->head, p->outputs, error);
    if (status != HN_OK)
        return status;
    if (o->device && o->head)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: it does not have the scheme %s, which runs on the CPU", o->head->name);
    if (o->candidates < 1 || o->candidates > HN_POLICY_MOST_CANDIDATES)
        return error_about(error, HN_INVALID, error_option("candidates"), "candidates %zu: choose 1 to %d",
                           o->candidates, HN_POLICY_MOST_CANDIDATES);
    if (o->refine < 0 || o->refine > HN_POLICY_MOST_REFINE)
        return error_about(error, HN_INVALID, error_option("refine"), "refine %d: choose 0 to %d steps", o->refine,
                           HN_POLICY_MOST_REFINE);
    if (!p->corrects && p->refines)
        return error_about(error, HN_INVALID, error_option("refine"), "refinement steps need a layer; the scheme is %s",
                           policy_scheme(o));
    if (!p->has_objective && (p->refines || o->candidates > 1))
        return error_about(error, HN_INVALID, error_argument("model"), "the model has no objective: %s need one",
                           o->candidates > 1 ? "candidates" : "refinement steps");
    return HN_OK;
}

/* A policy needs inputs because a network does. */
static hn_status check_widths(const hn_policy *p, hn_error *error) {
    hn_network_options network = hn_network_options_of(p->network);
    size_t candidates = p->options.candidates, outputs = candidates * p->width;
    if (network.inputs == p->inputs && network.outputs == outputs)
        return HN_OK;
    return error_set(error, HN_INVALID,
                     "the network has %zu inputs and %zu outputs; the model needs %zu and %zu (%zu candidates%s)",
                     network.inputs, network.outputs, p->inputs, outputs, candidates,
                     p->width < p->outputs ? " of its independent outputs" : "");
}

static hn_status policy_build(hn_policy *p, hn_error *error) {
    hn_layer_options layer = policy_layer(&p->options);
    hn_status status = policy_check_options(p, error);
    if (status == HN_OK)
        status = hn_layer_create(&p->layer, p->model, &layer, error);
    p->options.layer.kernel = hn_layer_options_of(p->layer).kernel; /* the layer's own copies */
    p->options.layer.weights = hn_layer_options_of(p->layer).weights;
    p->width = p->options.head ? p->options.head->width : p->outputs;
    if (status == HN_OK)
        status = check_widths(p, error);
    if (status == HN_OK && p->has_objective)
        status = loss_create(&p->loss, p->model, error);
    if (status == HN_OK && p->refines)
        status = refiner_create(&p->refiner, p->model, p->layer, &p->loss, layer.instructions, error);
    if (status == HN_OK)
        status = thread_pool_create(&p->thread_pool, p->options.threads, error);
    if (status == HN_OK)
        status = policy_memory_create(p, error);
    return status == HN_OK && p->options.device ? policy_device_create(p, &layer, error) : status;
}

hn_status policy_create(hn_policy **out, const struct policy_request *request, hn_error *error) {
    *out = NULL;
    if (!request->model || !request->network)
        return error_missing(error, "hn_policy_create", request->model ? "network" : "model");
    hn_policy *p = base_allocate(sizeof *p);
    if (!p)
        return error_no_memory(error, "a policy");
    *p = (hn_policy){.model = request->model, .network = request->network, .improves = request->improves};
    p->options = request->options ? *request->options : hn_policy_defaults();
    p->corrects = !p->options.head && !p->options.uncorrected;
    p->inputs = hn_model_input_count(p->model);
    p->outputs = hn_model_output_count(p->model);
    p->has_objective = hn_model_objective(p->model).name != NULL;
    p->refines = p->improves || p->options.refine > 0;
    hn_status status = policy_build(p, error);
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
    const struct policy_request request = {model, network, options, false};
    return policy_create(out, &request, error);
}

void hn_policy_destroy(hn_policy *p) {
    if (!p)
        return;
    device_policy_destroy(p->device);
    policy_memory_release(p);
    thread_pool_destroy(p->thread_pool);
    refiner_release(&p->refiner);
    hn_layer_destroy(p->layer);
    loss_release(&p->loss);
    hn_network_destroy(p->owned);
    base_release(p);
}

void hn_policy_get_options(const hn_policy *policy, hn_policy_options *out) {
    if (out)
        *out = policy ? policy->options : hn_policy_defaults();
}

const hn_network *hn_policy_network(const hn_policy *policy) {
    return policy ? policy->network : NULL;
}

/* ---- running ---- */

void chunk_write_out(const struct chunk *c) {
    const hn_policy *p = c->policy;
    const struct samples *m = &c->samples;
    for (size_t i = 0; i < c->count; i++) {
        size_t s = c->memory->best[i], to = c->first + i;
        if (p->job.y)
            memcpy(p->job.y + to * p->outputs, m->y + s * p->outputs, p->outputs * sizeof *m->y);
        if (p->job.objective)
            p->job.objective[to] = p->has_objective ? m->objective[s] : (double)NAN;
        if (p->job.reports)
            p->job.reports[to] = m->reports[s];
        if (p->job_chosen)
            p->job_chosen[to] = s / c->count;
    }
}

static void run_chunk(void *context, int member, size_t number) {
    hn_policy *p = context;
    struct policy_memory *m = &p->memory[member];
    struct chunk c = chunk_of(p, m, number, p->job_size, p->job.count);
    chunk_network(&c, p->job.x);
    chunk_outputs(&c);
    if (p->has_objective)
        chunk_objective(&c, NULL, NULL, OBJECTIVE_ONLY);
    c.samples.residual = NULL;
    if (p->options.refine > 0)
        refiner_run(&p->refiner, &m->refine, &c.samples, false, p->options.refine);
    for (size_t s = 0; p->has_objective && s < c.samples.count; s++)
        m->value[s] = candidates_value(&c.samples, p->corrects, s);
    chunk_choose(&c, m->value);
    chunk_write_out(&c);
}

static void run_on_cpu(hn_policy *p) {
    size_t count = p->job.count;
    p->job_size = improve_chunk_size(count, (size_t)thread_pool_size(p->thread_pool));
    thread_pool_share(p->thread_pool, (count + p->job_size - 1) / p->job_size, run_chunk, p);
}

static hn_status policy_run_job(hn_policy *p, const struct device_policy_run *job, size_t *chosen, hn_error *error) {
    hn_status status = thread_pool_claim(p->thread_pool, "the policy", error);
    if (status != HN_OK)
        return status;
    p->job = *job;
    p->job_chosen = chosen;
    if (p->device)
        status = policy_device_run(p, error);
    else
        run_on_cpu(p);
    thread_pool_yield(p->thread_pool);
    return status;
}

// NOLINTNEXTLINE(readability-non-const-parameter): both arrays are written through the job
hn_status hn_policy_run(hn_policy *p, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                        hn_report *reports, hn_error *error) {
    if (!p || (count && !x))
        return error_missing(error, "hn_policy_run", p ? "x" : "policy");
    if (arithmetic_check(error) != HN_OK)
        return HN_UNSUPPORTED;
    const struct device_policy_run job = {count, x, y, objective, reports, p->options.refine};
    return policy_run_job(p, &job, NULL, error);
}

// NOLINTNEXTLINE(readability-non-const-parameter): both arrays are written through the job
hn_status hn_policy_run_chosen(hn_policy *p, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                               hn_report *reports, size_t *chosen, hn_error *error) {
    if (!p || (count && !x))
        return error_missing(error, "hn_policy_run_chosen", p ? "x" : "policy");
    if (p->device)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: the chosen candidate is not available; use the CPU");
    const struct device_policy_run job = {count, x, y, objective, reports, p->options.refine};
    return policy_run_job(p, &job, chosen, error);
}
