/* sample_auto.h - auto: near the projection first, then accepted steps inside the bounds, then programmes, then restarts. Part of
 * sample.h.
 *
 *     near     eps = min(1, beta |W r|), beta the option `damping`, 0.018 by default; every finite step is taken. The very first
 *              one leaves inequalities in several outputs out where most of r is elsewhere: far from the equalities their
 *              slopes say little about where those outputs will be
 *     global   from the best iterate: lm's damping and acceptance, every step clipped into the bounds of the outputs
 *     elastic  where that fails or creeps, from the best iterate: each step is the solution of a programme over all rows, also
 *              those that hold (elastic.h); accepted when it lowers |W r|. A programme's linear systems count as steps. What it
 *              leads to has no gradient
 *     restart  steps of the global stage from perturbed points (restart.h), a bounded number of times; there outputs on a bound stay
 *              on it unless the slope leads back inside (Bertsekas 1982)
 *     bold     from y_raw, clipped, outputs on a bound held; eps is fixed and every finite step is taken: some ways lead through
 *              larger violations. Once with the least eps, before the restarts, and once damped, after them
 *     long     lm's steps from y_raw, not clipped, for as long as they gain anything and `iterations` allows
 *
 * Where a budget is known (sample_budget.h) the start values are the next after near and global, by the rules of near and then by lm's,
 * there are no programmes, and a sample ends when the budget is spent.
 *
 * The first stage moves y little more than a projection would, which is what keeps the cost of a controller's output low; it ends
 * when |W r| is not halved for a while, when an evaluation is not finite, or when y no longer moves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_AUTO_H
#define HN_CORE_SAMPLE_AUTO_H

#include "base/real.h"
#include "core/damping.h"
#include "core/restart.h"

#include "core/sample_budget.h"

SAMPLE_CONSTANT real SAMPLE_STEADY =
    REAL(0.9); /* a step that leaves less of |W r|^2 may be followed by more than allowed */
SAMPLE_CONSTANT real SAMPLE_BOLD_EPS = REAL(0x1p-10);    /* of the damped one of the two bold attempts */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_EPS = REAL(0x1p-12); /* of |W r|, at the first programme */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_GROWTH = 8;
SAMPLE_CONSTANT real SAMPLE_ELASTIC_VAIN = REAL(0.01);     /* of |W r|^2: a programme that promises less is in vain, */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_LOOSE = REAL(0x1p-24); /* where it was hardly damped */
enum {
    SAMPLE_CREEPING = 32,        /* steps of the global stage in which |W r| was not halved, */
    SAMPLE_ELASTIC_PATIENCE = 8, /* and programmes */
    SAMPLE_NEAR_STEPS = 40,
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
           !near_is_close(n->squares);
}

/* How close to a bound a satisfied row is held, in units of its weight. */
SAMPLE_FUNCTION real sample_hold(const struct sample *s, const struct sample_options *o, real squares) {
    bool holds = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR;
    return holds ? near_hold(squares, s->kind == SAMPLE_LEADING) : 0;
}

/* Whether outputs that lie on a bound stay there unless A' W r leads back inside. */
SAMPLE_FUNCTION bool sample_holds_bounds(const struct sample *s) {
    return s->kind == SAMPLE_CLIPPED && s->attempt > RESTART_UNCLIPPED;
}

/* d(eps) / d|W r| / |W r| at an iterate. */
SAMPLE_FUNCTION real sample_eps_slope(const struct sample *s, const struct sample_options *o, real squares) {
    real size = real_sqrt(squares);
    bool follows = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && size >= SAMPLE_CLOSE;
    return follows && s->kind != SAMPLE_LEADING && o->damping * size < 1 ? o->damping / size : 0;
}

SAMPLE_FUNCTION real sample_least_eps(const struct sample_options *o) {
    return o->outputs_side || o->bordered ? SAMPLE_LEAST_EPS_OUTPUTS : SAMPLE_LEAST_EPS;
}

/* The stage in which a step was taken that has a gradient; nothing but its attempt and kind decide. */
SAMPLE_FUNCTION enum sample_stage sample_stage_of(int attempt, enum sample_step kind) {
    bool near = attempt == RESTART_HOME || (attempt == 0 && kind != SAMPLE_CLIPPED);
    return near ? SAMPLE_NEAR : SAMPLE_GLOBAL;
}

/* Whether the step that comes now is one of near's, without bounds held: it is taken whatever it leads to, if only it can be evaluated,
 * so that nobody asks for its A again. */
SAMPLE_FUNCTION bool sample_steps_near(const struct sample *s) {
    return s->stage == SAMPLE_NEAR && s->phase == PHASE_STEP && s->kind != SAMPLE_CLIPPED && !s->chooses;
}

/* ---- decisions ---- */

/* Counts steps from here on, in which |W r| is to be halved. */
SAMPLE_FUNCTION void sample_wait(struct sample *s, real squares) {
    s->halved = squares;
    s->waited = 0;
}

