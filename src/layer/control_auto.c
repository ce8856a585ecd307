/* control_auto.c - auto: near the projection first, then accepted steps inside the bounds, then restarts.
 *
 *     near     eps = min(1, beta |W r|), beta the option `damping`, 0.018 unless told; every finite step is taken. The very first
 *              one leaves inequalities in several outputs out where most of r is elsewhere: far from the equalities their
 *              slopes say little about where those outputs will be
 *     global   from the best iterate: lm's damping and acceptance, every step clipped into the bounds of the outputs
 *     restart  the same from perturbed points (restart.c), a bounded number of times; there outputs on a bound stay on it unless
 *              the slope leads back inside
 *     bold     twice, from y_raw, clipped, outputs on a bound held; eps is fixed and every finite step is taken: some ways lead
 *              through larger violations
 *     long     lm's steps from y_raw, not clipped, for as long as they gain anything and `iterations` allows
 *
 * The first stage moves y little more than a projection would, which is what keeps the cost of a controller's output low; it ends
 * when |W r| is not halved for a while, when an evaluation is not finite, or when y no longer moves.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"

#include <math.h>

static const double CLOSE = 0.1;      /* |W r| below which convergence is near */
static const double HOLD_SHARE = 0.5; /* how close a satisfied row is held then, of |W r| */
static const double LEAD_SHARE = 0.5; /* of |W r|^2: joint inequalities that have more of it are not left out */
static const double STEADY = 0.9; /* a step that leaves less of |W r|^2 may be followed by more than there should be */
static const double LEAST_EPS = 0x1p-46, LEAST_EPS_OUTPUTS = 0x1p-30; /* A' A + eps I may be as bad as 1 / eps */
static const double BOLD_EPS[BOLD_ATTEMPTS] = {0x1p-30, 0x1p-10};     /* next to none, and some */
enum { NEAR_STEPS = 40, PATIENCE = 8, GLOBAL_STEPS = 100, AGAIN_STEPS = 60, LONGER_ATTEMPTS = 3 };

bool control_clips(const hn_layer *layer, const struct lane *lane) {
    return layer->options.method == HN_METHOD_AUTO && lane->stage == STAGE_GLOBAL && !restart_unclipped(lane->attempt);
}

static double squares_at(const struct worker *worker, int lane) {
    return *lane_at(worker, worker->layer->task.summary + SUMMARY_SQUARES * LANES, lane);
}

bool control_leads(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    const struct rows_task *task = &layer->task;
    double all = squares_at(worker, lane), joint = 0;
    if (layer->options.method != HN_METHOD_AUTO || layer->joint_count == 0 || all < CLOSE * CLOSE)
        return false;
    for (size_t k = 0; k < layer->joint_count; k++) {
        size_t i = layer->joint[k], at = i * (size_t)worker->lanes;
        double part = lane_at(worker, task->scale, lane)[at] * lane_at(worker, task->residual, lane)[at];
        bool meets = *lane_at(worker, task->lower[i], lane) == *lane_at(worker, task->upper[i], lane);
        joint += meets ? 0 : part * part;
    }
    return joint <= LEAD_SHARE * all; /* which no NaN is */
}

double control_hold(const struct worker *worker, int lane, enum stage stage) {
    const hn_layer *layer = worker->layer;
    if (worker->lane[lane].leads)
        return -1;
    double size = sqrt(squares_at(worker, lane));
    bool holds = layer->options.method == HN_METHOD_AUTO && stage == STAGE_NEAR && size < CLOSE;
    return holds ? HOLD_SHARE * size : 0;
}

static double least_eps(const hn_layer *layer) {
    return layer->system.outputs_side ? LEAST_EPS_OUTPUTS : LEAST_EPS;
}

/* Far away eps follows |W r|, and so does its derivative (control_slope); in a step that leads it is a power of two. Once convergence
 * is near it also follows the contraction of the last step, which makes the end superlinear, and is rounded to a power of two. */
static double near_eps(const hn_layer *layer, const struct lane *own, double squares, double before) {
    double size = sqrt(squares), beta = layer->options.damping;
    if (own->leads)
        return fmin(1, power_of_two(beta * size));
    if (size >= CLOSE)
        return fmin(1, beta * size);
    double share = squares < before ? beta * sqrt(squares / before) : beta;
    return fmax(least_eps(layer), power_of_two(share * size));
}

double control_slope(const struct worker *worker, int lane, enum stage stage) {
    const hn_layer *layer = worker->layer;
    double size = sqrt(squares_at(worker, lane));
    double beta = layer->options.damping;
    bool follows = layer->options.method == HN_METHOD_AUTO && stage == STAGE_NEAR && size >= CLOSE;
    follows = follows && !worker->lane[lane].leads;
    return follows && beta * size < 1 ? beta / size : 0;
}

