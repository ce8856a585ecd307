/* sample.h - the state of one sample, and every decision about it: this file defines the methods.
 *
 * An executor evaluates and steps; each leaves a few numbers (struct sample_numbers). From these and its own state a sample decides:
 * accept or reject the iterate, continue, rewind to the best one, restart elsewhere, end. The decisions do not depend on how many
 * samples run side by side, where their vectors are stored, or which executor runs them.
 *
 *     paper, hardnet   a fixed number of steps; the tolerance only determines the outcome
 *     snarenet         the same until the tolerance is reached
 *     lm               until the tolerance is reached. With a user-defined eps every finite step is taken. Otherwise a step is
 *                      accepted if it lowers |W r|^2, and eps follows the ratio of the actual to the predicted reduction
 *                      (Levenberg 1944, Marquardt 1963; growth on rejection: Nielsen 1999)
 *     enforce          lm with eps = 0; rows that depend on others are omitted from the step
 *     auto             sample_auto.h, point_elastic.h
 *
 * An adapted eps is a power of two and every decision is locally constant, so neither contributes to the derivative.
 *
 * Common subset of C99 and C++; calls only sqrt. Compiled for SIMD lanes, microcontrollers and GPUs; SAMPLE_FUNCTION and SAMPLE_CONSTANT
 * may be defined before it is included.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_H
#define HN_CORE_SAMPLE_H

#include "base/real.h"
#include "core/sample_state.h"

SAMPLE_CONSTANT real SAMPLE_FIRST_EPS = REAL(0x1p-10); /* times the largest squared row of A */
SAMPLE_CONSTANT real SAMPLE_RANGE = REAL(0x1p60);      /* eps may grow or shrink by this factor from its first value */
enum { SAMPLE_MOST_SLOW = 4 };

/* ---- states of a sample ---- */

SAMPLE_FUNCTION bool sample_is_fresh(const struct sample *s) {
    return s->phase == PHASE_NEW || s->phase == PHASE_START;
}

/* Whether an elastic QP is running or about to start. */
SAMPLE_FUNCTION bool sample_in_elastic(const struct sample *s) {
    return s->phase == PHASE_ELASTIC || s->phase == PHASE_ELASTIC_END;
}

SAMPLE_FUNCTION bool sample_is_last(const struct sample *s) {
    return s->phase == PHASE_RETURN || s->phase == PHASE_FALLBACK;
}

SAMPLE_FUNCTION void sample_open(struct sample *s, const struct sample_options *o) {
    s->phase = PHASE_NEW;
    s->stage = SAMPLE_NEAR;
    s->kind = SAMPLE_PLAIN;
    s->asks = SAMPLE_ASKS_NOTHING;
    s->outcome = HN_OUTCOME_STALLED;
    s->chooses = o->adaptive;
    s->stationary = s->crept = s->homed = false;
    s->iteration = s->steps = s->attempt = s->best_step = 0;
    s->best_attempt = SAMPLE_FROM_NOWHERE;
    s->slow = s->begun = s->waited = s->elastic = s->strayed = s->home = 0;
    s->qp.solves = 0;
    s->before = s->best = s->slope = REAL_INFINITY;
    s->away = 0;
    s->squares = s->halved = s->growth = s->limit = 0;
    s->eps = s->used = o->adaptive ? 0 : o->damping;
}

/* The sample is invalid; y holds its fallback. */
SAMPLE_FUNCTION void sample_fall_back(struct sample *s, hn_outcome outcome) {
    s->phase = PHASE_FALLBACK;
    s->outcome = outcome;
}

/* Whether decisions depend on whether a step moved y, and on its pivots. */
SAMPLE_FUNCTION bool sample_asks_moved(const struct sample_options *o) {
    return o->weighted;
}

SAMPLE_FUNCTION bool sample_asks_pivots(const struct sample_options *o) {
    return o->pivots;
}

SAMPLE_FUNCTION bool sample_asks_violation(const struct sample *s, const struct sample_options *o) {
    return o->relative && s->phase == PHASE_NEW;
}

SAMPLE_FUNCTION void sample_came_in(struct sample *s, const struct sample_options *o, const struct sample_numbers *n) {
    if (n->finite)
        s->before = o->relative ? n->violation : n->measure;
}

