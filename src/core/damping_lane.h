/* damping_lane.h - the state of a sample before and after fused iterations of auto's near stage, where damping.h decides for all lanes.
 *
 * Fused iterations change a sample as the same number of calls of sample_decide and sample_stepped would.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_DAMPING_LANE_H
#define HN_CORE_DAMPING_LANE_H

#include "core/sample.h"

/* Whether a sample may enter: it is new, or its last step was a near step. */
static inline bool sample_may_go_near(const struct sample *s) {
    return s->phase == PHASE_NEW || sample_steps_near(s);
}

/* Steps until another decision is due. */
static inline int sample_left_near(const struct sample *s, const struct sample_options *o) {
    int left = o->iterations - s->iteration, near = SAMPLE_NEAR_STEPS - (s->iteration - s->begun);
    return left < near ? left : near;
}

/* The result of fused iterations. */
struct sample_near {
    int done;      /* steps */
    int best_at;   /* `done` at the iterate with the smallest measure; -1: no improvement */
    bool leads;    /* of the last step, as the numbers below */
    double before; /* measure of the raw output */
    double best;   /* the smallest measure */
    double squares, halved, eps;
    int waited;
};

/* The number of the iterate evaluated after `done` steps. */
static inline int sample_near_step(const struct sample *s, int done) {
    return s->steps + done + (s->phase == PHASE_NEW ? 0 : 1);
}

/* After the last step; its result has not been evaluated. */
static inline void sample_went_near(struct sample *s, const struct sample_near *n) {
    if (n->done == 0)
        return;
    if (n->best_at >= 0) {
        s->best = n->best;
        s->best_step = sample_near_step(s, n->best_at);
        s->best_attempt = s->attempt;
        s->origin = SAMPLE_FROM_ATTEMPT;
    }
    s->before = s->phase == PHASE_NEW ? n->before : s->before;
    s->away = s->phase == PHASE_NEW && s->homed ? n->before : s->away;
    s->steps = sample_near_step(s, n->done - 1);
    s->iteration += n->done;
    s->squares = n->squares;
    s->halved = n->halved;
    s->waited = n->waited;
    s->eps = s->used = n->eps;
    s->kind = n->leads ? SAMPLE_LEADING : SAMPLE_PLAIN;
    s->chooses = false;
    s->phase = PHASE_STEP;
}

#endif
