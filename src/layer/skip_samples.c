/* skip_samples.c - results of the samples that a cancelled call did not start.
 *
 * They are not evaluated, so the call ends quickly for any batch size: y is the input, the outcome is `cancelled`, and
 * violations are infinite, which means unknown. Samples whose y needs an evaluation (it is not finite, or start values
 * or fixed outputs depend on x) are loaded as usual and end with their fallback and outcome after no steps.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

/* Whether these slots hold constants, which need no evaluation. */
static bool are_constant(const struct plan *plan, const uint32_t *slots, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slots[i] >= plan->program.constants.count)
            return false;
    return true;
}

bool worker_can_skip(const struct worker *worker) {
    const struct plan *plan = worker->plan;
    if (worker->batch->not_ok != HN_NOT_OK_BEST)
        return false; /* the replacement of y must be evaluated */
    if (worker->batch->y_raw)
        return are_constant(plan, plan_words(plan, plan->fixed.slot), plan->fixed.slot.count);
    return plan->fixed.slot.count == 0 && are_constant(plan, plan_words(plan, plan->start), plan->outputs);
}

/* y_raw or the start values, with fixed outputs at their values; false if not finite. */
static bool take_what_came(const struct worker *worker, size_t sample, double *y) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, 0);
    const double *raw = batch_raw(worker, sample);
    const uint32_t *start = plan_words(plan, plan->start);
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot), *output = plan_words(plan, plan->fixed.entry);
    size_t unused;
    if (raw)
        memcpy(y, raw, plan->outputs * sizeof *y);
    for (size_t j = 0; !raw && j < plan->outputs; j++)
        y[j] = *point_at(&p, start[j]);
    for (size_t f = 0; f < plan->fixed.slot.count; f++)
        y[output[f]] = *point_at(&p, fixed[f]);
    bool changed = plan->fixed.slot.count > 0; /* a fixed value may replace the input y */
    return all_finite(y, plan->outputs, &unused) && (!changed || all_finite(raw, plan->outputs, &unused)) &&
           all_finite(batch_inputs(worker, sample), plan->inputs, &unused);
}

static void report_skipped(const struct worker *worker, size_t sample, const struct sample *s, const double *y) {
    const struct plan *plan = worker->plan;
    hn_report out;
    memset(&out, 0, sizeof out); /* padding, too: equal reports have equal bytes */
    out.outcome = HN_OUTCOME_CANCELLED;
    out.violation_before = out.violation = out.slope = INFINITY;
    out.worst = out.culprit = SIZE_MAX;
    out.damping = s->used;
    if (plan->fixed.slot.count > 0)
        out.moved = out.distance = vector_distance(batch_raw(worker, sample), y, plan->outputs);
    out.kkt = out.objective = out.complementarity = out.proof = INFINITY;
    report_write(worker->batch, sample, &out);
}

static void skip_samples_fill(double *numbers, size_t sample, size_t count, double value) {
    for (size_t i = 0; numbers && i < count; i++)
        numbers[sample * count + i] = value;
}

bool worker_skip(const struct worker *worker, size_t sample) {
    const struct plan *plan = worker->plan;
    const hn_batch *batch = worker->batch;
    struct sample s;
    if (!take_what_came(worker, sample, worker->row))
        return false;
    sample_open(&s, &plan->options);
    if (batch->tape) {
        struct tape tape = tape_of(plan, batch->tape, sample);
        tape_close(&tape, &s);
        skip_samples_fill(tape.numbers, 0, plan->tape_numbers, 0); /* TAPE_BY_STEPS with no steps */
    }
    skip_samples_fill(batch->residual, sample, plan->rows, INFINITY);
    skip_samples_fill(batch->multipliers, sample, plan->rows, 0);
    skip_samples_fill(batch->warm, sample, plan->outputs, 0);
    if (batch->reports)
        report_skipped(worker, sample, &s, worker->row);
    memcpy(batch->y + sample * plan->outputs, worker->row, plan->outputs * sizeof *worker->row);
    return true;
}
