/* device_run.c - launches kernels on arrays in device memory; see hardnet/device.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/size.h"
#include "base/structs.h"
#include "cuda/device_parts.h"

#include <string.h>

#include "cuda/kernels/kernel_args.h"

_Static_assert(IS_32_BIT || sizeof(struct device_report) == sizeof(hn_report),
               "a report of the device is one of the host");
#define SAME_OFFSET(field)                                                                                             \
    _Static_assert(IS_32_BIT || offsetof(struct device_report, field) == offsetof(hn_report, field), #field);
SAME_OFFSET(worst)
SAME_OFFSET(slope)
SAME_OFFSET(factorisations)
SAME_OFFSET(proof)
SAME_OFFSET(reason)

/* ---- memory ----
 *
 * The workspace: two counters, slots in global memory, and of float32 the reports and outputs of the floats. The tape of float32
 * has the steps in float, then the few in double. */

/* One batch: the call of the first kernel, and of float32 that of the double kernel after it (of gradients: before it). */
struct batch_call {
    const hn_device_layer *layer;
    size_t count;
    struct device_call call, polish;
    unsigned *counters;
    void *slots; /* NULL: in registers */
    struct device_report *first;
    double *led;
    bool fits; /* the slots fit a size_t */
};

static bool is_single(const hn_device_layer *layer) {
    return layer->options.precision == HN_PRECISION_FLOAT32;
}

/* Fused iterations of methods with weights diverge: the tape of a sample is contiguous. Otherwise threads write in
 * lockstep, and tapes are interleaved. */
static void place_tape(struct layout *layout, const struct batch_call *b, size_t room, size_t number,
                       struct device_call *call) {
    const hn_device_layer *layer = b->layer;
    const struct plan *plan = layer->plan;
    size_t steps = size_product(b->count, room);
    bool apart = plan->options.weighted && layer->choice.form == HN_DEVICE_STRAIGHT;
    call->heads = layout_take(layout, b->count, sizeof *call->heads);
    call->tape_eps = layout_take(layout, steps, number);
    call->tape_kind = layout_take(layout, steps, sizeof *call->tape_kind);
    call->tape_y = layout_take(layout, size_product(steps, plan->outputs), number);
    if (plan->tape_numbers > 0)
        call->tape_numbers = layout_take(layout, size_product(b->count, plan->tape_numbers), sizeof(double));
    call->tape_room = room;
    call->tape_width = apart ? 1 : b->count;
}

static void place_tapes(struct layout *layout, void *context) {
    struct batch_call *b = context;
    bool single = is_single(b->layer);
    place_tape(layout, b, (size_t)b->layer->options.tape_steps, single ? sizeof(float) : sizeof(double), &b->call);
    if (single && b->layer->plan->options.weighted)
        place_tape(layout, b, POLISH_STEPS, sizeof(double), &b->polish);
}

static void place_workspace(struct layout *layout, void *context) {
    struct batch_call *b = context;
    size_t slots = 0;
    b->counters = layout_take(layout, 2, sizeof *b->counters);
    b->fits = device_slot_bytes(b->layer, b->count, &slots);
    b->slots = layout_take(layout, slots, 1);
    if (!is_single(b->layer))
        return;
    b->first = layout_take(layout, b->count, sizeof *b->first);
    b->led = layout_take(layout, size_product(b->count, b->layer->plan->outputs), sizeof *b->led);
}

size_t hn_device_tape_bytes(const hn_device_layer *layer, size_t count) {
    struct batch_call b = {.layer = layer, .count = count};
    return layer ? layout_size(place_tapes, &b) : 0;
}

size_t hn_device_workspace_bytes(const hn_device_layer *layer, size_t count) {
    struct batch_call b = {.layer = layer, .count = count};
    size_t bytes = layer ? layout_size(place_workspace, &b) : 0;
    return b.fits ? bytes : 0;
}

/* ---- threads ---- */

/* Slots take at most this share of global memory. */
enum { MEMORY_SHARE = 8 };

