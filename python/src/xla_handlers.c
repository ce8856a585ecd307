/* xla_handlers.c - the two functions that compiled JAX programs call.
 *
 *   forward     [y_raw] [x]          ->  y, outcome, iterations, violation, worst
 *   backward    [y_raw] [x] grad_y   ->  grad_y_raw, [grad_x], flagged
 *
 * x is there when the model has inputs; without y_raw the start values are corrected. Any number of
 * leading axes is the batch. Attributes, all strings: "layer", the key of the layer, and "on_fail":
 * "return", "warn" or "raise".
 *
 * JAX has no place for a tape but an output of fixed size, room for the most steps that a method
 * takes. Backward runs forward again instead, in blocks of samples whose tape stays in the cache and
 * is kept between calls; docs/decisions.md has the figures.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "xla.h"

/* Room for the tape of a block: for each thread some groups of SIMD lanes. */
enum { TAPE_BYTES = 16 << 20, TAPE_BYTES_PER_THREAD = 4 << 20, LANES = 8 };

/* The operands that both handlers have. */
typedef struct operands {
    bool has_y_raw, has_x;
    xla_view y_raw, x;
    int64_t count; /* of those that were there */
} operands;

/* others: operands that follow. */
static bool read_operands(xla_call *call, int64_t others, operands *out) {
    *out = (operands){.has_x = call->info.inputs > 0};
    int64_t given = call->frame->arguments.count - others;
    out->has_y_raw = given > out->has_x;
    if (out->has_y_raw && !xla_operand(call, out->count++, "y_raw", call->info.outputs, &out->y_raw))
        return false;
    return !out->has_x || xla_operand(call, out->count++, "x", call->info.inputs, &out->x);
}

static hn_batch batch_of(const xla_call *call, const operands *from, double *y, hn_report *reports) {
    const xla_kept *kept = xla_entry_kept(call->entry);
    return (hn_batch){
        .size = sizeof(hn_batch),
        .count = call->count,
        .x = from->has_x ? from->x.reals : NULL,
        .y_raw = from->has_y_raw ? from->y_raw.reals : NULL,
        .y = y,
        .report_size = sizeof(hn_report),
        .reports = reports,
        .fallback = kept->fallback,
        .not_ok = kept->not_ok,
    };
}

/* ---- samples that are not ok ---- */

/* Iterates backwards, so that `first` ends as the first one. */
static size_t count_bad(const xla_call *call, const hn_report *reports, size_t *first) {
    size_t bad = 0;
    for (size_t i = call->count; i-- > 0;) {
        if (reports[i].outcome != HN_OUTCOME_OK) {
            bad++;
            *first = i;
        }
    }
    return bad;
}

static void tell(xla_call *call, const hn_report *reports) {
    xla_text wish = xla_attribute(call, "on_fail");
    bool raise = xla_text_is(wish, "raise"), warn = xla_text_is(wish, "warn");
    size_t first = 0, bad = raise || warn ? count_bad(call, reports, &first) : 0;
    if (bad == 0)
        return;
    char sentence[200], violation[40] = "";
    if (reports[first].worst < call->info.rows) /* else no row was evaluated */
        snprintf(violation, sizeof violation, " with violation %.3g", reports[first].violation);
    snprintf(sentence, sizeof sentence, "%zu of %zu samples are not ok; the first, number %zu, is %s%s", bad,
             call->count, first, hn_outcome_text(reports[first].outcome), violation);
    if (raise || !xla_warn(sentence))
        xla_fail(call, XLA_FAILED_PRECONDITION, "%s", sentence);
}

/* One sentence, always the same: Python shows it once. */
static void tell_nonfinite(xla_call *call, const hn_report *reports) {
    static const char sentence[] =
        "hardnet: y_raw or x has entries that are not finite; the corrected outputs of these "
        "samples are NaN (fallback= returns numbers instead)";
    const xla_kept *kept = xla_entry_kept(call->entry);
    size_t i = 0;
    if (kept->fallback || kept->not_ok == HN_NOT_OK_FALLBACK || !xla_text_is(xla_attribute(call, "on_fail"), "return"))
        return;
    while (i < call->count && reports[i].outcome != HN_OUTCOME_NONFINITE_INPUT)
        i++;
    if (i < call->count && !xla_warn(sentence))
        xla_fail(call, XLA_FAILED_PRECONDITION, "%s", sentence);
}

/* ---- forward ---- */

typedef struct columns {
    int32_t *outcome, *iterations, *worst;
    xla_view violation;
} columns;

static bool read_columns(xla_call *call, columns *out) {
    out->outcome = xla_column(call, 1, "outcome", XLA_INT32);
    out->iterations = xla_column(call, 2, "iterations", XLA_INT32);
    out->worst = xla_column(call, 4, "worst", XLA_INT32);
    return xla_result(call, 3, "violation", 0, &out->violation) && call->code == 0;
}

static void write_columns(const xla_call *call, const columns *to, const hn_report *reports) {
    for (size_t i = 0; i < call->count; i++) {
        to->outcome[i] = (int32_t)reports[i].outcome;
        to->iterations[i] = reports[i].iterations;
        to->violation.reals[i] = reports[i].violation;
        to->worst[i] = reports[i].worst <= INT32_MAX ? (int32_t)reports[i].worst : -1;
    }
    xla_round(&to->violation);
}

static void run_forward(xla_call *call, const hn_batch *batch) {
    hn_error error;
    xla_slot *slot = xla_entry_take(call->entry, &error);
    if (!slot || hn_pool_run(slot->pool, batch, &error) != HN_OK)
        xla_fail_with(call, &error);
    if (slot)
        xla_entry_put(call->entry, slot);
}

