/* loop_reroll.h - splits statements into regions; each becomes a function of the generated code.
 *
 * A region is a sequence of statements. If the same statements repeat over slots with constant strides, the region is a
 * loop: `period` statements, `repeats` times. Values are local variables within a region (within one round of a loop)
 * and pass between regions in slots, so that compile time grows linearly with the text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_LOOP_REROLL_H
#define HN_CODEGEN_LOOP_REROLL_H

#include "codegen/ir/lower.h"

struct region {
    size_t first;  /* statement */
    size_t period; /* statements of one round */
    size_t repeats;
};

struct regions {
    struct region *list;
    size_t count, capacity;
    size_t most; /* operands of the largest region */
    bool failed;
};

/* Maximum operands per function: compile time of longer functions grows superlinearly. SPLIT: for statements whose sums
 * have one product each (slp_vectorize.h). */
enum { REGION_OPERANDS = 6000, SPLIT_OPERANDS = 10000 };

/* Repeated statements become loops if ir->loops is set. most: operands of a region. */
void regions_find(struct regions *regions, const struct statements *s, const struct ir_module *ir, size_t most);
void regions_release(struct regions *regions);

static inline uint64_t hash_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

/* ---- def-use information ---- */

/* For the statements of the first round of each region; it is the same for later rounds. */
struct liveness {
    struct buffers lists;
    uint32_t *source; /* per argument: 0: a slot or a constant; else 1 + 2 (statement in its round) + destination */
    uint8_t *used;    /* per statement: bit d: destination d is read as a local variable */
    uint8_t *stored;  /* per statement: bit d: destination d must be stored in its slot */
};

/* kept: per slot, whether it is live after the entry. False when out of memory. */
bool liveness_find(struct liveness *liveness, const struct statements *s, const struct regions *regions,
                   const bool *kept, size_t slots);
void liveness_release(struct liveness *liveness);

#endif
