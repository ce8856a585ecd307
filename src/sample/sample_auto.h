/* sample_auto.h - auto: near the projection first, then accepted steps inside the bounds, then restarts. Part of sample.h.
 *
 *     near     eps = min(1, beta |W r|), beta the option `damping`, 0.018 by default; every finite step is taken. The very first
 *              one leaves inequalities in several outputs out where most of r is elsewhere: far from the equalities their
 *              slopes say little about where those outputs will be
 *     global   from the best iterate: lm's damping and acceptance, every step clipped into the bounds of the outputs
 *     restart  the same from perturbed points (restart.h), a bounded number of times; there outputs on a bound stay on it unless
 *              the slope leads back inside (Bertsekas 1982)
 *     bold     twice, from y_raw, clipped, outputs on a bound held; eps is fixed and every finite step is taken: some ways lead
 *              through larger violations
 *     long     lm's steps from y_raw, not clipped, for as long as they gain anything and `iterations` allows
 *
 * The first stage moves y little more than a projection would, which is what keeps the cost of a controller's output low; it ends
 * when |W r| is not halved for a while, when an evaluation is not finite, or when y no longer moves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SAMPLE_AUTO_H
#define HN_SAMPLE_AUTO_H

#include "sample/restart.h"

SAMPLE_CONSTANT double SAMPLE_CLOSE = 0.1;      /* |W r| below which convergence is near */
SAMPLE_CONSTANT double SAMPLE_HOLD_SHARE = 0.5; /* how close a satisfied row is held then, of |W r| */
SAMPLE_CONSTANT double SAMPLE_LEAD_SHARE =
    0.5; /* of |W r|^2: joint inequalities that have more of it are not left out */
SAMPLE_CONSTANT double SAMPLE_STEADY =
    0.9; /* a step that leaves less of |W r|^2 may be followed by more than allowed */
SAMPLE_CONSTANT double SAMPLE_BOLD_EPS_AGAIN = 0x1p-10; /* some, where SAMPLE_BOLD_EPS is next to none */
enum {
    SAMPLE_NEAR_STEPS = 40,
    SAMPLE_PATIENCE = 8,
    SAMPLE_GLOBAL_STEPS = 100,
    SAMPLE_AGAIN_STEPS = 60,
    SAMPLE_LONGER_ATTEMPTS = 3,
    SAMPLE_ATTEMPT_STEPS = 150 /* accepted ones in an attempt, but for the long one; what a tape has room for */
};

/* ---- the step from an accepted iterate; forward and backward ask alike ---- */

/* Whether the joint part of |W r|^2 is wanted, for an iterate that an attempt of auto begins at. */
SAMPLE_FUNCTION bool sample_asks_joint(const struct sample *s, const struct sample_options *o,
                                       const struct sample_numbers *n) {
    return o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && sample_is_fresh(s) && o->joint_rows &&
           !(n->squares < SAMPLE_CLOSE * SAMPLE_CLOSE);
}

/* How close to a bound a satisfied row is held, in units of its weight. */
SAMPLE_FUNCTION double sample_hold(const struct sample *s, const struct sample_options *o, double squares) {
    double size = sqrt(squares);
    bool holds = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && size < SAMPLE_CLOSE;
    return holds && s->kind != SAMPLE_LEADING ? SAMPLE_HOLD_SHARE * size : 0;
}

/* Whether outputs that lie on a bound stay there unless A' W r leads back inside. */
SAMPLE_FUNCTION bool sample_holds_bounds(const struct sample *s) {
    return s->kind == SAMPLE_CLIPPED && s->attempt > RESTART_UNCLIPPED;
}

/* d(eps) / d|W r| / |W r| at an iterate. */
SAMPLE_FUNCTION double sample_eps_slope(const struct sample *s, const struct sample_options *o, double squares) {
    double size = sqrt(squares);
    bool follows = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && size >= SAMPLE_CLOSE;
    return follows && s->kind != SAMPLE_LEADING && o->damping * size < 1 ? o->damping / size : 0;
}

/* Far away eps follows |W r|, and so does its derivative; in a leading step it is a power of two. Once convergence is near it also
 * follows the contraction of the last step, which makes the end superlinear, and is rounded to a power of two. */
SAMPLE_FUNCTION double sample_near_eps(const struct sample *s, const struct sample_options *o, double squares,
                                       double before) {
    double size = sqrt(squares), beta = o->damping, eps = beta * size;
    if (s->kind == SAMPLE_LEADING)
        eps = sample_power_of_two(eps);
    if (s->kind == SAMPLE_LEADING || size >= SAMPLE_CLOSE)
        return eps < 1 ? eps : 1;
    double share = squares < before ? beta * sqrt(squares / before) : beta;
    double least = o->outputs_side || o->bordered ? SAMPLE_LEAST_EPS_OUTPUTS : SAMPLE_LEAST_EPS;
    return sample_greater(least, sample_power_of_two(share * size));
}

/* ---- decisions ---- */

