/* load_schedule.c - see load_schedule.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/load_schedule.h"

#include "base/arena.h"
#include "base/memory.h"
#include "codegen/ir/lower.h"

#include <string.h>

enum { HOIST_MOST = 96 }; /* reads at a time: numbers of 8 bytes, of which a thread's registers hold about 120 */

struct finder {
    struct hoisted_loads *hoisted;
    const struct statements *s;
    const struct liveness *liveness;
    const struct region *region;
    size_t chunk;      /* the statement that the reads at hand come before */
    size_t chunk_load; /* the first of them */
    bool failed;
};

static uint32_t slot_of(const struct finder *f, size_t i, uint32_t k) {
    return f->s->operands[f->s->list[i].first + k];
}

/* Whether a statement since the reads at hand writes to where operand k of statement i is read. */
static bool is_written(const struct finder *f, size_t i, uint32_t k) {
    struct hoist_place place = hoist_place(f->s, f->region, i, k);
    for (size_t j = f->chunk; j < i; j++)
        for (uint32_t d = 0; d < statement_destinations(&f->s->list[j]); d++)
            if (f->liveness->stored[j] >> d & 1 &&
                hoist_may_meet(place, hoist_place(f->s, f->region, j, d), f->region->repeats))
                return true;
    return false;
}

static bool reads_slot(const struct finder *f, size_t i, uint32_t k) {
    return !operand_is_constant(slot_of(f, i, k)) && !f->liveness->source[f->s->list[i].first + k];
}

/* The read of this place among those at hand; a new one where there is none. */
static uint32_t number_of(struct finder *f, size_t i, uint32_t k) {
    struct hoisted_loads *hoisted = f->hoisted;
    struct hoist_place place = hoist_place(f->s, f->region, i, k);
    struct hoist_load own = {.statement = i, .last = i, .operand = k, .slot = place.slot, .stride = place.stride};
    for (size_t n = f->chunk_load; n < hoisted->count; n++)
        if (hoisted->list[n].slot == own.slot && hoisted->list[n].stride == own.stride) {
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

/* Whether anybody needs what the statement computes. */
static bool is_printed(const struct finder *f, size_t i) {
    return f->liveness->used[i] || f->liveness->stored[i] || function_is_act((enum function)f->s->list[i].function);
}

static void take_statement(struct finder *f, size_t i) {
    const struct statement *at = &f->s->list[i];
    for (uint32_t k = statement_destinations(at); k < at->count && is_printed(f, i); k++) {
        bool room = f->hoisted->count - f->chunk_load < (size_t)2 * HOIST_MOST;
        if (!reads_slot(f, i, k))
            continue;
        if (room && !is_written(f, i, k))
            f->hoisted->load[at->first + k - f->hoisted->first] = number_of(f, i, k);
        else
            f->hoisted->in_place = true;
    }
}

/* Reads up to here come before the statement that the chunk began with; the next chunk begins. */
static void end_chunk(struct finder *f, size_t next) {
    size_t *begins = f->hoisted->begins, first = f->region->first;
    begins[f->chunk - first] = f->chunk_load;
    for (size_t i = f->chunk + 1; i <= next; i++)
        begins[i - first] = f->hoisted->count;
    f->chunk = next;
    f->chunk_load = f->hoisted->count;
}

bool hoist_find(struct hoisted_loads *hoisted, const struct statements *s, const struct liveness *liveness,
                const struct region *region) {
    const struct statement *last = &s->list[region->first + region->period - 1];
    size_t end = region->first + region->period;
    *hoisted = (struct hoisted_loads){.first = s->list[region->first].first};
    size_t operands = last->first + last->count - hoisted->first;
    hoisted->load = base_allocate((operands + 1) * sizeof *hoisted->load);
    hoisted->begins = base_allocate((region->period + 1) * sizeof *hoisted->begins);
    hoisted->late = base_allocate(region->period + 1);
    if (!hoisted->load || !hoisted->begins || !hoisted->late)
        return false;
    memset(hoisted->load, 0, (operands + 1) * sizeof *hoisted->load);
    memset(hoisted->late, 0, region->period + 1);
    struct finder f = {hoisted, s, liveness, region, region->first, 0, false};
    for (size_t i = region->first; i < end && !f.failed; i++) {
        if (hoisted->count - f.chunk_load >= HOIST_MOST)
            end_chunk(&f, i);
        take_statement(&f, i);
    }
    end_chunk(&f, end);
    if (region->repeats > 1 && !f.failed)
        hoist_carry(hoisted, s, liveness, region);
    return !f.failed;
}

void hoist_release(struct hoisted_loads *hoisted) {
    base_release(hoisted->load);
    base_release(hoisted->begins);
    base_release(hoisted->list);
    base_release(hoisted->late);
}
