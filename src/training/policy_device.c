/* policy_device.c - a policy's batches on a device; if the device lacks the memory for refinement, the CPU refines. See
 * policy_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/size.h"
#include "training/policy_parts.h"

#include <math.h>
#include <string.h>

hn_status policy_device_create(hn_policy *p, const hn_layer_options *layer, hn_error *error) {
    const struct device_policy_request request = {.model = p->model,
                                                  .network = p->network,
                                                  .layer = layer,
                                                  .device = p->options.device,
                                                  .candidates = p->options.candidates,
                                                  .chunk = CHUNK,
                                                  .corrected = p->corrects,
                                                  .refines = p->refines};
    hn_status status = device_policy_create(&p->device, &request, error);
    p->device_options = *p->options.device;
    p->device_options.compiler = NULL; /* the caller's */
    p->options.device = &p->device_options;
    return status;
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

/* ---- refinement on the CPU ---- */

/* All candidates of a batch in host memory. */
struct refining {
    hn_policy *policy;
    struct samples samples;
    size_t *best;
    void *block;
};

static void policy_device_lay_out(struct layout *layout, void *context) {
    struct refining *r = context;
    const hn_policy *p = r->policy;
    samples_place(layout, &r->samples, r->samples.count, p->inputs, p->outputs);
    r->best = layout_take(layout, r->samples.count, sizeof *r->best);
}

static void refine_some(void *context, int member, size_t number) {
    const struct refining *r = context;
    const hn_policy *p = r->policy;
    size_t first = number * CHUNK, left = r->samples.count - first;
    const struct samples some = {.count = left < CHUNK ? left : CHUNK,
                                 .x = r->samples.x + first * p->inputs,
                                 .raw = r->samples.raw + first * p->outputs,
                                 .y = r->samples.y + first * p->outputs,
                                 .objective = r->samples.objective + first,
                                 .reports = r->samples.reports + first};
    refiner_run(&p->refiner, &p->memory[member].refine, &some, false, p->options.refine);
}

static void policy_device_give(const struct refining *r, const struct device_policy_run *run) {
    const struct samples *s = &r->samples;
    size_t n = r->policy->outputs;
    const struct candidates among = {run->count, r->policy->options.candidates, s->objective, s->reports, r->best};
    choose_best(&among);
    for (size_t i = 0; i < run->count; i++) {
        size_t from = r->best[i];
        if (run->y)
            memcpy(run->y + i * n, s->y + from * n, n * sizeof *run->y);
        if (run->objective)
            run->objective[i] = s->objective[from];
        if (run->reports)
            run->reports[i] = s->reports[from];
    }
}

static hn_status refine(struct refining *r, const struct device_policy_run *run, hn_error *error) {
    hn_policy *p = r->policy;
    hn_status status = device_policy_candidates(p->device, run->count, run->x, &r->samples, error);
    if (status != HN_OK)
        return status;
    for (size_t s = 0; s < r->samples.count; s++)
        memcpy(r->samples.x + s * p->inputs, run->x + s % run->count * p->inputs, p->inputs * sizeof *r->samples.x);
    thread_pool_share(p->thread_pool, (r->samples.count + CHUNK - 1) / CHUNK, refine_some, r);
    policy_device_give(r, run);
    return HN_OK;
}

hn_status policy_device_run(hn_policy *p, const struct device_policy_run *run, hn_error *error) {
    struct refining r = {.policy = p, .samples = {.count = size_product(run->count, p->options.candidates)}};
    if (run->refine == 0 || run->count == 0 || device_policy_refines(p->device))
        return device_policy_run(p->device, run, error);
    r.block = layout_allocate(policy_device_lay_out, &r);
    hn_status status = r.block ? refine(&r, run, error) : error_no_memory(error, "the batch");
    base_release(r.block);
    return status;
}