/* Bytes for all samples of a warp. */
static uint64_t warp_bytes(const hn_device_layer *layer, const struct device_kernel *kernel) {
    return (kernel->sample_bytes + (uint64_t)device_search_bytes(layer)) * kernel->width;
}

unsigned device_warps(const hn_device_layer *layer, const struct device_kernel *kernel, uint64_t count) {
    uint64_t warps = (count + kernel->width - 1) / kernel->width;
    warps = warps < kernel->warps ? warps : kernel->warps;
    if (kernel->sample_bytes == 0)
        return (unsigned)warps;
    uint64_t most = layer->memory / MEMORY_SHARE / warp_bytes(layer, kernel);
    most = most < 1 ? 1 : most;
    return (unsigned)(warps < most ? warps : most);
}

/* Bytes of the largest kernel: kernels run one after the other. */
bool device_slot_bytes(const hn_device_layer *layer, size_t count, size_t *bytes) {
    const struct device_kernel *const kernels[] = {&layer->run, &layer->pull, &layer->coarse_run, &layer->coarse_pull};
    *bytes = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        size_t own;
        if (kernels[i]->sample_bytes == 0)
            continue;
        if (!size_multiply(device_warps(layer, kernels[i], count), (size_t)warp_bytes(layer, kernels[i]), &own))
            return false;
        *bytes = own > *bytes ? own : *bytes;
    }
    return true;
}

void device_place_slots(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                        void *memory) {
    if (kernel->sample_bytes == 0)
        return;
    size_t threads = device_warps(layer, kernel, call->count) * (size_t)kernel->width;
    call->search = device_search_places(layer);
    if (call->search)
        call->search_memory = memory;
    memory = (unsigned char *)memory + threads * device_search_bytes(layer);
    call->global_slots = memory;
    call->global_rows = (real *)(void *)((unsigned char *)memory + threads * kernel->slot_bytes);
}

/* ---- calls ---- */

/* Sets up both calls. The results of the float kernel go to the workspace; the double kernel reads them. */
static void fill_calls(struct batch_call *b, const hn_device_layer *layer, const hn_batch *batch, void *workspace) {
    struct device_call call = {.count = batch->count, .x = batch->x, .raw = batch->y_raw, .y = batch->y};
    call.reports = (struct device_report *)(void *)batch->reports;
    call.residual = batch->residual;
    call.fallback = batch->fallback;
    call.warm = batch->warm;
    call.multipliers = batch->multipliers;
    call.proof_y = batch->proof_y;
    call.repeats_x = batch->repeat_x;
    call.repeats_raw = batch->repeat_y;
    *b = (struct batch_call){.layer = layer, .count = batch->count, .call = call, .polish = call};
    layout_place(place_workspace, b, workspace);
    if (batch->tape)
        layout_place(place_tapes, b, batch->tape);
    b->call.next = b->counters;
    b->polish.next = b->counters + 1;
    if (!is_single(layer))
        return;
    b->call.reports = b->first;
    b->call.y = b->led;
    b->call.residual = NULL;
    b->polish.first = b->first;
    b->polish.led = b->led;
    b->polish.first_heads = b->call.heads;
}

struct refusal {
    bool wrong;
    const char *field, *why;
};

static hn_status refuse_first(const struct refusal *all, size_t count, hn_error *error) {
    for (size_t i = 0; i < count; i++)
        if (all[i].wrong)
            return error_about(error, HN_INVALID, error_argument(all[i].field), "%s: %s", all[i].field, all[i].why);
    return HN_OK;
}

hn_status device_check_shared(const hn_batch *batch, hn_error *error) {
    const struct refusal shared = {batch->shared_count > 0, "batch.shared_count",
                                   "a device reads every input from x; shared inputs are for the CPU"};
    return refuse_first(&shared, 1, error);
}

