/* device_policy.c - the life of a policy on a device: layers, kernels, lists, memory. See device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "cuda/device_policy_parts.h"

#include <string.h>

enum { BLOCKS_EACH = 8 }; /* of a multiprocessor, at once */

const hn_device_layer *device_policy_layer(const struct device_policy *policy) {
    return policy->layer;
}

bool device_policy_refines(const struct device_policy *policy) {
    return policy->refines;
}

static const struct cuda_driver *driver_of(const struct device_policy *p) {
    return &p->layer->driver;
}

/* ---- calls ---- */

hn_status policy_enter(const struct device_policy *p, hn_error *error) {
    return device_enter(p->layer, error);
}

hn_status policy_leave(const struct device_policy *p, hn_status status, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    hn_status waited = driver_status(cu, cu->stream_wait(p->stream), "finish the call", status == HN_OK ? error : NULL);
    device_leave(p->layer);
    return status == HN_OK ? waited : status;
}

static cuda_address address_of(const void *at) {
    return (cuda_address)(uintptr_t)at;
}

hn_status policy_copy_in(const struct device_policy *p, double *to, const double *from, size_t count, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    if (!from || count == 0)
        return HN_OK;
    return driver_status(cu, cu->copy_in(address_of(to), from, count * sizeof *from, p->stream), "copy to it", error);
}

hn_status policy_copy_out(const struct device_policy *p, void *to, const void *from, size_t bytes, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    if (!to || bytes == 0)
        return HN_OK;
    return driver_status(cu, cu->copy_out(to, address_of(from), bytes, p->stream), "copy from it", error);
}

static size_t blocks_for(const struct device_policy *p, size_t numbers) {
    size_t wanted = numbers / POLICY_THREADS + (numbers % POLICY_THREADS > 0);
    size_t most = (size_t)p->layer->info.multiprocessors * BLOCKS_EACH;
    return wanted < most ? wanted : most;
}

/* Steps of refinement are long: few samples lie on many multiprocessors. */
hn_status policy_launch(struct device_policy *p, enum policy_kernel kernel, size_t numbers, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    void *arguments[] = {&p->call};
    size_t blocks = blocks_for(p, numbers), room = p->call.apart / POLICY_THREADS;
    bool steps = kernel == POLICY_refine_step;
    if (numbers == 0)
        return HN_OK;
    if (kernel == POLICY_loss_run && blocks > room)
        blocks = room;
    if (steps)
        blocks = p->call.refinement.threads / p->call.refinement.width;
    unsigned threads = steps ? (unsigned)p->call.refinement.width : POLICY_THREADS;
    cuda_result result =
        cu->launch(p->function[kernel], (unsigned)blocks, 1, 1, threads, 1, 1, 0, p->stream, arguments, NULL);
    return driver_status(cu, result, "start the kernel", error);
}

/* ---- a batch's memory ---- */

static void place_network(struct layout *layout, struct device_policy *p, size_t count) {
    const hn_network *n = p->network;
    size_t widest = 0;
    for (size_t k = 0; k <= n->layers; k++)
        widest = n->width[k] > widest ? n->width[k] : widest;
    p->parameters = layout_take(layout, p->parameter_count, sizeof(double));
    p->input_shift = layout_take(layout, n->width[0], sizeof(double));
    p->input_scale = layout_take(layout, n->width[0], sizeof(double));
    p->output_shift = layout_take(layout, n->width[n->layers], sizeof(double));
    p->output_scale = layout_take(layout, n->width[n->layers], sizeof(double));
    for (int i = 0; i < 2; i++)
        p->turn[i] = layout_take(layout, count, widest * sizeof(double));
    for (size_t k = 0; k < n->layers; k++) {
        p->h[k] = p->learns ? layout_take(layout, count, n->width[k] * sizeof(double)) : p->turn[k % 2];
        p->z[k] = p->learns && k + 1 < n->layers ? layout_take(layout, count, n->width[k + 1] * sizeof(double))
                                                 : p->turn[(k + 1) % 2];
    }
    if (n->options.residual)
        p->carried = layout_take(layout, count, widest * sizeof(double));
    for (size_t k = 0; n->options.layer_norm && k + 1 < n->layers; k++)
        p->inverse[k] = layout_take(layout, count, sizeof(double));
    p->call.network = layout_take(layout, count, n->width[n->layers] * sizeof(double));
}

