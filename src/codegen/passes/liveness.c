/* liveness.c - which values of a region stay in local variables, and which are stored in their slots.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/loop_reroll.h"

#include <string.h>

/* The last definition of each slot so far. */
struct writer {
    uint32_t statement; /* 1 + its index; 0: not written in this entry */
    uint32_t destination;
};

struct tracer {
    struct liveness *liveness;
    const struct statements *s;
    struct writer *last; /* per slot */
    uint32_t *body;      /* per statement: the corresponding statement of the first round */
};

/* A value defined in this round (from `start` on) is a local variable. If the sources differ between rounds, the
 * argument reads the slot. */
static void note_source(const struct tracer *t, uint32_t operand, uint32_t argument, size_t start, bool first_round) {
    const struct writer w = t->last[operand];
    uint32_t now = w.statement > start ? 1 + 2 * (uint32_t)(w.statement - 1 - start) + w.destination : 0;
    uint32_t *source = &t->liveness->source[argument];
    *source = first_round || *source == now ? now : 0;
}

static void note_stored(const struct tracer *t, size_t slot) {
    const struct writer w = t->last[slot];
    if (w.statement)
        t->liveness->stored[t->body[w.statement - 1]] |= (uint8_t)(1U << w.destination);
}

/* Statement k of a region, over all rounds. First pass: the sources of its arguments. Second pass: uses and stores. */
static void trace_statement(const struct tracer *t, const struct region *region, size_t k, bool stores) {
    size_t i = region->first + k, own = region->first + k % region->period;
    const struct statement *at = &t->s->list[i];
    t->body[i] = (uint32_t)own;
    for (uint32_t a = statement_destinations(at); a < at->count; a++) {
        uint32_t operand = t->s->operands[at->first + a], argument = t->s->list[own].first + a;
        uint32_t source = t->liveness->source[argument];
        if (operand_is_constant(operand))
            continue;
        if (!stores)
            note_source(t, operand, argument, i - k % region->period, k < region->period);
        else if (source)
            t->liveness->used[region->first + (source - 1) / 2] |= (uint8_t)(1U << (source - 1) % 2);
        else
            note_stored(t, operand);
    }
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        t->last[t->s->operands[at->first + d]] = (struct writer){(uint32_t)i + 1, d};
}

static void trace(const struct tracer *t, const struct regions *regions, bool stores) {
    for (size_t r = 0; r < regions->count; r++)
        for (size_t k = 0; k < regions->list[r].period * regions->list[r].repeats; k++)
            trace_statement(t, &regions->list[r], k, stores);
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
    const struct tracer t = {liveness, s, last, body};
    bool taken = !buffers.failed && !liveness->lists.failed;
    if (taken) {
        trace(&t, regions, false);
        memset(last, 0, slots * sizeof *last);
        trace(&t, regions, true);
        for (size_t slot = 0; slot < slots; slot++)
            if (kept[slot])
                note_stored(&t, slot);
    } else
        liveness_release(liveness);
    buffers_release(&buffers);
    return taken;
}

void liveness_release(struct liveness *liveness) {
    buffers_release(&liveness->lists);
    *liveness = (struct liveness){.source = NULL};
}
