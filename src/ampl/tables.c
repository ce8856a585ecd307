/* tables.c - see tables.h.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/tables.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>

enum { FIRST_SLOTS = 16, KEPT_SLOTS = 64 };

/* Tuples with consecutive numbers in the last component hash to adjacent slots, eight per cache line; this is the usual
 * order of data. */
static uint32_t hash_tuple(const ampl_atom *tuple, uint32_t arity) {
    enum { LINE = 8 };
    uint64_t hash = arity, within = 0;
    for (uint32_t i = 0; i + 1 < arity; i++)
        hash = ampl_hash_word(hash, tuple[i]);
    if (arity > 0) {
        ampl_atom last = tuple[arity - 1];
        double number = ampl_atom_is_symbol(last) ? -1 : ampl_atom_to_number(last);
        bool counts = number >= 0 && number < UINT32_MAX && number == (double)(uint32_t)number;
        within = counts ? (uint32_t)number % LINE : 0;
        hash = ampl_hash_word(hash, counts ? (uint32_t)number / LINE : last);
    }
    return ((uint32_t)(hash ^ (hash >> 32)) & ~(uint32_t)(LINE - 1)) | (uint32_t)within;
}

static bool is_tuple(const struct ampl_tuples *tuples, uint32_t number, const ampl_atom *tuple) {
    const ampl_atom *other = tuples->arity > 0 ? tuples->atoms + (size_t)number * tuples->arity : tuple;
    for (uint32_t i = 0; i < tuples->arity; i++)
        if (other[i] != tuple[i])
            return false;
    return true;
}

/* The slot of this tuple, or the free slot for its insertion. */
static struct ampl_slot *slot_of(const struct ampl_tuples *tuples, const ampl_atom *tuple, uint32_t hash) {
    size_t mask = tuples->slot_count - 1, place = hash & mask;
    for (;; place = (place + 1) & mask) {
        struct ampl_slot *slot = &tuples->slots[place];
        if (slot->number == 0 || (slot->hash == hash && is_tuple(tuples, slot->number - 1, tuple)))
            return slot;
    }
}

static bool resize_slots(struct ampl_tuples *tuples, size_t count) {
    size_t bytes = size_product(count, sizeof(struct ampl_slot)), mask = count - 1;
    struct ampl_slot *slots = base_allocate(bytes);
    if (!slots)
        return false;
    memset(slots, 0, bytes);
    for (size_t i = 0; i < tuples->slot_count; i++) {
        size_t place = tuples->slots[i].hash & mask;
        if (tuples->slots[i].number == 0)
            continue;
        while (slots[place].number != 0)
            place = (place + 1) & mask;
        slots[place] = tuples->slots[i];
    }
    base_release(tuples->slots);
    tuples->slots = slots;
    tuples->slot_count = count;
    return true;
}

bool ampl_tuples_find(const struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number) {
    uint32_t found = tuples->slots ? slot_of(tuples, tuple, hash_tuple(tuple, tuples->arity))->number : 0;
    *number = found > 0 ? found - 1 : 0;
    return found != 0;
}

static bool append(struct ampl_tuples *tuples, const ampl_atom *tuple) {
    size_t used = size_product(tuples->count, tuples->arity), needed = size_sum(used, tuples->arity);
    if (tuples->arity > 0) {
        if (!array_room(&tuples->atoms, &tuples->capacity, needed, sizeof *tuple))
            return false;
        memcpy(tuples->atoms + used, tuple, tuples->arity * sizeof *tuple);
    }
    tuples->count++;
    return true;
}

bool ampl_tuples_add(struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number, bool *fresh) {
    if (tuples->count >= UINT32_MAX - 1)
        return false;
    size_t slots = tuples->slot_count > 0 ? tuples->slot_count : FIRST_SLOTS / 2;
    if (2 * (tuples->count + 1) > tuples->slot_count && !resize_slots(tuples, 2 * slots))
        return false;
    uint32_t hash = hash_tuple(tuple, tuples->arity);
    struct ampl_slot *slot = slot_of(tuples, tuple, hash);
    bool is_new = slot->number == 0;
    if (is_new) {
        if (!append(tuples, tuple))
            return false;
        *slot = (struct ampl_slot){(uint32_t)tuples->count, hash};
    }
    *number = slot->number - 1;
    if (fresh)
        *fresh = is_new;
    return true;
}

