/* device_policy_refine.c - refinement of a policy's samples on a device: its plan and lists, its memory, and steps. See device_policy.h;
 * the kernels are policy_refine.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/size.h"
#include "cuda/device_policy_parts.h"

/* The part of the device's memory that slots take at most. */
enum { MEMORY_SHARE = 8 };

/* ---- lists ---- */

/* Of factors some lists are not there. */
#define IF_THERE(array, many, pointer) DEVICE_LIST(array, (array) ? (many) : 0, pointer)

static hn_status upload_program(struct device_policy *p, hn_error *error) {
    const struct program *from = p->plan.program;
    struct policy_program *to = &p->program;
    const struct device_list lists[] = {DEVICE_LIST(from->code, from->first[PHASES], to->code),
                                        DEVICE_LIST(from->pairs, 2 * from->pair_count, to->pairs),
                                        DEVICE_LIST(from->columns, from->column_count, to->columns),
                                        DEVICE_LIST(from->coefficients, from->coefficient_count, to->coefficients),
                                        DEVICE_LIST(from->constants, from->constant_count, to->constants),
                                        DEVICE_LIST(to, 1, p->places.program)};
    for (int i = 0; i <= PHASES; i++)
        to->first[i] = from->first[i];
    to->constant_count = from->constant_count;
    to->slots = from->slots;
    return device_upload(&p->layer->driver, p->stream, &p->program_lists, lists, sizeof lists / sizeof lists[0], error);
}

/* The places go last: they hold the addresses of all others. */
static hn_status upload_places(struct device_policy *p, hn_error *error) {
    const struct refine_places *from = &p->plan.places;
    const struct barrier_task *task = &from->task;
    const struct damped *system = &from->system;
    struct refine_places *to = &p->places;
    size_t rows = task->rows, columns = task->columns, entries = task->first[rows], order = system->order;
    const struct device_list lists[] = {
        DEVICE_LIST(task->value, rows, to->task.value),
        DEVICE_LIST(task->lower, rows, to->task.lower),
        DEVICE_LIST(task->upper, rows, to->task.upper),
        DEVICE_LIST(task->first, rows + 1, to->task.first),
        DEVICE_LIST(task->column, entries, to->task.column),
        DEVICE_LIST(task->entry, entries, to->task.entry),
        DEVICE_LIST(task->gradient, columns, to->task.gradient),
        DEVICE_LIST(from->curvature, columns, to->curvature),
        DEVICE_LIST(from->fixed, columns, to->fixed),
        DEVICE_LIST(system->by_rows.stream, system->by_rows.words, to->system.by_rows.stream),
        DEVICE_LIST(system->by_columns.stream, system->by_columns.words, to->system.by_columns.stream),
        DEVICE_LIST(system->stream, system->words, to->system.stream),
        IF_THERE(system->permutation, order, to->system.permutation),
        IF_THERE(system->column_first, order + 1, to->system.column_first),
        IF_THERE(system->row_offset, system->nonzeros, to->system.row_offset),
        IF_THERE(system->row_number, system->nonzeros, to->system.row_number),
        IF_THERE(system->row_first, order + 1, to->system.row_first),
        IF_THERE(system->row_column, system->nonzeros, to->system.row_column),
        IF_THERE(system->row_entry, system->nonzeros, to->system.row_entry),
        DEVICE_LIST(system->constants, system->constant_count, to->system.constants),
        DEVICE_LIST(to, 1, p->call.refinement.places)};
    return device_upload(&p->layer->driver, p->stream, &p->refine_lists, lists, sizeof lists / sizeof lists[0], error);
}

/* ---- life ---- */

/* Of one thread. */
static size_t thread_bytes(const struct device_policy *p) {
    return size_product(p->plan.slots, sizeof(double));
}

/* Threads whose slots the device has room for, whole warps; none where 32 bits do not count the numbers of a warp. */
static size_t most_threads(const struct device_policy *p) {
    return p->plan.slots > UINT32_MAX / REFINE_WARP
               ? 0
               : p->layer->memory / MEMORY_SHARE / thread_bytes(p) / REFINE_WARP * REFINE_WARP;
}

