/* run.c - the calls that run a layer on the caller's thread, and what they refuse.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "layer/layer_parts.h"

#include <math.h>

hn_status check_batch(const hn_layer *layer, const hn_batch *batch, hn_error *error) {
    size_t unused;
    if (!layer || !batch)
        return error_set(error, HN_INVALID, "there is no %s to run", layer ? "batch" : "layer");
    if (batch->count == 0)
        return HN_OK;
    if (!batch->x && layer->inputs)
        return error_set(error, HN_INVALID, "batch: x is missing; the model has %zu inputs", layer->inputs);
    if (!batch->y)
        return error_set(error, HN_INVALID, "batch: y, where the corrected outputs go, is missing");
    if (batch->repeat_y && batch->y == batch->y_raw && batch->count > 1)
        return error_set(error, HN_INVALID, "batch: y must not be y_raw when one row is repeated");
    if (batch->fallback && !all_finite(batch->fallback, layer->outputs, &unused))
        return error_set(error, HN_INVALID, "batch: entry %zu of the fallback is not finite", unused);
    if (!(batch->seconds >= 0 && batch->seconds < INFINITY))
        return error_set(error, HN_INVALID, "batch: a deadline of %s seconds", error_number(batch->seconds).text);
    return HN_OK;
}

hn_status check_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, hn_error *error) {
    hn_status status = check_batch(layer, batch, error);
    if (status != HN_OK || batch->count == 0)
        return status;
    if (!gradient || !gradient->grad_y || !gradient->grad_y_raw)
        return error_set(error, HN_INVALID, "gradient: grad_y and grad_y_raw must be given");
    if (!batch->tape || !batch->reports)
        return error_set(error, HN_INVALID, "gradient: the batch was run without %s",
                         batch->tape ? "reports" : "a tape");
    return HN_OK;
}

static hn_status too_small(const hn_layer *layer, size_t bytes, hn_error *error) {
    return error_set(error, HN_INVALID, "the workspace has %zu bytes, the layer needs %zu", bytes,
                     hn_layer_workspace_bytes(layer));
}

hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error) {
    struct worker worker;
    struct queue queue = {0};
    hn_status status = check_batch(layer, batch, error);
    if (status != HN_OK || batch->count == 0)
        return status;
    if (!worker_begin(&worker, layer, batch->count, workspace, bytes))
        return too_small(layer, bytes, error);
    queue.deadline = batch->seconds > 0 ? clock_seconds() + batch->seconds : 0;
    worker.batch = batch;
    worker.queue = &queue;
    worker_run(&worker);
    return HN_OK;
}

hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error) {
    struct worker worker;
    struct queue queue = {0};
    hn_status status = check_gradient(layer, batch, gradient, error);
    if (status != HN_OK || batch->count == 0)
        return status;
    if (!worker_begin(&worker, layer, batch->count, workspace, bytes))
        return too_small(layer, bytes, error);
    worker.batch = batch;
    worker.queue = &queue;
    worker_gradient(&worker, gradient);
    return HN_OK;
}
