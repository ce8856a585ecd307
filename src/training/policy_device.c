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
    struct policy_memory memory; /* samples and best only */
    void *block;
};

static void policy_device_lay_out(struct layout *layout, void *context) {
    struct refining *r = context;
    const hn_policy *p = r->policy;
    struct samples *all = &r->memory.samples;
    samples_place(layout, all, all->count, p->inputs, p->outputs);
    r->memory.best = layout_take(layout, p->job.count, sizeof *r->memory.best);
}

static void refine_some(void *context, int member, size_t number) {
    const struct refining *r = context;
    const struct samples *all = &r->memory.samples;
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
    const struct samples *all = &r->memory.samples;
    const struct chunk chunk = chunk_of(p, &r->memory, 0, p->job.count, p->job.count);
    hn_status status = device_policy_candidates(p->device, p->job.count, p->job.x, all, error);
    if (status != HN_OK)
        return status;
    for (size_t s = 0; s < all->count; s++)
        memcpy(all->x + s * p->inputs, p->job.x + s % p->job.count * p->inputs, p->inputs * sizeof *all->x);
    thread_pool_share(p->thread_pool, (all->count + CHUNK - 1) / CHUNK, refine_some, r);
    chunk_choose(&chunk, all->objective);
    chunk_write_out(&chunk);
    return HN_OK;
}

hn_status policy_device_run(hn_policy *p, hn_error *error) {
    struct refining r = {.policy = p};
    if (p->job.refine == 0 || p->job.count == 0 || device_policy_refines(p->device))
        return device_policy_run(p->device, &p->job, error);
    r.memory.samples.count = size_product(p->job.count, p->options.candidates);
    r.block = layout_allocate(policy_device_lay_out, &r);
    hn_status status = r.block ? refine(&r, error) : error_no_memory(error, "the batch");
    base_release(r.block);
    return status;
}
