/* device_policy.c - creates and destroys a policy on a device: layers, kernels, lists, memory. See device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "cuda/device_policy_parts.h"

#include <string.h>

enum {
    BLOCKS_EACH = 8, /* resident on a multiprocessor */
    MEMORY_SHARE = 8 /* slots of refinement use at most 1 / 8 of the device's memory */
};

#define NAME_OF(name) "hardnet_" #name,
static const char kernel_names[][32] = {POLICY_KERNEL_LIST(NAME_OF) "hardnet_refine_step", REFINE_KERNEL_LIST(NAME_OF)};

const hn_device_layer *device_policy_layer(const struct device_policy *policy) {
    return policy->layer;
}

bool device_policy_refines(const struct device_policy *policy) {
    return policy->refines;
}

/* ---- calls ---- */

/* Keeps the first failure. */
static void policy_check(struct device_policy *p, cuda_result result, const char *what) {
    if (p->status == HN_OK)
        p->status = driver_status(&p->layer->driver, result, what, p->error);
}

bool policy_enter(struct device_policy *p, hn_error *error) {
    p->error = error;
    p->status = device_enter(p->layer, error);
    return p->status == HN_OK;
}

hn_status policy_leave(struct device_policy *p) {
    if (p->stream)
        policy_check(p, p->layer->driver.stream_wait(p->stream), "finish the call");
    device_leave(p->layer);
    p->error = NULL;
    return p->status;
}

static cuda_address address_of(const void *at) {
    return (cuda_address)(uintptr_t)at;
}

void policy_copy_in(struct device_policy *p, const void *to, const void *from, size_t bytes) {
    if (p->status == HN_OK && from && bytes > 0)
        policy_check(p, p->layer->driver.copy_in(address_of(to), from, bytes, p->stream), "copy to it");
}

void policy_copy_out(struct device_policy *p, void *to, const void *from, size_t bytes) {
    if (p->status == HN_OK && to && bytes > 0)
        policy_check(p, p->layer->driver.copy_out(to, address_of(from), bytes, p->stream), "copy from it");
}

static size_t blocks_for(const struct device_policy *p, size_t numbers) {
    size_t wanted = numbers / POLICY_THREADS + (numbers % POLICY_THREADS > 0);
    size_t most = (size_t)p->layer->info.multiprocessors * BLOCKS_EACH;
    return wanted < most ? wanted : most;
}

