/* early.h - which slots the statements of a region read before they are needed.
 *
 * Where slots lie in memory that answers late, a read that stands behind a write waits for it: no compiler knows that the two are
 * different places. Here they are compared by their numbers: what a round reads comes first, as many slots at a time as stay in
 * registers, unless a statement in between writes to the same place in some round.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_GENERATE_EARLY_H
#define HN_GENERATE_EARLY_H

#include "generate/regions.h"

/* One read: operand k of a statement names the slot. */
struct early_load {
    size_t statement;
    uint32_t operand;
    uint32_t slot;
    int64_t stride;
};

struct early {
    uint32_t first; /* operand of the region */
    uint32_t
        *load; /* per operand of a round, from `first` on: 1 + the number of its read, or 0: read where it stands */
    size_t *begins; /* per statement of a round, and one more: the reads that come right before it */
    struct early_load *list;
    size_t count, capacity;
};

/* For the statements of the region's first round. False when memory is out. */
bool early_find(struct early *early, const struct statements *s, const struct flow *flow, const struct region *region);
void early_release(struct early *early); /* zeros are none */

#endif