/* Whether a sample, evaluated at its raw output, continues from a warm start. */
SAMPLE_FUNCTION bool sample_starts_warm(const struct sample *s, const struct sample_options *o,
                                        const struct sample_numbers *n) {
    bool held = o->stops && n->finite && n->measure <= o->tolerance; /* paper and hardnet continue */
    return s->phase == PHASE_NEW && !held && o->iterations > 0;
}

/* y is now the warm start. The raw output stays the best iterate until a better one is found: the result is never
 * worse. */
SAMPLE_FUNCTION void sample_start_warm(struct sample *s, const struct sample_options *o,
                                       const struct sample_numbers *n) {
    sample_came_in(s, o, n);
    s->phase = PHASE_START;
    s->homed = false;
    s->best_attempt = SAMPLE_FROM_INPUT;
    s->best = n->finite ? n->measure : REAL_INFINITY;
}

/* The first eps at a new base, from the largest squared row of A. */
SAMPLE_FUNCTION void sample_choose_eps(struct sample *s, real largest) {
    if (!(largest > SAMPLE_SMALL && largest < SAMPLE_LARGE)) /* J is 0 or out of range; the step detects this */
        largest = 1;
    s->eps = number_power_of_two(SAMPLE_FIRST_EPS * largest);
    s->growth = 2;
    s->limit = s->eps * SAMPLE_RANGE;
    s->chooses = false;
}

/* ---- lm ---- */

SAMPLE_FUNCTION enum sample_decision sample_end(struct sample *s, hn_outcome outcome) {
    s->outcome = outcome;
    return SAMPLE_END;
}

/* No step from the base reduces |W r|. The slope there determines the outcome. */
SAMPLE_FUNCTION void sample_stuck(struct sample *s) {
    s->asks = SAMPLE_ASKS_SLOPE;
    s->outcome = HN_OUTCOME_STALLED;
}

SAMPLE_FUNCTION enum sample_decision sample_refuse(struct sample *s) {
    s->eps *= s->growth;
    s->growth *= 2;
    if (s->eps <= s->limit)
        return SAMPLE_REJECT;
    sample_stuck(s);
    return SAMPLE_END_BEFORE;
}

/* Actual over predicted reduction: 2 (V - V+) / (eps |s|^2 + s' A' W r). */
SAMPLE_FUNCTION real sample_gain_ratio(const struct sample *s, const struct sample_options *o,
                                       const struct sample_numbers *n) {
    real gain = o->outputs_side ? n->gain : s->squares - s->used * n->gain;
    return (s->squares - n->squares) / (s->used * n->step_squares + gain);
}

SAMPLE_FUNCTION void sample_adapt(struct sample *s, real ratio) {
    real least = s->limit / SAMPLE_RANGE / SAMPLE_RANGE;
    s->growth = 2;
    if (ratio > REAL(0.9))
        s->eps /= 8;
    else if (ratio > REAL(0.5))
        s->eps /= 2;
    else if (ratio < REAL(0.25))
        s->eps *= 2;
    if (s->eps < least)
        s->eps = least;
}

/* lm: accepts or rejects the iterate after a step. slow: a step that leaves more than this share of |W r|^2 counts as no progress. */
SAMPLE_FUNCTION enum sample_decision sample_judge(struct sample *s, const struct sample_options *o,
                                                  const struct sample_numbers *n, real slow) {
    if (!(n->squares < s->squares))
        return sample_refuse(s);
    sample_adapt(s, sample_gain_ratio(s, o, n));
    s->slow = n->squares > slow * s->squares ? sample_one_more(s->slow) : 0;
    s->squares = n->squares;
    if (s->slow < SAMPLE_MOST_SLOW)
        return SAMPLE_GO_ON;
    sample_stuck(s);
    return SAMPLE_END;
}

SAMPLE_FUNCTION enum sample_decision sample_decide_lm(struct sample *s, const struct sample_options *o,
                                                      const struct sample_numbers *n, bool cancelled) {
    if (n->measure <= o->tolerance)
        return sample_end(s, HN_OUTCOME_OK);
    if (s->iteration >= o->iterations)
        return sample_end(s, HN_OUTCOME_ITERATION_LIMIT);
    if (cancelled)
        return sample_end(s, HN_OUTCOME_CANCELLED);
    if (o->adaptive && !sample_is_fresh(s))
        return sample_judge(s, o, n, SAMPLE_SLOW);
    s->squares = n->squares;
    return SAMPLE_GO_ON;
}

