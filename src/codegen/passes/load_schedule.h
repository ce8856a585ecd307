/* load_schedule.h - load hoisting, loop-carried values in registers, and dead store elimination.
 *
 * For slots in memory with a long latency. A compiler cannot move a load above a store without alias information. This
 * pass compares slot numbers: a round loads first, as many slots at a time as fit into registers, unless a statement in
 * between stores to the same slot in some round. In a loop
 *
 *     a slot that does not move and that no round stores to is loaded once
 *     a value that the previous round loaded or computed is carried in a variable
 *     a slot that nothing stores to in between is loaded a round ahead, after the last use of the value before it
 *
 * and a value that nothing loads from its slot is not stored there, or in the last rounds only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOAD_SCHEDULE_H
#define HN_CODEGEN_LOAD_SCHEDULE_H

#include "codegen/passes/loop_reroll.h"

enum hoist_kind { HOIST_HERE, HOIST_ONCE, HOIST_CARRIED, HOIST_AHEAD };

/* A place: a slot that advances by a stride per round. */
struct hoist_place {
    uint32_t slot;
    int64_t stride;
};

/* One load: of the slot that operand k of a statement reads. */
struct hoist_load {
    size_t statement, last; /* the first and the last reader */
    uint32_t operand;
    struct hoist_place place;
    enum hoist_kind kind;
    uint32_t from_load;    /* carried: 1 + the load that provides the value for the next round; 0: a statement does: */
    size_t from_statement; /* its index */
    uint32_t from_destination;
};

struct hoisted_loads {
    struct buffers lists;
    uint32_t first; /* operand of the region */
    uint32_t *load; /* per operand of a round, from `first` on: 1 + the number of its load, or 0: loaded at its use */
    size_t *begins; /* per statement of a round, plus one: the first load issued right before it */
    struct hoist_load *list;
    size_t count, capacity;
    bool in_place; /* some slots are loaded at their use */
    uint8_t *late; /* per statement of a round: bit d: destination d is stored only from late_round on */
    size_t late_round;
};

/* For the statements of the region's first round. False when out of memory; call hoist_release in any case. */
bool hoist_find(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                const struct region *region);
void hoist_release(struct hoisted_loads *hoisted); /* accepts zeros */

/* After hoist_find for all regions: clears dead stores in the liveness. False when out of memory. */
bool hoist_store(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                 const struct regions *regions, const bool *kept, size_t slots);

#endif
