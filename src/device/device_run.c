/* device_run.c - launches kernels over the device's memory; see hardnet/device.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/size.h"
#include "base/structs.h"
#include "device/device_far.h"

#include <string.h>

typedef double full, real;
#include "device/call_text.h"

enum { ALIGNMENT = 256, COUNTER_BYTES = ALIGNMENT };

_Static_assert(sizeof(struct device_report) == sizeof(hn_report), "a report of the device is one of the host");
_Static_assert(offsetof(struct device_report, worst) == offsetof(hn_report, worst), "in every field");
_Static_assert(offsetof(struct device_report, slope) == offsetof(hn_report, slope), "in every field");
_Static_assert(offsetof(struct device_report, factorisations) == offsetof(hn_report, factorisations), "in every field");

/* ---- memory ---- */

/* Adds an array; where it begins goes to `at`. False when that does not fit a size_t. */
static bool place(size_t *bytes, size_t *at, size_t count, size_t each) {
    size_t own;
    *at = *bytes;
    return size_multiply(count, each, &own) && size_add(own, ALIGNMENT - 1, &own) &&
           size_add(*bytes, own - own % ALIGNMENT, bytes);
}

/* Where the parts of a tape begin, and its size. */
struct tape_places {
    size_t heads, eps, kind, y, bytes;
};

static bool place_tape(const hn_device_layer *layer, size_t count, struct tape_places *out) {
    size_t room = (size_t)layer->options.tape_steps, steps, numbers;
    out->bytes = 0;
    return size_multiply(count, room, &steps) && size_multiply(steps, layer->plan->outputs, &numbers) &&
           place(&out->bytes, &out->heads, count, sizeof(struct tape_head)) &&
           place(&out->bytes, &out->eps, steps, sizeof(real)) &&
           place(&out->bytes, &out->kind, steps, sizeof(int32_t)) && place(&out->bytes, &out->y, numbers, sizeof(real));
}

size_t hn_device_tape_bytes(const hn_device_layer *layer, size_t count) {
    struct tape_places places;
    return layer && place_tape(layer, count, &places) ? places.bytes : 0;
}

size_t hn_device_workspace_bytes(const hn_device_layer *layer, size_t count) {
    size_t bytes;
    return layer && device_far_bytes(layer, count, &bytes) && size_add(bytes, COUNTER_BYTES, &bytes) ? bytes : 0;
}

/* ---- calls ---- */

static void take_tape(const hn_device_layer *layer, const hn_batch *batch, struct device_call *call) {
    struct tape_places places;
    unsigned char *tape = batch->tape;
    if (!tape || !place_tape(layer, batch->count, &places))
        return;
    call->heads = (struct tape_head *)(void *)(tape + places.heads);
    call->tape_eps = (real *)(void *)(tape + places.eps);
    call->tape_kind = (int32_t *)(void *)(tape + places.kind);
    call->tape_y = (real *)(void *)(tape + places.y);
    call->tape_room = (uint64_t)layer->options.tape_steps;
    call->tape_width =
        layer->plan->options.weighted ? 1 : batch->count; /* threads that go in step write side by side */
}

static struct device_call call_of(const hn_device_layer *layer, const hn_batch *batch, void *workspace) {
    struct device_call call = {.count = batch->count, .x = batch->x, .raw = batch->y_raw, .y = batch->y};
    call.reports = (struct device_report *)(void *)batch->reports;
    call.residual = batch->residual;
    call.fallback = batch->fallback;
    call.warm = batch->warm;
    call.repeats_x = batch->repeat_x;
    call.repeats_raw = batch->repeat_y;
    call.next = workspace;
    take_tape(layer, batch, &call);
    device_far_place(layer, &call, (unsigned char *)workspace + COUNTER_BYTES);
    return call;
}

static hn_status refuse(hn_error *error, const char *field, const char *why) {
    return error_about(error, HN_INVALID, error_argument(field), "%s: %s", field, why);
}

static hn_status check_batch(const hn_device_layer *layer, const hn_batch *batch, const void *workspace,
                             hn_error *error) {
    if (batch->count > UINT32_MAX / 2)
        return refuse(error, "batch.count", "there are more samples than a device takes at once");
    if (layer->plan->inputs > 0 && !batch->x && batch->count > 0)
        return refuse(error, "batch.x", "the model has inputs, and there are none");
    if (!batch->y && batch->count > 0)
        return refuse(error, "batch.y", "there is no place for the outputs");
    if (batch->reports && batch->report_size != sizeof(hn_report))
        return refuse(error, "batch.report_size", "on a device it is sizeof(hn_report)");
    if (batch->multipliers)
        return refuse(error, "batch.multipliers",
                      "only the methods nearest and optimal have them, which a device does not have");
    if (batch->cancel || batch->watch || batch->seconds != 0)
        return refuse(error, "batch", "a device knows neither cancel nor seconds nor watch");
    if (!workspace)
        return refuse(error, "workspace", "there is none");
    return HN_OK;
}

/* One thread per sample, as far as they run at once. */
static hn_status launch(const hn_device_layer *layer, const struct device_kernel *kernel, struct device_call *call,
                        void *stream, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    unsigned blocks = device_blocks(layer, kernel, call->count);
    void *arguments[] = {call};
    if (call->count == 0)
        return HN_OK;
    hn_status status = device_enter(layer, error);
    if (status != HN_OK)
        return status;
    status = driver_status(cu, cu->set_words((cuda_address)(uintptr_t)call->next, 0, 1, stream), "begin a call", error);
    if (status == HN_OK)
        status = driver_status(
            cu, cu->launch(kernel->function, blocks, 1, 1, DEVICE_THREADS, 1, 1, 0, stream, arguments, NULL),
            "start the kernel", error);
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
    struct device_call call = call_of(layer, &own, workspace);
    return launch(layer, &layer->run, &call, stream, error);
}

static hn_status check_gradient(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                                hn_error *error) {
    if (!layer->pull.function)
        return refuse(error, "gradient", "the layer was made without gradients (hn_device_options.gradients)");
    if (!batch->tape)
        return refuse(error, "batch.tape", "the gradient needs the tape of the run");
    if (!gradient->grad_y)
        return refuse(error, "gradient.grad_y", "there is none");
    if (!gradient->grad_y_raw)
        return refuse(error, "gradient.grad_y_raw", "there is no place for it");
    if (gradient->flagged && !batch->reports)
        return refuse(error, "batch.reports", "the flags need the reports of the run");
    return HN_OK;
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
    struct device_call call = call_of(layer, &own, workspace);
    call.grad_y = wanted.grad_y;
    call.grad_raw = wanted.grad_y_raw;
    call.grad_x = wanted.grad_x;
    call.grad_lower = wanted.grad_lower;
    call.grad_upper = wanted.grad_upper;
    call.flagged = (unsigned char *)wanted.flagged;
    return launch(layer, &layer->pull, &call, stream, error);
}
