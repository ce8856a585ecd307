/* device_policy_refine.c - the plan of refinement on a device, its lists and its memory. See device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/size.h"
#include "cuda/device_policy_parts.h"

/* The part of the device's memory that slots take at most. */
enum { MEMORY_SHARE = 8 };

/* Threads whose slots the device has room for, whole warps; none where 32 bits do not count the numbers of a warp. */
static size_t most_threads(const struct device_policy *p) {
    size_t bytes = size_product(p->plan.slots, sizeof(double));
    return p->plan.slots > UINT32_MAX / REFINE_WARP
               ? 0
               : p->layer->memory / MEMORY_SHARE / bytes / REFINE_WARP * REFINE_WARP;
}

void policy_refine_create(struct device_policy *p, const hn_model *model) {
    p->status = refine_plan_create(&p->plan, model, 1, p->error);
    p->refines = p->status == HN_OK && most_threads(p) > 0;
}

/* ---- lists ---- */

static void list_system(struct device_lists *all, const struct damped *from, struct damped *to) {
    size_t order = from->order;
    DEVICE_ADD(all, from->by_rows.stream, from->by_rows.words, to->by_rows.stream);
    DEVICE_ADD(all, from->by_columns.stream, from->by_columns.words, to->by_columns.stream);
    DEVICE_ADD(all, from->stream, from->words, to->stream);
    DEVICE_ADD(all, from->permutation, order, to->permutation);
    DEVICE_ADD(all, from->column_first, order + 1, to->column_first);
    DEVICE_ADD(all, from->row_offset, from->nonzeros, to->row_offset);
    DEVICE_ADD(all, from->row_number, from->nonzeros, to->row_number);
    DEVICE_ADD(all, from->row_first, order + 1, to->row_first);
    DEVICE_ADD(all, from->row_column, from->nonzeros, to->row_column);
    DEVICE_ADD(all, from->row_entry, from->nonzeros, to->row_entry);
    DEVICE_ADD(all, from->constants, from->constant_count, to->constants);
}

void policy_refine_list(struct device_policy *p, struct device_lists *all) {
    const struct refine_places *from = &p->plan.places;
    const struct barrier_task *task = &from->task;
    struct refine_places *to = &p->places;
    size_t rows = task->rows, columns = task->columns, entries = task->first[rows];
    p->call.refinement.slots = p->plan.slots;
    *to = *from;
    DEVICE_ADD(all, task->value, rows, to->task.value);
    DEVICE_ADD(all, task->lower, rows, to->task.lower);
    DEVICE_ADD(all, task->upper, rows, to->task.upper);
    DEVICE_ADD(all, task->first, rows + 1, to->task.first);
    DEVICE_ADD(all, task->column, entries, to->task.column);
    DEVICE_ADD(all, task->entry, entries, to->task.entry);
    DEVICE_ADD(all, task->gradient, columns, to->task.gradient);
    DEVICE_ADD(all, from->curvature, columns, to->curvature);
    DEVICE_ADD(all, from->fixed, columns, to->fixed);
    list_system(all, &from->system, &to->system);
    device_lists_add_program(all, p->plan.program, &p->program);
    DEVICE_ADD(all, &p->program, 1, to->program);
    DEVICE_ADD(all, to, 1, p->call.refinement.places);
}

/* ---- memory ---- */

/* The widest warps with which there is one for each multiprocessor: the slots of few threads stay in its cache. No bit
 * depends on it. */
static size_t width_for(const struct device_policy *p) {
    size_t width = REFINE_WARP, half = width / 2, most = (size_t)p->layer->info.multiprocessors;
    for (; half >= REFINE_LEAST && (p->call.samples.count + half - 1) / half <= most; half /= 2)
        width = half;
    return width;
}

void policy_refine_room(struct device_policy *p) {
    struct policy_refinement *r = &p->call.refinement;
    if (!p->refining)
        return;
    size_t width = width_for(p), warps = (p->call.samples.count + width - 1) / width;
    size_t at_once = (size_t)p->layer->info.multiprocessors * REFINE_WARPS_EACH, fit = most_threads(p) / width;
    at_once = fit < at_once ? fit : at_once;
    r->width = width;
    r->threads = (warps < at_once ? warps : at_once) * width;
}

static void place_improvement(struct layout *layout, struct device_policy *p) {
    const struct policy_call *c = &p->call;
    struct improve_task *t = &p->call.improve;
    t->outputs = c->outputs;
    t->samples = c->samples;
    t->among = c->among;
    t->targets = layout_take(layout, c->samples.count, c->outputs * sizeof *t->targets);
    samples_place(layout, &t->beyond, c->among.inputs, 0, c->outputs);
    t->beyond.x = c->samples.x; /* of the first candidates */
    p->starts = layout_take(layout, c->among.inputs, c->outputs * sizeof *p->starts);
}

void policy_refine_place(struct layout *layout, struct device_policy *p) {
    const struct policy_call *c = &p->call;
    struct policy_refinement *r = &p->call.refinement;
    size_t samples = c->samples.count;
    r->memory = layout_take(layout, r->slots, r->threads * sizeof *r->memory);
    r->multipliers = layout_take(layout, samples, c->train.rows * sizeof *r->multipliers);
    r->length = layout_take(layout, samples, sizeof *r->length);
    samples_place(layout, &r->trial, samples, 0, c->outputs);
    if (p->learns)
        place_improvement(layout, p);
}
