/* sample_auto.h - the method auto: near-projection steps, then accepted steps within the bounds, elastic QPs, restarts. Part of sample.h.
 *
 *     near     eps = min(1, beta |W r|), beta the option `damping`, 0.018 by default; every finite step is accepted. The first step
 *              omits inequalities in several outputs if most of |W r| is elsewhere: far from the equalities their
 *              gradients contain little information about the final values of those outputs
 *     global   from the best iterate: lm's damping and acceptance, every step clipped to the bounds of the outputs
 *     elastic  if that fails or converges slowly, from the best iterate: each step is the solution of a QP over all rows, including
 *              satisfied ones (point_elastic.h), accepted if it lowers |W r|. The linear systems of a QP count as steps. Such a step has no
 *              gradient
 *     restart  steps of the global stage from perturbed points (restart.h), a bounded number of times; outputs on a bound stay there
 *              unless -A' W r points inwards (Bertsekas 1982)
 *     bold     from y_raw, clipped, outputs held on their bounds, with a fixed eps; every finite step is accepted, because some paths
 *              lead through larger violations. Once with the smallest eps, before the restarts, and once damped, after them
 *     long     lm's steps from y_raw, not clipped, while they make progress and `iterations` allows
 *
 * With a step budget the start values come after near and global, first with near steps, then with lm's; there are no
 * QPs, and the sample ends when the budget is spent.
 *
 * The near stage moves y little more than a projection would, which keeps the cost of a controller's output low. It ends when |W r| is
 * not halved within a number of steps, when an evaluation is not finite, or when y no longer changes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_AUTO_H
#define HN_CORE_SAMPLE_AUTO_H

#include "base/real.h"
#include "core/damping.h"
#include "core/restart.h"
#include "core/sample.h"

/* ---- the step budget ----
 *
 * If the layer has measured that the model's start values lead to ok (sample_options.usual; layer/step_budget.c), a sample that fails
 * from its raw output continues from the start values, and ends when the budget is spent there and |W r| no longer decreases. */

SAMPLE_CONSTANT real SAMPLE_CLOSER = 14; /* reduction of max |r| from which the budget grows */

/* The number of the next attempt. Undamped steps from y_raw come before the restarts: long chains of equations, such as dynamics in
 * physical units, converge quickly with them and slowly with damping. */
SAMPLE_FUNCTION int sample_next_attempt(const struct sample *s, const struct sample_options *o) {
    if (s->attempt == 0 && o->usual > 0 && !s->homed)
        return RESTART_HOME;
    if (s->attempt == 0 || s->attempt == RESTART_HOME_AGAIN)
        return RESTART_UNDAMPED;
    if (s->attempt == RESTART_UNDAMPED)
        return RESTART_UNCLIPPED;
    return s->attempt == RESTART_LAST ? RESTART_DAMPED : s->attempt + 1;
}

/* Whether the budget is spent. It grows with the square of the reduction of max |r| since the start values. */
SAMPLE_FUNCTION bool sample_is_spent(const struct sample *s, const struct sample_options *o) {
    real worth = s->away / (SAMPLE_CLOSER * s->best);
    real budget = (real)o->budget * sample_greater(1, worth * worth);
    return s->homed && (real)(s->iteration - s->home) >= budget && s->waited > SAMPLE_PATIENCE;
}

/* Whether the attempt from y_raw has used as many steps, so that the start values come next. The effort affects only
 * the end of a sample, not its iterates. */
SAMPLE_FUNCTION bool sample_goes_home(const struct sample *s, const struct sample_options *o) {
    return o->usual > 0 && !s->homed && s->iteration >= o->usual && s->waited > SAMPLE_PATIENCE;
}

/* Whether the elastic stage may be tried: only without a budget, and if all rows have bounds. */
SAMPLE_FUNCTION bool sample_may_stretch(const struct sample *s, const struct sample_options *o) {
    return s->attempt == 0 && s->stage == SAMPLE_GLOBAL && s->elastic == 0 && o->usual == 0 && !o->blocks;
}

/* ---- the stages ---- */

SAMPLE_CONSTANT real SAMPLE_STEADY = REAL(0.9);          /* share of |W r|^2: smaller ones may exceed the step limit */
SAMPLE_CONSTANT real SAMPLE_BOLD_EPS = REAL(0x1p-10);    /* eps of the damped bold attempt */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_EPS = REAL(0x1p-12); /* times |W r|: eps of the first QP */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_GROWTH = 8;
/* A QP with a predicted reduction of |W r|^2 below this share is abandoned if its eps was below the second constant. */
SAMPLE_CONSTANT real SAMPLE_ELASTIC_VAIN = REAL(0.01);
SAMPLE_CONSTANT real SAMPLE_ELASTIC_LOOSE = REAL(0x1p-24);
enum {
    SAMPLE_CREEPING = 32,        /* global stage: steps without halving |W r|; */
    SAMPLE_ELASTIC_PATIENCE = 8, /* elastic stage: QPs */
    SAMPLE_NEAR_STEPS = 40,
    SAMPLE_GLOBAL_STEPS = 100,
    SAMPLE_AGAIN_STEPS = 60,
    SAMPLE_LONGER_ATTEMPTS = 3,
    SAMPLE_ATTEMPT_STEPS = 150 /* accepted steps per attempt, except the long one; the capacity of a tape */
};

/* ---- the step from an accepted iterate, forward and backward ---- */

