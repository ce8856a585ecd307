/* control.c - what the methods decide, per lane and round; everything here is plain C over one sample's few numbers.
 *
 *     paper, hardnet   as many steps as asked for; the tolerance decides about the outcome alone
 *     lm               until the tolerance is reached. With an eps of one's own every finite step is taken. Else a step
 *                      is accepted when it lowers |W r|^2, and eps follows the ratio of what was gained to what the linear
 *                      model promised (Levenberg 1944, Marquardt 1963; the growth on rejection is Nielsen's, 1999)
 *
 * eps is always a power of two times 1 where it is adapted, and every decision is constant nearby: neither has a derivative.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"

#include <math.h>
#include <string.h>

static const double FIRST_EPS = 0x1p-10; /* of the largest squared row of A */
static const double RANGE = 0x1p60;      /* how far eps may go from there, up or down */
static const double SLOW = 1 - 0x1p-40,
                    SLOW_AUTO = 1 - 0x1p-20; /* an accepted step that leaves more than this has gained nothing */
static const double LEAST_PIVOT = 1e-13;     /* of the largest, without damping */
static const double STATIONARY = 1e-6;       /* |A' W r| / (|A| |W r|) where steps have come to a stand */
enum { MOST_SLOW = 4 };

double power_of_two(double value) {
    int exponent;
    frexp(value, &exponent);
    return ldexp(1, exponent - 1);
}

void control_begin(struct worker *worker, int lane) {
    struct lane *own = &worker->lane[lane];
    double largest = *lane_at(worker, worker->layer->largest, lane);
    if (!(largest > 0x1p-900 && largest < 0x1p900)) /* J is 0 or out of range: the step will say so */
        largest = 1;
    own->eps = power_of_two(FIRST_EPS * largest);
    own->growth = 2;
    own->limit = own->eps * RANGE;
}

static enum decision end_as(struct lane *own, hn_outcome outcome) {
    own->outcome = outcome;
    return END;
}

/* ---- lm ---- */

hn_outcome control_stuck(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct place_matrix *j = &layer->jacobian;
    const double *a = lane_at(worker, layer->task.matrix, lane), *b = lane_at(worker, layer->task.right, lane);
    double *gradient = worker->row, entries = 0, squares = 0, sum = 0;
    size_t lanes = (size_t)worker->lanes;
    memset(gradient, 0, layer->outputs * sizeof *gradient);
    for (size_t i = 0; i < layer->rows; i++) {
        squares += b[i * lanes] * b[i * lanes];
        for (size_t e = j->first[i]; e < j->first[i + 1]; e++) {
            entries += a[e * lanes] * a[e * lanes];
            gradient[j->column[e]] += a[e * lanes] * b[i * lanes];
        }
    }
    if (!isfinite(entries)) /* weighed entries are at most 2, unless J is not finite */
        return HN_OUTCOME_NONFINITE_EVALUATION;
    for (size_t k = 0; k < layer->outputs; k++)
        sum += gradient[k] * gradient[k];
    return sum <= STATIONARY * STATIONARY * entries * squares ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_STALLED;
}

enum decision control_refuse(struct worker *worker, int lane) {
    struct lane *own = &worker->lane[lane];
    own->eps *= own->growth;
    own->growth *= 2;
    if (own->eps <= own->limit)
        return REJECT;
    own->outcome = control_stuck(worker, lane);
    return END_BEFORE;
}

/* Gained over promised: 2 (V - V+) / (eps |s|^2 + s' A' W r). */
static double gain_ratio(const struct worker *worker, int lane, double squares) {
    const hn_layer *layer = worker->layer;
    const struct lane *own = &worker->lane[lane];
    double gain = *lane_at(worker, layer->step_gain, lane);
    if (!layer->system.outputs_side)
        gain = own->squares - own->used * gain;
    double promised = own->used * *lane_at(worker, layer->step_squares, lane) + gain;
    return (own->squares - squares) / promised;
}

static void adapt(struct lane *own, double ratio) {
    double least = own->limit / RANGE / RANGE;
    own->growth = 2;
    if (ratio > 0.9)
        own->eps /= 8;
    else if (ratio > 0.5)
        own->eps /= 2;
    else if (ratio < 0.25)
        own->eps *= 2;
    if (own->eps < least)
        own->eps = least;
}

