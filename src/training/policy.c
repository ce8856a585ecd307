/* policy.c - see hardnet/policy.h. If a device lacks the memory for refinement, the CPU refines.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/utf8.h"
#include "training/training_parts.h"

#include <math.h>
#include <string.h>

static const double MOST_TOLERANCE = 1;

void hn_policy_get_defaults(hn_policy_options *out) {
    if (out)
        *out = (hn_policy_options){.layer = hn_layer_defaults(), .candidates = 1};
}

/* ---- options ---- */

/* Limits for options from a file, so that a file cannot make every sample ok or the run endless. */
static hn_status check_limits(const hn_layer_options *o, hn_error *error) {
    if (!(o->tolerance <= MOST_TOLERANCE))
        return error_about(error, HN_INVALID, error_option("tolerance"), "tolerance %s: a policy has at most %s",
                           error_number(o->tolerance).text, error_number(MOST_TOLERANCE).text);
    if (o->iterations > HN_POLICY_MOST_ITERATIONS)
        return error_about(error, HN_INVALID, error_option("iterations"), "iterations %d: a policy has at most %d",
                           o->iterations, HN_POLICY_MOST_ITERATIONS);
    return HN_OK;
}

enum { LONGEST_NAME = 60 };

static bool columns_ascend(const hn_head *head, size_t outputs) {
    if (!head->columns)
        return head->width == outputs;
    for (size_t k = 0; k < head->width; k++)
        if (head->columns[k] >= outputs || (k > 0 && head->columns[k] <= head->columns[k - 1]))
            return false;
    return head->width > 0;
}

static bool texts_are_settings(const hn_head *head) {
    for (size_t i = 0; i < head->text_count; i++)
        if (!head->texts[i].key || !head->texts[i].value || !policy_is_setting(head->texts[i].key))
            return false;
    return true;
}

