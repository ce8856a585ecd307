/* device_host.c - a batch in host memory: copied to the device, run there, copied back; see hardnet/device.h.
 *
 * All arrays of a call are in one block of device memory, allocated for the call in stream order if the device supports
 * it; otherwise its release waits for the kernels of all other calls.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/structs.h"
#include "cuda/device_parts.h"

#include <string.h>

/* One array: its address on the host, its offset in the block, and the directions in which it is copied. */
struct piece {
    const void *from; /* host; NULL: not copied in */
    void *to;         /* host; NULL: not copied out */
    size_t at, bytes; /* in the block */
    void **of;        /* the pointer of the batch or the gradient that is set to the device's address */
};

enum { MOST_PIECES = 24 };

struct transfer {
    const hn_device_layer *layer;
    hn_batch batch; /* with device addresses */
    hn_gradient gradient;
    struct piece piece[MOST_PIECES];
    size_t count;
    struct layout layout; /* of the block */
    cuda_address block;
    void *workspace, *reports;
    cuda_stream stream;
    double *seconds; /* of the work between the copies; NULL: not measured */
    hn_status status;
    hn_error *error;
};

/* ---- arrays ---- */

static void add_piece(struct transfer *t, void **of, const void *from, void *to, size_t count, size_t each) {
    t->piece[t->count++] = (struct piece){from, to, t->layout.used, count * each, of};
    layout_take(&t->layout, count, each);
}

/* Arrays of numbers; NULL: absent. */
static void add_in(struct transfer *t, const hn_real **array, size_t count) {
    if (*array)
        add_piece(t, (void **)(uintptr_t)array, *array, NULL, count, sizeof(hn_real));
}

static void add_out(struct transfer *t, hn_real **array, size_t count) {
    if (*array)
        add_piece(t, (void **)(void *)array, NULL, *array, count, sizeof(hn_real));
}

static void list_batch(struct transfer *t, const struct plan *plan) {
    hn_batch *b = &t->batch;
    add_piece(t, &t->workspace, NULL, NULL, 1, hn_device_workspace_bytes(t->layer, b->count));
    add_in(t, &b->x, (b->repeat_x ? 1 : b->count) * plan->inputs);
    add_in(t, &b->y_raw, (b->repeat_y ? 1 : b->count) * plan->outputs);
    add_in(t, &b->fallback, plan->outputs);
    add_out(t, &b->y, b->count * plan->outputs);
    add_out(t, &b->residual, b->count * plan->rows);
    add_out(t, &b->multipliers, b->count * plan->rows);
    add_out(t, &b->proof_y, b->count * plan->outputs);
    if (b->warm)
        add_piece(t, (void **)(void *)&b->warm, b->warm, b->warm, b->count * plan->outputs, sizeof(hn_real));
    if (b->reports)
        add_piece(t, (void **)(void *)&b->reports, NULL, t->reports, b->count, sizeof(hn_report));
}

static void list_gradient(struct transfer *t, const struct plan *plan) {
    hn_gradient *g = &t->gradient;
    size_t count = t->batch.count;
    add_piece(t, &t->batch.tape, NULL, NULL, 1, hn_device_tape_bytes(t->layer, count));
    if (!t->batch.reports)
        add_piece(t, (void **)(void *)&t->batch.reports, NULL, NULL, count, sizeof(hn_report));
    t->batch.report_size = sizeof(hn_report);
    add_in(t, &g->grad_y, count * plan->outputs);
    add_out(t, &g->grad_y_raw, count * plan->outputs);
    add_out(t, &g->grad_x, count * plan->inputs);
    add_out(t, &g->grad_lower, count * plan->rows);
    add_out(t, &g->grad_upper, count * plan->rows);
    add_in(t, &g->grad_multipliers, count * plan->rows);
    add_out(t, &g->grad_weights, count * plan->outputs);
    if (g->flagged)
        add_piece(t, (void **)(void *)&g->flagged, NULL, g->flagged, count, sizeof *g->flagged);
}

/* ---- copies and launches; skipped after the first failure ---- */

static void check(struct transfer *t, cuda_result result, const char *what) {
    if (t->status == HN_OK)
        t->status = driver_status(&t->layer->driver, result, what, t->error);
}

static void copy_in(struct transfer *t) {
    for (size_t i = 0; i < t->count && t->status == HN_OK; i++) {
        const struct piece *p = &t->piece[i];
        uintptr_t at = (uintptr_t)(t->block + p->at);
        if (p->from && p->bytes > 0)
            check(t, t->layer->driver.copy_in(t->block + p->at, p->from, p->bytes, t->stream), "copy to it");
        memcpy(p->of, &at, sizeof at); /* device addresses have the size of pointers */
    }
}