static void forward(xla_call *call) {
    operands in;
    columns out;
    xla_view y;
    if (!xla_open(call) || !xla_expect(call, call->info.inputs > 0, 1 + (call->info.inputs > 0), 5) ||
        !read_operands(call, 0, &in) || !xla_result(call, 0, "y", call->info.outputs, &y) || !read_columns(call, &out))
        return;
    hn_report *reports = xla_memory(call, call->count, sizeof *reports);
    if (!reports || call->count == 0)
        return;
    hn_batch batch = batch_of(call, &in, y.reals, reports);
    run_forward(call, &batch);
    if (call->code)
        return;
    xla_round(&y);
    write_columns(call, &out, reports);
    tell(call, reports);
    tell_nonfinite(call, reports);
}

xla_error *xla_forward(xla_frame *frame) {
    return xla_run(frame, forward);
}

/* ---- backward ---- */

/* Samples of a block: limited by the memory of the tape, at least one group of lanes per thread. */
static size_t block_samples(const hn_layer *layer, int threads, size_t count) {
    size_t bytes = (size_t)threads * TAPE_BYTES_PER_THREAD, one = hn_layer_tape_bytes(layer, 1);
    size_t fit = (bytes > TAPE_BYTES ? bytes : TAPE_BYTES) / (one ? one : 1), least = (size_t)threads * LANES;
    size_t samples = fit > least ? fit / LANES * LANES : least;
    return samples < count ? samples : count;
}

static bool reserve_tape(xla_call *call, xla_slot *slot, size_t samples) {
    if (slot->tape_samples >= samples)
        return true;
    free(slot->tape);
    slot->tape_samples = 0;
    size_t bytes = hn_layer_tape_bytes(xla_entry_layer(call->entry), samples);
    slot->tape = bytes ? malloc(bytes) : NULL;
    if (!slot->tape)
        return xla_fail(call, XLA_RESOURCE_EXHAUSTED, "out of memory: the tape of %zu samples", samples);
    slot->tape_samples = samples;
    return true;
}

void xla_move_on(const hn_layer_info *info, size_t samples, hn_batch *batch, hn_gradient *gradient) {
    batch->x = batch->x ? batch->x + samples * info->inputs : NULL;
    batch->y_raw = batch->y_raw ? batch->y_raw + samples * info->outputs : NULL;
    batch->y += samples * info->outputs;
    batch->reports += samples;
    gradient->grad_y += samples * info->outputs;
    gradient->grad_y_raw += samples * info->outputs;
    gradient->grad_x = gradient->grad_x ? gradient->grad_x + samples * info->inputs : NULL;
    gradient->flagged += samples;
}

/* Forward with a tape, then backward, block by block. */
static bool run_blocks(xla_call *call, xla_slot *slot, hn_batch batch, hn_gradient gradient) {
    hn_error error;
    size_t most = block_samples(xla_entry_layer(call->entry), hn_pool_threads(slot->pool), call->count);
    if (!reserve_tape(call, slot, most))
        return false;
    batch.tape = slot->tape;
    for (size_t left = call->count; left > 0; left -= batch.count) {
        batch.count = left < most ? left : most;
        if (hn_pool_run(slot->pool, &batch, &error) != HN_OK ||
            hn_pool_gradient(slot->pool, &batch, &gradient, &error) != HN_OK)
            return xla_fail_with(call, &error);
        xla_move_on(&call->info, batch.count, &batch, &gradient);
    }
    return true;
}

static void run_backward(xla_call *call, const hn_batch *batch, const hn_gradient *gradient) {
    hn_error error;
    xla_slot *slot = xla_entry_take(call->entry, &error);
    if (!slot) {
        xla_fail_with(call, &error);
        return;
    }
    run_blocks(call, slot, *batch, *gradient);
    xla_entry_put(call->entry, slot);
}

typedef struct gradients {
    xla_view grad_y, grad_y_raw, grad_x;
    bool *flagged;
} gradients;

static bool read_gradients(xla_call *call, const operands *in, gradients *out) {
    out->flagged = xla_column(call, 1 + in->has_x, "flagged", XLA_BOOL);
    return xla_operand(call, in->count, "grad_y", call->info.outputs, &out->grad_y) &&
           xla_result(call, 0, "grad_y_raw", call->info.outputs, &out->grad_y_raw) &&
           (!in->has_x || xla_result(call, 1, "grad_x", call->info.inputs, &out->grad_x)) && call->code == 0;
}

static void backward(xla_call *call) {
    operands in;
    gradients out;
    if (!xla_open(call) ||
        !xla_expect(call, 1 + (call->info.inputs > 0), 2 + (call->info.inputs > 0), 2 + (call->info.inputs > 0)) ||
        !read_operands(call, 1, &in) || !read_gradients(call, &in, &out))
        return;
    hn_report *reports = xla_memory(call, call->count, sizeof *reports);
    double *y = xla_memory(call, call->count, call->info.outputs * sizeof *y);
    if (!reports || !y || call->count == 0)
        return;
    hn_batch batch = batch_of(call, &in, y, reports);
    hn_gradient gradient = {
        .size = sizeof gradient,
        .grad_y = out.grad_y.reals,
        .grad_y_raw = out.grad_y_raw.reals,
        .grad_x = in.has_x ? out.grad_x.reals : NULL,
        .flagged = out.flagged,
    };
    run_backward(call, &batch, &gradient);
    if (call->code)
        return;
    xla_round(&out.grad_y_raw);
    if (in.has_x)
        xla_round(&out.grad_x);
    tell(call, reports);
}

xla_error *xla_backward(xla_frame *frame) {
    return xla_run(frame, backward);
}
