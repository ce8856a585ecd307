/* trainer_memory.c - what each thread of a trainer works in, one block each.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "training/trainer_parts.h"

/* Run twice: over no memory to measure, over the block to place. */
static void lay_out(struct layout *layout, const hn_trainer *t, struct chunk_memory *m) {
    size_t samples = CHUNK * t->options.candidates, numbers = samples * t->outputs;
    size_t workspace = hn_layer_workspace_bytes(t->layer), other = hn_layer_workspace_bytes(t->final);
    m->workspace = layout_take(layout, workspace > other ? workspace : other, 1);
    m->tape = layout_take(layout, hn_layer_tape_bytes(t->layer, samples), 1);
    m->loss = layout_take(layout, t->loss.bytes, 1);
    m->raw = layout_take(layout, numbers, sizeof *m->raw);
    m->y = layout_take(layout, numbers, sizeof *m->y);
    m->x = layout_take(layout, samples * t->inputs, sizeof *m->x);
    m->grad_y = layout_take(layout, numbers, sizeof *m->grad_y);
    m->grad_raw = layout_take(layout, numbers, sizeof *m->grad_raw);
    m->grad_lower = layout_take(layout, samples * t->layer->rows, sizeof *m->grad_lower);
    m->grad_upper = layout_take(layout, samples * t->layer->rows, sizeof *m->grad_upper);
    m->objective = layout_take(layout, samples, sizeof *m->objective);
    m->residual = layout_take(layout, samples, sizeof *m->residual);
    m->moved = layout_take(layout, samples, sizeof *m->moved);
    m->total = layout_take(layout, samples, sizeof *m->total);
    m->reports = layout_take(layout, samples, sizeof *m->reports);
    m->refine = layout_take(layout, t->refiner.bytes, 1);
    m->length = layout_take(layout, samples, sizeof *m->length);
    m->refined_objective = layout_take(layout, samples, sizeof *m->refined_objective);
    m->refined = layout_take(layout, samples, sizeof *m->refined);
    m->best = layout_take(layout, CHUNK, sizeof *m->best);
}

static hn_status create_one(const hn_trainer *t, struct chunk_memory *m, hn_error *error) {
    struct layout layout = layout_measure();
    lay_out(&layout, t, m);
    size_t bytes = layout_bytes(&layout);
    void *block = bytes && hn_layer_tape_bytes(t->layer, CHUNK * t->options.candidates) ? base_allocate(bytes) : NULL;
    *m = (struct chunk_memory){.block = block};
    if (!block)
        return error_no_memory(error, "training");
    layout = layout_over(block);
    lay_out(&layout, t, m);
    loss_begin(&t->loss, m->loss);
    if (t->options.refine > 0)
        refiner_begin(&t->refiner, m->refine);
    return perceptron_memory_create(&m->perceptron, t->network, CHUNK, error);
}

hn_status trainer_memory_create(hn_trainer *t, hn_error *error) {
    size_t capacity = 0, members = (size_t)team_size(t->team);
    hn_status status = HN_OK;
    t->memory = array_grow(NULL, &capacity, members, sizeof *t->memory);
    if (!t->memory)
        return error_no_memory(error, "training");
    for (size_t i = 0; i < members; i++)
        t->memory[i] = (struct chunk_memory){.block = NULL};
    for (size_t i = 0; i < members && status == HN_OK; i++)
        status = create_one(t, &t->memory[i], error);
    return status;
}

void trainer_memory_release(hn_trainer *t) {
    for (int i = 0; t->memory && i < team_size(t->team); i++) {
        perceptron_memory_destroy(t->memory[i].perceptron);
        base_release(t->memory[i].block);
    }
    base_release(t->memory);
}