static hn_status check_batch(const hn_device_layer *layer, const hn_batch *b, const void *workspace, hn_error *error) {
    if (device_check_shared(b, error) != HN_OK)
        return HN_INVALID;
    bool some = b->count > 0, searches = layer->plan->tape_numbers > 0;
    const struct refusal all[] = {
        {b->count > UINT32_MAX / 2, "batch.count", "there are more samples than a device takes at once"},
        {layer->plan->inputs > 0 && !b->x && some, "batch.x", "the model has inputs, and there are none"},
        {!b->y && some, "batch.y", "there is no place for the outputs"},
        {b->reports && b->report_size != sizeof(hn_report), "batch.report_size", "on a device it is sizeof(hn_report)"},
        {b->proof_y && !searches, "batch.proof_y", "only the methods nearest and optimal have proofs"},
        {b->multipliers && !searches, "batch.multipliers", "only the methods nearest and optimal have them"},
        {b->cancel || b->watch || b->seconds != 0, "batch", "a device knows neither cancel nor seconds nor watch"},
        {b->not_ok != HN_NOT_OK_BEST, "batch.not_ok",
         "a device returns the best iterate; clip and fallback are for the CPU"},
        {!workspace, "workspace", "there is none"}};
    return refuse_first(all, sizeof all / sizeof all[0], error);
}

/* Warps of a block: 1 for few samples, which spread over many multiprocessors; all resident ones if a multiprocessor is full; else
 * 2, because the warps of a block wait for each other. */
static unsigned warps_of_block(const hn_device_layer *layer, const struct device_kernel *kernel, unsigned warps) {
    unsigned multiprocessors = (unsigned)layer->info.multiprocessors;
    unsigned each = kernel->together ? (warps + multiprocessors - 1) / multiprocessors : 1;
    unsigned most = kernel->warps / multiprocessors;
    each = each >= most ? most : each > 2 ? 2 : each;
    return each > 0 ? each : 1;
}

/* Shared memory is a part of the L1 cache: request only as much as the resident blocks need. */
static hn_status divide_cache(const hn_device_layer *layer, const struct device_kernel *kernel, unsigned blocks,
                              unsigned each, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    unsigned multiprocessors = (unsigned)layer->info.multiprocessors, most = (unsigned)layer->shared_most;
    unsigned warps = (blocks + multiprocessors - 1) / multiprocessors * each;
    if (kernel->shared_bytes == 0 || most == 0)
        return HN_OK;
    unsigned percent = (100 * warps * kernel->shared_bytes + most - 1) / most;
    return driver_status(cu,
                         cu->function_set(kernel->function, CUDA_SHARED_PERCENT, (int)(percent < 100 ? percent : 100)),
                         "divide its cache", error);
}

/* One thread per sample, up to the resident ones. */
static hn_status launch(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                        void *stream, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    unsigned warps = device_warps(layer, kernel, call->count), each = warps_of_block(layer, kernel, warps);
    unsigned blocks = (warps + each - 1) / each, threads = each * kernel->threads;
    void *arguments[] = {call};
    hn_status status = divide_cache(layer, kernel, blocks, each, error);
    if (status != HN_OK)
        return status;
    return driver_status(
        cu,
        cu->launch(kernel->function, blocks, 1, 1, threads, 1, 1, each * kernel->shared_bytes, stream, arguments, NULL),
        "start the kernel", error);
}

struct device_launch {
    const struct device_kernel *kernel; /* NULL: no launch */
    struct device_call *call;
};

static hn_status launch_both(const struct batch_call *b, const struct device_launch launches[2], void *stream,
                             hn_error *error) {
    const hn_device_layer *layer = b->layer;
    const struct cuda_driver *cu = &layer->driver;
    if (b->count == 0)
        return HN_OK;
    hn_status status = device_enter(layer, error);
    if (status != HN_OK)
        return status;
    status =
        driver_status(cu, cu->set_words((cuda_address)(uintptr_t)b->counters, 0, 2, stream), "begin a call", error);
    for (int i = 0; i < 2 && status == HN_OK; i++)
        if (launches[i].kernel) {
            device_place_slots(layer, launches[i].kernel, launches[i].call, b->slots);
            status = launch(layer, launches[i].kernel, launches[i].call, stream, error);
        }
    device_leave(layer);
    return status;
}