/* Whether |W r| was not halved for more steps than that. */
SAMPLE_FUNCTION bool sample_creeps(struct sample *s, real squares, int most) {
    s->waited = sample_one_more(s->waited);
    if (near_is_halved(squares, s->halved))
        sample_wait(s, squares);
    return s->waited > most;
}

/* ---- the elastic stage ---- */

/* Programmes from the best iterate on. */
SAMPLE_FUNCTION enum sample_decision sample_stretch(struct sample *s) {
    s->stage = SAMPLE_ELASTIC;
    s->kind = SAMPLE_SOLVED;
    s->chooses = false;
    return SAMPLE_REWIND;
}

/* No further step helps here. */
SAMPLE_FUNCTION enum sample_decision sample_give_up(struct sample *s, const struct sample_options *o, bool accepts) {
    if (s->stationary)
        s->outcome = HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (sample_may_stretch(s, o))
        return sample_stretch(s);
    if (s->attempt == RESTART_LONG)
        return accepts ? SAMPLE_END : SAMPLE_END_BEFORE;
    s->stage = SAMPLE_GLOBAL;
    s->begun = s->iteration;
    s->slow = 0;
    return accepts ? SAMPLE_RESTART : SAMPLE_RESTART_BEFORE;
}

SAMPLE_FUNCTION enum sample_decision sample_globalise(struct sample *s, const struct sample_options *o, real squares,
                                                      bool accepts) {
    if (s->homed) { /* plain steps from the start values are the better second try */
        s->outcome = HN_OUTCOME_STALLED;
        return sample_give_up(s, o, accepts);
    }
    s->stage = SAMPLE_GLOBAL;
    s->kind = SAMPLE_CLIPPED;
    s->begun = s->iteration;
    s->chooses = true;
    s->squares = squares; /* where the present iterate is the best one; else another takes its place */
    sample_wait(s, squares);
    return SAMPLE_REWIND;
}

/* The step that a programme led to has gained this share of what it promised. A damping that was too small is not tried again soon. */
SAMPLE_FUNCTION void sample_adapt_elastic(struct sample *s, const struct sample_options *o, real share) {
    s->growth = SAMPLE_ELASTIC_GROWTH;
    if (share > REAL(0.9))
        s->eps = s->eps * REAL(0x1p-8) > s->limit ? s->eps * REAL(0x1p-8) : s->eps * REAL(0.25);
    else if (share > REAL(0.5))
        s->eps *= REAL(0.25);
    else if (share < REAL(0.25))
        s->eps *= 4;
    s->eps = sample_greater(s->eps, sample_least_eps(o));
    s->limit *= REAL(0.125);
}

SAMPLE_FUNCTION enum sample_decision sample_refuse_elastic(struct sample *s) {
    s->limit = s->eps;
    s->eps *= s->growth;
    s->growth *= SAMPLE_ELASTIC_GROWTH;
    return SAMPLE_RETRY;
}