/* ---- paper, hardnet, snarenet ---- */

SAMPLE_FUNCTION enum sample_decision sample_decide_counted(struct sample *s, const struct sample_options *o,
                                                           const struct sample_numbers *n, bool cancelled) {
    bool held = n->measure <= o->tolerance;
    if (held && o->stops)
        return sample_end(s, HN_OUTCOME_OK);
    if (s->iteration >= o->iterations)
        return sample_end(s, held ? HN_OUTCOME_OK : HN_OUTCOME_ITERATION_LIMIT);
    if (cancelled)
        return sample_end(s, held ? HN_OUTCOME_OK : HN_OUTCOME_CANCELLED);
    return SAMPLE_GO_ON;
}

#include "core/sample_auto.h"

/* ---- all methods ---- */

SAMPLE_FUNCTION enum sample_decision sample_decision(struct sample *s, const struct sample_options *o,
                                                     const struct sample_numbers *n, bool cancelled) {
    if (o->method == HN_METHOD_AUTO)
        return sample_decide_auto(s, o, n, cancelled);
    if (!n->finite && o->adaptive && !sample_is_fresh(s) && s->iteration < o->iterations)
        return cancelled ? sample_end(s, HN_OUTCOME_CANCELLED) : sample_refuse(s);
    if (!n->finite)
        return sample_end(s, HN_OUTCOME_NONFINITE_EVALUATION);
    return o->weighted ? sample_decide_lm(s, o, n, cancelled) : sample_decide_counted(s, o, n, cancelled);
}

/* The present iterate becomes the base of the next step. */
SAMPLE_FUNCTION void sample_accept(struct sample *s, const struct sample_numbers *n, struct sample_choice *choice) {
    choice->accepted = true;
    if (s->phase == PHASE_REWIND) {
        s->steps = s->best_step;
        s->strayed = s->strayed <= s->steps ? s->strayed : 0;
        return;
    }
    if (s->phase == PHASE_STEP)
        s->steps = sample_one_more(s->steps);
    if (choice->led == SAMPLE_SOLVED && s->strayed == 0)
        s->strayed = s->steps;
    choice->recorded = true;
    choice->improved = n->measure <= s->best; /* the later of two equals */
    s->best = choice->improved ? n->measure : s->best;
    s->best_step = choice->improved ? s->steps : s->best_step;
    s->best_attempt = choice->improved ? s->attempt : s->best_attempt;
}

/* Whether the present iterate, if accepted, is the best one. */
SAMPLE_FUNCTION bool sample_is_best(const struct sample *s) {
    return (s->best_step == s->steps) & (s->best_attempt == s->attempt);
}

SAMPLE_FUNCTION enum sample_phase sample_does_next(const struct sample *s, enum sample_decision decision, bool here) {
    enum sample_phase steps = s->kind == SAMPLE_SOLVED ? PHASE_ELASTIC : PHASE_STEP;
    switch (decision) {
    case SAMPLE_END:
    case SAMPLE_END_BEFORE:
        return PHASE_RETURN;
    case SAMPLE_RESTART:
    case SAMPLE_RESTART_BEFORE:
        return PHASE_RESTART;
    case SAMPLE_REWIND:
        return here && s->stage != SAMPLE_ELASTIC ? PHASE_STEP : PHASE_REWIND;
    case SAMPLE_RETRY:
        return PHASE_ELASTIC_END;
    default:
        return steps;
    }
}

/* Decides about the iterate that was just evaluated. A sample that does not end at its best iterate returns to it
 * first, so that every verdict comes from an evaluation at the returned y. */
SAMPLE_FUNCTION struct sample_choice sample_decide(struct sample *s, const struct sample_options *o,
                                                   const struct sample_numbers *n, bool cancelled) {
    struct sample_choice choice = {false, false, false, false, s->kind};
    if (sample_is_last(s)) {
        choice.finished = true;
        return choice;
    }
    if (s->phase == PHASE_ELASTIC) {
        sample_watch_elastic(s, o, cancelled);
        return choice;
    }
    if (s->phase == PHASE_NEW)
        sample_came_in(s, o, n);
    enum sample_decision decision = sample_decision(s, o, n, cancelled);
    bool ends = decision == SAMPLE_END || decision == SAMPLE_END_BEFORE;
    if (n->finite &&
        (decision == SAMPLE_GO_ON || decision == SAMPLE_END || decision == SAMPLE_REWIND || decision == SAMPLE_RESTART))
        sample_accept(s, n, &choice);
    bool here = choice.accepted && sample_is_best(s);
    choice.finished = ends && choice.accepted && (s->outcome == HN_OUTCOME_OK || here);
    if (choice.finished) {
        s->best_step = s->steps;
        s->best_attempt = s->attempt;
    }
    s->phase = sample_does_next(s, decision, here);
    return choice;
}

