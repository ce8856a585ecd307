/* load_carry.c - which reads of a loop need not wait for memory; see load_schedule.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/load_schedule.h"

enum { CARRY_REGISTERS = 104 }; /* numbers that go from round to round; the threads of a warp have room for about 120 */

struct carrier {
    struct early *early;
    const struct statements *s;
    const struct flow *flow;
    const struct region *region;
};

static bool is_stored(const struct carrier *c, size_t j, uint32_t d) {
    return c->flow->stored[j] >> d & 1;
}

/* Whether a statement from first up to end writes to this place, in some round; other than to exactly this one, if that is allowed. */
static bool is_written(const struct carrier *c, struct early_place place, size_t first, size_t end, bool exact_counts) {
    for (size_t j = first; j < end; j++)
        for (uint32_t d = 0; d < statement_destinations(&c->s->list[j]); d++) {
            if (!is_stored(c, j, d))
                continue;
            struct early_place to = early_place(c->s, c->region, j, d);
            bool exact = to.slot == place.slot && to.stride == place.stride;
            if (exact ? exact_counts : early_may_meet(place, to, c->region->repeats))
                return true;
        }
    return false;
}

/* The last statement of a round that writes to exactly this place; false: none does. */
static bool find_writer(const struct carrier *c, struct early_place place, struct early_load *load) {
    bool found = false;
    for (size_t j = c->region->first; j < c->region->first + c->region->period; j++)
        for (uint32_t d = 0; d < statement_destinations(&c->s->list[j]); d++) {
            struct early_place to = early_place(c->s, c->region, j, d);
            if (!is_stored(c, j, d) || to.slot != place.slot || to.stride != place.stride)
                continue;
            load->from_load = 0;
            load->from_statement = j;
            load->from_destination = d;
            found = true;
        }
    return found;
}

/* A read of exactly this place; false: there is none. */
static bool find_reader(const struct carrier *c, struct early_place place, struct early_load *load) {
    for (size_t n = 0; n < c->early->count; n++)
        if (c->early->list[n].slot == place.slot && c->early->list[n].stride == place.stride) {
            load->from_load = (uint32_t)n + 1;
            return true;
        }
    return false;
}

static enum early_kind kind_of(const struct carrier *c, struct early_load *load) {
    size_t first = c->region->first, end = first + c->region->period;
    struct early_place here = {load->slot, load->stride};
    int64_t next_slot = (int64_t)load->slot + load->stride;
    struct early_place next = {(uint32_t)next_slot, load->stride};
    bool written = is_written(c, next, first, end, true);
    if (next_slot < 0 || is_written(c, here, first, load->statement, true))
        return EARLY_HERE;
    if (load->stride == 0 && !written)
        return EARLY_ONCE;
    if (!is_written(c, next, first, end, false) && find_writer(c, next, load))
        return EARLY_CARRIED;
    if (written)
        return EARLY_HERE;
    return find_reader(c, next, load) ? EARLY_CARRIED : EARLY_AHEAD;
}

/* A value that another read takes over at the end of the round is needed until then. */
static void keep_to_the_end(struct early *early, const struct region *region) {
    for (size_t n = 0; n < early->count; n++)
        if (early->list[n].kind == EARLY_CARRIED && early->list[n].from_load)
            early->list[early->list[n].from_load - 1].last = region->first + region->period;
}

void early_carry(struct early *early, const struct statements *s, const struct flow *flow,
                 const struct region *region) {
    const struct carrier c = {early, s, flow, region};
    size_t held = 0;
    for (size_t n = 0; n < early->count; n++) {
        early->list[n].kind = kind_of(&c, &early->list[n]);
        held += early->list[n].kind == EARLY_CARRIED || early->list[n].kind == EARLY_ONCE;
    }
    for (size_t n = 0; n < early->count; n++)
        if (early->list[n].kind == EARLY_AHEAD) {
            held++;
            if (held > CARRY_REGISTERS)
                early->list[n].kind = EARLY_HERE;
        }
    keep_to_the_end(early, region);
}
