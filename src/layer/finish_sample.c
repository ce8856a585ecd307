/* finish_sample.c - the outcome of a sample, from the evaluation at the returned y, and its report.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

/* Raw output, or the start value if there is none. */
static double start_of(const struct worker *worker, uint32_t lane, size_t output) {
    const struct point p = worker_point(worker, lane);
    return *point_at(&p, plan_words(worker->plan, worker->plan->start)[output]);
}

enum { AT_ONCE = 4 }; /* independent partial results */

static double difference(const double *a, const double *b, size_t i) {
    return point_abs(a[i] - b[i]);
}

static double largest_difference(const double *a, const double *b, size_t count) {
    double first = 0, second = 0, third = 0, fourth = 0;
    size_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        first = sample_greater(first, difference(a, b, i));
        second = sample_greater(second, difference(a, b, i + 1));
        third = sample_greater(third, difference(a, b, i + 2));
        fourth = sample_greater(fourth, difference(a, b, i + 3));
    }
    for (; i < count; i++)
        first = sample_greater(first, difference(a, b, i));
    return sample_greater(sample_greater(first, second), sample_greater(third, fourth));
}

/* |a - b|_2 of finite numbers, scaled against overflow; infinite when a difference is. */
double vector_distance(const double *a, const double *b, size_t count) {
    double scale = largest_difference(a, b, count), sum = 0, part[AT_ONCE];
    size_t i = 0;
    if (!sample_is_finite(scale))
        return INFINITY;
    for (; i + AT_ONCE <= count && scale > 0; i += AT_ONCE) {
        for (size_t k = 0; k < AT_ONCE; k++)
            part[k] = (a[i + k] - b[i + k]) / scale;
        for (size_t k = 0; k < AT_ONCE; k++)
            sum += part[k] * part[k];
    }
    for (; i < count && scale > 0; i++)
        sum += (a[i] - b[i]) / scale * ((a[i] - b[i]) / scale);
    return scale * sqrt(sum);
}

/* The distance of y from the input y; infinite when that is not finite. */
static double moved(const struct worker *worker, uint32_t lane, const double *y) {
    size_t outputs = worker->plan->outputs, unused;
    const double *raw = batch_raw(worker, worker->lane[lane].sample);
    double scale = 0, sum = 0;
    if (raw)
        return worker->lane[lane].culprit == SIZE_MAX || all_finite(raw, outputs, &unused)
                   ? vector_distance(raw, y, outputs)
                   : INFINITY;
    for (size_t j = 0; j < outputs; j++) {
        double part = point_abs(start_of(worker, lane, j) - y[j]);
        if (!sample_is_finite(part))
            return INFINITY;
        scale = sample_greater(scale, part);
    }
    for (size_t j = 0; j < outputs && scale > 0; j++) {
        double part = (start_of(worker, lane, j) - y[j]) / scale;
        sum += part * part;
    }
    return scale * sqrt(sum);
}

#define SAME(name) _Static_assert((int)HN_REASON_##name == (int)NEAREST_##name, "the same list")
SAME(NOT_CONVERGED);
SAME(UNBOUNDED);
SAME(UNDEFINED);
SAME(NOT_CONFIRMED);
SAME(STOPPED);
_Static_assert((int)HN_REASON_NONE == NEAREST_CERTIFIED && (int)HN_REASON_KINK == NEAREST_AT_KINK, "the same list");
#undef SAME

/* The largest product of a multiplier and the distance to its bound. */
static double complementarity(const struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const struct nearest_sample *near = &worker->lane[lane].near;
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    double worst = 0;
    if (!sample_is_finite(near->kkt))
        return INFINITY;
    for (uint32_t i = 0; i < plan->rows; i++) {
        double l = near->multipliers[i], c = *point_at(&p, value[i]);
        double bl = *point_at(&p, lower[i]), bu = *point_at(&p, upper[i]);
        if (l != 0 && bl != bu)
            worst = sample_greater(worst, l > 0 ? l * (c - bl) : l * (c - bu));
    }
    return worst;
}

/* The objective with the sign of the model; infinite when undefined. */
static double objective_of(const struct worker *worker, double minimised) {
    return isnan(minimised) ? INFINITY : worker->layer->maximizes ? -minimised : minimised;
}