/* ---- stationarity: the outcome when steps stall, from the gradient of |W r|^2 / 2 there ---- */

/* Sums over the rows of the last accepted iterate. Entries of A' W r that would push an output on a bound beyond it count as 0. */
struct sample_slope {
    real entries; /* |A|^2 */
    real squares; /* |W r|^2 */
    real slope;   /* |A' W r|^2 */
    real steep;   /* the 1-norm of A' W r */
    real size;    /* max |y| over the outputs, at least 1 */
    bool affine;  /* every violated row is affine */
};

/* The sum of squares f of affine violated rows is convex. At a y that satisfies them 0 >= f + f' (y - here), so some output
 * differs by at least f / |f'|_1; active bounds only increase this. Distances above SAMPLE_REACH count as unreachable. */
SAMPLE_FUNCTION bool sample_is_proof(const struct sample_slope *slope) {
    return slope->affine && slope->squares > SAMPLE_SMALL &&
           SAMPLE_REACH * slope->size * slope->steep < REAL(0.5) * slope->squares;
}

/* Answers sample->asks: sums at the last accepted iterate, or whether the entries of J there are finite. */
SAMPLE_FUNCTION void sample_answer(struct sample *s, const struct sample_slope *slope, bool entries_finite) {
    bool asks_slope = s->asks == SAMPLE_ASKS_SLOPE;
    real scale = slope->entries * slope->squares;
    s->asks = SAMPLE_ASKS_NOTHING;
    if (asks_slope ? !sample_is_finite(slope->entries)
                   : !entries_finite) /* weighted entries are at most 2 if J is finite */
        s->outcome = HN_OUTCOME_NONFINITE_EVALUATION;
    else if (asks_slope && slope->slope <= SAMPLE_STATIONARY_STUCK * SAMPLE_STATIONARY_STUCK * scale)
        s->stationary = true;
    if (asks_slope && scale > 0 && slope->slope < s->slope * scale)
        s->slope = slope->slope / scale;
    if (asks_slope && sample_is_proof(slope)) {
        s->stationary = true;
        s->phase = PHASE_RETURN;
    }
    if (s->stationary)
        s->outcome = HN_OUTCOME_LOCALLY_INFEASIBLE;
}

/* ---- steps ---- */

/* Whether a step is computed now; not if y is about to be replaced. */
SAMPLE_FUNCTION bool sample_takes_step(const struct sample *s) {
    return s->phase == PHASE_STEP;
}

/* After the step was computed. */
SAMPLE_FUNCTION void sample_stepped(struct sample *s, const struct sample_options *o, const struct sample_numbers *n) {
    bool singular = sample_asks_pivots(o) && !(n->least_pivot >= SAMPLE_LEAST_PIVOT * n->most_pivot);
    s->iteration = sample_one_more(s->iteration);
    s->phase = PHASE_STEP;
    if (singular || (!n->usable && !o->adaptive)) {
        s->outcome = HN_OUTCOME_STALLED;
        s->asks = SAMPLE_ASKS_ENTRIES;
        s->phase = PHASE_RETURN;
    } else if (o->weighted && o->method != HN_METHOD_AUTO && n->usable && !n->moved) {
        sample_stuck(s);
        s->phase = PHASE_RETURN;
    }
}

/* ---- fused iterations without a stopping test: evaluate, accept, step ---- */

/* How many of them a sample that has just stepped may run, provided that all values stay finite and no system is singular. */
SAMPLE_FUNCTION int sample_goes_on(const struct sample *s, const struct sample_options *o) {
    return !o->stops && s->phase == PHASE_STEP && s->iteration < o->iterations ? o->iterations - s->iteration : 0;
}

/* After `rounds` of them: the smallest measure and the iteration (from 1) that attained it; 0: no improvement. */
SAMPLE_FUNCTION void sample_went_on(struct sample *s, int rounds, real best, int best_at) {
    if (best_at > 0) {
        s->best = best;
        s->best_step = s->steps + best_at;
        s->best_attempt = s->attempt;
    }
    s->iteration += rounds;
    s->steps += rounds;
}

