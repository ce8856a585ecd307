/* damping_lane.h - a sample on its way into rounds of auto's near stage, in which damping.h decides about many at once, and out of them.
 *
 * What such rounds do to a sample is what sample_decide and sample_stepped would have done, one round after the other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_DAMPING_LANE_H
#define HN_CORE_DAMPING_LANE_H

#include "core/sample.h"

/* Whether a sample may: it has just come in, or has taken a step of near's. */
static inline bool sample_may_go_near(const struct sample *s) {
    return s->phase == PHASE_NEW || sample_steps_near(s);
}

/* Steps after which something else is to be decided. */
static inline int sample_left_near(const struct sample *s, const struct sample_options *o) {
    int left = o->iterations - s->iteration, near = SAMPLE_NEAR_STEPS - (s->iteration - s->begun);
    return left < near ? left : near;
}

/* What the rounds have made of it. */
struct sample_near {
    int done;      /* steps */
    int best_at;   /* `done` at the iterate that has the smallest measure; -1: none is better than before */
    bool leads;    /* of the last step; the following likewise */
    double before; /* measure of what came in */
    double best;   /* the smallest measure */
    double squares, halved, eps;
    int waited;
};

/* The number of the iterate that was evaluated when so many steps were done. */
static inline int sample_near_step(const struct sample *s, int done) {
    return s->steps + done + (s->phase == PHASE_NEW ? 0 : 1);
}

/* After the last step, which leads to an iterate that nobody has judged yet. */
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