/* |S (y - y_raw)|, S the weights; infinite when it overflows or when y_raw or a start value is not finite. */
static double weighed_distance(const struct worker *worker, uint32_t lane, const double *y) {
    size_t outputs = worker->plan->outputs;
    const double *raw = batch_raw(worker, worker->lane[lane].sample), *weights = worker->layer->weights;
    double scale = 0, sum = 0;
    for (size_t j = 0; j < outputs; j++) {
        double part = point_abs(weights[j] * (y[j] - (raw ? raw[j] : start_of(worker, lane, j))));
        if (!sample_is_finite(part))
            return INFINITY;
        scale = sample_greater(scale, part);
    }
    for (size_t j = 0; j < outputs && scale > 0; j++) {
        double part = weights[j] * (y[j] - (raw ? raw[j] : start_of(worker, lane, j))) / scale;
        sum += part * part;
    }
    return scale * sqrt(sum);
}

/* The result of the search; NaN if auto failed and no search ran. */
static void report_nearest(const struct worker *worker, uint32_t lane, const double *y, hn_report *out) {
    const struct lane *own = &worker->lane[lane];
    const double *weights = worker->layer->weights;
    out->proof = own->proof;
    if (own->searched && !own->lost) {
        out->kkt = own->near.kkt;
        out->reason = (hn_reason)own->near.reason;
        out->complementarity = complementarity(worker, lane);
        if (worker->layer->options.method == HN_METHOD_OPTIMAL)
            out->objective = objective_of(worker, own->near.objective);
        out->programmes = (size_t)own->near.programmes;
        out->factorisations = (size_t)own->near.factorisations;
    }
    if (!own->searched && own->state.outcome == HN_OUTCOME_OK)
        out->reason = HN_REASON_STOPPED;
    if (weights)
        out->distance = weighed_distance(worker, lane, y);
}

/* max |r| and its row. If all numbers are finite and the bounds valid, the evaluation has already found it. */
static double violation(const struct worker *worker, uint32_t lane, const struct sample_numbers *n, size_t *row) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    const double *r = point_at(&p, plan->residual);
    bool known = n->finite && sample_is_finite(n->measure) && !plan->options.relative &&
                 worker->lane[lane].state.phase != PHASE_FALLBACK;
    if (!known)
        return point_violation(&p, row);
    *row = SIZE_MAX;
    for (size_t i = 0; n->measure > 0 && *row == SIZE_MAX && i < plan->rows; i++)
        *row = point_abs(r[i * p.width]) == n->measure ? i : SIZE_MAX;
    return n->measure;
}

static void report(const struct worker *worker, uint32_t lane, const struct sample_numbers *n, const double *y) {
    const struct lane *own = &worker->lane[lane];
    const struct sample *s = &own->state;
    hn_report out;
    memset(&out, 0, sizeof out); /* padding, too: equal reports have equal bytes */
    out.outcome = s->outcome;
    out.iterations = s->iteration;
    out.steps = s->best_step;
    out.violation_before = s->before;
    out.culprit = own->culprit;
    out.damping = s->used;
    out.slope = sqrt(s->slope);
    out.violation = violation(worker, lane, n, &out.worst);
    if (s->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out.violation = INFINITY;
        out.worst = own->culprit;
    }
    out.moved = out.distance = moved(worker, lane, y);
    out.kkt = out.objective = out.complementarity = out.proof = INFINITY;
    if (method_searches(worker->layer->options.method))
        report_nearest(worker, lane, y, &out);
    report_write(worker->batch, own->sample, &out);
}

/* y - y_raw, the warm start of the next call. */
static void keep_warm(const struct worker *worker, uint32_t lane, const double *y) {
    const struct lane *own = &worker->lane[lane];
    const double *raw = batch_raw(worker, own->sample);
    double *warm = worker->batch->warm + own->sample * worker->plan->outputs;
    for (size_t j = 0; j < worker->plan->outputs; j++)
        warm[j] = own->state.outcome == HN_OUTCOME_OK ? y[j] - (raw ? raw[j] : start_of(worker, lane, j)) : 0;
}

hn_outcome worker_verdict(const struct worker *worker, uint32_t lane, const struct sample_numbers *n) {
    const struct sample_options *o = &worker->plan->options;
    const struct sample *s = &worker->lane[lane].state;
    const struct point p = worker_point(worker, lane);
    double bound = sample_asks_stationarity(s, o, n);
    bool stationary = bound > 0 && point_stationarity(&p, worker->row) <= bound * bound;
    return sample_verdict(s, o, n, stationary);
}

