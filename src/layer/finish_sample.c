/* finish_sample.c - the verdict on a sample, from the evaluation at the y that is returned, and its report.
 *
 * A violated sample whose J' r vanishes against |J| |r| is called locally infeasible; rows are first brought to one scale.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"

#include <math.h>
#include <string.h>

/* |J' r| / (|J| |r|) below which r cannot be lowered: looser where steps had come to a stand. */
static const double STATIONARY = 1e-8, STATIONARY_STUCK = 1e-6;

double lane_violation(const struct worker *worker, int lane, size_t *row) {
    const struct rows_task *task = &worker->layer->task;
    const double *r = lane_at(worker, task->residual, lane);
    double worst = 0;
    *row = SIZE_MAX;
    for (size_t i = 0; i < task->rows; i++) {
        double size = fabs(r[i * (size_t)worker->lanes]);
        bool bounded = !isnan(*lane_at(worker, task->lower[i], lane)) && !isnan(*lane_at(worker, task->upper[i], lane));
        if (!isfinite(*lane_at(worker, task->value[i], lane)) || !isfinite(size) || !bounded) {
            *row = i;
            return INFINITY;
        }
        if (size > worst) {
            worst = size;
            *row = i;
        }
    }
    return worst;
}

/* 1 / max(1, largest entry) of row i of J. */
static double row_scale(const struct worker *worker, int lane, size_t i) {
    const struct place_matrix *j = &worker->layer->jacobian;
    double most = 1;
    for (size_t e = j->first[i]; e < j->first[i + 1]; e++)
        most = fmax(most, fabs(*lane_at(worker, j->place[e], lane)));
    return 1 / most;
}

/* |J' r|^2 / (|J|^2 |r|^2) over violated rows; r and J scaled so that squares do not overflow. */
static double stationarity(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct place_matrix *j = &layer->jacobian;
    const double *r = lane_at(worker, layer->task.residual, lane);
    double *gradient = worker->row, entries = 0, squares = 0, sum = 0, largest = 0;
    memset(gradient, 0, layer->outputs * sizeof *gradient);
    for (size_t i = 0; i < layer->rows; i++)
        largest = fmax(largest, fabs(r[i * (size_t)worker->lanes] * row_scale(worker, lane, i)));
    for (size_t i = 0; i < layer->rows; i++) {
        double scale = row_scale(worker, lane, i);
        double own = r[i * (size_t)worker->lanes] * scale / largest;
        squares += own * own;
        for (size_t e = j->first[i]; own != 0 && e < j->first[i + 1]; e++) {
            double entry = *lane_at(worker, j->place[e], lane) * scale;
            entries += entry * entry;
            gradient[j->column[e]] += entry * own;
        }
    }
    for (size_t k = 0; k < layer->outputs; k++)
        sum += gradient[k] * gradient[k];
    return sum == 0 ? 0 : sum / (entries * squares);
}

static hn_outcome verdict(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct lane *own = &worker->lane[lane];
    double measure = *lane_at(worker, layer->task.summary + SUMMARY_WORST * LANES, lane), bound = 0;
    bool finite = mask_get(worker, layer->task.summary + SUMMARY_FINITE * LANES, lane);
    if (own->unusable)
        return own->outcome;
    if (finite && measure <= layer->options.tolerance)
        return HN_OUTCOME_OK;
    if (own->outcome == HN_OUTCOME_STALLED)
        bound = STATIONARY_STUCK;
    else if (own->outcome == HN_OUTCOME_ITERATION_LIMIT)
        bound = STATIONARY;
    else
        return own->outcome == HN_OUTCOME_OK ? HN_OUTCOME_STALLED : own->outcome;
    return finite && stationarity(worker, lane) <= bound * bound ? HN_OUTCOME_LOCALLY_INFEASIBLE : own->outcome;
}

static double distance(const double *a, const double *b, size_t count) {
    double scale = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(a[i] - b[i]));
    for (size_t i = 0; i < count && scale > 0 && isfinite(scale); i++)
        sum += (a[i] - b[i]) / scale * ((a[i] - b[i]) / scale);
    return isfinite(scale) ? scale * sqrt(sum) : INFINITY;
}

