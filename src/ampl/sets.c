/* sets.c - see tables.h: sets.
 *
 * The slices of a set for one mask are a hash table from the given components to the first matching member, and a link
 * from each member to the next one with the same components.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/tables.h"

#include "base/memory.h"
#include "base/size.h"

#include <math.h>

struct ampl_slices {
    uint32_t mask;
    struct ampl_tuples keys;
    uint32_t *first, *last;    /* per key */
    uint32_t *next;            /* per member */
    struct ampl_slices *other; /* mask */
};

static void release_slices(struct ampl_set *set) {
    while (set->slices) {
        struct ampl_slices *slices = set->slices;
        set->slices = slices->other;
        ampl_tuples_release(&slices->keys);
        base_release(slices->first);
        base_release(slices->next);
        base_release(slices);
    }
}

struct ampl_set *ampl_set_create(uint32_t dimension) {
    struct ampl_set *set = base_allocate(sizeof *set);
    if (set)
        *set = (struct ampl_set){.tuples = {.arity = dimension}};
    return set;
}

void ampl_set_destroy(struct ampl_set *set) {
    if (!set)
        return;
    release_slices(set);
    ampl_tuples_release(&set->tuples);
    base_release(set);
}

void ampl_set_clear(struct ampl_set *set, uint32_t dimension) {
    release_slices(set);
    ampl_tuples_clear(&set->tuples, dimension);
    set->progression = set->circular = set->arranged = false;
}

void ampl_set_progression(struct ampl_set *set, double first, double step, size_t count) {
    ampl_set_clear(set, 1);
    set->progression = true;
    set->first = first;
    set->step = step;
    set->count = count;
}

size_t ampl_set_count(const struct ampl_set *set) {
    return set->progression ? set->count : set->tuples.count;
}

size_t ampl_set_bytes(const struct ampl_set *set) {
    size_t bytes = sizeof *set + ampl_tuples_bytes(&set->tuples);
    for (const struct ampl_slices *slices = set->slices; slices; slices = slices->other)
        bytes += sizeof *slices + ampl_tuples_bytes(&slices->keys) + 3 * set->tuples.count * sizeof *slices->next;
    return bytes;
}

uint32_t ampl_set_dimension(const struct ampl_set *set) {
    return set->progression ? 1 : set->tuples.arity;
}

void ampl_set_member(const struct ampl_set *set, size_t i, ampl_atom *member) {
    if (set->progression)
        *member = ampl_atom_number(set->first + (double)i * set->step);
    else
        memcpy(member, set->tuples.atoms + i * set->tuples.arity, set->tuples.arity * sizeof *member);
}

/* The nearest number of the progression is a member only if it is bitwise equal. */
static bool find_number(const struct ampl_set *set, ampl_atom member, size_t *number) {
    *number = 0;
    if (ampl_atom_is_symbol(member))
        return false;
    double place = round((ampl_atom_to_number(member) - set->first) / set->step);
    if (!(place >= 0 && place < (double)set->count))
        return false;
    *number = (size_t)place;
    return ampl_atom_number(set->first + place * set->step) == member;
}

bool ampl_set_find(const struct ampl_set *set, const ampl_atom *member, size_t *number) {
    if (set->progression)
        return find_number(set, *member, number);
    return set->tuples.count > 0 && ampl_tuples_find(&set->tuples, member, number);
}

bool ampl_set_add(struct ampl_set *set, const ampl_atom *member) {
    size_t number;
    return ampl_tuples_add(&set->tuples, member, &number, NULL);
}

bool ampl_set_copy(struct ampl_set *to, const struct ampl_set *from) {
    bool circular = to->circular;
    if (from->progression) {
        ampl_set_progression(to, from->first, from->step, from->count);
    } else {
        ampl_set_clear(to, from->tuples.arity);
        for (size_t i = 0; i < from->tuples.count; i++)
            if (!ampl_set_add(to, from->tuples.atoms + i * from->tuples.arity))
                return false;
    }
    to->circular = circular;
    return true;
}

/* ---- slices ---- */

static void pick(uint32_t mask, uint32_t dimension, const ampl_atom *member, ampl_atom *key) {
    for (uint32_t i = 0; i < dimension; i++)
        if (mask >> i & 1u)
            *key++ = member[i];
}

static uint32_t count_bits(uint32_t mask) {
    uint32_t bits = 0;
    for (; mask != 0; mask &= mask - 1)
        bits++;
    return bits;
}

static const struct ampl_slices *find_slices(const struct ampl_set *set, uint32_t mask) {
    const struct ampl_slices *slices = set->slices;
    while (slices && slices->mask != mask)
        slices = slices->other;
    return slices;
}

static bool link_members(struct ampl_set *set, struct ampl_slices *slices) {
    for (size_t i = 0; i < set->tuples.count; i++) {
        ampl_atom key[AMPL_MOST_COMPONENTS];
        size_t number;
        bool fresh;
        pick(slices->mask, set->tuples.arity, set->tuples.atoms + i * set->tuples.arity, key);
        if (!ampl_tuples_add(&slices->keys, key, &number, &fresh))
            return false;
        if (fresh)
            slices->first[number] = (uint32_t)i;
        else
            slices->next[slices->last[number]] = (uint32_t)i;
        slices->last[number] = (uint32_t)i;
        slices->next[i] = AMPL_NO_MEMBER;
    }
    return true;
}

static struct ampl_slices *make_slices(struct ampl_set *set, uint32_t mask) {
    size_t count = set->tuples.count > 0 ? set->tuples.count : 1, one = size_product(count, sizeof(uint32_t));
    struct ampl_slices *slices = base_allocate(sizeof *slices);
    if (!slices)
        return NULL;
    *slices = (struct ampl_slices){.mask = mask, .keys = {.arity = count_bits(mask)}, .other = set->slices};
    set->slices = slices;
    slices->first = base_allocate(size_product(one, 2));
    slices->next = base_allocate(one);
    slices->last = slices->first ? slices->first + count : NULL;
    if (slices->first && slices->next && link_members(set, slices))
        return slices;
    release_slices(set);
    return NULL;
}

bool ampl_set_slice(struct ampl_set *set, uint32_t mask, const ampl_atom *like, uint32_t *member) {
    ampl_atom key[AMPL_MOST_COMPONENTS];
    size_t number;
    const struct ampl_slices *slices = find_slices(set, mask);
    if (!slices)
        slices = make_slices(set, mask);
    if (!slices)
        return false;
    pick(mask, set->tuples.arity, like, key);
    *member = ampl_tuples_find(&slices->keys, key, &number) ? slices->first[number] : AMPL_NO_MEMBER;
    return true;
}

uint32_t ampl_set_slice_next(const struct ampl_set *set, uint32_t mask, uint32_t member) {
    return find_slices(set, mask)->next[member];
}
