/* load_carry.c - which reads of a loop need not wait for memory; see load_schedule.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/load_schedule.h"

enum { CARRY_REGISTERS = 104 }; /* numbers that go from round to round; the threads of a warp have room for about 120 */

struct carrier {
    struct hoisted_loads *hoisted;
    const struct statements *s;
    const struct liveness *liveness;
    const struct region *region;
};

static bool is_stored(const struct carrier *c, size_t j, uint32_t d) {
    return c->liveness->stored[j] >> d & 1;
}

/* Whether a statement from first up to end writes to this place, in some round; other than to exactly this one, if that is allowed. */
static bool is_written(const struct carrier *c, struct hoist_place place, size_t first, size_t end, bool exact_counts) {
    for (size_t j = first; j < end; j++)
        for (uint32_t d = 0; d < statement_destinations(&c->s->list[j]); d++) {
            if (!is_stored(c, j, d))
                continue;
            struct hoist_place to = hoist_place(c->s, c->region, j, d);
            bool exact = to.slot == place.slot && to.stride == place.stride;
            if (exact ? exact_counts : hoist_may_meet(place, to, c->region->repeats))
                return true;
        }
    return false;
}

/* The last statement of a round that writes to exactly this place; false: none does. */
static bool find_writer(const struct carrier *c, struct hoist_place place, struct hoist_load *load) {
    bool found = false;
    for (size_t j = c->region->first; j < c->region->first + c->region->period; j++)
        for (uint32_t d = 0; d < statement_destinations(&c->s->list[j]); d++) {
            struct hoist_place to = hoist_place(c->s, c->region, j, d);
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
static bool find_reader(const struct carrier *c, struct hoist_place place, struct hoist_load *load) {
    for (size_t n = 0; n < c->hoisted->count; n++)
        if (c->hoisted->list[n].slot == place.slot && c->hoisted->list[n].stride == place.stride) {
            load->from_load = (uint32_t)n + 1;
            return true;
        }
    return false;
}

static enum hoist_kind kind_of(const struct carrier *c, struct hoist_load *load) {
    size_t first = c->region->first, end = first + c->region->period;
    struct hoist_place here = {load->slot, load->stride};
    int64_t next_slot = (int64_t)load->slot + load->stride;
    struct hoist_place next = {(uint32_t)next_slot, load->stride};
    bool written = is_written(c, next, first, end, true);
    if (next_slot < 0 || is_written(c, here, first, load->statement, true))
        return HOIST_HERE;
    if (load->stride == 0 && !written)
        return HOIST_ONCE;
    if (!is_written(c, next, first, end, false) && find_writer(c, next, load))
        return HOIST_CARRIED;
    if (written)
        return HOIST_HERE;
    return find_reader(c, next, load) ? HOIST_CARRIED : HOIST_AHEAD;
}

/* A value that another read takes over at the end of the round is needed until then. */
static void keep_to_the_end(struct hoisted_loads *hoisted, const struct region *region) {
    for (size_t n = 0; n < hoisted->count; n++)
        if (hoisted->list[n].kind == HOIST_CARRIED && hoisted->list[n].from_load)
            hoisted->list[hoisted->list[n].from_load - 1].last = region->first + region->period;
}

void hoist_carry(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                 const struct region *region) {
    const struct carrier c = {hoisted, s, liveness, region};
    size_t held = 0;
    for (size_t n = 0; n < hoisted->count; n++) {
        hoisted->list[n].kind = kind_of(&c, &hoisted->list[n]);
        held += hoisted->list[n].kind == HOIST_CARRIED || hoisted->list[n].kind == HOIST_ONCE;
    }
    for (size_t n = 0; n < hoisted->count; n++)
        if (hoisted->list[n].kind == HOIST_AHEAD) {
            held++;
            if (held > CARRY_REGISTERS)
                hoisted->list[n].kind = HOIST_HERE;
        }
    keep_to_the_end(hoisted, region);
}
