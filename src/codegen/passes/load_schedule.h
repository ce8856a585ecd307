/* load_schedule.h - which slots of a region are read before they are needed, which values pass from round to round in registers, and which
 * are not stored.
 *
 * For slots in memory with a long latency. A load behind a store waits for it, because a compiler does not know that the addresses
 * differ. Here slots are compared by number: a round loads first, as many slots at a time as fit into registers, unless a statement in
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

/* A place is a slot that moves by its stride from round to round. */
struct hoist_place {
    uint32_t slot;
    int64_t stride;
};

/* One load: operand k of a statement names the slot. */
struct hoist_load {
    size_t statement, last; /* the first that reads it, and the last */
    uint32_t operand;
    struct hoist_place place;
    enum hoist_kind kind;
    uint32_t from_load;    /* carried: 1 + the load whose value it has in the next round; 0: that of */
    size_t from_statement; /* a statement, */
    uint32_t from_destination;
};

struct hoisted_loads {
    struct buffers lists;
    uint32_t first; /* operand of the region */
    uint32_t *load; /* per operand of a round, from `first` on: 1 + the number of its load, or 0: loaded at its use */
    size_t *begins; /* per statement of a round, and one more: the loads that come right before it */
    struct hoist_load *list;
    size_t count, capacity;
    bool in_place;     /* some are loaded at their use */
    uint8_t *late;     /* per statement of a round: bit d: its destination d is stored from a later round on, */
    size_t late_round; /* this one */
};

/* For the statements of the region's first round. False when out of memory; hoist_release follows. */
bool hoist_find(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                const struct region *region);
void hoist_release(struct hoisted_loads *hoisted); /* accepts zeros */

/* After hoist_find for all regions: marks in the liveness what need not be stored. False when out of memory. */
bool hoist_store(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                 const struct regions *regions, const bool *kept, size_t slots);

#endif
