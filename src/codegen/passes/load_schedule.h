/* load_schedule.h - which slots the statements of a region read before they are needed, and which values go on from round to round without
 * memory.
 *
 * For slots in memory that answers late. A read that stands behind a write waits for it: no compiler knows that the two are different
 * places. Here they are compared by their numbers: what a round reads comes first, as many slots at a time as stay in registers,
 * unless a statement in between writes to the same place in some round. In a loop
 *
 *     what no round writes, and always lies in the same place, is read once
 *     what the round before has read or written is carried on in a variable
 *     what nobody writes meanwhile is read a round ahead, as soon as the value before it is used up
 *
 * and what nobody reads from its slot any more is not written there, or in the last rounds only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOAD_SCHEDULE_H
#define HN_CODEGEN_LOAD_SCHEDULE_H

#include "codegen/passes/loop_reroll.h"

enum hoist_kind { HOIST_HERE, HOIST_ONCE, HOIST_CARRIED, HOIST_AHEAD };

/* One read: operand k of a statement names the slot. */
struct hoist_load {
    size_t statement, last; /* the first that reads it, and the last */
    uint32_t operand;
    uint32_t slot;
    int64_t stride;
    enum hoist_kind kind;
    uint32_t from_load;    /* carried: 1 + the read whose value it is in the next round; 0: that of */
    size_t from_statement; /* a statement, */
    uint32_t from_destination;
};

struct hoisted_loads {
    uint32_t first; /* operand of the region */
    uint32_t
        *load; /* per operand of a round, from `first` on: 1 + the number of its read, or 0: read where it stands */
    size_t *begins; /* per statement of a round, and one more: the reads that come right before it */
    struct hoist_load *list;
    size_t count, capacity;
    bool in_place;     /* some are read where they stand */
    uint8_t *late;     /* per statement of a round: bit d: its destination d is stored from a later round on, */
    size_t late_round; /* this one */
};

/* For the statements of the region's first round. False when memory is out. */
bool hoist_find(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                const struct region *region);
void hoist_release(struct hoisted_loads *hoisted); /* zeros are none */

/* Part of hoist_find, where the region is a loop: what is read once, carried or read ahead. */
void hoist_carry(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                 const struct region *region);

/* After hoist_find for all regions: takes out of the flow what need not be stored. False when memory is out. */
bool hoist_store(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                 const struct regions *regions, const bool *kept, size_t slots);

/* ---- places: slots that move on from round to round ---- */

struct hoist_place {
    uint32_t slot;
    int64_t stride;
};

static inline struct hoist_place hoist_place(const struct statements *s, const struct region *region, size_t i,
                                             uint32_t k) {
    uint32_t slot = s->operands[s->list[i].first + k];
    int64_t next = region->repeats > 1 ? s->operands[s->list[i + region->period].first + k] : slot;
    return (struct hoist_place){slot, next - (int64_t)slot};
}

/* Whether two of them are the same in some round. */
static inline bool hoist_may_meet(struct hoist_place a, struct hoist_place b, size_t rounds) {
    int64_t apart = (int64_t)b.slot - (int64_t)a.slot, closing = a.stride - b.stride;
    if (closing == 0)
        return apart == 0;
    int64_t round = apart / closing;
    return apart % closing == 0 && round >= 0 && (uint64_t)round < rounds;
}

#endif