/* No further step helps here. */
static enum decision give_up(struct worker *worker, struct lane *own, hn_outcome outcome, bool accepts) {
    own->stationary = own->stationary || outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    own->outcome = own->stationary ? HN_OUTCOME_LOCALLY_INFEASIBLE : outcome;
    if (own->attempt >= LONG_ATTEMPT || own->iteration >= worker->layer->options.iterations || worker->cancelled)
        return accepts ? END : END_BEFORE;
    own->stage = STAGE_GLOBAL;
    own->begun = own->iteration;
    own->slow = 0;
    return accepts ? RESTART : RESTART_BEFORE;
}

static enum decision globalise(struct lane *own) {
    own->leads = false;
    own->stage = STAGE_GLOBAL;
    own->begun = own->iteration;
    own->eps = -1;
    return REWIND;
}

static enum decision decide_near(struct worker *worker, int lane, double squares) {
    struct lane *own = &worker->lane[lane];
    bool moved = own->fresh || mask_get(worker, worker->layer->task.summary + SUMMARY_MOVED * LANES, lane);
    double before = own->fresh ? squares : own->squares;
    own->squares = squares;
    own->waited++;
    if (own->fresh || squares < 0.25 * own->halved) {
        own->halved = squares;
        own->waited = 0;
    }
    if (!moved || own->waited > PATIENCE || own->iteration - own->begun >= NEAR_STEPS)
        return globalise(own);
    own->leads = own->fresh && control_leads(worker, lane);
    own->eps = near_eps(worker->layer, own, squares, before);
    return GO_ON;
}

static enum decision decide_bold(struct worker *worker, int lane, double squares) {
    const hn_layer *layer = worker->layer;
    struct lane *own = &worker->lane[lane];
    bool moved = own->fresh || mask_get(worker, layer->task.summary + SUMMARY_MOVED * LANES, lane);
    if (!moved || own->iteration - own->begun >= NEAR_STEPS)
        return give_up(worker, own, HN_OUTCOME_STALLED, true);
    own->squares = squares;
    own->eps = BOLD_EPS[own->attempt - MOST_RESTARTS - 1];
    own->growth = 2;
    own->limit = 1; /* for steps to where nothing can be evaluated */
    return GO_ON;
}

static enum decision decide_global(struct worker *worker, int lane, double squares) {
    struct lane *own = &worker->lane[lane];
    if (own->attempt > MOST_RESTARTS && own->attempt < LONG_ATTEMPT)
        return decide_bold(worker, lane, squares);
    int most = own->attempt <= LONGER_ATTEMPTS ? GLOBAL_STEPS : AGAIN_STEPS;
    if (own->fresh || own->rewinds) {
        own->squares = squares;
        own->eps = -1; /* to be chosen for this base */
        return GO_ON;
    }
    if (!mask_get(worker, worker->layer->task.summary + SUMMARY_MOVED * LANES, lane))
        return give_up(worker, own, control_stuck(worker, lane), false);
    bool steady = squares < STEADY * own->squares && own->steps < ATTEMPT_STEPS - 1;
    steady = steady || own->attempt == LONG_ATTEMPT;
    if (own->iteration - own->begun >= most && !steady)
        return give_up(worker, own, control_stuck(worker, lane), squares < own->squares);
    enum decision decision = control_judge(worker, lane, squares);
    if (decision == END || decision == END_BEFORE)
        return give_up(worker, own, own->outcome, decision == END);
    return decision;
}

static enum decision decide_nonfinite(struct worker *worker, int lane) {
    struct lane *own = &worker->lane[lane];
    if (own->fresh)
        return give_up(worker, own, HN_OUTCOME_NONFINITE_EVALUATION, false);
    if (own->stage == STAGE_NEAR)
        return globalise(own);
    enum decision decision = control_refuse(worker, lane);
    return decision == REJECT ? REJECT : give_up(worker, own, own->outcome, false);
}

enum decision control_auto(struct worker *worker, int lane, double measure, bool finite) {
    struct lane *own = &worker->lane[lane];
    double squares = squares_at(worker, lane);
    if (finite && measure <= worker->layer->options.tolerance) {
        own->outcome = HN_OUTCOME_OK;
        return END;
    }
    if (own->iteration >= worker->layer->options.iterations || worker->cancelled) {
        own->outcome = own->stationary ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_ITERATION_LIMIT;
        if (worker->cancelled)
            own->outcome = HN_OUTCOME_CANCELLED;
        return finite ? END : END_BEFORE;
    }
    if (!finite)
        return decide_nonfinite(worker, lane);
    return own->stage == STAGE_NEAR ? decide_near(worker, lane, squares) : decide_global(worker, lane, squares);
}
