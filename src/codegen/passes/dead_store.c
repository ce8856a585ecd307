/* dead_store.c - which values need not go to their slots, because nobody reads them there; see load_schedule.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/load_schedule.h"

#include "base/memory.h"
#include "codegen/ir/lower.h"

#include <string.h>

enum { LAST_ROUNDS = 4 }; /* in which values may be stored that no earlier round stores */

struct keeper {
    struct hoisted_loads *hoisted; /* per region */
    const struct statements *s;
    const struct regions *regions;
    struct liveness *liveness;
    uint32_t *last;   /* per slot: 1 + twice the statement that wrote it, and its destination; 0: none */
    uint32_t *region; /* per statement */
    uint32_t
        *needed; /* per statement of a first round and destination: the first round whose value is read in its slot */
};

static const size_t AFTERWARDS = SIZE_MAX;

/* Whoever wrote the slot last must have stored it: before statement `reader`, which is in the same round at times. */
static void need(const struct keeper *k, uint32_t slot, size_t reader) {
    if (k->last[slot] == 0)
        return;
    size_t i = (k->last[slot] - 1) / 2, d = (k->last[slot] - 1) % 2;
    const struct region *region = &k->regions->list[k->region[i]];
    size_t round = (i - region->first) / region->period, body = region->first + (i - region->first) % region->period;
    uint32_t *needed = &k->needed[2 * body + d];
    bool at_once = reader < region->first + (round + 1) * region->period;
    *needed = at_once ? 0 : round < *needed ? (uint32_t)round : *needed;
}

/* Arguments of statement i, of a round. */
static void trace_statement(const struct keeper *k, uint32_t r, size_t i, size_t round) {
    const struct region *region = &k->regions->list[r];
    const struct hoisted_loads *hoisted = &k->hoisted[r];
    const struct statement *at = &k->s->list[i];
    size_t body = region->first + (i - region->first) % region->period;
    uint32_t first = k->s->list[body].first;
    for (uint32_t a = statement_destinations(at); a < at->count; a++) {
        uint32_t operand = k->s->operands[at->first + a], load = hoisted->load[first + a - hoisted->first];
        if (operand_is_constant(operand) || k->liveness->source[first + a])
            continue;
        if (round == 0 || load == 0 || hoisted->list[load - 1].kind != HOIST_CARRIED)
            need(k, operand, i);
    }
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        k->last[k->s->operands[at->first + d]] = 1 + 2 * (uint32_t)i + d;
}

static void trace(const struct keeper *k, const bool *kept, size_t slots) {
    for (uint32_t r = 0; r < k->regions->count; r++) {
        const struct region *region = &k->regions->list[r];
        for (size_t n = 0; n < region->period * region->repeats; n++) {
            k->region[region->first + n] = r;
            trace_statement(k, r, region->first + n, n / region->period);
        }
    }
    for (uint32_t slot = 0; slot < slots; slot++)
        if (kept[slot])
            need(k, slot, AFTERWARDS);
}

/* Values that are carried on are used, whether they are stored or not. */
static void use_carried(const struct keeper *k, const struct hoisted_loads *hoisted) {
    for (size_t n = 0; n < hoisted->count; n++) {
        const struct hoist_load *load = &hoisted->list[n];
        if (load->kind == HOIST_CARRIED && load->from_load == 0)
            k->liveness->used[load->from_statement] |= (uint8_t)(1U << load->from_destination);
    }
}

/* A region that reads slots where it stands may read what it has just written. */
static void take_out(const struct keeper *k, struct hoisted_loads *hoisted, const struct region *region) {
    size_t late_from = region->repeats > LAST_ROUNDS ? region->repeats - LAST_ROUNDS : region->repeats;
    hoisted->late_round = late_from;
    for (size_t i = region->first; i < region->first + region->period && !hoisted->in_place; i++)
        for (uint32_t d = 0; d < statement_destinations(&k->s->list[i]); d++) {
            uint32_t needed = k->needed[2 * i + d];
            uint8_t bit = (uint8_t)(1U << d);
            if (!(k->liveness->stored[i] & bit) || needed < late_from)
                continue;
            k->liveness->stored[i] &= (uint8_t)~bit;
            if (needed < region->repeats) {
                hoisted->late[i - region->first] |= bit;
                k->liveness->used[i] |= bit;
            }
        }
}

bool hoist_store(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                 const struct regions *regions, const bool *kept, size_t slots) {
    struct keeper k = {.hoisted = hoisted, .s = s, .regions = regions, .liveness = liveness};
    k.last = base_allocate((slots + 1) * sizeof *k.last);
    k.region = base_allocate((s->count + 1) * sizeof *k.region);
    k.needed = base_allocate((2 * s->count + 1) * sizeof *k.needed);
    bool taken = k.last && k.region && k.needed;
    if (taken) {
        memset(k.last, 0, (slots + 1) * sizeof *k.last);
        memset(k.needed, 0xff, (2 * s->count + 1) * sizeof *k.needed);
        trace(&k, kept, slots);
        for (size_t r = 0; r < regions->count; r++) {
            use_carried(&k, &hoisted[r]);
            take_out(&k, &hoisted[r], &regions->list[r]);
        }
    }
    base_release(k.last);
    base_release(k.region);
    base_release(k.needed);
    return taken;
}
