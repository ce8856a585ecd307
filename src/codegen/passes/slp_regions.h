/* slp_regions.h - an entry's statements, cut into regions, with those of each region in pairs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_REGIONS_H
#define HN_CODEGEN_SLP_REGIONS_H

#include "codegen/passes/slp_vectorize.h"

struct slp_regions {
    struct statements s;
    struct regions regions;
    struct liveness liveness;
    uint32_t slots;          /* the walk's, and behind them those that are never stored */
    struct slp_pairs *pairs; /* per region; of loops empty */
};

/* kept: per slot of the walk, as for liveness_find. False when memory is out. */
bool slp_regions_create(struct slp_regions *out, const struct ir_module *ir, enum kernel_entry entry, const bool *kept);
void slp_regions_release(struct slp_regions *paired);

#endif
