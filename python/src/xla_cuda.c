/* xla_cuda.c - the two functions that JAX programs compiled for CUDA devices call.
 *
 *   forward     [y_raw] [x]          ->  y, reports, workspace
 *   backward    [y_raw] [x] grad_y   ->  grad_y_raw, [grad_x], flagged, y, reports, tape, workspace
 *
 * All numbers are float64 in the memory of the device; the program converts them around the call, and takes what it
 * wants from the reports: count records of hn_report, as words of 4 bytes. Memory that a call needs is a result that
 * is unused: XLA plans it with its own. The call neither waits nor checks anything. The attribute "layer"
 * is the key of the layer.
 *
 * Backward runs forward again, in as many blocks as the tape has no room for all samples.
 *
 * SPDX-License-Identifier: MIT */
#include "xla.h"

/* ---- where it runs ---- */

typedef struct place {
    const hn_device_layer *layer;
    void *stream;
} place;

static bool knows(const xla_call *call, size_t end) {
    return call->frame->interface->size >= end;
}

/* An error of XLA's own is not ours to read: that there was one is enough. */
static bool find_stream(xla_call *call, place *out) {
    const xla_interface *xla = call->frame->interface;
    xla_stream_arguments arguments = {.size = sizeof arguments, .context = call->frame->context};
    if (!knows(call, offsetof(xla_interface, more)) || xla->get_stream(&arguments))
        return xla_fail(call, XLA_FAILED_PRECONDITION, "XLA gives no stream of the device");
    out->stream = arguments.stream;
    return true;
}

/* Versions of XLA without the index: the first device. */
static bool find_number(xla_call *call, int *number) {
    const xla_interface *xla = call->frame->interface;
    xla_ordinal_arguments arguments = {.size = offsetof(xla_ordinal_arguments, ordinal) + sizeof arguments.ordinal,
                                       .context = call->frame->context};
    *number = 0;
    if (!knows(call, sizeof *xla))
        return true;
    if (xla->get_ordinal(&arguments))
        return xla_fail(call, XLA_FAILED_PRECONDITION, "XLA does not say which device this is");
    *number = arguments.ordinal;
    return true;
}

static bool find_place(xla_call *call, place *out) {
    int number;
    char sentence[512];
    if (!find_stream(call, out) || !find_number(call, &number))
        return false;
    out->layer = xla_entry_device(call->entry, number);
    if (out->layer)
        return true;
    out->layer = xla_make_device(xla_entry_kept(call->entry)->owner, number, sentence, sizeof sentence);
    if (!out->layer)
        return xla_fail(call, XLA_FAILED_PRECONDITION, "%s", sentence);
    if (!xla_entry_add_device(call->entry, number, out->layer))
        return xla_fail(call, XLA_RESOURCE_EXHAUSTED, "out of memory: a layer's kernels on device %d", number);
    return true;
}

/* ---- operands and results ---- */

/* others: operands that follow y_raw and x; *next is the first of these. */
static bool read_batch(xla_call *call, int64_t others, int64_t *next, hn_batch *out) {
    bool has_x = call->info.inputs > 0, has_y_raw = call->frame->arguments.count - others > has_x;
    *out = (hn_batch){.size = sizeof *out, .count = call->count, .report_size = sizeof(hn_report)};
    *next = 0;
    if (has_y_raw)
        out->y_raw = xla_device_operand(call, (*next)++, "y_raw", call->info.outputs);
    if (has_x)
        out->x = xla_device_operand(call, (*next)++, "x", call->info.inputs);
    return call->code == 0;
}

static bool check_room(xla_call *call, const char *name, size_t bytes, size_t least) {
    if (bytes >= least && least > 0)
        return true;
    return xla_fail(call, XLA_INVALID_ARGUMENT, "%s has %zu bytes; %zu are needed", name, bytes, least);
}