hn_status policy_refine_create(struct device_policy *p, const hn_model *model, hn_error *error) {
    hn_status status = refine_plan_create(&p->plan, model, 1, error);
    if (status != HN_OK || most_threads(p) == 0)
        return status;
    p->refines = true;
    p->call.refinement.slots = p->plan.slots;
    p->places = p->plan.places;
    status = upload_program(p, error);
    return status == HN_OK ? upload_places(p, error) : status;
}

/* ---- memory ---- */

/* As wide as there are multiprocessors for all warps: the slots of few threads stay in the cache of one. No bit depends on it. */
static size_t width_for(const struct device_policy *p) {
    size_t width = REFINE_WARP, half = width / 2, most = (size_t)p->layer->info.multiprocessors;
    for (; half >= REFINE_LEAST && (p->call.samples + half - 1) / half <= most; half /= 2)
        width = half;
    return width;
}

void policy_refine_room(struct device_policy *p) {
    struct policy_refinement *r = &p->call.refinement;
    if (!p->refining)
        return;
    size_t width = width_for(p), warps = (p->call.samples + width - 1) / width;
    size_t at_once = (size_t)p->layer->info.multiprocessors * REFINE_WARPS_EACH, fit = most_threads(p) / width;
    at_once = fit < at_once ? fit : at_once;
    r->width = width;
    r->threads = (warps < at_once ? warps : at_once) * width;
}

static void place_beyond(struct layout *layout, struct device_policy *p) {
    const struct policy_call *c = &p->call;
    struct policy_refinement *r = &p->call.refinement;
    r->targets = layout_take(layout, c->samples, c->outputs * sizeof *r->targets);
    r->beyond_raw = layout_take(layout, c->count, c->outputs * sizeof *r->beyond_raw);
    r->beyond_y = layout_take(layout, c->count, c->outputs * sizeof *r->beyond_y);
    r->beyond_objective = layout_take(layout, c->count, sizeof *r->beyond_objective);
    r->beyond_residual = layout_take(layout, c->count, sizeof *r->beyond_residual);
    r->beyond_reports = layout_take(layout, c->count, sizeof *r->beyond_reports);
    p->starts = layout_take(layout, c->count, c->outputs * sizeof *p->starts);
}

void policy_refine_place(struct layout *layout, struct device_policy *p) {
    const struct policy_call *c = &p->call;
    struct policy_refinement *r = &p->call.refinement;
    r->memory = layout_take(layout, r->slots, r->threads * sizeof *r->memory);
    r->trial = layout_take(layout, c->samples, c->outputs * sizeof *r->trial);
    r->tried = layout_take(layout, c->samples, c->outputs * sizeof *r->tried);
    r->objective = layout_take(layout, c->samples, sizeof *r->objective);
    r->multipliers = layout_take(layout, c->samples, c->rows * sizeof *r->multipliers);
    r->length = layout_take(layout, c->samples, sizeof *r->length);
    r->reports = layout_take(layout, c->samples, sizeof *r->reports);
    if (p->learns)
        place_beyond(layout, p);
}

/* ---- steps ---- */

/* The layer's answer to what a step leads to, with its objective; the samples themselves stay. */
static hn_status try_trial(struct device_policy *p, hn_error *error) {
    struct policy_call *c = &p->call, samples = *c;
    c->raw = c->refinement.trial;
    c->y = c->refinement.tried;
    c->objective = c->refinement.objective;
    c->reports = c->refinement.reports;
    hn_status status = policy_correct(p, error);
    *c = samples;
    return status;
}

hn_status policy_refine(struct device_policy *p, int steps, hn_error *error) {
    struct policy_call *c = &p->call;
    hn_status status = HN_OK;
    for (int k = 0; k < steps && status == HN_OK; k++) {
        c->refinement.known = k > 0;
        status = policy_launch(p, POLICY_refine_step, c->samples, error);
        if (status == HN_OK)
            status = try_trial(p, error);
        if (status == HN_OK)
            status = policy_launch(p, POLICY_refine_keep, c->samples, error);
    }
    return status == HN_OK ? policy_launch(p, POLICY_refine_end, c->samples, error) : status;
}
