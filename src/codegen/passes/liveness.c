/* liveness.c - which values of a region stay in local variables, and which go to their slots.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/ir/lower.h"
#include "codegen/passes/loop_reroll.h"

#include <string.h>

/* The last writer of each slot, so far. */
struct writer {
    uint32_t statement; /* 1 + its number, 0: none in this entry */
    uint32_t destination;
};

/* A statement's place: its region, its round, and where it stands in a round. */
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

/* What an argument reads in this round: a local variable of the round, or 0. */
static uint32_t source_now(const struct tracer *t, uint32_t operand, size_t start) {
    if (operand_is_constant(operand))
        return 0;
    struct writer w = t->last[operand];
    return w.statement > start ? 1 + 2 * (uint32_t)(w.statement - 1 - start) + w.destination : 0;
}

/* Rounds that disagree read the slot. */
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

/* Arguments that read slots: whoever wrote them must have stored them. body[i]: the statement of the first round that stands for i. */
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
    struct writer *last = base_allocate((slots + 1) * sizeof *last);
    uint32_t *body = base_allocate((s->count + 1) * sizeof *body);
    *liveness = (struct liveness){
        .source = base_allocate((s->operand_count + 1) * sizeof *liveness->source),
        .used = base_allocate(s->count + 1),
        .stored = base_allocate(s->count + 1),
    };
    bool taken = last && body && liveness->source && liveness->used && liveness->stored;
    const struct tracer tracer = {liveness, s, last, kept, slots};
    if (taken) {
        memset(liveness->used, 0, s->count + 1);
        memset(liveness->stored, 0, s->count + 1);
        trace(&tracer, regions, body, false);
        trace(&tracer, regions, body, true);
        keep_last(&tracer, body);
    } else
        liveness_release(liveness);
    base_release(last);
    base_release(body);
    return taken;
}

void liveness_release(struct liveness *liveness) {
    base_release(liveness->source);
    base_release(liveness->used);
    base_release(liveness->stored);
    *liveness = (struct liveness){.source = NULL};
}
