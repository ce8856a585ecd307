/* early.c - see early.h.
 *
 * SPDX-License-Identifier: MIT */
#include "generate/early.h"

#include "base/arena.h"
#include "base/memory.h"
#include "generate/walk.h"

#include <string.h>

enum { EARLY_MOST = 96 }; /* reads at a time: numbers of 8 bytes, of which a thread's registers hold about 120 */

struct finder {
    struct early *early;
    const struct statements *s;
    const struct flow *flow;
    const struct region *region;
    size_t chunk;      /* the statement that the reads at hand come before */
    size_t chunk_load; /* the first of them */
    bool failed;
};

static uint32_t slot_of(const struct finder *f, size_t i, uint32_t k) {
    return f->s->operands[f->s->list[i].first + k];
}

static int64_t stride_of(const struct finder *f, size_t i, uint32_t k) {
    if (f->region->repeats == 1)
        return 0;
    return (int64_t)slot_of(f, i + f->region->period, k) - slot_of(f, i, k);
}

/* Whether two places that move on from round to round are the same in some round. */
static bool may_meet(uint32_t slot, int64_t stride, uint32_t other, int64_t other_stride, size_t rounds) {
    int64_t apart = (int64_t)other - (int64_t)slot, closing = stride - other_stride;
    if (closing == 0)
        return apart == 0;
    int64_t round = apart / closing;
    return apart % closing == 0 && round >= 0 && (uint64_t)round < rounds;
}

/* Whether a statement since the reads at hand writes to where operand k of statement i is read. */
static bool is_written(const struct finder *f, size_t i, uint32_t k) {
    uint32_t slot = slot_of(f, i, k);
    int64_t stride = stride_of(f, i, k);
    for (size_t j = f->chunk; j < i; j++)
        for (uint32_t d = 0; d < statement_destinations(&f->s->list[j]); d++)
            if (f->flow->stored[j] >> d & 1 &&
                may_meet(slot, stride, slot_of(f, j, d), stride_of(f, j, d), f->region->repeats))
                return true;
    return false;
}

static bool reads_slot(const struct finder *f, size_t i, uint32_t k) {
    return !operand_is_constant(slot_of(f, i, k)) && !f->flow->source[f->s->list[i].first + k];
}

/* The read of this place among those at hand; a new one where there is none. */
static uint32_t number_of(struct finder *f, size_t i, uint32_t k) {
    struct early *early = f->early;
    struct early_load own = {i, k, slot_of(f, i, k), stride_of(f, i, k)};
    for (size_t n = f->chunk_load; n < early->count; n++)
        if (early->list[n].slot == own.slot && early->list[n].stride == own.stride)
            return (uint32_t)n + 1;
    struct early_load *list = array_grow(early->list, &early->capacity, early->count + 1, sizeof *list);
    f->failed = f->failed || !list;
    if (!list)
        return 0;
    early->list = list;
    list[early->count++] = own;
    return (uint32_t)early->count;
}

/* Whether anybody needs what the statement computes. */
static bool is_printed(const struct finder *f, size_t i) {
    return f->flow->used[i] || f->flow->stored[i] || function_is_act((enum function)f->s->list[i].function);
}

static void take_statement(struct finder *f, size_t i) {
    const struct statement *at = &f->s->list[i];
    for (uint32_t k = statement_destinations(at); k < at->count && is_printed(f, i); k++)
        if (f->early->count - f->chunk_load < 2 * EARLY_MOST && reads_slot(f, i, k) && !is_written(f, i, k))
            f->early->load[at->first + k - f->early->first] = number_of(f, i, k);
}

/* Reads up to here come before the statement that the chunk began with; the next chunk begins. */
static void end_chunk(struct finder *f, size_t next) {
    size_t *begins = f->early->begins, first = f->region->first;
    begins[f->chunk - first] = f->chunk_load;
    for (size_t i = f->chunk + 1; i <= next; i++)
        begins[i - first] = f->early->count;
    f->chunk = next;
    f->chunk_load = f->early->count;
}

bool early_find(struct early *early, const struct statements *s, const struct flow *flow, const struct region *region) {
    const struct statement *last = &s->list[region->first + region->period - 1];
    size_t end = region->first + region->period;
    *early = (struct early){.first = s->list[region->first].first};
    size_t operands = last->first + last->count - early->first;
    early->load = base_allocate((operands + 1) * sizeof *early->load);
    early->begins = base_allocate((region->period + 1) * sizeof *early->begins);
    if (!early->load || !early->begins)
        return false;
    memset(early->load, 0, (operands + 1) * sizeof *early->load);
    struct finder f = {early, s, flow, region, region->first, 0, false};
    for (size_t i = region->first; i < end && !f.failed; i++) {
        if (early->count - f.chunk_load >= EARLY_MOST)
            end_chunk(&f, i);
        take_statement(&f, i);
    }
    end_chunk(&f, end);
    return !f.failed;
}

void early_release(struct early *early) {
    base_release(early->load);
    base_release(early->begins);
    base_release(early->list);
}