size_t ampl_tuples_bytes(const struct ampl_tuples *tuples) {
    return tuples->capacity * sizeof *tuples->atoms + tuples->slot_count * sizeof *tuples->slots;
}

void ampl_tuples_clear(struct ampl_tuples *tuples, uint32_t arity) {
    if (tuples->slot_count > KEPT_SLOTS &&
        tuples->slot_count / 8 > tuples->count) { /* clearing is more expensive than growing */
        base_release(tuples->slots);
        tuples->slots = NULL;
        tuples->slot_count = 0;
    } else if (tuples->slots && tuples->count > 0) {
        memset(tuples->slots, 0, tuples->slot_count * sizeof *tuples->slots);
    }
    tuples->count = 0;
    tuples->arity = arity;
}

void ampl_tuples_release(struct ampl_tuples *tuples) {
    base_release(tuples->atoms);
    base_release(tuples->slots);
    *tuples = (struct ampl_tuples){.arity = tuples->arity};
}

/* ---- tables ---- */

struct ampl_value *ampl_table_find(const struct ampl_table *table, const ampl_atom *key) {
    size_t number;
    return ampl_tuples_find(&table->keys, key, &number) ? &table->values[number] : NULL;
}

struct ampl_value *ampl_table_find_next(struct ampl_table *table, const ampl_atom *key) {
    size_t number = table->next;
    if (!(number < table->keys.count && is_tuple(&table->keys, (uint32_t)number, key)) &&
        !ampl_tuples_find(&table->keys, key, &number))
        return NULL;
    table->next = number + 1;
    return &table->values[number];
}

void ampl_table_key(const struct ampl_table *table, size_t i, ampl_atom *key) {
    uint32_t arity = table->keys.arity;
    if (arity > 0)
        memcpy(key, table->keys.atoms + i * arity, arity * sizeof *key);
}

/* The pointer to a key's value, which is inserted if missing; NULL: out of memory. */
static struct ampl_value *value_place(struct ampl_table *table, uint32_t arity, const ampl_atom *key, bool *fresh) {
    size_t number;
    table->keys.arity = arity;
    return array_room(&table->values, &table->capacity, table->keys.count + 1, sizeof *table->values) &&
                   ampl_tuples_add(&table->keys, key, &number, fresh)
               ? &table->values[number]
               : NULL;
}

bool ampl_table_set(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value) {
    bool fresh;
    struct ampl_value *place = value_place(table, arity, key, &fresh);
    if (!place)
        return false;
    if (!fresh && place->kind == AMPL_SET_VALUE && place->is.set != value.is.set)
        ampl_set_destroy(place->is.set);
    *place = value;
    return true;
}

struct ampl_set *ampl_table_new_set(struct ampl_table *table, uint32_t arity, const ampl_atom *key,
                                    uint32_t dimension) {
    struct ampl_value value = {.kind = AMPL_SET_VALUE, .is = {.set = ampl_set_create(dimension)}};
    if (value.is.set && ampl_table_set(table, arity, key, value))
        return value.is.set;
    ampl_set_destroy(value.is.set);
    return NULL;
}

bool ampl_table_add(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value,
                    bool *fresh) {
    struct ampl_value *place = value_place(table, arity, key, fresh);
    if (place && *fresh)
        *place = value;
    return place != NULL;
}

size_t ampl_table_bytes(const struct ampl_table *table) {
    return ampl_tuples_bytes(&table->keys) + table->capacity * sizeof *table->values;
}

static void release_sets(struct ampl_table *table) {
    for (size_t i = 0; i < table->keys.count; i++)
        if (table->values[i].kind == AMPL_SET_VALUE)
            ampl_set_destroy(table->values[i].is.set);
}

void ampl_table_clear(struct ampl_table *table) {
    release_sets(table);
    ampl_tuples_clear(&table->keys, table->keys.arity);
}

void ampl_table_release(struct ampl_table *table) {
    release_sets(table);
    ampl_tuples_release(&table->keys);
    base_release(table->values);
    *table = (struct ampl_table){.counted = table->counted};
}

/* ---- sets ---- */

/* The slices of a set for one mask: a hash table from the given components to the first matching member, and a link from
 * each member to the next one with the same components. */
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

/* The nearest number of the progression is a member only if its bits are equal. */
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
    ampl_atom key[AMPL_MOST_COMPONENTS] = {0};
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