static hn_status check_head(const hn_head *head, size_t outputs, hn_error *error) {
    const char *name = head->name, *wrong = NULL;
    if (!name || !*name || strlen(name) > LONGEST_NAME || strcmp(name, "layer") == 0 || strcmp(name, "none") == 0)
        wrong = "it needs a short name of its own";
    else if (!head->map)
        wrong = "it has no function map";
    else if (!columns_ascend(head, outputs))
        wrong = "its columns must be outputs of the model, in ascending order";
    else if (head->text_count > HN_HEAD_MOST_TEXTS || (head->text_count > 0 && !head->texts))
        wrong = "its texts are too many, or missing";
    else if (!texts_are_settings(head))
        wrong = "its texts must have keys that start with policy.";
    if (!wrong)
        return HN_OK;
    return error_about(error, HN_INVALID, error_option("head"), "head %s: %s", show_name(name ? name : "").text, wrong);
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

/* In runs or for a trainer. */
static bool policy_refines(const hn_policy *p) {
    return p->improves || p->options.refine > 0;
}

static hn_status policy_check_options(const hn_policy *p, hn_error *error) {
    const hn_policy_options *o = &p->options;
    hn_status status = check_limits(&o->layer, error);
    if (status == HN_OK && o->head)
        status = check_head(o->head, p->outputs, error);
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
    if (!p->corrects && policy_refines(p))
        return error_about(error, HN_INVALID, error_option("refine"), "refinement steps need a layer; the scheme is %s",
                           policy_scheme(o));
    if (!p->has_objective && (policy_refines(p) || o->candidates > 1))
        return error_about(error, HN_INVALID, error_argument("model"), "the model has no objective: %s need one",
                           o->candidates > 1 ? "candidates" : "refinement steps");
    return HN_OK;
}

/* A policy needs inputs because its network does. */
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

struct device_policy_request policy_on_device(const hn_policy *p, const hn_layer_options *layer) {
    return (struct device_policy_request){.model = p->model,
                                          .network = p->network,
                                          .layer = layer,
                                          .device = p->options.device,
                                          .candidates = p->options.candidates,
                                          .chunk = CHUNK,
                                          .corrected = p->corrects,
                                          .refines = p->refiner.refines};
}

static hn_status create_device(hn_policy *p, const hn_layer_options *layer, hn_error *error) {
    const struct device_policy_request request = policy_on_device(p, layer);
    hn_status status = device_policy_create(&p->device, &request, error);
    p->device_options = *p->options.device;
    p->device_options.compiler = NULL; /* the caller's */
    p->options.device = &p->device_options;
    return status;
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
    if (status == HN_OK)
        status = refiner_create(&p->refiner, p->model, p->layer, policy_refines(p), error);
    if (status == HN_OK)
        status = thread_pool_create(&p->thread_pool, p->options.threads, error);
    if (status == HN_OK)
        status = policy_memory_create(p, error);
    return status == HN_OK && p->options.device ? create_device(p, &layer, error) : status;
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
    hn_status status = policy_build(p, error);
    if (status == HN_OK)
        *out = p;
    else
        hn_policy_destroy(p);
    return status;
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
    base_release(p->block);
    thread_pool_destroy(p->thread_pool);
    refiner_release(&p->refiner);
    hn_layer_destroy(p->layer);
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

hn_status hn_policy_get_device(const hn_policy *p, hn_device_info *out, hn_error *error) {
    if (!p)
        return error_missing(error, "hn_policy_get_device", "policy");
    if (!p->device)
        return error_about(error, HN_INVALID, error_argument("policy"), "the policy runs on the CPU");
    hn_status status = hn_device_get_info(device_policy_layer(p->device), out, error);
    if (status == HN_OK && out->size >= offsetof(hn_device_info, refines) + sizeof out->refines)
        out->refines = device_policy_refines(p->device);
    return status;
}

/* ---- running on the CPU ---- */

static void write_out(const struct chunk *c) {
    const hn_policy *p = c->policy;
    const struct samples *m = &c->samples;
    for (size_t i = 0; i < c->count; i++) {
        size_t s = c->best[i], to = c->first + i;
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
    if (p->options.head)
        chunk_map(&c, NULL);
    else
        chunk_correct(&c, p->layer, NULL, m->refine.workspace);
    if (p->has_objective)
        chunk_objective(&c, NULL, NULL, OBJECTIVE_ONLY);
    c.samples.residual = NULL;
    if (p->options.refine > 0)
        refiner_run(&p->refiner, &m->refine, &c.samples, false, p->options.refine);
    for (size_t s = 0; p->has_objective && s < c.samples.count; s++)
        m->value[s] = candidates_value(&c.samples, p->corrects, s);
    chunk_choose(&c, m->value);
    write_out(&c);
}

static void run_on_cpu(hn_policy *p) {
    size_t count = p->job.count;
    p->job_size = improve_chunk_size(count, (size_t)thread_pool_size(p->thread_pool));
    thread_pool_share(p->thread_pool, (count + p->job_size - 1) / p->job_size, run_chunk, p);
}

/* ---- running on a device, with refinement on the CPU ---- */

/* All candidates of a batch in host memory, as one chunk. */
struct refining {
    hn_policy *policy;
    struct chunk all;
};

static void refining_place(struct layout *layout, void *context) {
    struct refining *r = context;
    struct chunk *all = &r->all;
    samples_place(layout, &all->samples, all->samples.count, r->policy->inputs, r->policy->outputs);
    all->best = layout_take(layout, all->count, sizeof *all->best);
}

static void refine_some(void *context, int member, size_t number) {
    const struct refining *r = context;
    const struct samples *all = &r->all.samples;
    const hn_policy *p = r->policy;
    size_t first = number * CHUNK, left = all->count - first;
    const struct samples some = {.count = left < CHUNK ? left : CHUNK,
                                 .x = all->x + first * p->inputs,
                                 .raw = all->raw + first * p->outputs,
                                 .y = all->y + first * p->outputs,
                                 .objective = all->objective + first,
                                 .reports = all->reports + first};
    refiner_run(&p->refiner, &p->memory[member].refine, &some, false, p->options.refine);
}

static hn_status refine(struct refining *r, hn_error *error) {
    hn_policy *p = r->policy;
    const struct samples *all = &r->all.samples;
    hn_status status = device_policy_candidates(p->device, p->job.count, p->job.x, all, error);
    if (status != HN_OK)
        return status;
    for (size_t s = 0; s < all->count; s++)
        memcpy(all->x + s * p->inputs, p->job.x + s % p->job.count * p->inputs, p->inputs * sizeof *all->x);
    thread_pool_share(p->thread_pool, (all->count + CHUNK - 1) / CHUNK, refine_some, r);
    chunk_choose(&r->all, all->objective);
    write_out(&r->all);
    return HN_OK;
}

static hn_status run_on_device(hn_policy *p, hn_error *error) {
    struct refining r = {p, {.policy = p, .count = p->job.count}};
    if (p->job.refine == 0 || p->job.count == 0 || device_policy_refines(p->device))
        return device_policy_run(p->device, &p->job, error);
    r.all.samples.count = size_product(p->job.count, p->options.candidates);
    void *block = layout_allocate(refining_place, &r);
    hn_status status = block ? refine(&r, error) : error_no_memory(error, "the batch");
    base_release(block);
    return status;
}

/* ---- calls ---- */

static hn_status run(hn_policy *p, const char *function, const struct device_policy_run *job, size_t *chosen,
                     hn_error *error) {
    if (!p || (job->count && !job->x))
        return error_missing(error, function, p ? "x" : "policy");
    if (arithmetic_check(error) != HN_OK)
        return HN_UNSUPPORTED;
    if (chosen && p->device)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: the chosen candidate is not available; use the CPU");
    hn_status status = thread_pool_claim(p->thread_pool, "the policy", error);
    if (status != HN_OK)
        return status;
    p->job = *job;
    p->job.refine = p->options.refine;
    p->job_chosen = chosen;
    if (p->device)
        status = run_on_device(p, error);
    else
        run_on_cpu(p);
    thread_pool_yield(p->thread_pool);
    return status;
}

// NOLINTNEXTLINE(readability-non-const-parameter): both arrays are written through the job
hn_status hn_policy_run(hn_policy *p, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                        hn_report *reports, hn_error *error) {
    const struct device_policy_run job = {count, x, y, objective, reports, 0};
    return run(p, "hn_policy_run", &job, NULL, error);
}

// NOLINTNEXTLINE(readability-non-const-parameter): both arrays are written through the job
hn_status hn_policy_run_chosen(hn_policy *p, size_t count, const hn_real *x, hn_real *y, hn_real *objective,
                               hn_report *reports, size_t *chosen, hn_error *error) {
    const struct device_policy_run job = {count, x, y, objective, reports, 0};
    return run(p, "hn_policy_run_chosen", &job, chosen, error);
}
