/* liveness.c - which values of a region stay in local variables, and which are stored in their slots.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/loop_reroll.h"

#include <string.h>

/* The last writer of each slot, so far. */
struct writer {
    uint32_t statement; /* 1 + its number, 0: none in this entry */
    uint32_t destination;
};

/* The round that a statement belongs to. */
struct place {
    size_t start;      /* the first statement of the round */
    size_t body_first; /* of the region */
};

struct tracer {
    struct liveness *liveness;
    const struct statements *s;
    struct writer *last; /* per slot */
    const bool *kept;
    size_t slots;
};

static void write_slots(const struct tracer *t, size_t i) {
    const struct statement *at = &t->s->list[i];
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        t->last[t->s->operands[at->first + d]] = (struct writer){(uint32_t)i + 1, d};
}

/* The source of an argument in this round: a local variable of the round, or 0. */
static uint32_t source_now(const struct tracer *t, uint32_t operand, size_t start) {
    if (operand_is_constant(operand))
        return 0;
    struct writer w = t->last[operand];
    return w.statement > start ? 1 + 2 * (uint32_t)(w.statement - 1 - start) + w.destination : 0;
}

/* If rounds have different sources, the argument reads the slot. */
static void find_sources(const struct tracer *t, size_t i, struct place place) {
    const struct statement *at = &t->s->list[i];
    uint32_t first = t->s->list[place.body_first + (i - place.start)].first;
    for (uint32_t k = statement_destinations(at); k < at->count; k++) {
        uint32_t now = source_now(t, t->s->operands[at->first + k], place.start);
        if (place.start == place.body_first)
            t->liveness->source[first + k] = now;
        else if (t->liveness->source[first + k] != now)
            t->liveness->source[first + k] = 0;
    }
}

/* The last writers of the slots that arguments read must store them. body[i]: the statement of the first round that corresponds to i. */
static void find_stores(const struct tracer *t, size_t i, struct place place, const uint32_t *body) {
    const struct statement *at = &t->s->list[i];
    size_t own = place.body_first + (i - place.start);
    uint32_t first = t->s->list[own].first;
    for (uint32_t k = statement_destinations(at); k < at->count; k++) {
        uint32_t operand = t->s->operands[at->first + k], source = t->liveness->source[first + k];
        if (operand_is_constant(operand))
            continue;
        if (source)
            t->liveness->used[place.body_first + (source - 1) / 2] |= (uint8_t)(1U << (source - 1) % 2);
        else if (t->last[operand].statement)
            t->liveness->stored[body[t->last[operand].statement - 1]] |= (uint8_t)(1U << t->last[operand].destination);
    }
}

static void trace(const struct tracer *t, const struct regions *regions, uint32_t *body, bool stores) {
    memset(t->last, 0, t->slots * sizeof *t->last);
    for (size_t r = 0; r < regions->count; r++) {
        const struct region *region = &regions->list[r];
        for (size_t k = 0; k < region->period * region->repeats; k++) {
            struct place place = {region->first + k / region->period * region->period, region->first};
            body[region->first + k] = (uint32_t)(region->first + k % region->period);
            if (stores)
                find_stores(t, region->first + k, place, body);
            else
                find_sources(t, region->first + k, place);
            write_slots(t, region->first + k);
        }
    }
}

static void keep_last(const struct tracer *t, const uint32_t *body) {
    for (size_t slot = 0; slot < t->slots; slot++)
        if (t->kept[slot] && t->last[slot].statement)
            t->liveness->stored[body[t->last[slot].statement - 1]] |= (uint8_t)(1U << t->last[slot].destination);
}

bool liveness_find(struct liveness *liveness, const struct statements *s, const struct regions *regions,
                   const bool *kept, size_t slots) {
    struct buffers buffers = {.count = 0};
    *liveness = (struct liveness){.source = NULL};
    liveness->source = buffers_take(&liveness->lists, s->operand_count, sizeof *liveness->source);
    liveness->used = buffers_take(&liveness->lists, s->count, sizeof *liveness->used);
    liveness->stored = buffers_take(&liveness->lists, s->count, sizeof *liveness->stored);
    struct writer *last = buffers_take(&buffers, slots, sizeof *last);
    uint32_t *body = buffers_take(&buffers, s->count, sizeof *body);
    const struct tracer tracer = {liveness, s, last, kept, slots};
    bool taken = !buffers.failed && !liveness->lists.failed;
    if (taken) {
        trace(&tracer, regions, body, false);
        trace(&tracer, regions, body, true);
        keep_last(&tracer, body);
    } else
        liveness_release(liveness);
    buffers_release(&buffers);
    return taken;
}

void liveness_release(struct liveness *liveness) {
    buffers_release(&liveness->lists);
    *liveness = (struct liveness){.source = NULL};
}
