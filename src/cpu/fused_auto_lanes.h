/* fused_auto_lanes.h - one sample's numbers into rounds of auto's near stage (fused_auto.h), and back into its state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_FUSED_AUTO_LANES_H
#define HN_CPU_FUSED_AUTO_LANES_H

#include "core/damping_lane.h"
#include "cpu/fused_auto.h"

/* What is the same for all samples. */
static inline void near_open(struct near_rounds *all, const struct sample_options *o) {
    all->tolerance = o->tolerance;
    all->damping = o->damping;
    all->least_eps = sample_least_eps(o);
    all->joint = o->joint_rows ? -1 : 0;
}

static inline void near_take(struct near_rounds *all, uint32_t seat, const struct sample *s,
                             const struct sample_options *o) {
    all->busy[seat] = -1;
    all->fresh[seat] = s->doing == SAMPLE_OPENS ? -1 : 0;
    all->leads[seat] = s->kind == SAMPLE_LEADING ? -1 : 0;
    all->left[seat] = sample_left_near(s, o);
    all->done[seat] = 0;
    all->best[seat] = s->best;
    all->best_at[seat] = -1;
    all->squares[seat] = s->squares;
    all->halved[seat] = s->halved;
    all->waited[seat] = s->waited;
    all->eps[seat] = s->used;
}

/* The sample's own state catches up. */
static inline void near_leave(struct near_rounds *all, uint32_t seat, struct sample *s) {
    const struct sample_near near = {.done = (int)all->done[seat],
                                     .best_at = (int)all->best_at[seat],
                                     .leads = all->leads[seat] != 0,
                                     .before = all->before[seat],
                                     .best = all->best[seat],
                                     .squares = all->squares[seat],
                                     .halved = all->halved[seat],
                                     .eps = all->eps[seat],
                                     .waited = (int)all->waited[seat]};
    all->busy[seat] = 0;
    sample_went_near(s, &near);
}

#endif