/* Whether the decision needs the joint part of |W r|^2: at the first iterate of an attempt of auto. */
SAMPLE_FUNCTION bool sample_asks_joint(const struct sample *s, const struct sample_options *o,
                                       const struct sample_numbers *n) {
    return o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && sample_is_fresh(s) && o->joint_rows &&
           !near_is_close(n->squares);
}

/* A satisfied row closer to a bound than this is active, in units of its weight. */
SAMPLE_FUNCTION real sample_hold(const struct sample *s, const struct sample_options *o, real squares) {
    bool holds = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR;
    return holds ? near_hold(squares, s->kind == SAMPLE_LEADING) : 0;
}

/* Whether outputs on a bound are kept there unless -A' W r points inwards. */
SAMPLE_FUNCTION bool sample_holds_bounds(const struct sample *s) {
    return s->kind == SAMPLE_CLIPPED && s->attempt > RESTART_UNCLIPPED;
}

/* d(eps) / d|W r| / |W r| at the iterate. */
SAMPLE_FUNCTION real sample_eps_slope(const struct sample *s, const struct sample_options *o, real squares) {
    real size = real_sqrt(squares);
    bool follows = o->method == HN_METHOD_AUTO && s->stage == SAMPLE_NEAR && size >= SAMPLE_CLOSE;
    return follows && s->kind != SAMPLE_LEADING && o->damping * size < 1 ? o->damping / size : 0;
}

SAMPLE_FUNCTION real sample_least_eps(const struct sample_options *o) {
    return o->outputs_side || o->bordered ? SAMPLE_LEAST_EPS_OUTPUTS : SAMPLE_LEAST_EPS;
}

/* The stage of a step on the tape, from its attempt and kind. */
SAMPLE_FUNCTION enum sample_stage sample_stage_of(int attempt, enum sample_step kind) {
    bool near = attempt == RESTART_HOME || (attempt == 0 && kind != SAMPLE_CLIPPED);
    return near ? SAMPLE_NEAR : SAMPLE_GLOBAL;
}

/* Whether the next step is a near step without held bounds. It is accepted whenever its result is finite, so its A is not needed
 * again. */
SAMPLE_FUNCTION bool sample_steps_near(const struct sample *s) {
    return s->stage == SAMPLE_NEAR && s->phase == PHASE_STEP && s->kind != SAMPLE_CLIPPED && !s->chooses;
}

/* ---- decisions ---- */

/* Restarts the count of steps without halving |W r|. */
SAMPLE_FUNCTION void sample_wait(struct sample *s, real squares) {
    s->halved = squares;
    s->waited = 0;
}

/* Whether |W r| was last halved more than `most` steps ago. */
SAMPLE_FUNCTION bool sample_creeps(struct sample *s, real squares, int most) {
    s->waited = sample_one_more(s->waited);
    if (near_is_halved(squares, s->halved))
        sample_wait(s, squares);
    return s->waited > most;
}

/* ---- the elastic stage ---- */

/* Starts the elastic stage at the best iterate. */
SAMPLE_FUNCTION enum sample_decision sample_stretch(struct sample *s) {
    s->stage = SAMPLE_ELASTIC;
    s->kind = SAMPLE_SOLVED;
    s->chooses = false;
    return SAMPLE_REWIND;
}

/* The stage failed: the elastic stage, a restart, or the end. */
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
    if (s->homed) { /* the sample has already started from the start values: continue with the next attempt */
        s->outcome = HN_OUTCOME_STALLED;
        return sample_give_up(s, o, accepts);
    }
    s->stage = SAMPLE_GLOBAL;
    s->kind = SAMPLE_CLIPPED;
    s->begun = s->iteration;
    s->chooses = true;
    s->squares = squares; /* if the iterate is the best one; otherwise it is replaced */
    sample_wait(s, squares);
    return SAMPLE_REWIND;
}

/* share: actual over predicted reduction of the QP's step. `limit` prevents an early return to an eps that was too small. */
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

/* At the first iterate of the stage. */
SAMPLE_FUNCTION enum sample_decision sample_open_elastic(struct sample *s, real squares) {
    s->squares = squares;
    sample_wait(s, squares);
    s->eps = number_power_of_two(SAMPLE_ELASTIC_EPS * (squares < 1 ? real_sqrt(squares) : 1));
    s->growth = SAMPLE_ELASTIC_GROWTH;
    s->limit = 0;
    return SAMPLE_GO_ON;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_elastic(struct sample *s, const struct sample_options *o,
                                                           const struct sample_numbers *n) {
    real promised = s->squares - n->gain, gained = n->finite ? s->squares - n->squares : -1;
    bool vain = promised < SAMPLE_ELASTIC_VAIN * s->squares && s->eps < SAMPLE_ELASTIC_LOOSE;
    s->kind = SAMPLE_SOLVED;
    s->qp.solves = 0;
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

/* y is the base. The QP continues unless the sample must end. */
SAMPLE_FUNCTION void sample_watch_elastic(struct sample *s, const struct sample_options *o, bool cancelled) {
    if (s->iteration < o->iterations && !cancelled)
        return;
    s->outcome = s->stationary ? HN_OUTCOME_LOCALLY_INFEASIBLE : HN_OUTCOME_ITERATION_LIMIT;
    if (cancelled)
        s->outcome = HN_OUTCOME_CANCELLED;
    s->phase = PHASE_RETURN;
}

/* After a linear system of the QP, or after y was reset to the base. */
SAMPLE_FUNCTION void sample_advanced(struct sample *s, bool done) {
    if (s->phase == PHASE_ELASTIC_END)
        s->qp.solves = 0;
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
    s->limit = 1; /* after steps to points that cannot be evaluated */
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