/* The results from `index` on: y and the reports. */
static bool read_results(xla_call *call, int64_t index, hn_batch *out) {
    size_t bytes;
    out->y = xla_device_result(call, index, "y", call->info.outputs);
    out->reports = xla_device_memory(call, index + 1, "reports", &bytes);
    return call->code == 0 && check_room(call, "reports", bytes / sizeof(hn_report), call->count);
}

static void *read_workspace(xla_call *call, int64_t index, const place *at) {
    size_t bytes;
    void *workspace = xla_device_memory(call, index, "workspace", &bytes);
    if (call->code == 0)
        check_room(call, "workspace", bytes, hn_device_workspace_bytes(at->layer, call->count));
    return workspace;
}

/* ---- forward ---- */

static void forward(xla_call *call) {
    hn_batch batch;
    hn_error error;
    place at = {.layer = NULL};
    int64_t next, has_x;
    if (!xla_open(call))
        return;
    has_x = call->info.inputs > 0;
    if (!xla_expect(call, has_x, 1 + has_x, 3) || !read_batch(call, 0, &next, &batch) || call->count == 0 ||
        !read_results(call, 0, &batch) || !find_place(call, &at))
        return;
    void *workspace = read_workspace(call, 2, &at);
    if (call->code == 0 && hn_device_run(at.layer, &batch, workspace, at.stream, &error) != HN_OK)
        xla_fail_with(call, &error);
}

xla_error *xla_forward_cuda(xla_frame *frame) {
    return xla_run(frame, forward);
}

/* ---- backward ---- */

/* The number of samples that fit on the tape: all, or a safe number. */
static size_t block_samples(const hn_device_layer *layer, size_t count, size_t bytes) {
    size_t all = hn_device_tape_bytes(layer, count), one = hn_device_tape_bytes(layer, 1);
    if (all > 0 && all <= bytes)
        return count;
    return one > 0 ? bytes / one : 0;
}

static void run_blocks(xla_call *call, const place *at, hn_batch batch, hn_gradient gradient, void *workspace,
                       size_t tape_bytes) {
    hn_error error;
    size_t most = block_samples(at->layer, call->count, tape_bytes);
    if (most == 0)
        xla_fail(call, XLA_INVALID_ARGUMENT, "the tape has %zu bytes, too few for one sample", tape_bytes);
    for (size_t left = call->count; left > 0 && call->code == 0; left -= batch.count) {
        batch.count = left < most ? left : most;
        if (hn_device_run(at->layer, &batch, workspace, at->stream, &error) != HN_OK ||
            hn_device_gradient(at->layer, &batch, &gradient, workspace, at->stream, &error) != HN_OK)
            xla_fail_with(call, &error);
        xla_move_on(&call->info, batch.count, &batch, &gradient);
    }
}

static void backward(xla_call *call) {
    hn_batch batch;
    hn_gradient gradient = {.size = sizeof gradient};
    place at = {.layer = NULL};
    size_t tape_bytes;
    int64_t next, has_x;
    if (!xla_open(call))
        return;
    has_x = call->info.inputs > 0;
    if (!xla_expect(call, 1 + has_x, 2 + has_x, 6 + has_x) || !read_batch(call, 1, &next, &batch) || call->count == 0)
        return;
    gradient.grad_y = xla_device_operand(call, next, "grad_y", call->info.outputs);
    gradient.grad_y_raw = xla_device_result(call, 0, "grad_y_raw", call->info.outputs);
    gradient.grad_x = has_x ? xla_device_result(call, 1, "grad_x", call->info.inputs) : NULL;
    gradient.flagged = xla_column(call, 1 + has_x, "flagged", XLA_BOOL);
    if (call->code || !read_results(call, 2 + has_x, &batch) || !find_place(call, &at))
        return;
    batch.tape = xla_device_memory(call, 4 + has_x, "tape", &tape_bytes);
    void *workspace = read_workspace(call, 5 + has_x, &at);
    if (call->code == 0)
        run_blocks(call, &at, batch, gradient, workspace, tape_bytes);
}

xla_error *xla_backward_cuda(xla_frame *frame) {
    return xla_run(frame, backward);
}