/* What the gradient of a certified sample needs; the others use auto's steps. */
static void tape_nearest(const struct worker *worker, uint32_t lane, const struct tape *tape) {
    const struct lane *own = &worker->lane[lane];
    bool searched = own->searched && !own->lost, elsewhere = own->split || own->near.moved;
    bool certified = searched && own->near.kkt <= HN_CERTIFIED && !own->split;
    tape->numbers[0] = certified ? TAPE_CERTIFIED : searched && elsewhere ? TAPE_ELSEWHERE : TAPE_BY_STEPS;
    for (size_t i = 0; i < worker->plan->rows; i++)
        tape->numbers[1 + i] = certified ? own->near.multipliers[i] : 0;
}

/* The point at which the multipliers certify local infeasibility; y for other samples. */
static void write_proof_point(const struct worker *worker, uint32_t lane) {
    const struct lane *own = &worker->lane[lane];
    size_t outputs = worker->plan->outputs;
    bool proven = own->searched && own->lost;
    memcpy(worker->batch->proof_y + own->sample * outputs,
           proven ? worker_near_row(worker, lane, ROW_NEAREST) : worker->row, outputs * sizeof *worker->row);
}

static void write_multipliers(const struct worker *worker, uint32_t lane) {
    const struct lane *own = &worker->lane[lane];
    size_t rows = worker->plan->rows;
    double *to = worker->batch->multipliers + own->sample * rows;
    for (size_t i = 0; i < rows; i++)
        to[i] = own->searched && own->state.phase != PHASE_FALLBACK ? own->near.multipliers[i] : 0;
}

/* Whether the sample is not ok and a replacement of y is returned (hn_not_ok). The replacement is written to y, to be
 * evaluated next, and to `best`, from which y is restored after a step of the other lanes. */
static bool replaces(struct worker *worker, uint32_t lane, uint32_t y) {
    const struct plan *plan = worker->plan;
    struct lane *own = &worker->lane[lane];
    const struct point p = worker_point(worker, lane);
    const hn_not_ok choice = worker->batch->not_ok;
    if (choice == HN_NOT_OK_BEST || own->state.outcome == HN_OUTCOME_OK || own->state.phase == PHASE_FALLBACK)
        return false;
    if (choice == HN_NOT_OK_FALLBACK)
        worker_fall_back(worker, lane, own->state.outcome);
    else {
        point_read(&p, y, plan->outputs, worker->row);
        point_write(&p, plan->y, plan->outputs, worker->row);
        point_clip(&p);
        sample_fall_back(&own->state, own->state.outcome);
    }
    point_set_fixed(&p);
    point_read(&p, plan->y, plan->outputs, worker->row);
    point_write(&p, plan->best, plan->outputs, worker->row);
    point_set_mask(&p, plan->summary + SUMMARY_USABLE, true);
    own->state.best_step = 0;
    own->proof = INFINITY;
    return true;
}

void worker_finish(struct worker *worker, uint32_t lane, const struct sample_numbers *n, uint32_t y) {
    const struct plan *plan = worker->plan;
    const hn_batch *batch = worker->batch;
    struct lane *own = &worker->lane[lane];
    const struct point p = worker_point(worker, lane);
    own->state.outcome = worker_verdict(worker, lane, n);
    bool nearest = method_searches(worker->layer->options.method);
    bool lost = own->state.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (nearest && (lost || own->state.outcome == HN_OUTCOME_OK) && !own->searched && !worker->cancelled) {
        own->lost = lost;
        worker_defer_search(worker, lane, y);
        return;
    }
    if (replaces(worker, lane, y))
        return;
    if (batch->tape) {
        struct tape tape = worker_tape(worker, lane);
        tape_close(&tape, &own->state);
        if (nearest)
            tape_nearest(worker, lane, &tape);
    }
    if (batch->residual)
        for (uint32_t i = 0; i < plan->rows; i++)
            batch->residual[own->sample * plan->rows + i] = point_number(*point_at(&p, plan->residual + i));
    point_read(&p, y, plan->outputs, worker->row);
    if (batch->multipliers)
        write_multipliers(worker, lane);
    if (batch->proof_y)
        write_proof_point(worker, lane);
    if (batch->reports)
        report(worker, lane, n, worker->row);
    if (batch->warm)
        keep_warm(worker, lane, worker->row);
    memcpy(batch->y + own->sample * plan->outputs, worker->row, plan->outputs * sizeof *worker->row);
    own->state.phase = PHASE_IDLE;
}
