/* load_schedule.c - see load_schedule.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/load_schedule.h"

#include "base/arena.h"
#include "base/memory.h"

#include <string.h>

enum {
    HOIST_MOST = 96,       /* loads at a time: doubles; the registers of a thread hold about 120 */
    CARRY_REGISTERS = 104, /* values carried from round to round */
    LAST_ROUNDS = 4        /* rounds at the end that may store values which earlier rounds do not */
};

struct finder {
    struct hoisted_loads *hoisted;
    const struct statements *s;
    const struct liveness *liveness;
    const struct region *region;
    size_t chunk;      /* the statement before which the current loads are issued */
    size_t chunk_load; /* their first load */
    bool failed;
};

/* ---- places ---- */

static struct hoist_place place_of(const struct finder *f, size_t i, uint32_t k) {
    uint32_t slot = f->s->operands[f->s->list[i].first + k];
    int64_t next = f->region->repeats > 1 ? f->s->operands[f->s->list[i + f->region->period].first + k] : slot;
    return (struct hoist_place){slot, next - (int64_t)slot};
}

static bool is_same(struct hoist_place a, struct hoist_place b) {
    return a.slot == b.slot && a.stride == b.stride;
}

/* Whether two places refer to the same slot in some round. */
static bool may_meet(struct hoist_place a, struct hoist_place b, size_t rounds) {
    int64_t apart = (int64_t)b.slot - (int64_t)a.slot, closing = a.stride - b.stride;
    if (closing == 0)
        return apart == 0;
    int64_t round = apart / closing;
    return apart % closing == 0 && round >= 0 && (uint64_t)round < rounds;
}

/* Whether a statement in [first, end) stores to this place in some round; optionally ignores stores to exactly this
 * place. */
static bool is_written(const struct finder *f, struct hoist_place place, size_t first, size_t end, bool exact_counts) {
    for (size_t j = first; j < end; j++)
        for (uint32_t d = 0; d < statement_destinations(&f->s->list[j]); d++) {
            struct hoist_place to = place_of(f, j, d);
            if (f->liveness->stored[j] >> d & 1 && (exact_counts || !is_same(to, place)) &&
                may_meet(place, to, f->region->repeats))
                return true;
        }
    return false;
}

/* ---- loads before their use ---- */

/* The load of this place among the current ones, or a new one. */
static uint32_t number_of(struct finder *f, size_t i, uint32_t k) {
    struct hoisted_loads *hoisted = f->hoisted;
    struct hoist_load own = {.statement = i, .last = i, .operand = k, .place = place_of(f, i, k)};
    for (size_t n = f->chunk_load; n < hoisted->count; n++)
        if (is_same(hoisted->list[n].place, own.place)) {
            hoisted->list[n].last = i;
            return (uint32_t)n + 1;
        }
    struct hoist_load *list = array_grow(hoisted->list, &hoisted->capacity, hoisted->count + 1, sizeof *list);
    f->failed = f->failed || !list;
    if (!list)
        return 0;
    hoisted->list = list;
    list[hoisted->count++] = own;
    return (uint32_t)hoisted->count;
}

static bool is_printed(const struct finder *f, size_t i) {
    return f->liveness->used[i] || f->liveness->stored[i] || function_is_act((enum function)f->s->list[i].function);
}

static void take_statement(struct finder *f, size_t i) {
    const struct statement *at = &f->s->list[i];
    for (uint32_t k = statement_destinations(at); k < at->count && is_printed(f, i); k++) {
        bool room = f->hoisted->count - f->chunk_load < (size_t)2 * HOIST_MOST;
        if (operand_is_constant(f->s->operands[at->first + k]) || f->liveness->source[at->first + k])
            continue;
        if (room && !is_written(f, place_of(f, i, k), f->chunk, i, true))
            f->hoisted->load[at->first + k - f->hoisted->first] = number_of(f, i, k);
        else
            f->hoisted->in_place = true;
    }
}

/* Issues the loads so far before the first statement of the chunk and starts the next chunk. */
static void end_chunk(struct finder *f, size_t next) {
    size_t *begins = f->hoisted->begins, first = f->region->first;
    begins[f->chunk - first] = f->chunk_load;
    for (size_t i = f->chunk + 1; i <= next; i++)
        begins[i - first] = f->hoisted->count;
    f->chunk = next;
    f->chunk_load = f->hoisted->count;
}

/* ---- loads of a loop: hoisted, carried or a round ahead ---- */

/* The last statement of a round that stores to exactly this place; false if none. */
static bool find_writer(const struct finder *f, struct hoist_place place, struct hoist_load *load) {
    bool found = false;
    for (size_t j = f->region->first; j < f->region->first + f->region->period; j++)
        for (uint32_t d = 0; d < statement_destinations(&f->s->list[j]); d++) {
            if (!(f->liveness->stored[j] >> d & 1) || !is_same(place_of(f, j, d), place))
                continue;
            load->from_load = 0;
            load->from_statement = j;
            load->from_destination = d;
            found = true;
        }
    return found;
}

/* A load of exactly this place; false if none. */
static bool find_reader(const struct finder *f, struct hoist_place place, struct hoist_load *load) {
    for (size_t n = 0; n < f->hoisted->count; n++)
        if (is_same(f->hoisted->list[n].place, place)) {
            load->from_load = (uint32_t)n + 1;
            return true;
        }
    return false;
}