enum decision control_judge(struct worker *worker, int lane, double squares) {
    struct lane *own = &worker->lane[lane];
    if (!(squares < own->squares))
        return control_refuse(worker, lane);
    adapt(own, gain_ratio(worker, lane, squares));
    bool short_attempt = worker->layer->options.method == HN_METHOD_AUTO && own->attempt != LONG_ATTEMPT;
    double slow = short_attempt ? SLOW_AUTO : SLOW;
    own->slow = squares > slow * own->squares ? own->slow + 1 : 0;
    own->squares = squares;
    return own->slow < MOST_SLOW ? GO_ON : end_as(own, control_stuck(worker, lane));
}

static enum decision decide_lm(struct worker *worker, int lane, double measure) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    double squares = *lane_at(worker, layer->task.summary + SUMMARY_SQUARES * LANES, lane);
    if (measure <= layer->options.tolerance)
        return end_as(own, HN_OUTCOME_OK);
    if (own->iteration >= layer->options.iterations)
        return end_as(own, HN_OUTCOME_ITERATION_LIMIT);
    if (worker->cancelled)
        return end_as(own, HN_OUTCOME_CANCELLED);
    if (layer->adaptive && !own->fresh)
        return control_judge(worker, lane, squares);
    own->squares = squares;
    return GO_ON;
}

/* ---- paper, hardnet ---- */

static enum decision decide_counted(const struct worker *worker, struct lane *own, double measure) {
    bool held = measure <= worker->layer->options.tolerance;
    if (own->iteration >= worker->layer->options.iterations)
        return end_as(own, held ? HN_OUTCOME_OK : HN_OUTCOME_ITERATION_LIMIT);
    if (worker->cancelled)
        return end_as(own, held ? HN_OUTCOME_OK : HN_OUTCOME_CANCELLED);
    return GO_ON;
}

/* ---- for all ---- */

void control_came_in(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    size_t row;
    if (mask_get(worker, layer->task.summary + SUMMARY_FINITE * LANES, lane))
        worker->lane[lane].before = layer->options.relative
                                        ? lane_violation(worker, lane, &row)
                                        : *lane_at(worker, layer->task.summary + SUMMARY_WORST * LANES, lane);
}

enum decision control_decide(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    double measure = *lane_at(worker, layer->task.summary + SUMMARY_WORST * LANES, lane);
    bool finite = mask_get(worker, layer->task.summary + SUMMARY_FINITE * LANES, lane);
    if (own->fresh && own->attempt == 0 && own->best_attempt != CAME_IN)
        control_came_in(worker, lane);
    if (layer->options.method == HN_METHOD_AUTO)
        return control_auto(worker, lane, measure, finite);
    if (!finite && layer->adaptive && !own->fresh && own->iteration < layer->options.iterations && !worker->cancelled)
        return control_refuse(worker, lane);
    if (!finite)
        return end_as(own, HN_OUTCOME_NONFINITE_EVALUATION);
    return layer->weighted ? decide_lm(worker, lane, measure) : decide_counted(worker, own, measure);
}

/* Whether J is finite where the step was taken from. */
static bool finite_entries(const struct worker *worker, int lane) {
    const struct place_matrix *j = &worker->layer->jacobian;
    for (size_t e = 0; e < j->first[j->rows]; e++)
        if (!isfinite(*lane_at(worker, j->place[e], lane)))
            return false;
    return true;
}

enum decision control_stepped(struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    double least = *lane_at(worker, layer->system.pivot_range, lane);
    double most = *lane_at(worker, layer->system.pivot_range + LANES, lane);
    bool usable = mask_get(worker, layer->task.summary + SUMMARY_USABLE * LANES, lane);
    bool singular = layer->options.method == HN_METHOD_HARDNET && !(least >= LEAST_PIVOT * most);
    if (singular || (!usable && !layer->adaptive))
        return end_as(own, finite_entries(worker, lane) ? HN_OUTCOME_STALLED : HN_OUTCOME_NONFINITE_EVALUATION);
    if (layer->options.method != HN_METHOD_LM || !usable ||
        mask_get(worker, layer->task.summary + SUMMARY_MOVED * LANES, lane))
        return GO_ON;
    return end_as(own, control_stuck(worker, lane));
}