hn_status hn_device_run(const hn_device_layer *layer, const hn_batch *batch, void *workspace, void *stream,
                        hn_error *error) {
    hn_batch own;
    if (!layer || !batch)
        return error_missing(error, "hn_device_run", layer ? "batch" : "layer");
    hn_status status = STRUCT_TAKE(hn_batch, &own, batch, error);
    if (status == HN_OK)
        status = check_batch(layer, &own, workspace, error);
    if (status != HN_OK)
        return status;
    struct batch_call b;
    bool single = is_single(layer);
    fill_calls(&b, layer, &own, workspace);
    const struct device_launch launches[] = {{single ? &layer->coarse_run : NULL, &b.call},
                                             {&layer->run, single ? &b.polish : &b.call}};
    return launch_both(&b, launches, stream, error);
}

static hn_status check_gradient(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *g,
                                hn_error *error) {
    bool searches = layer->plan->tape_numbers > 0;
    const struct refusal all[] = {
        {!layer->options.gradients, "gradient", "the layer was made without gradients (hn_device_options.gradients)"},
        {!batch->tape, "batch.tape", "the gradient needs the tape of the run"},
        {!g->grad_y, "gradient.grad_y", "there is none"},
        {!g->grad_y_raw, "gradient.grad_y_raw", "there is no place for it"},
        {g->grad_multipliers && !searches, "gradient.grad_multipliers",
         "only the methods nearest and optimal have multipliers"},
        {g->grad_weights && layer->layer.method != HN_METHOD_NEAREST, "gradient.grad_weights",
         "only the method nearest has weights"},
        {g->grad_shared || g->shared_each, "gradient.grad_shared", "shared inputs are for the CPU"},
        {g->flagged && !batch->reports, "batch.reports", "the flags need the reports of the run"}};
    return refuse_first(all, sizeof all / sizeof all[0], error);
}

static void add_gradient(struct device_call *call, const hn_gradient *gradient) {
    call->grad_y = gradient->grad_y;
    call->grad_raw = gradient->grad_y_raw;
    call->grad_x = gradient->grad_x;
    call->grad_lower = gradient->grad_lower;
    call->grad_upper = gradient->grad_upper;
    call->flagged = (unsigned char *)gradient->flagged;
    call->grad_multipliers = gradient->grad_multipliers;
    call->grad_weights = gradient->grad_weights;
}

hn_status hn_device_gradient(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             void *workspace, void *stream, hn_error *error) {
    hn_batch own;
    hn_gradient wanted;
    if (!layer || !batch || !gradient)
        return error_missing(error, "hn_device_gradient", !layer ? "layer" : batch ? "gradient" : "batch");
    hn_status status = STRUCT_TAKE(hn_batch, &own, batch, error);
    if (status == HN_OK)
        status = STRUCT_TAKE(hn_gradient, &wanted, gradient, error);
    if (status == HN_OK)
        status = check_batch(layer, &own, workspace, error);
    if (status == HN_OK)
        status = check_gradient(layer, &own, &wanted, error);
    if (status != HN_OK)
        return status;
    struct batch_call b;
    bool single = is_single(layer), polished = layer->pull.function != NULL;
    fill_calls(&b, layer, &own, workspace);
    add_gradient(&b.call, &wanted);
    add_gradient(&b.polish, &wanted);
    b.call.reports = b.polish.reports;
    if (single &&
        polished) { /* the last steps first: their gradient with respect to the raw output is grad_y of the floats */
        b.call.grad_y = b.call.grad_raw;
        b.call.adds = true;
    }
    const struct device_launch launches[] = {{polished ? &layer->pull : NULL, single ? &b.polish : &b.call},
                                             {single ? &layer->coarse_pull : NULL, &b.call}};
    return launch_both(&b, launches, stream, error);
}