/* From the raw output, or from the model's start; infinite when that is not finite. */
static double moved(const struct worker *worker, int lane, const double *y) {
    const hn_layer *layer = worker->layer;
    const hn_batch *batch = worker->batch;
    size_t sample = worker->lane[lane].sample, outputs = layer->outputs, unused;
    if (batch->y_raw) {
        const double *raw = batch->y_raw + (batch->repeat_y ? 0 : sample * outputs);
        return all_finite(raw, outputs, &unused) ? distance(raw, y, outputs) : INFINITY;
    }
    double scale = 0, sum = 0;
    for (size_t k = 0; k < outputs; k++)
        scale = fmax(scale, fabs(*lane_at(worker, layer->start[k], lane) - y[k]));
    for (size_t k = 0; k < outputs && scale > 0 && isfinite(scale); k++) {
        double part = (*lane_at(worker, layer->start[k], lane) - y[k]) / scale;
        sum += part * part;
    }
    return isfinite(scale) ? scale * sqrt(sum) : INFINITY;
}

static void report(struct worker *worker, int lane, const double *y) {
    const struct lane *own = &worker->lane[lane];
    hn_report out = {.iterations = own->iteration,
                     .steps = own->best_step,
                     .violation_before = own->before,
                     .culprit = own->culprit,
                     .damping = own->used};
    out.outcome = own->outcome;
    out.violation = lane_violation(worker, lane, &out.worst);
    if (own->outcome == HN_OUTCOME_BAD_BOUNDS) {
        out.violation = INFINITY;
        out.worst = own->culprit;
    }
    out.moved = moved(worker, lane, y);
    report_write(worker->batch, own->sample, &out);
}

/* What y_raw has to move by, for the next call. */
static void keep_warm(const struct worker *worker, int lane, const double *y) {
    const hn_layer *layer = worker->layer;
    const hn_batch *batch = worker->batch;
    const struct lane *own = &worker->lane[lane];
    double *warm = batch->warm + own->sample * layer->outputs;
    for (size_t j = 0; j < layer->outputs; j++) {
        size_t at = batch->repeat_y ? j : own->sample * layer->outputs + j;
        double raw = batch->y_raw ? batch->y_raw[at] : *lane_at(worker, layer->start[j], lane);
        warm[j] = own->outcome == HN_OUTCOME_OK ? y[j] - raw : 0;
    }
}

/* The tape holds the last attempt alone. When an earlier one had the better iterate the way there is lost: the sample, which is
 * not ok, then counts as if it had come in as it goes out. */
static void close_tape(const struct worker *worker, struct lane *own) {
    double *tape = tape_of(worker->layer, worker->batch, own->sample);
    bool lost = own->best_attempt != own->attempt;
    bool longer = !lost && (size_t)own->best_step > worker->layer->tape_steps;
    tape[TAPE_STEPS] = lost || longer ? 0 : own->best_step;
    tape[TAPE_ATTEMPT] = own->unusable ? TAPE_UNUSABLE : longer ? TAPE_TOO_SHORT : lost ? 0 : own->attempt;
}

void finish_sample(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const hn_batch *batch = worker->batch;
    struct lane *own = &worker->lane[lane];
    if (!own->last) {
        own->best_step = own->steps;
        own->best_attempt = own->attempt;
    }
    own->outcome = verdict(worker, lane);
    if (batch->tape)
        close_tape(worker, own);
    if (batch->residual)
        lane_read(worker, layer->task.residual, lane, layer->rows, batch->residual + own->sample * layer->rows);
    lane_read(worker, layer->y, lane, layer->outputs, worker->row);
    if (batch->reports)
        report(worker, lane, worker->row);
    if (batch->warm)
        keep_warm(worker, lane, worker->row);
    memcpy(batch->y + own->sample * layer->outputs, worker->row, layer->outputs * sizeof *worker->row);
    own->busy = false;
}