/* No further step helps here. */
SAMPLE_FUNCTION enum sample_decision sample_give_up(struct sample *s, bool accepts) {
    if (s->stationary)
        s->outcome = HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (s->attempt >= RESTART_LONG)
        return accepts ? SAMPLE_END : SAMPLE_END_BEFORE;
    s->stage = SAMPLE_GLOBAL;
    s->begun = s->iteration;
    s->slow = 0;
    return accepts ? SAMPLE_RESTART : SAMPLE_RESTART_BEFORE;
}

SAMPLE_FUNCTION enum sample_decision sample_globalise(struct sample *s) {
    s->stage = SAMPLE_GLOBAL;
    s->kind = SAMPLE_CLIPPED;
    s->begun = s->iteration;
    s->chooses = true;
    return SAMPLE_REWIND;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_near(struct sample *s, const struct sample_options *o,
                                                        const struct sample_numbers *n) {
    bool fresh = sample_is_fresh(s);
    double before = fresh ? n->squares : s->squares;
    s->squares = n->squares;
    s->waited++;
    if (fresh || n->squares < 0.25 * s->halved) {
        s->halved = n->squares;
        s->waited = 0;
    }
    if (!(fresh || n->moved) || s->waited > SAMPLE_PATIENCE || s->iteration - s->begun >= SAMPLE_NEAR_STEPS)
        return sample_globalise(s);
    bool leads = sample_asks_joint(s, o, n) && n->joint <= SAMPLE_LEAD_SHARE * n->squares; /* which no NaN is */
    s->kind = leads ? SAMPLE_LEADING : SAMPLE_PLAIN;
    s->eps = sample_near_eps(s, o, n->squares, before);
    s->chooses = false;
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_bold(struct sample *s, const struct sample_numbers *n) {
    bool moved = sample_is_fresh(s) || n->moved;
    if (!moved || s->iteration - s->begun >= SAMPLE_NEAR_STEPS) {
        s->outcome = HN_OUTCOME_STALLED;
        return sample_give_up(s, true);
    }
    s->squares = n->squares;
    s->eps = s->attempt == RESTART_LAST + 1 ? SAMPLE_BOLD_EPS : SAMPLE_BOLD_EPS_AGAIN;
    s->chooses = false;
    s->growth = 2;
    s->limit = 1; /* for steps to where nothing can be evaluated */
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_global(struct sample *s, const struct sample_options *o,
                                                          const struct sample_numbers *n) {
    bool at_start = sample_is_fresh(s) || s->doing == SAMPLE_REWINDS, is_long = s->attempt == RESTART_LONG;
    int most = s->attempt <= SAMPLE_LONGER_ATTEMPTS ? SAMPLE_GLOBAL_STEPS : SAMPLE_AGAIN_STEPS;
    s->kind = restart_is_unclipped(s->attempt) ? SAMPLE_PLAIN : SAMPLE_CLIPPED;
    if (s->attempt > RESTART_LAST && !is_long)
        return sample_decide_bold(s, n);
    if (at_start) {
        s->squares = n->squares;
        s->chooses = true;
        return SAMPLE_GO_ON;
    }
    bool steady = n->squares < SAMPLE_STEADY * s->squares && s->steps < SAMPLE_ATTEMPT_STEPS - 1;
    bool spent = s->iteration - s->begun >= most && !steady && !is_long;
    if (!n->moved || spent) {
        sample_stuck(s);
        return sample_give_up(s, n->moved && n->squares < s->squares);
    }
    enum sample_decision decision = sample_judge(s, o, n, is_long ? SAMPLE_SLOW : SAMPLE_SLOW_AUTO);
    if (decision == SAMPLE_END || decision == SAMPLE_END_BEFORE)
        return sample_give_up(s, decision == SAMPLE_END);
    return decision;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_nonfinite(struct sample *s) {
    if (sample_is_fresh(s)) {
        s->outcome = HN_OUTCOME_NONFINITE_EVALUATION;
        return sample_give_up(s, false);
    }
    if (s->stage == SAMPLE_NEAR)
        return sample_globalise(s);
    return sample_refuse(s) == SAMPLE_REJECT ? SAMPLE_REJECT : sample_give_up(s, false);
}

SAMPLE_FUNCTION enum sample_decision sample_decide_auto(struct sample *s, const struct sample_options *o,
                                                        const struct sample_numbers *n, bool cancelled) {
    if (n->finite && n->measure <= o->tolerance)
        return sample_end(s, HN_OUTCOME_OK);
    if (s->iteration >= o->iterations || cancelled) {
        s->outcome = s->stationary ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_ITERATION_LIMIT;
        if (cancelled)
            s->outcome = HN_OUTCOME_CANCELLED;
        return n->finite ? SAMPLE_END : SAMPLE_END_BEFORE;
    }
    if (!n->finite)
        return sample_decide_nonfinite(s);
    return s->stage == SAMPLE_NEAR ? sample_decide_near(s, o, n) : sample_decide_global(s, o, n);
}

#endif