/* Steps of refinement are slow: narrow blocks spread few samples over many multiprocessors. */
void policy_launch(struct device_policy *p, enum policy_kernel kernel, size_t numbers) {
    void *arguments[] = {&p->call};
    size_t threads = POLICY_THREADS, blocks = blocks_for(p, numbers);
    if (p->status != HN_OK || numbers == 0)
        return;
    if (kernel == POLICY_refine_step) {
        threads = p->call.refinement.width;
        blocks = numbers / threads;
    }
    p->call.numbers = numbers;
    policy_check(p,
                 p->layer->driver.launch(p->function[kernel], (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, 0,
                                         p->stream, arguments, NULL),
                 "start the kernel");
}

/* ---- the network ---- */

/* Threads: one per element, or per row that is normalised. */
static size_t numbers_of(const struct network_task *task) {
    switch (task->operation) {
    case NETWORK_multiply:
        return task->of.product.rows * task->of.product.columns;
    case NETWORK_parameters:
        return task->of.product.rows * (task->of.product.columns + 1);
    case NETWORK_activate:
    case NETWORK_activate_back:
        return task->of.activation.count;
    case NETWORK_normalize:
    case NETWORK_normalize_back:
        return task->of.normal.rows;
    default:
        return task->of.element.rows * task->of.element.width;
    }
}

static void policy_run_task(const struct perceptron_memory *memory, const struct network_task *task) {
    struct device_policy *p = memory->context;
    p->call.task = *task;
    policy_launch(p, (enum policy_kernel)task->operation, numbers_of(task));
}

/* ---- a batch's memory ---- */

static void place_network(struct layout *layout, struct device_policy *p) {
    struct perceptron_memory *m = &p->perceptron;
    const hn_network *n = p->network;
    size_t in = n->width[0], out = n->width[n->layers];
    m->count = p->call.among.inputs;
    m->parameters = layout_take(layout, p->parameter_count, sizeof *m->parameters);
    m->input.shift = layout_take(layout, in, sizeof *m->input.shift);
    m->input.scale = layout_take(layout, in, sizeof *m->input.scale);
    m->output.shift = layout_take(layout, out, sizeof *m->output.shift);
    m->output.scale = layout_take(layout, out, sizeof *m->output.scale);
    (p->learns ? perceptron_place_training : perceptron_place_run)(layout, m);
    p->call.network = layout_take(layout, m->count, out * sizeof *p->call.network);
}

static void place_samples(struct layout *layout, struct device_policy *p) {
    struct policy_call *c = &p->call;
    size_t samples = c->samples.count, inputs = c->among.inputs;
    size_t one = hn_device_workspace_bytes(p->layer, samples);
    size_t other = p->through ? hn_device_workspace_bytes(p->through, samples) : 0;
    p->workspace = layout_take(layout, one > other ? one : other, 1);
    samples_place(layout, &c->samples, samples, c->inputs, c->outputs);
    samples_place(layout, &c->out, inputs, 0, c->outputs);
    c->x = layout_take(layout, inputs, c->inputs * sizeof *c->x);
    c->value = layout_take(layout, samples, sizeof *c->value);
    c->slots = layout_take(layout, c->program.slots, c->apart * sizeof *c->slots);
    c->among.best = layout_take(layout, inputs, sizeof *c->among.best);
    c->among.values = c->value;
    c->among.reports = c->samples.reports;
}

static void place_training(struct layout *layout, struct device_policy *p) {
    struct policy_call *c = &p->call;
    struct train_batch *b = &c->train;
    size_t samples = c->samples.count, numbers = c->outputs * sizeof(double);
    b->inputs = c->among.inputs;
    b->samples = c->samples;
    b->best = c->among.best;
    b->output_scale = p->perceptron.output.scale;
    c->targets = layout_take(layout, c->among.inputs, numbers);
    b->moved = layout_take(layout, samples, sizeof *b->moved);
    b->total = layout_take(layout, samples, sizeof *b->total);
    b->grad_y = layout_take(layout, samples, numbers);
    b->grad_raw = layout_take(layout, samples, numbers);
    b->dropped = layout_take(layout, samples, sizeof *b->dropped);
    c->rows = layout_take(layout, samples, numbers);
    c->norm = layout_take(layout, 1, sizeof *c->norm);
    c->adam.parameters = (double *)(uintptr_t)p->perceptron.parameters;
    c->adam.gradient = layout_take(layout, p->parameter_count, sizeof(double));
    c->adam.first = layout_take(layout, p->parameter_count, sizeof(double));
    c->adam.second = layout_take(layout, p->parameter_count, sizeof(double));
    if (!p->through)
        return;
    b->grad_lower = layout_take(layout, samples, b->rows * sizeof *b->grad_lower);
    b->grad_upper = layout_take(layout, samples, b->rows * sizeof *b->grad_upper);
    p->tape = layout_take(layout, hn_device_tape_bytes(p->through, samples), 1);
}

/* ---- memory of refinement ---- */

/* Threads whose slots fit the device, whole warps; 0 if 32 bits cannot number the slots of a warp. */
static size_t most_threads(const struct device_policy *p) {
    size_t bytes = size_product(p->plan.slots, sizeof(double));
    return p->plan.slots > UINT32_MAX / REFINE_WARP
               ? 0
               : p->layer->memory / MEMORY_SHARE / bytes / REFINE_WARP * REFINE_WARP;
}

/* The widest warps that still occupy every multiprocessor: the slots of few threads stay in its cache. The width does
 * not affect any bit. */
static size_t width_for(const struct device_policy *p) {
    size_t width = REFINE_WARP, half = width / 2, most = (size_t)p->layer->info.multiprocessors;
    for (; half >= REFINE_LEAST && (p->call.samples.count + half - 1) / half <= most; half /= 2)
        width = half;
    return width;
}

static void refine_room(struct device_policy *p) {
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

static void place_refinement(struct layout *layout, struct device_policy *p) {
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

/* ---- memory of a batch, all parts ---- */

static void device_policy_place(struct layout *layout, void *context) {
    struct device_policy *p = context;
    place_network(layout, p);
    place_samples(layout, p);
    if (p->learns)
        place_training(layout, p);
    if (p->refining)
        place_refinement(layout, p);
}

static void give_room(struct device_policy *p) {
    if (p->block)
        p->layer->driver.release(p->block);
    p->block = 0;
    p->room = 0;
}

/* The bytes of a batch; 0: more than fit a size_t. */
static size_t measure(struct device_policy *p, size_t count) {
    struct policy_call *c = &p->call;
    size_t multiprocessors = (size_t)p->layer->info.multiprocessors;
    c->among.inputs = count;
    if (!size_multiply(count, c->among.candidates, &c->samples.count) || c->samples.count > UINT32_MAX / 2)
        return 0;
    size_t blocks = (c->samples.count + POLICY_THREADS - 1) / POLICY_THREADS;
    c->apart = (blocks < multiprocessors ? blocks : multiprocessors) * POLICY_THREADS;
    refine_room(p);
    bool tape = !p->through || hn_device_tape_bytes(p->through, c->samples.count) > 0;
    return tape ? layout_size(device_policy_place, p) : 0;
}

void policy_make_room(struct device_policy *p, size_t count) {
    size_t bytes = measure(p, count);
    if (bytes == 0)
        p->status = error_no_memory(p->error, "the batch");
    else if (bytes > p->room) {
        give_room(p);
        policy_check(p, p->layer->driver.allocate(&p->block, bytes), "take memory for the batch");
        if (p->status != HN_OK)
            p->block = 0;
        else
            p->room = bytes;
    }
    if (p->status == HN_OK)
        layout_place(device_policy_place, p, (void *)(uintptr_t)p->block); // NOLINT(performance-no-int-to-ptr)
}

/* ---- constant data ---- */

static void list_loss(struct device_policy *p, struct device_lists *all) {
    const struct loss_places *from = &p->loss.places;
    struct loss_places *to = &p->call.loss;
    device_lists_add_program(all, p->loss.program, &p->call.program);
    *to = *from;
    DEVICE_ADD(all, from->value, from->rows, to->value);
    DEVICE_ADD(all, from->lower, from->rows, to->lower);
    DEVICE_ADD(all, from->upper, from->rows, to->upper);
    DEVICE_ADD(all, from->gradient_at, from->gradient_count, to->gradient_at);
    DEVICE_ADD(all, from->gradient_entry, from->gradient_count, to->gradient_entry);
    DEVICE_ADD(all, from->pull_at, from->pull_count, to->pull_at);
    DEVICE_ADD(all, from->pull_entry, from->pull_count, to->pull_entry);
}

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

static void list_refinement(struct device_policy *p, struct device_lists *all) {
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

static void upload(struct device_policy *p, const struct device_policy_request *r) {
    struct device_lists all = {.count = 0};
    DEVICE_ADD(&all, r->bound_row, r->bounds, p->call.train.bound_row);
    DEVICE_ADD(&all, r->bound_column, r->bounds, p->call.train.bound_column);
    if (p->loss.program)
        list_loss(p, &all);
    if (p->refines)
        list_refinement(p, &all);
    if (p->status == HN_OK)
        p->status = device_upload(&p->layer->driver, &p->lists, &all, p->error);
}

/* ---- kernels ---- */

static void device_policy_load(struct device_policy *p, const struct file_bytes *code, bool refines) {
    const struct cuda_driver *cu = &p->layer->driver;
    int first = refines ? POLICY_PLAIN : 0, end = refines ? POLICY_KERNELS : POLICY_PLAIN;
    cuda_module *module = &p->module[refines];
    policy_check(p, cu->module_load(module, code->data), "load the kernels");
    if (p->status != HN_OK)
        *module = NULL;
    for (int k = first; k < end && p->status == HN_OK; k++)
        policy_check(p, cu->module_function(&p->function[k], *module, kernel_names[k]), "find the kernels");
}

static void make_kernels(struct device_policy *p, bool refines) {
    struct code_subject source = {
        .capability = p->layer->info.capability, .gradients = true, .layer = &p->layer->layer, .model = "any"};
    struct file_bytes code = {NULL, 0};
    char *text = NULL;
    if (p->status == HN_OK)
        p->status = policy_print(&text, &source.length, p->layer->plan, p->network, refines, p->error);
    source.text = text;
    if (p->status == HN_OK)
        p->status = device_code(&code, p->layer, &source, p->error);
    if (p->status == HN_OK)
        device_policy_load(p, &code, refines);
    base_release(code.data);
    base_release(text);
}

/* ---- creation ---- */

static hn_status make_layers(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    hn_device_options options = *r->device;
    options.gradients = false;
    hn_status status = hn_device_layer_create(&p->layer, r->model, r->layer, &options, error);
    options.gradients = true;
    if (status == HN_OK && r->through)
        status = hn_device_layer_create(&p->through, r->model, r->through, &options, error);
    return status;
}

/* Sets refines unless the device lacks the memory, which is not an error. */
static void create_refinement(struct device_policy *p, const hn_model *model) {
    p->status = refine_plan_create(&p->plan, model, 1, p->error);
    p->refines = p->status == HN_OK && most_threads(p) > 0;
}

static hn_status device_policy_build(struct device_policy *p, const struct device_policy_request *r, hn_error *error) {
    hn_status status = make_layers(p, r, error);
    p->loss.stride = 1;
    if (status == HN_OK && hn_model_objective(r->model).name)
        status = loss_compile(&p->loss, r->model, error);
    if (status != HN_OK || !policy_enter(p, error))
        return status == HN_OK ? p->status : status;
    policy_check(p, p->layer->driver.stream_create(&p->stream, 1), "make a stream");
    if (p->status != HN_OK)
        p->stream = NULL;
    make_kernels(p, false);
    if (p->status == HN_OK && r->refines)
        create_refinement(p, r->model);
    if (p->refines)
        make_kernels(p, true);
    upload(p, r);
    return policy_leave(p);
}

/* Sets the fields that do not depend on the batch. */
static struct policy_call call_of(const struct device_policy_request *r) {
    struct policy_call c = {.corrected = r->corrected, .chunk = r->chunk};
    c.inputs = hn_model_input_count(r->model);
    c.outputs = c.train.outputs = hn_model_output_count(r->model);
    c.parameters = hn_network_parameter_count(r->network);
    c.among.candidates = r->candidates;
    c.train.rows = hn_model_row_count(r->model);
    c.train.bounds = r->bounds;
    return c;
}

hn_status device_policy_create(struct device_policy **out, const struct device_policy_request *request,
                               hn_error *error) {
    *out = NULL;
    struct device_policy *p = base_allocate(sizeof *p);
    if (!p)
        return error_no_memory(error, "the policy");
    memset(p, 0, sizeof *p);
    p->network = request->network;
    p->learns = request->learns;
    p->call = call_of(request);
    p->parameter_count = p->call.parameters;
    p->perceptron = (struct perceptron_memory){.network = request->network, .run = policy_run_task, .context = p};
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
    if (p->layer && policy_enter(p, NULL)) {
        const struct cuda_driver *cu = &p->layer->driver;
        give_room(p);
        if (p->lists)
            cu->release(p->lists);
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