/* At the iterate that the stage begins from. */
SAMPLE_FUNCTION enum sample_decision sample_open_elastic(struct sample *s, real squares) {
    s->squares = squares;
    sample_wait(s, squares);
    s->eps = sample_power_of_two(SAMPLE_ELASTIC_EPS * (squares < 1 ? real_sqrt(squares) : 1));
    s->growth = SAMPLE_ELASTIC_GROWTH;
    s->limit = 0;
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_elastic(struct sample *s, const struct sample_options *o,
                                                           const struct sample_numbers *n) {
    real promised = s->squares - n->gain, gained = n->finite ? s->squares - n->squares : -1;
    bool vain = promised < SAMPLE_ELASTIC_VAIN * s->squares && s->eps < SAMPLE_ELASTIC_LOOSE;
    s->kind = SAMPLE_SOLVED;
    s->programme.solves = 0;
    if (s->phase == PHASE_REWIND || sample_is_fresh(s))
        return sample_open_elastic(s, n->squares);
    if (sample_creeps(s, n->finite ? n->squares : s->squares, SAMPLE_ELASTIC_PATIENCE) || !n->moved || vain)
        return s->crept ? sample_globalise(s, o, n->squares, true) : sample_give_up(s, o, gained > 0);
    if (!(gained > 0))
        return sample_refuse_elastic(s);
    sample_adapt_elastic(s, o, gained / promised);
    s->squares = n->squares;
    return SAMPLE_GO_ON;
}

/* y is the base; the programme goes on unless the sample must end. */
SAMPLE_FUNCTION void sample_watch_elastic(struct sample *s, const struct sample_options *o, bool cancelled) {
    if (s->iteration < o->iterations && !cancelled)
        return;
    s->outcome = s->stationary ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_ITERATION_LIMIT;
    if (cancelled)
        s->outcome = HN_OUTCOME_CANCELLED;
    s->phase = PHASE_RETURN;
}

/* After a system of the programme, or after y was told to hold the base again. */
SAMPLE_FUNCTION void sample_advanced(struct sample *s, bool done) {
    if (s->phase == PHASE_ELASTIC_END)
        s->programme.solves = 0;
    else {
        s->iteration = sample_one_more(s->iteration);
        s->elastic = sample_one_more(s->elastic);
    }
    s->phase = done ? PHASE_STEP : PHASE_ELASTIC;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_near(struct sample *s, const struct sample_options *o,
                                                        const struct sample_numbers *n) {
    bool fresh = sample_is_fresh(s);
    real before = fresh ? n->squares : s->squares;
    s->squares = n->squares;
    if (fresh)
        sample_wait(s, n->squares);
    if (fresh && s->homed)
        s->away = n->measure;
    bool creeps = !fresh && sample_creeps(s, n->squares, SAMPLE_PATIENCE);
    if (!(fresh || n->moved) || creeps || s->iteration - s->begun >= SAMPLE_NEAR_STEPS)
        return sample_globalise(s, o, n->squares, true);
    bool leads = sample_asks_joint(s, o, n) && near_leads(n->squares, n->joint);
    s->kind = leads ? SAMPLE_LEADING : SAMPLE_PLAIN;
    s->eps = near_eps(n->squares, before, leads, o->damping, sample_least_eps(o));
    s->chooses = false;
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_bold(struct sample *s, const struct sample_options *o,
                                                        const struct sample_numbers *n) {
    bool moved = sample_is_fresh(s) || n->moved;
    if (!moved || s->iteration - s->begun >= SAMPLE_NEAR_STEPS) {
        s->outcome = HN_OUTCOME_STALLED;
        return sample_give_up(s, o, true);
    }
    s->squares = n->squares;
    s->eps = s->attempt == RESTART_UNDAMPED ? sample_least_eps(o) : SAMPLE_BOLD_EPS;
    s->chooses = false;
    s->growth = 2;
    s->limit = 1; /* for steps to where nothing can be evaluated */
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_global(struct sample *s, const struct sample_options *o,
                                                          const struct sample_numbers *n) {
    bool at_start = sample_is_fresh(s) || s->phase == PHASE_REWIND, is_long = s->attempt == RESTART_LONG;
    int most = s->attempt <= SAMPLE_LONGER_ATTEMPTS ? SAMPLE_GLOBAL_STEPS : SAMPLE_AGAIN_STEPS;
    s->kind = restart_is_unclipped(s->attempt) ? SAMPLE_PLAIN : SAMPLE_CLIPPED;
    if (restart_is_bold(s->attempt))
        return sample_decide_bold(s, o, n);
    if (at_start) {
        s->squares = n->squares;
        s->chooses = true;
        sample_wait(s, n->squares);
        return SAMPLE_GO_ON;
    }
    if (sample_creeps(s, n->squares, SAMPLE_CREEPING) && sample_may_stretch(s, o)) {
        s->crept = true;
        return sample_stretch(s);
    }
    bool steady = n->squares < SAMPLE_STEADY * s->squares && s->steps < SAMPLE_ATTEMPT_STEPS - 1;
    bool spent = (s->iteration - s->begun >= most && !steady && !is_long) || sample_goes_home(s, o);
    if (!n->moved || spent) {
        sample_stuck(s);
        return sample_give_up(s, o, n->moved && n->squares < s->squares);
    }
    enum sample_decision decision = sample_judge(s, o, n, is_long ? SAMPLE_SLOW : SAMPLE_SLOW_AUTO);
    if (decision == SAMPLE_END || decision == SAMPLE_END_BEFORE)
        return sample_give_up(s, o, decision == SAMPLE_END);
    return decision;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_nonfinite(struct sample *s, const struct sample_options *o,
                                                             const struct sample_numbers *n) {
    if (sample_is_fresh(s)) {
        s->outcome = HN_OUTCOME_NONFINITE_EVALUATION;
        return sample_give_up(s, o, false);
    }
    if (s->stage == SAMPLE_NEAR)
        return sample_globalise(s, o, s->squares, false);
    if (s->stage == SAMPLE_ELASTIC)
        return sample_decide_elastic(s, o, n);
    return sample_refuse(s) == SAMPLE_REJECT ? SAMPLE_REJECT : sample_give_up(s, o, false);
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
    if (sample_is_spent(s, o)) {
        sample_stuck(s);
        s->stationary = true;
        return n->finite && n->squares < s->squares ? SAMPLE_END : SAMPLE_END_BEFORE;
    }
    if (!n->finite)
        return sample_decide_nonfinite(s, o, n);
    if (s->stage == SAMPLE_ELASTIC)
        return sample_decide_elastic(s, o, n);
    return s->stage == SAMPLE_NEAR ? sample_decide_near(s, o, n) : sample_decide_global(s, o, n);
}

#endif