static void place_samples(struct layout *layout, struct device_policy *p) {
    struct policy_call *c = &p->call;
    size_t one = hn_device_workspace_bytes(p->layer, c->samples);
    size_t other = p->through ? hn_device_workspace_bytes(p->through, c->samples) : 0;
    p->workspace = layout_take(layout, one > other ? one : other, 1);
    c->x = layout_take(layout, c->count, c->inputs * sizeof *c->x);
    c->all_x = layout_take(layout, c->samples, c->inputs * sizeof *c->all_x);
    c->raw = layout_take(layout, c->samples, c->outputs * sizeof *c->raw);
    c->y = layout_take(layout, c->samples, c->outputs * sizeof *c->y);
    c->objective = layout_take(layout, c->samples, sizeof *c->objective);
    c->residual = layout_take(layout, c->samples, sizeof *c->residual);
    c->value = layout_take(layout, c->samples, sizeof *c->value);
    c->reports = layout_take(layout, c->samples, sizeof *c->reports);
    c->best = layout_take(layout, c->count, sizeof *c->best);
    c->out_y = layout_take(layout, c->count, c->outputs * sizeof *c->out_y);
    c->out_objective = layout_take(layout, c->count, sizeof *c->out_objective);
    c->out_reports = layout_take(layout, c->count, sizeof *c->out_reports);
    c->slots = layout_take(layout, c->loss.program.slots, c->apart * sizeof *c->slots);
}

static void place_lesson(struct layout *layout, struct device_policy *p) {
    struct policy_call *c = &p->call;
    struct policy_lesson *l = &c->lesson;
    if (!p->learns)
        return;
    p->targets = layout_take(layout, c->count, c->outputs * sizeof(double));
    l->moved = layout_take(layout, c->samples, sizeof *l->moved);
    l->total = layout_take(layout, c->samples, sizeof *l->total);
    l->grad_y = layout_take(layout, c->samples, c->outputs * sizeof *l->grad_y);
    l->grad_raw = layout_take(layout, c->samples, c->outputs * sizeof *l->grad_raw);
    l->rows = layout_take(layout, c->samples, c->outputs * sizeof *l->rows);
    l->dropped = layout_take(layout, c->samples, sizeof *l->dropped);
    l->gradient = layout_take(layout, p->parameter_count, sizeof *l->gradient);
    l->first = layout_take(layout, p->parameter_count, sizeof *l->first);
    l->second = layout_take(layout, p->parameter_count, sizeof *l->second);
    l->norm = layout_take(layout, 1, sizeof *l->norm);
    if (!p->through)
        return;
    l->grad_lower = layout_take(layout, c->samples, c->rows * sizeof *l->grad_lower);
    l->grad_upper = layout_take(layout, c->samples, c->rows * sizeof *l->grad_upper);
    p->tape = layout_take(layout, hn_device_tape_bytes(p->through, c->samples), 1);
}

static void device_policy_place(struct layout *layout, void *context) {
    struct device_policy *p = context;
    place_network(layout, p, p->call.count);
    place_samples(layout, p);
    place_lesson(layout, p);
    if (p->refining)
        policy_refine_place(layout, p);
}

static void give_room(struct device_policy *p) {
    if (p->block)
        driver_of(p)->release(p->block);
    p->block = 0;
    p->room = 0;
}