static enum hoist_kind kind_of(const struct finder *f, struct hoist_load *load) {
    size_t first = f->region->first, end = first + f->region->period;
    int64_t next_slot = (int64_t)load->place.slot + load->place.stride;
    struct hoist_place next = {(uint32_t)next_slot, load->place.stride};
    bool written = is_written(f, next, first, end, true);
    if (next_slot < 0 || is_written(f, load->place, first, load->statement, true))
        return HOIST_HERE;
    if (load->place.stride == 0 && !written)
        return HOIST_ONCE;
    if (!is_written(f, next, first, end, false) && find_writer(f, next, load))
        return HOIST_CARRIED;
    if (written)
        return HOIST_HERE;
    return find_reader(f, next, load) ? HOIST_CARRIED : HOIST_AHEAD;
}

static void carry(const struct finder *f) {
    struct hoist_load *list = f->hoisted->list;
    size_t held = 0, count = f->hoisted->count;
    for (size_t n = 0; n < count; n++) {
        list[n].kind = kind_of(f, &list[n]);
        held += list[n].kind == HOIST_CARRIED || list[n].kind == HOIST_ONCE;
    }
    for (size_t n = 0; n < count; n++)
        if (list[n].kind == HOIST_AHEAD && ++held > CARRY_REGISTERS)
            list[n].kind = HOIST_HERE;
    for (size_t n = 0; n < count;
         n++) /* a value that another load carries to the next round is live until the end of the round */
        if (list[n].kind == HOIST_CARRIED && list[n].from_load)
            list[list[n].from_load - 1].last = f->region->first + f->region->period;
}

bool hoist_find(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                const struct region *region) {
    const struct statement *last = &s->list[region->first + region->period - 1];
    size_t end = region->first + region->period;
    *hoisted = (struct hoisted_loads){.first = s->list[region->first].first};
    hoisted->load = buffers_take(&hoisted->lists, last->first + last->count - hoisted->first, sizeof *hoisted->load);
    hoisted->begins = buffers_take(&hoisted->lists, region->period, sizeof *hoisted->begins);
    hoisted->late = buffers_take(&hoisted->lists, region->period, sizeof *hoisted->late);
    if (hoisted->lists.failed)
        return false;
    struct finder f = {hoisted, s, liveness, region, region->first, 0, false};
    for (size_t i = region->first; i < end && !f.failed; i++) {
        if (hoisted->count - f.chunk_load >= HOIST_MOST)
            end_chunk(&f, i);
        take_statement(&f, i);
    }
    end_chunk(&f, end);
    if (region->repeats > 1 && !f.failed)
        carry(&f);
    return !f.failed;
}

void hoist_release(struct hoisted_loads *hoisted) {
    buffers_release(&hoisted->lists);
    base_release(hoisted->list);
}

/* ---- dead stores ---- */

struct keeper {
    struct hoisted_loads *hoisted; /* per region */
    const struct statements *s;
    const struct regions *regions;
    struct liveness *liveness;
    uint32_t *last;   /* per slot: 1 + 2 (last writer) + destination, or 0 */
    uint32_t *region; /* per statement */
    uint32_t *needed; /* per statement of a first round and destination: the first round whose value is loaded again */
};

static const size_t AFTERWARDS = SIZE_MAX;

/* Marks that the last writer of the slot must store it, because statement `reader` (possibly of the same round) loads
 * it. */
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

/* Traces the arguments of statement i of a round. */
static void trace_statement(const struct keeper *k, uint32_t r, size_t i, size_t round) {
    const struct region *region = &k->regions->list[r];
    const struct hoisted_loads *hoisted = &k->hoisted[r];
    const struct statement *at = &k->s->list[i];
    uint32_t first = k->s->list[region->first + (i - region->first) % region->period].first;
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

/* Carried values are used, whether they are stored or not. */
static void use_carried(const struct keeper *k, const struct hoisted_loads *hoisted) {
    for (size_t n = 0; n < hoisted->count; n++) {
        const struct hoist_load *load = &hoisted->list[n];
        if (load->kind == HOIST_CARRIED && load->from_load == 0)
            k->liveness->used[load->from_statement] |= (uint8_t)(1U << load->from_destination);
    }
}

/* A region that loads slots at their use may read its own stores. */
static void drop_stores(const struct keeper *k, struct hoisted_loads *hoisted, const struct region *region) {
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
    struct buffers buffers = {.count = 0};
    k.last = buffers_take(&buffers, slots, sizeof *k.last);
    k.region = buffers_take(&buffers, s->count, sizeof *k.region);
    k.needed = buffers_take(&buffers, 2 * s->count, sizeof *k.needed);
    bool taken = !buffers.failed;
    if (taken) {
        memset(k.needed, 0xff, 2 * s->count * sizeof *k.needed);
        trace(&k, kept, slots);
    }
    for (size_t r = 0; r < regions->count && taken; r++) {
        use_carried(&k, &hoisted[r]);
        drop_stores(&k, &hoisted[r], &regions->list[r]);
    }
    buffers_release(&buffers);
    return taken;
}
