/* fused_auto_lanes.h - copies a sample's state into fused iterations of auto's near stage (fused_auto.h), and back.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_FUSED_AUTO_LANES_H
#define HN_CPU_FUSED_AUTO_LANES_H

#include "core/damping_lane.h"
#include "cpu/fused_auto.h"

/* Sets what all lanes share. */
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

/* Updates the sample's own state. */
static inline void near_leave(struct fused_auto *all, uint32_t lane, struct sample *s) {
    const struct sample_near near = {.done = (int)all->done[lane],
                                     .best_at = (int)all->best_at[lane],
                                     .leads = all->leads[lane] != 0,
                                     .before = all->before[lane],
                                     .best = all->best[lane],
                                     .squares = all->squares[lane],
                                     .halved = all->halved[lane],
                                     .eps = all->eps[lane],
                                     .waited = (int)all->waited[lane]};
    all->busy[lane] = 0;
    sample_went_near(s, &near);
}

#endif
