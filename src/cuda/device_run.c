/* device_run.c - launches kernels over the device's memory; see hardnet/device.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/size.h"
#include "base/structs.h"
#include "cuda/kernel_global_plan.h"

#include <string.h>

#include "cuda/kernels/kernel_args.h"

enum { ALIGNMENT = 256, COUNTER_BYTES = ALIGNMENT };

_Static_assert(IS_32_BIT || sizeof(struct device_report) == sizeof(hn_report),
               "a report of the device is one of the host");
_Static_assert(IS_32_BIT || offsetof(struct device_report, worst) == offsetof(hn_report, worst), "in every field");
_Static_assert(IS_32_BIT || offsetof(struct device_report, slope) == offsetof(hn_report, slope), "in every field");
_Static_assert(IS_32_BIT || offsetof(struct device_report, factorisations) == offsetof(hn_report, factorisations),
               "in every field");
_Static_assert(IS_32_BIT || offsetof(struct device_report, proof) == offsetof(hn_report, proof), "in every field");
_Static_assert(IS_32_BIT || offsetof(struct device_report, reason) == offsetof(hn_report, reason), "in every field");

/* ---- memory ---- */

/* Adds an array; where it begins goes to `at`. False when that does not fit a size_t. */
static bool device_run_place(size_t *bytes, size_t *at, size_t count, size_t each) {
    size_t own;
    *at = *bytes;
    return size_multiply(count, each, &own) && size_add(own, ALIGNMENT - 1, &own) &&
           size_add(*bytes, own - own % ALIGNMENT, bytes);
}

static bool is_single(const hn_device_layer *layer) {
    return layer->options.precision == HN_PRECISION_FLOAT32;
}

/* Where the parts of a tape begin. */
struct tape_places {
    size_t room, heads, eps, kind, y, numbers;
};

static bool place_tape(const hn_device_layer *layer, size_t count, size_t number, struct tape_places *out,
                       size_t *bytes) {
    size_t steps, numbers;
    return size_multiply(count, out->room, &steps) && size_multiply(steps, layer->plan->outputs, &numbers) &&
           device_run_place(bytes, &out->heads, count, sizeof(struct tape_head)) &&
           device_run_place(bytes, &out->eps, steps, number) &&
           device_run_place(bytes, &out->kind, steps, sizeof(int32_t)) &&
           device_run_place(bytes, &out->y, numbers, number) &&
           size_multiply(count, layer->plan->tape_numbers, &numbers) &&
           (numbers == 0 || device_run_place(bytes, &out->numbers, numbers, sizeof(double)));
}

/* Of float32 the tape of the floats comes first, and that of the few steps in double behind it. */
struct tapes {
    struct tape_places all, polish;
    size_t bytes;
};

static bool place_tapes(const hn_device_layer *layer, size_t count, struct tapes *out) {
    bool single = is_single(layer), polished = single && layer->plan->options.weighted;
    memset(out, 0, sizeof *out);
    out->all.room = (size_t)layer->options.tape_steps;
    out->polish.room = POLISH_STEPS;
    return place_tape(layer, count, single ? sizeof(float) : sizeof(double), &out->all, &out->bytes) &&
           (!polished || place_tape(layer, count, sizeof(double), &out->polish, &out->bytes));
}

size_t hn_device_tape_bytes(const hn_device_layer *layer, size_t count) {
    struct tapes tapes;
    return layer && place_tapes(layer, count, &tapes) ? tapes.bytes : 0;
}

/* Two counters; then slots where they lie in the device's memory; of float32 what the floats have found and where they ended. */
struct workspace_places {
    size_t first, led, bytes;
};

static bool place_workspace(const hn_device_layer *layer, size_t count, struct workspace_places *out) {
    size_t slots, numbers, unused;
    *out = (struct workspace_places){.bytes = COUNTER_BYTES};
    if (!device_far_bytes(layer, count, &slots) || !device_run_place(&out->bytes, &unused, slots, 1))
        return false;
    if (!is_single(layer))
        return true;
    return (size_multiply(count, layer->plan->outputs, &numbers) &&
            device_run_place(&out->bytes, &out->first, count, sizeof(struct device_report)) &&
            device_run_place(&out->bytes, &out->led, numbers, sizeof(double)));
}

size_t hn_device_workspace_bytes(const hn_device_layer *layer, size_t count) {
    struct workspace_places places;
    return layer && place_workspace(layer, count, &places) ? places.bytes : 0;
}

/* ---- calls ---- */

/* Threads that go in step write side by side, as do those whose slots lie side by side. */
static void take_tape(const hn_device_layer *layer, const hn_batch *batch, const struct tape_places *places,
                      struct device_call *call) {
    unsigned char *tape = batch->tape;
    call->heads = (struct tape_head *)(void *)(tape + places->heads);
    call->tape_eps = (real *)(void *)(tape + places->eps);
    call->tape_kind = (int32_t *)(void *)(tape + places->kind);
    call->tape_y = (real *)(void *)(tape + places->y);
    if (layer->plan->tape_numbers > 0)
        call->tape_numbers = (double *)(void *)(tape + places->numbers);
    call->tape_room = places->room;
    bool apart = layer->plan->options.weighted && layer->choice.form == HN_DEVICE_STRAIGHT;
    call->tape_width = apart ? 1 : batch->count;
}

