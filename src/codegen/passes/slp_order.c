/* slp_order.c - schedules pairs: each at the position of its later statement, after its dependencies.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_finder.h"

struct schedule {
    uint32_t *missing; /* per statement: number of unscheduled dependencies; UINT32_MAX: it is scheduled */
    uint32_t *writer;  /* per slot: 1 + the statement that stores it */
};

/* A store to a slot waits for the other readers of the slot: adds `by` to the dependencies of the writers of the slots
 * read by statement i. */
static void add_waiting(const struct slp_finder *f, struct schedule *t, size_t i, uint32_t by) {
    for (uint32_t k = statement_destinations(slp_at(f, i)); k < slp_at(f, i)->count; k++) {
        uint32_t slot = slp_operand(f, i, k);
        if (!slp_source(f, i, k) && !operand_is_constant(slot) && t->writer[slot] && t->writer[slot] - 1 != i)
            t->missing[t->writer[slot] - 1] += by;
    }
}

static void count_missing(const struct slp_finder *f, struct schedule *t) {
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t d = 0; d < statement_destinations(slp_at(f, i)); d++)
            if (f->liveness->stored[f->first + i] >> d & 1)
                t->writer[slp_operand(f, i, d)] = i + 1;
    for (size_t i = 0; i < f->count; i++) {
        if (!slp_live(f, i))
            continue;
        for (uint32_t k = statement_destinations(slp_at(f, i)); k < slp_at(f, i)->count; k++)
            t->missing[i] += slp_source(f, i, k) ? 1 : 0;
        add_waiting(f, t, i, 1);
    }
}

static void finish(const struct slp_finder *f, struct schedule *t, uint32_t i) {
    for (uint32_t u = f->use_first[i]; u < f->use_first[i + 1]; u++)
        t->missing[f->use[u].statement]--;
    add_waiting(f, t, i, UINT32_MAX); /* -1 */
    t->missing[i] = UINT32_MAX;
}

/* The ready pair or statement whose later member is first. If none is ready, there is a cycle of pairs: one is
 * dissolved. */
static uint32_t next_of(struct slp_finder *f, const struct schedule *t, size_t from) {
    uint32_t best = (uint32_t)f->count, least = UINT32_MAX;
    for (uint32_t i = (uint32_t)from; i < f->count && i < least; i++) {
        uint32_t mate = f->mate[i], later = mate > i ? mate : i;
        if (slp_live(f, i) && t->missing[i] == 0 && t->missing[mate] == 0 && later < least) {
            best = i;
            least = later;
        }
    }
    for (uint32_t i = (uint32_t)from; i < f->count && best == f->count; i++)
        if (slp_live(f, i) && t->missing[i] == 0) {
            slp_give_up(f, i);
            best = i;
        }
    return best;
}

static size_t most_slots(const struct slp_finder *f) {
    size_t most = 0;
    for (size_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < slp_at(f, i)->count; k++) {
            uint32_t operand = slp_operand(f, i, k);
            most = !operand_is_constant(operand) && operand > most ? operand : most;
        }
    return most + 1;
}

bool slp_order(struct slp_finder *f, struct slp_pairs *pairs) {
    struct buffers buffers = {.count = 0};
    struct schedule t = {.missing = buffers_take(&buffers, f->count, sizeof *t.missing),
                         .writer = buffers_take(&buffers, most_slots(f), sizeof *t.writer)};
    size_t from = 0;
    if (!buffers.failed)
        count_missing(f, &t);
    pairs->ordered = 0;
    while (!buffers.failed) {
        while (from < f->count && (!slp_live(f, from) || t.missing[from] == UINT32_MAX))
            from++;
        uint32_t i = next_of(f, &t, from);
        if (i == f->count)
            break;
        uint32_t mate = f->mate[i];
        pairs->order[pairs->ordered++] = f->high[i] ? mate : i;
        finish(f, &t, i);
        if (mate != i)
            finish(f, &t, mate);
    }
    buffers_release(&buffers);
    return !buffers.failed;
}
