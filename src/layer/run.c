/* run.c - runs a layer on the caller's thread, and checks the arguments.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/size.h"
#include "base/structs.h"
#include "layer/driver.h"

#include <math.h>
#include <string.h>

/* Whether no array of the batch exceeds PTRDIFF_MAX bytes, the largest possible object. */
static bool fits(const hn_layer *layer, const hn_batch *batch) {
    const struct plan *plan = layer->plan;
    size_t inputs = batch->repeat_x ? 0 : plan->inputs, numbers = plan->outputs > inputs ? plan->outputs : inputs;
    if ((batch->residual || batch->multipliers) && plan->rows > numbers)
        numbers = plan->rows;
    size_t bytes = size_product(numbers, sizeof(double));
    if (batch->reports && batch->report_size > bytes)
        bytes = batch->report_size;
    return size_product(batch->count, bytes) <= PTRDIFF_MAX && (!batch->tape || tape_bytes(plan, batch->count) > 0);
}

static hn_status check_batch(const hn_layer *layer, const hn_batch *batch, hn_error *error) {
    size_t unused;
    if (batch->count == 0)
        return HN_OK;
    if (!fits(layer, batch))
        return error_about(error, HN_LIMIT, error_argument("batch.count"),
                           "batch.count %zu: arrays of so many samples are larger than the address space",
                           batch->count);
    if (!batch->x && layer->plan->inputs)
        return error_about(error, HN_INVALID, error_argument("batch.x"), "batch: x is missing; the model has %u inputs",
                           layer->plan->inputs);
    if (!batch->y)
        return error_about(error, HN_INVALID, error_argument("batch.y"),
                           "batch: y, where the corrected outputs go, is missing");
    if (batch->repeat_y && batch->y == batch->y_raw && batch->count > 1)
        return error_about(error, HN_INVALID, error_argument("batch.y"),
                           "batch: y must not be y_raw when one row is repeated");
    if (batch->reports && batch->report_size < sizeof(hn_outcome))
        return error_about(error, HN_INVALID, error_argument("batch.report_size"),
                           "batch: the size of a report is not set; write .report_size = sizeof(hn_report)");
    if (batch->reports && batch->report_size < sizeof(hn_report) && batch->report_size % _Alignof(hn_report) != 0 &&
        batch->report_size != sizeof(hn_outcome))
        return error_about(error, HN_INVALID, error_argument("batch.report_size"),
                           "batch: a report of %zu bytes ends within a field; write .report_size = sizeof(hn_report)",
                           batch->report_size);
    if (batch->fallback && !point_all_finite(batch->fallback, 1, layer->plan->outputs, &unused))
        return error_about(error, HN_INVALID, error_argument("batch.fallback"),
                           "batch: entry %zu of the fallback is not finite", unused);
    if ((unsigned)batch->not_ok >= HN_NOT_OK_COUNT)
        return error_about(error, HN_INVALID, error_argument("batch.not_ok"), "batch.not_ok %d: unknown choice",
                           (int)batch->not_ok);
    if (batch->multipliers && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("batch.multipliers"),
                           "batch: the method %s has no multipliers, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (batch->proof_y && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("batch.proof_y"),
                           "batch: the method %s has no proofs, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (!(batch->seconds >= 0 && batch->seconds < INFINITY))
        return error_about(error, HN_INVALID, error_argument("batch.seconds"),
                           "batch.seconds %s: a deadline is a finite number from 0 on, and 0 means none",
                           error_number(batch->seconds).text);
    return HN_OK;
}

hn_status take_batch(const hn_layer *layer, const hn_batch *given, hn_batch *batch, hn_error *error) {
    const char *missing = !layer ? "layer" : !given ? "batch" : NULL;
    if (missing)
        return error_about(error, HN_INVALID, error_argument(missing), "there is no %s to run", missing);
    hn_status status = STRUCT_TAKE(hn_batch, batch, given, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    return status == HN_OK ? check_batch(layer, batch, error) : status;
}

hn_status take_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *given, hn_gradient *gradient,
                        hn_error *error) {
    *gradient = (hn_gradient){.size = sizeof *gradient};
    if (batch->count == 0)
        return HN_OK;
    hn_status status = given ? STRUCT_TAKE(hn_gradient, gradient, given, error) : HN_OK;
    if (status != HN_OK)
        return status;
    if (!gradient->grad_y || !gradient->grad_y_raw)
        return error_about(error, HN_INVALID, error_argument("gradient"),
                           "gradient: grad_y and grad_y_raw must be given");
    if (gradient->grad_multipliers && !method_searches(layer->options.method))
        return error_about(error, HN_INVALID, error_argument("gradient.grad_multipliers"),
                           "gradient: the method %s has no multipliers, only nearest and optimal have",
                           hn_method_text(layer->options.method));
    if (gradient->grad_weights && layer->options.method != HN_METHOD_NEAREST)
        return error_about(error, HN_INVALID, error_argument("gradient.grad_weights"),
                           "gradient: the method %s has no weights, only nearest has",
                           hn_method_text(layer->options.method));
    if (!batch->tape || !batch->reports)
        return error_about(error, HN_INVALID, error_argument(batch->tape ? "batch.reports" : "batch.tape"),
                           "gradient: the batch was run without %s", batch->tape ? "reports" : "a tape");
    return HN_OK;
}

static unsigned char *report_at(const hn_batch *batch, size_t sample) {
    return (unsigned char *)batch->reports + sample * batch->report_size;
}

void report_write(const hn_batch *batch, size_t sample, const hn_report *report) {
    size_t common = batch->report_size < sizeof *report ? batch->report_size : sizeof *report;
    memcpy(report_at(batch, sample), report, common);
    memset(report_at(batch, sample) + common, 0, batch->report_size - common);
}

hn_outcome report_outcome(const hn_batch *batch, size_t sample) {
    hn_outcome outcome;
    memcpy(&outcome, report_at(batch, sample) + offsetof(hn_report, outcome), sizeof outcome);
    return outcome;
}

static hn_status too_small(const hn_layer *layer, size_t bytes, hn_error *error) {
    return error_about(error, HN_INVALID, error_argument("bytes"), "the workspace has %zu bytes, the layer needs %zu",
                       bytes, hn_layer_workspace_bytes(layer));
}

hn_status hn_layer_run(const hn_layer *layer, const hn_batch *batch, void *workspace, size_t bytes, hn_error *error) {
    struct worker worker;
    struct queue queue = {0};
    hn_batch own = {.size = sizeof own};
    hn_status status = take_batch(layer, batch, &own, error);
    if (status != HN_OK || own.count == 0)
        return status;
    if (!worker_begin(&worker, layer, own.count, workspace, bytes, NULL))
        return too_small(layer, bytes, error);
    queue.deadline = own.seconds > 0 ? clock_seconds() + own.seconds : 0;
    worker.batch = &own;
    worker.queue = &queue;
    worker_run(&worker);
    return HN_OK;
}

hn_status hn_layer_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, void *workspace,
                            size_t bytes, hn_error *error) {
    struct worker worker;
    struct queue queue = {0};
    hn_batch own = {.size = sizeof own};
    hn_gradient pull;
    hn_status status = take_batch(layer, batch, &own, error);
    if (status == HN_OK)
        status = take_gradient(layer, &own, gradient, &pull, error);
    if (status != HN_OK || own.count == 0)
        return status;
    if (!worker_begin(&worker, layer, own.count, workspace, bytes, NULL))
        return too_small(layer, bytes, error);
    worker.batch = &own;
    worker.queue = &queue;
    worker_gradient(&worker, &pull);
    return HN_OK;
}