static void copy_out(struct transfer *t) {
    for (size_t i = 0; i < t->count && t->status == HN_OK; i++) {
        const struct piece *p = &t->piece[i];
        if (p->to && p->bytes > 0)
            check(t, t->layer->driver.copy_out(p->to, t->block + p->at, p->bytes, t->stream), "copy from it");
    }
}

static void wait_for_stream(struct transfer *t) {
    check(t, t->layer->driver.stream_wait(t->stream), "finish the call");
}

static void run_kernels(struct transfer *t, bool pulls) {
    if (t->status == HN_OK)
        t->status = hn_device_run(t->layer, &t->batch, t->workspace, t->stream, t->error);
    if (t->status == HN_OK && pulls)
        t->status = hn_device_gradient(t->layer, &t->batch, &t->gradient, t->workspace, t->stream, t->error);
}

/* Without the copies. */
static void run_timed(struct transfer *t, bool pulls) {
    if (t->status == HN_OK)
        wait_for_stream(t);
    double begun = clock_seconds();
    run_kernels(t, pulls);
    if (t->status == HN_OK)
        wait_for_stream(t);
    *t->seconds = clock_seconds() - begun;
}

/* Waits for the call even after a failure, because copies may still access the caller's memory. */
static void run_in_block(struct transfer *t, bool pulls) {
    const struct cuda_driver *cu = &t->layer->driver;
    bool pools = t->layer->has_pools;
    size_t bytes = layout_bytes(&t->layout);
    check(t, pools ? cu->allocate_ordered(&t->block, bytes, t->stream) : cu->allocate(&t->block, bytes),
          "take memory for the batch");
    if (t->status != HN_OK)
        return;
    copy_in(t);
    if (t->seconds)
        run_timed(t, pulls);
    else
        run_kernels(t, pulls);
    copy_out(t);
    if (pools)
        cu->release_ordered(t->block, t->stream);
    wait_for_stream(t);
    if (!pools)
        cu->release(t->block);
}

static hn_status run_entered(struct transfer *t, bool pulls) {
    const struct cuda_driver *cu = &t->layer->driver;
    t->status = device_enter(t->layer, t->error);
    if (t->status != HN_OK)
        return t->status;
    check(t, cu->stream_create(&t->stream, 1), "make a stream");
    if (t->status == HN_OK) {
        run_in_block(t, pulls);
        cu->stream_destroy(t->stream);
    }
    device_leave(t->layer);
    return t->status;
}

/* With the report size of the caller. */
static void give_reports(const hn_batch *batch, const hn_report *reports) {
    size_t bytes = batch->report_size < sizeof *reports ? batch->report_size : sizeof *reports;
    for (size_t i = 0; i < batch->count; i++) {
        unsigned char *to = (unsigned char *)batch->reports + i * batch->report_size;
        memset(to, 0, batch->report_size);
        memcpy(to, &reports[i], bytes);
    }
}

static hn_status transfer(struct transfer *t, bool pulls) {
    list_batch(t, t->layer->plan);
    if (pulls)
        list_gradient(t, t->layer->plan);
    return layout_bytes(&t->layout) > 0 ? run_entered(t, pulls) : error_no_memory(t->error, "the batch");
}

/* call: the public function, for errors. seconds: the time without copies, or NULL. */
static hn_status run_host(const char *call, const hn_device_layer *layer, const hn_batch *batch,
                          const hn_gradient *gradient, double *seconds, hn_error *error) {
    struct transfer t = {.layer = layer, .layout = layout_measure(), .error = error};
    hn_batch own;
    t.seconds = seconds;
    if (!layer || !batch)
        return error_missing(error, call, layer ? "batch" : "layer");
    hn_status status = STRUCT_TAKE(hn_batch, &own, batch, error);
    if (status == HN_OK)
        status = device_check_shared(&own, error);
    if (status == HN_OK && gradient)
        status = STRUCT_TAKE(hn_gradient, &t.gradient, gradient, error);
    if (status != HN_OK || own.count == 0)
        return status;
    t.batch = own;
    t.batch.tape = NULL;
    if (own.reports) {
        t.reports = base_allocate(own.count * sizeof(hn_report));
        t.batch.report_size = sizeof(hn_report);
        if (!t.reports)
            return error_no_memory(error, "the reports");
    }
    status = transfer(&t, gradient != NULL);
    if (status == HN_OK && own.reports)
        give_reports(&own, t.reports);
    base_release(t.reports);
    return status;
}

hn_status hn_device_run_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                             hn_error *error) {
    return run_host("hn_device_run_host", layer, batch, gradient, NULL, error);
}

hn_status hn_device_time_host(const hn_device_layer *layer, const hn_batch *batch, const hn_gradient *gradient,
                              double *seconds, hn_error *error) {
    if (!seconds)
        return error_missing(error, "hn_device_time_host", "seconds");
    *seconds = 0;
    return run_host("hn_device_time_host", layer, batch, gradient, seconds, error);
}