/* y holds the best iterate again. If that is the raw output, it replaces the warm start. */
SAMPLE_FUNCTION void sample_rewound(struct sample *s) {
    if (s->best_attempt != SAMPLE_FROM_INPUT)
        return;
    s->phase = PHASE_START;
    s->steps = 0;
}

/* Starts the next attempt; its start point depends on its number (restart.h). */
SAMPLE_FUNCTION void sample_begin_attempt(struct sample *s, const struct sample_options *o) {
    s->phase = PHASE_START;
    s->attempt = sample_next_attempt(s, o);
    s->stage = s->attempt == RESTART_HOME ? SAMPLE_NEAR : SAMPLE_GLOBAL;
    s->steps = s->strayed = 0;
    s->chooses = true;
    if (s->attempt == RESTART_HOME) {
        s->homed = true;
        s->home = s->iteration;
    }
}

/* ---- the verdict, from the evaluation at the y that is returned ---- */

/* The bound on |J' r| / (|J| |r|) below which the sample counts as locally infeasible; 0 if it cannot be. */
SAMPLE_FUNCTION real sample_asks_stationarity(const struct sample *s, const struct sample_options *o,
                                              const struct sample_numbers *n) {
    if (s->phase == PHASE_FALLBACK || !n->finite || n->measure <= o->tolerance)
        return 0;
    if (s->outcome == HN_OUTCOME_STALLED)
        return SAMPLE_STATIONARY_STUCK;
    return s->outcome == HN_OUTCOME_ITERATION_LIMIT ? SAMPLE_STATIONARY : 0;
}

/* stationary: the ratio was requested and is within its bound. */
SAMPLE_FUNCTION hn_outcome sample_verdict(const struct sample *s, const struct sample_options *o,
                                          const struct sample_numbers *n, bool stationary) {
    if (s->phase == PHASE_FALLBACK)
        return s->outcome;
    if (n->finite && n->measure <= o->tolerance)
        return HN_OUTCOME_OK;
    if (stationary)
        return HN_OUTCOME_LOCALLY_INFEASIBLE;
    return s->outcome == HN_OUTCOME_OK ? HN_OUTCOME_STALLED : s->outcome;
}

/* ---- the head of a tape: whether its steps can be differentiated, their number, and their attempt ---- */

enum tape_validity {
    TAPE_WHOLE,
    TAPE_FALLBACK, /* the result is a fallback and does not depend on y_raw */
    TAPE_TOO_LONG, /* more steps than the tape has room for, or a step by an elastic QP */
};

struct tape_head {
    int32_t way; /* enum tape_validity */
    int32_t steps;
    int32_t attempt; /* identifies its start point: core/restart.h */
    int32_t unused;
};

/* The head of a sample that has ended; room: capacity of the tape in steps. The tape has the last attempt only. If an earlier attempt
 * had the best iterate, its steps are lost; such a sample, which is not ok, gets the gradient of the identity. */
SAMPLE_FUNCTION struct tape_head tape_head_of(const struct sample *s, size_t room) {
    bool lost = s->best_attempt != s->attempt;
    bool strayed = s->strayed > 0 && s->best_step >= s->strayed;
    bool longer = !lost && (strayed || (size_t)s->best_step > room);
    enum tape_validity way = longer ? TAPE_TOO_LONG : TAPE_WHOLE;
    if (s->phase == PHASE_FALLBACK)
        way = TAPE_FALLBACK;
    bool whole = way == TAPE_WHOLE && !lost;
    struct tape_head head = {(int32_t)way, whole ? s->best_step : 0, whole ? s->attempt : 0, 0};
    return head;
}

/* The head for the backward pass. A head that a forward run cannot have written has no gradient. */
SAMPLE_FUNCTION struct tape_head tape_head_read(const struct tape_head *head, size_t room) {
    bool whole = head->way == TAPE_WHOLE && head->steps >= 0 && (size_t)head->steps <= room && head->attempt >= 0 &&
                 (head->attempt == 0 || room > 0);
    bool fallback = head->way == TAPE_FALLBACK && head->steps == 0 && head->attempt == 0;
    struct tape_head none = {(int32_t)TAPE_TOO_LONG, 0, 0, 0};
    return whole || fallback ? *head : none;
}

#endif