hn_status policy_make_room(struct device_policy *p, size_t count, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    struct policy_call *c = &p->call;
    size_t threads;
    c->count = count;
    if (!size_multiply(count, p->candidates, &c->samples) || c->samples > UINT32_MAX / 2)
        return error_no_memory(error, "the batch");
    threads = (c->samples + POLICY_THREADS - 1) / POLICY_THREADS;
    threads = threads < (size_t)p->layer->info.multiprocessors ? threads : (size_t)p->layer->info.multiprocessors;
    c->apart = threads * POLICY_THREADS;
    policy_refine_room(p);
    bool tape = !p->through || hn_device_tape_bytes(p->through, c->samples) > 0;
    size_t bytes = tape ? layout_size(device_policy_place, p) : 0;
    if (bytes == 0)
        return error_no_memory(error, "the batch");
    if (bytes > p->room) {
        give_room(p);
        hn_status status = driver_status(cu, cu->allocate(&p->block, bytes), "take memory for the batch", error);
        if (status != HN_OK) {
            p->block = 0;
            return status;
        }
        p->room = bytes;
    }
    layout_place(device_policy_place, p, (void *)(uintptr_t)p->block); // NOLINT(performance-no-int-to-ptr)
    return HN_OK;
}

/* ---- what never changes ---- */

static hn_status upload_lists(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    const struct loss *l = &p->loss;
    static const struct program none;
    const struct program *program = l->program ? l->program : &none;
    struct policy_loss *to = &p->call.loss;
    struct policy_lesson *lesson = &p->call.lesson;
    const struct device_list lists[] = {
        DEVICE_LIST(program->code, program->first[PHASES], to->program.code),
        DEVICE_LIST(program->pairs, 2 * program->pair_count, to->program.pairs),
        DEVICE_LIST(program->columns, program->column_count, to->program.columns),
        DEVICE_LIST(program->coefficients, program->coefficient_count, to->program.coefficients),
        DEVICE_LIST(program->constants, program->constant_count, to->program.constants),
        DEVICE_LIST(l->value, l->rows, to->value),
        DEVICE_LIST(l->lower, l->rows, to->lower),
        DEVICE_LIST(l->upper, l->rows, to->upper),
        DEVICE_LIST(l->gradient_at, l->gradient_count, to->gradient_at),
        DEVICE_LIST(l->gradient_entry, l->gradient_count, to->gradient_entry),
        DEVICE_LIST(l->pull_at, l->pull_count, to->pull_at),
        DEVICE_LIST(l->pull_entry, l->pull_count, to->pull_entry),
        DEVICE_LIST(r->bound_row, r->bounds, lesson->bound_row),
        DEVICE_LIST(r->bound_column, r->bounds, lesson->bound_column)};
    return device_upload(driver_of(p), p->stream, &p->lists, lists, sizeof lists / sizeof lists[0], error);
}

_Static_assert(IS_32_BIT || sizeof(struct policy_instruction) == sizeof(struct instruction),
               "instructions go as they are");
_Static_assert(IS_32_BIT || sizeof(size_t) == sizeof(uint64_t), "and so do sizes");

static hn_status device_policy_describe(struct device_policy *p, const struct device_policy_request *r,
                                        hn_error *error) {
    struct policy_call *c = &p->call;
    const struct loss *l = &p->loss;
    c->candidates = r->candidates;
    c->inputs = hn_model_input_count(r->model);
    c->outputs = hn_model_output_count(r->model);
    c->rows = hn_model_row_count(r->model);
    c->corrected = r->corrected;
    c->lesson.bounds = r->bounds;
    c->lesson.chunk = r->chunk;
    c->loss.there = l->program != NULL;
    if (l->program) {
        for (int i = 0; i <= PHASES; i++)
            c->loss.program.first[i] = l->program->first[i];
        c->loss.program.constant_count = l->program->constant_count;
        c->loss.program.slots = l->program->slots;
        c->loss.gradient_count = l->gradient_count;
        c->loss.pull_count = l->pull_count;
        c->loss.x = l->x;
        c->loss.y = l->y;
        c->loss.multiplier = l->multiplier;
        c->loss.objective = l->objective;
    }
    return upload_lists(p, r, error);
}

/* ---- kernels ---- */

