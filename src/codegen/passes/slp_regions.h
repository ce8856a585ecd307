/* slp_regions.h - an entry's statements, cut into regions, with those of each region in pairs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SLP_REGIONS_H
#define HN_CODEGEN_SLP_REGIONS_H

#include "codegen/passes/slp_vectorize.h"

struct paired {
    struct statements s;
    struct regions regions;
    struct flow flow;
    uint32_t slots;      /* the walk's, and behind them those that are never stored */
    struct pairs *pairs; /* per region; of loops empty */
};

/* kept: per slot of the walk, as for flow_find. False when memory is out. */
bool paired_create(struct paired *out, const struct walk *walk, enum kernel_entry entry, const bool *kept);
void paired_release(struct paired *paired);

#endif
