/* fused_auto_lanes.h - copies a sample's state into fused iterations of auto's near stage (fused_auto.h), and back.
 *
 * Fused iterations have the same effect on a sample as that number of calls of sample_decide and sample_stepped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_FUSED_AUTO_LANES_H
#define HN_CPU_FUSED_AUTO_LANES_H

#include "core/sample.h"
#include "cpu/fused_auto.h"

/* Whether a sample may enter: it is new, or its last step was a near step. */
static inline bool sample_may_go_near(const struct sample *s) {
    return s->phase == PHASE_NEW || sample_steps_near(s);
}

/* Steps until another decision is due. */
static inline int sample_left_near(const struct sample *s, const struct sample_options *o) {
    int left = o->iterations - s->iteration, near = SAMPLE_NEAR_STEPS - (s->iteration - s->begun);
    return left < near ? left : near;
}

/* The number of the iterate evaluated after `done` steps. */
static inline int sample_near_step(const struct sample *s, int done) {
    return s->steps + done + (s->phase == PHASE_NEW ? 0 : 1);
}

/* Sets the fields that all lanes share. */
static inline void near_open(struct fused_auto *all, const struct sample_options *o) {
    all->tolerance = o->tolerance;
    all->damping = o->damping;
    all->least_eps = sample_least_eps(o);
    all->joint = o->joint_rows ? -1 : 0;
}

static inline void near_take(struct fused_auto *all, uint32_t lane, const struct sample *s,
                             const struct sample_options *o) {
    all->busy[lane] = -1;
    all->fresh[lane] = s->phase == PHASE_NEW ? -1 : 0;
    all->leads[lane] = s->kind == SAMPLE_LEADING ? -1 : 0;
    all->left[lane] = sample_left_near(s, o);
    all->done[lane] = 0;
    all->best[lane] = s->best;
    all->best_at[lane] = -1;
    all->squares[lane] = s->squares;
    all->halved[lane] = s->halved;
    all->waited[lane] = s->waited;
    all->eps[lane] = s->used;
}

/* Updates the sample after its last step, whose result has not been evaluated. */
static inline void near_leave(struct fused_auto *all, uint32_t lane, struct sample *s) {
    const bool is_new = s->phase == PHASE_NEW;
    const int done = (int)all->done[lane], best_at = (int)all->best_at[lane];
    all->busy[lane] = 0;
    if (done == 0)
        return;
    if (best_at >= 0) {
        s->best = all->best[lane];
        s->best_step = sample_near_step(s, best_at);
        s->best_attempt = s->attempt;
    }
    s->before = is_new ? all->before[lane] : s->before;
    s->away = is_new && s->homed ? all->before[lane] : s->away;
    s->steps = sample_near_step(s, done - 1);
    s->iteration += done;
    s->squares = all->squares[lane];
    s->halved = all->halved[lane];
    s->waited = (int)all->waited[lane];
    s->eps = s->used = all->eps[lane];
    s->kind = all->leads[lane] ? SAMPLE_LEADING : SAMPLE_PLAIN;
    s->chooses = false;
    s->phase = PHASE_STEP;
}

#endif