static hn_status device_policy_load(struct device_policy *p, const struct file_bytes *code, bool refines,
                                    hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    int first = refines ? POLICY_PLAIN : 0, end = refines ? POLICY_KERNELS : POLICY_PLAIN;
    cuda_module *module = &p->module[refines];
    hn_status status = driver_status(cu, cu->module_load(module, code->data), "load the kernels", error);
    if (status != HN_OK)
        *module = NULL;
    for (int k = first; k < end && status == HN_OK; k++)
        status =
            driver_status(cu, cu->module_function(&p->function[k], *module, policy_kernel_name((enum policy_kernel)k)),
                          "find the kernels", error);
    return status;
}

static hn_status make_kernels(struct device_policy *p, bool refines, hn_error *error) {
    struct code_subject source = {
        .capability = p->layer->info.capability, .gradients = true, .layer = &p->layer->layer, .model = "any"};
    struct file_bytes code = {NULL, 0};
    char *text;
    hn_status status = policy_print(&text, &source.length, p->layer->plan, p->network, refines, error);
    source.text = text;
    if (status == HN_OK)
        status = device_code(&code, p->layer, &source, error);
    if (status == HN_OK)
        status = device_policy_load(p, &code, refines, error);
    base_release(code.data);
    base_release(text);
    return status;
}

/* ---- life ---- */

static hn_status make_layers(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    hn_device_options options = *r->device;
    options.gradients = false;
    hn_status status = hn_device_layer_create(&p->layer, r->model, r->layer, &options, error);
    options.gradients = true;
    if (status == HN_OK && r->through)
        status = hn_device_layer_create(&p->through, r->model, r->through, &options, error);
    return status;
}

/* In the context. */
static hn_status device_policy_fill(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    const struct cuda_driver *cu = driver_of(p);
    hn_status status = driver_status(cu, cu->stream_create(&p->stream, 1), "make a stream", error);
    if (status != HN_OK)
        p->stream = NULL;
    if (status == HN_OK)
        status = make_kernels(p, false, error);
    if (status == HN_OK)
        status = device_policy_describe(p, r, error);
    if (status == HN_OK && r->refines)
        status = policy_refine_create(p, r->model, error);
    return status == HN_OK && p->refines ? make_kernels(p, true, error) : status;
}

static hn_status device_policy_build(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    hn_status status = make_layers(p, r, error);
    p->loss.stride = 1;
    if (status == HN_OK && hn_model_objective(r->model).name)
        status = loss_compile(&p->loss, r->model, error);
    if (status == HN_OK)
        status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    status = device_policy_fill(p, r, error);
    if (p->stream)
        return policy_leave(p, status, error);
    device_leave(p->layer);
    return status;
}

hn_status device_policy_create(struct device_policy **out, const struct device_policy_request *request,
                               hn_error *error) {
    *out = NULL;
    struct device_policy *p = base_allocate(sizeof *p);
    if (!p)
        return error_no_memory(error, "the policy");
    memset(p, 0, sizeof *p);
    p->network = request->network;
    p->candidates = request->candidates;
    p->corrected = request->corrected;
    p->learns = request->learns;
    p->parameter_count = hn_network_parameter_count(request->network);
    hn_status status = device_policy_build(p, request, error);
    if (status != HN_OK)
        device_policy_destroy(p);
    else
        *out = p;
    return status;
}

void device_policy_destroy(struct device_policy *p) {
    if (!p)
        return;
    if (p->layer && policy_enter(p, NULL) == HN_OK) {
        const struct cuda_driver *cu = driver_of(p);
        const cuda_address lists[] = {p->lists, p->program_lists, p->refine_lists};
        give_room(p);
        for (int i = 0; i < 3; i++)
            if (lists[i])
                cu->release(lists[i]);
        for (int i = 0; i < 2; i++)
            if (p->module[i])
                cu->module_unload(p->module[i]);
        if (p->stream)
            cu->stream_destroy(p->stream);
        device_leave(p->layer);
    }
    loss_release(&p->loss);
    refine_plan_release(&p->plan);
    hn_device_layer_destroy(p->through);
    hn_device_layer_destroy(p->layer);
    base_release(p);
}
