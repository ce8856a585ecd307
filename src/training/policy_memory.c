/* policy_memory.c - the workspaces of a policy's threads, one block each.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "training/policy_parts.h"

static void policy_memory_lay_out(struct layout *layout, void *context) {
    struct policy_memory *m = context;
    const hn_policy *p = m->owner;
    size_t samples = CHUNK * p->options.candidates;
    m->refine.workspace = layout_take(layout, hn_layer_workspace_bytes(p->layer), 1);
    m->refine.loss = layout_take(layout, p->loss.bytes, 1);
    if (p->refines)
        refiner_place(layout, &p->refiner, samples, &m->refine);
    if (p->improves)
        samples_place(layout, &m->beyond, CHUNK, 0, p->outputs);
    m->head = layout_take(layout, p->options.head ? p->options.head->memory_bytes : 0, 1);
    m->notes = layout_take(layout, p->options.head ? samples : 0, sizeof *m->notes);
    samples_place(layout, &m->samples, samples, p->inputs, p->outputs);
    m->value = layout_take(layout, samples, sizeof *m->value);
    m->best = layout_take(layout, CHUNK, sizeof *m->best);
}

static hn_status create_one(const hn_policy *p, struct policy_memory *m, hn_error *error) {
    m->block = layout_allocate(policy_memory_lay_out, m);
    if (!m->block)
        return error_no_memory(error, "a policy");
    if (p->has_objective)
        loss_begin(&p->loss, m->refine.loss);
    if (p->refines)
        refiner_begin(&p->refiner, &m->refine);
    if (p->options.head && p->options.head->begin)
        p->options.head->begin(p->options.head->context, m->head);
    return perceptron_memory_create(&m->perceptron, p->network, CHUNK, error);
}

hn_status policy_memory_create(hn_policy *p, hn_error *error) {
    size_t capacity = 0, members = (size_t)thread_pool_size(p->thread_pool);
    hn_status status = HN_OK;
    p->memory = array_grow(NULL, &capacity, members, sizeof *p->memory);
    if (!p->memory)
        return error_no_memory(error, "a policy");
    for (size_t i = 0; i < members; i++)
        p->memory[i] = (struct policy_memory){.owner = p};
    for (size_t i = 0; i < members && status == HN_OK; i++)
        status = create_one(p, &p->memory[i], error);
    return status;
}

void policy_memory_release(hn_policy *p) {
    for (int i = 0; p->memory && i < thread_pool_size(p->thread_pool); i++) {
        perceptron_memory_destroy(p->memory[i].perceptron);
        base_release(p->memory[i].block);
    }
    base_release(p->memory);
}