static struct device_call call_of(const hn_device_layer *layer, const hn_batch *batch, void *workspace) {
    struct device_call call = {.count = batch->count, .x = batch->x, .raw = batch->y_raw, .y = batch->y};
    struct tapes tapes;
    call.reports = (struct device_report *)(void *)batch->reports;
    call.residual = batch->residual;
    call.fallback = batch->fallback;
    call.warm = batch->warm;
    call.multipliers = batch->multipliers;
    call.proof_y = batch->proof_y;
    call.repeats_x = batch->repeat_x;
    call.repeats_raw = batch->repeat_y;
    call.next = workspace;
    if (batch->tape && place_tapes(layer, batch->count, &tapes))
        take_tape(layer, batch, &tapes.all, &call);
    return call;
}

/* What comes behind a kernel of floats: their results go to the workspace, and a tape of its own belongs to its steps. */
static struct device_call polish_of(const hn_device_layer *layer, const hn_batch *batch, void *workspace,
                                    struct device_call *coarse) {
    struct device_call call = *coarse;
    struct workspace_places places;
    struct tapes tapes;
    place_workspace(layer, batch->count, &places);
    coarse->reports = (struct device_report *)(void *)((unsigned char *)workspace + places.first);
    coarse->y = (double *)(void *)((unsigned char *)workspace + places.led);
    coarse->residual = NULL;
    call.first = coarse->reports;
    call.led = coarse->y;
    call.first_heads = coarse->heads;
    call.next = (unsigned *)workspace + 1;
    call.heads = NULL;
    if (layer->plan->options.weighted && batch->tape && place_tapes(layer, batch->count, &tapes))
        take_tape(layer, batch, &tapes.polish, &call);
    return call;
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

static hn_status check_batch(const hn_device_layer *layer, const hn_batch *b, const void *workspace, hn_error *error) {
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

/* Warps of a block. One each, so that few samples lie on many multiprocessors; all of a multiprocessor's where it has as many as can be;
 * two between, so that none waits long for another. */
static unsigned warps_of_block(const hn_device_layer *layer, const struct device_kernel *kernel, unsigned warps) {
    unsigned multiprocessors = (unsigned)layer->info.multiprocessors;
    unsigned each = kernel->together ? (warps + multiprocessors - 1) / multiprocessors : 1;
    unsigned most = kernel->warps / multiprocessors;
    return each >= most ? most : each > 2 ? 2 : each;
}

/* What threads share is taken from their cache: no more of it than blocks that run at once need. */
static hn_status divide_cache(const hn_device_layer *layer, const struct device_kernel *kernel, unsigned blocks,
                              unsigned each, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    unsigned multiprocessors = (unsigned)layer->info.multiprocessors, most = (unsigned)layer->near_most;
    unsigned warps = (blocks + multiprocessors - 1) / multiprocessors * each;
    if (kernel->near_bytes == 0 || most == 0)
        return HN_OK;
    unsigned percent = (100 * warps * kernel->near_bytes + most - 1) / most;
    return driver_status(cu,
                         cu->function_set(kernel->function, CUDA_NEAR_PERCENT, (int)(percent < 100 ? percent : 100)),
                         "divide its cache", error);
}

/* One thread per sample, as far as they run at once. */
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
        cu->launch(kernel->function, blocks, 1, 1, threads, 1, 1, each * kernel->near_bytes, stream, arguments, NULL),
        "start the kernel", error);
}

/* One kernel, or two, the one behind the other; NULL: there is only one. */
static hn_status launch_both(const hn_device_layer *layer, const struct device_kernel *const kernel[2],
                             struct device_call *const call[2], void *workspace, void *stream, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    if (call[0]->count == 0)
        return HN_OK;
    hn_status status = device_enter(layer, error);
    if (status != HN_OK)
        return status;
    status = driver_status(cu, cu->set_words((cuda_address)(uintptr_t)workspace, 0, 2, stream), "begin a call", error);
    for (int i = 0; i < 2 && status == HN_OK; i++)
        if (kernel[i]) {
            device_far_place(layer, kernel[i], call[i], (unsigned char *)workspace + COUNTER_BYTES);
            status = launch(layer, kernel[i], call[i], stream, error);
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
    struct device_call call = call_of(layer, &own, workspace), polish = call;
    if (is_single(layer))
        polish = polish_of(layer, &own, workspace, &call);
    const struct device_kernel *const kernels[] = {is_single(layer) ? &layer->coarse_run : NULL, &layer->run};
    struct device_call *const calls[] = {&call, &polish};
    return launch_both(layer, kernels, calls, workspace, stream, error);
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
        {g->flagged && !batch->reports, "batch.reports", "the flags need the reports of the run"}};
    return refuse_first(all, sizeof all / sizeof all[0], error);
}

static struct device_call gradient_of(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                                      void *workspace) {
    struct device_call call = call_of(layer, batch, workspace);
    call.grad_y = gradient->grad_y;
    call.grad_raw = gradient->grad_y_raw;
    call.grad_x = gradient->grad_x;
    call.grad_lower = gradient->grad_lower;
    call.grad_upper = gradient->grad_upper;
    call.flagged = (unsigned char *)gradient->flagged;
    call.grad_multipliers = gradient->grad_multipliers;
    call.grad_weights = gradient->grad_weights;
    return call;
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
    struct device_call call = gradient_of(layer, &own, &wanted, workspace), coarse = call;
    bool single = is_single(layer), polished = layer->pull.function != NULL;
    if (single)
        call = polish_of(layer, &own, workspace, &coarse);
    if (single && polished) { /* the last steps first; what they owe the raw output is the floats' grad_y */
        coarse.grad_y = coarse.grad_raw;
        coarse.adds = true;
    }
    coarse.reports = call.reports;
    const struct device_kernel *const kernels[] = {polished ? &layer->pull : NULL, single ? &layer->coarse_pull : NULL};
    struct device_call *const calls[] = {&call, &coarse};
    return launch_both(layer, kernels, calls, workspace, stream, error);
}
