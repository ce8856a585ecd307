/* slot_renaming.c - temporaries of listed statements get slots that were free for long: a program uses a slot again as soon as it can, and
 * statements that share one have to follow each other. Part of bytecode_groups_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/bytecode_groups_plan.h"

#include "base/memory.h"

#include <string.h>

enum { FRESH = 4096 }; /* slots beside those that are needed at once */

/* Slots that are free, the longest first, and what the slots of the program are called now. */
struct renamer {
    const bool *kept;
    uint32_t *name;
    bool *needed, *last; /* per slot, while going back; per operand: nobody reads the value afterwards */
    uint32_t *free;      /* a ring */
    size_t head, count, room;
    uint32_t next; /* one that nobody has had */
};

static bool slot_renaming_is_temporary(const struct renamer *r, uint32_t operand) {
    return !operand_is_constant(operand) && !r->kept[operand];
}

/* From the last statement to the first: which reads are the last of their value. */
static void find_last(const struct renamer *r, const struct statements *s) {
    for (size_t i = s->count; i-- > 0;) {
        const struct statement *at = &s->list[i];
        for (uint32_t k = 0; k < statement_destinations(at); k++) {
            uint32_t slot = s->operands[at->first + k];
            r->last[at->first + k] = slot_renaming_is_temporary(r, slot) && !r->needed[slot];
            if (slot_renaming_is_temporary(r, slot))
                r->needed[slot] = false;
        }
        for (uint32_t k = statement_destinations(at); k < at->count; k++) {
            uint32_t slot = s->operands[at->first + k];
            r->last[at->first + k] = slot_renaming_is_temporary(r, slot) && !r->needed[slot];
            if (slot_renaming_is_temporary(r, slot))
                r->needed[slot] = true;
        }
    }
}

static void slot_renaming_give(struct renamer *r, uint32_t slot) {
    r->free[(r->head + r->count++) % r->room] = slot;
}

static uint32_t slot_renaming_take(struct renamer *r) {
    if (r->count <= FRESH / 2)
        return r->next++;
    uint32_t slot = r->free[r->head];
    r->head = (r->head + 1) % r->room;
    r->count--;
    return slot;
}

/* Reads by the names of now; then what nobody reads again is free, and results get names of their own. */
static void rename_statement(struct renamer *r, struct statements *s, const struct statement *at) {
    uint32_t *operand = s->operands + at->first, freed[FUNCTION_MOST_ARGUMENTS], results = statement_destinations(at);
    size_t frees = 0;
    for (uint32_t k = results; k < at->count; k++)
        if (slot_renaming_is_temporary(r, operand[k])) {
            bool last = r->last[at->first + k];
            operand[k] = r->name[operand[k]];
            if (last && frees < FUNCTION_MOST_ARGUMENTS) /* of long sums not all */
                freed[frees++] = operand[k];
        }
    for (uint32_t k = 0; k < results; k++)
        if (slot_renaming_is_temporary(r, operand[k])) {
            uint32_t name = slot_renaming_take(r);
            r->name[operand[k]] = name;
            operand[k] = name;
            if (r->last[at->first + k] && frees < FUNCTION_MOST_ARGUMENTS)
                freed[frees++] = name;
        }
    for (size_t k = 0; k < frees; k++)
        slot_renaming_give(r, freed[k]);
}

bool bytecode_rename(struct statements *s, const bool *kept, size_t slots, uint32_t *next) {
    struct renamer r = {.kept = kept, .room = s->count * 2 + 1, .next = *next};
    r.name = base_allocate(slots * sizeof *r.name);
    r.needed = base_allocate(slots * sizeof *r.needed);
    r.last = base_allocate((s->operand_count + 1) * sizeof *r.last);
    r.free = base_allocate(r.room * sizeof *r.free);
    bool taken = r.name && r.needed && r.last && r.free;
    if (taken) {
        memset(r.needed, 0, slots * sizeof *r.needed);
        for (uint32_t i = 0; i < slots; i++)
            r.name[i] = i;
        find_last(&r, s);
        for (size_t i = 0; i < s->count; i++)
            rename_statement(&r, s, &s->list[i]);
        *next = r.next;
    }
    base_release(r.name);
    base_release(r.needed);
    base_release(r.last);
    base_release(r.free);
    return taken;
}
