/* evaluator.c - see evaluator.h: errors, limits, frames, temporaries, labels, and loops over an index {i in S, (i,j) in
 * T: condition}.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdarg.h>

void ampl_evaluator_release(struct ampl_evaluator *e) {
    for (size_t i = 0; i < e->temporary_made; i++)
        ampl_set_destroy(e->temporaries[i]);
    base_release(e->temporaries);
    base_release(e->stack);
    base_release(e->terms);
    base_release(e->factors);
    base_release(e->waiting);
    base_release(e->added);
    ampl_label_release(&e->label);
}

/* ---- errors and limits ---- */

__attribute__((format(printf, 4, 0))) static void fail(struct ampl_evaluator *e, hn_status status,
                                                       struct ampl_place place, const char *format, va_list arguments) {
    char text[400];
    if (e->failed)
        return;
    e->failed = true;
    error_format(text, sizeof text, format, arguments);
    ampl_error(e->sources, status, &place, "%s", text);
}

void *ampl_fail(struct ampl_evaluator *e, hn_status status, struct ampl_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(e, status, place, format, arguments);
    va_end(arguments);
    return NULL;
}

struct ampl_value ampl_no_value(struct ampl_evaluator *e, hn_status status, struct ampl_place place, const char *format,
                                ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(e, status, place, format, arguments);
    va_end(arguments);
    return ampl_value_nothing();
}

void *ampl_fail_memory(struct ampl_evaluator *e) {
    e->failed = true;
    ampl_no_memory(e->sources);
    return NULL;
}

bool ampl_step(struct ampl_evaluator *e, size_t count, struct ampl_place place) {
    if (count <= e->max_steps - e->steps) {
        e->steps += count;
        return true;
    }
    return ampl_fail(e, HN_LIMIT, place, "%s: expansion needs more than %zu steps; raise max_nodes (%zu)",
                     ampl_symbol_text(e, e->about), e->max_steps, e->max_nodes);
}

bool ampl_hold(struct ampl_evaluator *e, size_t bytes, struct ampl_place place) {
    if (bytes <= e->max_held - e->held) {
        e->held += bytes;
        return true;
    }
    return ampl_fail(e, HN_LIMIT, place, "%s: sets, tables and names need more than %zu bytes; raise max_nodes (%zu)",
                     ampl_symbol_text(e, e->about), e->max_held, e->max_nodes);
}

/* Updates the memory count of an object that was counted before. */
static bool hold_again(struct ampl_evaluator *e, size_t now, size_t *counted, struct ampl_place place) {
    size_t before = *counted;
    *counted = now;
    e->held -= before < e->held ? before : e->held;
    return ampl_hold(e, now, place);
}

bool ampl_hold_set(struct ampl_evaluator *e, struct ampl_set *set, struct ampl_place place) {
    return hold_again(e, ampl_set_bytes(set), &set->counted, place);
}

bool ampl_keep(struct ampl_evaluator *e, struct ampl_table *table, uint32_t arity, const ampl_atom *key,
               struct ampl_value value, struct ampl_place place) {
    if (!ampl_table_set(table, arity, key, value))
        return ampl_fail_memory(e);
    return hold_again(e, ampl_table_bytes(table), &table->counted, place);
}

/* ---- frames ---- */

struct ampl_frame ampl_frame_enter(struct ampl_evaluator *e, uint32_t slots) {
    struct ampl_frame outer = {e->base, e->top};
    if (!array_room(&e->stack, &e->stack_capacity, size_sum(e->top, (size_t)slots + 1), sizeof *e->stack)) {
        ampl_fail_memory(e);
        return outer;
    }
    e->base = e->top;
    e->top += slots;
    memset(e->stack + e->base, 0, slots * sizeof *e->stack);
    return outer;
}

void ampl_frame_leave(struct ampl_evaluator *e, struct ampl_frame outer) {
    e->base = outer.base;
    e->top = outer.top;
}

/* ---- temporaries ---- */

struct ampl_set *ampl_temporary(struct ampl_evaluator *e, uint32_t dimension) {
    if (e->temporary_count == e->temporary_made) {
        if (!array_room(&e->temporaries, &e->temporary_capacity, e->temporary_made + 1, sizeof *e->temporaries) ||
            !(e->temporaries[e->temporary_made] = ampl_set_create(dimension)))
            return ampl_fail_memory(e);
        e->temporary_made++;
    }
    struct ampl_set *set = e->temporaries[e->temporary_count++];
    ampl_set_clear(set, dimension);
    return set;
}

bool ampl_collect(struct ampl_evaluator *e, struct ampl_set *set, const ampl_atom *member, struct ampl_place place) {
    if (!ampl_step(e, set->tuples.arity, place))
        return false;
    if (set->tuples.count >= e->max_nodes)
        return ampl_fail(e, HN_LIMIT, place, "%s: a set of more than %zu members; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    size_t before = ampl_tuples_bytes(&set->tuples);
    if (!ampl_set_add(set, member))
        return ampl_fail_memory(e);
    return before == ampl_tuples_bytes(&set->tuples) || ampl_hold_set(e, set, place);
}

/* ---- labels ---- */

struct ampl_value ampl_new_text(struct ampl_evaluator *e, const char *text, size_t length, struct ampl_place place) {
    size_t before = e->symbols->count, own = sizeof(struct ampl_symbol) + 2 * sizeof(struct name_entry);
    uint32_t symbol;
    if (!ampl_symbols_intern(e->symbols, text, length, &symbol))
        ampl_fail_memory(e);
    else if (e->symbols->count == before || ampl_hold(e, length + own, place))
        return ampl_value_symbol(symbol);
    return ampl_value_nothing();
}

const char *ampl_symbol_text(const struct ampl_evaluator *e, uint32_t symbol) {
    return ampl_symbols_text(e->symbols, symbol);
}

const char *ampl_label(struct ampl_evaluator *e, const char *name, uint32_t count, const ampl_atom *atoms) {
    const char *label = e->failed ? name : ampl_label_write(&e->label, e->symbols, name, count, atoms);
    if (!label)
        ampl_fail_memory(e);
    return label ? label : name;
}

const char *ampl_label_of(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key) {
    return ampl_label(e, ampl_symbol_text(e, declaration->name), declaration->arity, key);
}

/* ---- loops ---- */

struct walk {
    const struct ampl_indexing *indexing;
    ampl_visit visit;
    void *context;
};

static bool walk_items(struct ampl_evaluator *e, const struct walk *walk, const struct ampl_index_item *item);

/* Binds the free components of an item to those of a member, then continues with the next item. */
static bool walk_member(struct ampl_evaluator *e, const struct walk *walk, const struct ampl_index_item *item,
                        const ampl_atom *member) {
    if (!ampl_step(e, 1, walk->indexing->place))
        return false;
    for (uint32_t i = 0; i < item->count; i++)
        if (!item->components[i].fixed)
            e->stack[e->base + item->components[i].slot] = member[i];
    return walk_items(e, walk, item->next);
}

/* The values of the fixed components and their mask. */
static bool fixed_components(struct ampl_evaluator *e, const struct ampl_index_item *item, ampl_atom *member,
                             uint32_t *mask) {
    *mask = 0;
    for (uint32_t i = 0; i < item->count; i++)
        if (item->components[i].fixed) {
            if (!ampl_atom_of(e, item->components[i].fixed, "an index", &member[i]))
                return false;
            *mask |= 1u << i;
        }
    return true;
}

static bool walk_slice(struct ampl_evaluator *e, const struct walk *walk, const struct ampl_index_item *item,
                       struct ampl_set *set, ampl_atom *member, uint32_t mask) {
    size_t number;
    uint32_t next;
    if (set->progression || mask == (uint32_t)((UINT64_C(1) << item->count) - 1))
        return !ampl_set_find(set, member, &number) || walk_member(e, walk, item, member);
    if (!ampl_set_slice(set, mask, member, &next))
        return ampl_fail_memory(e);
    if (!ampl_hold_set(e, set, walk->indexing->place))
        return false;
    for (; next != AMPL_NO_MEMBER; next = ampl_set_slice_next(set, mask, next)) {
        ampl_set_member(set, next, member);
        if (!walk_member(e, walk, item, member))
            return false;
    }
    return true;
}

static bool walk_set(struct ampl_evaluator *e, const struct walk *walk, const struct ampl_index_item *item,
                     struct ampl_set *set) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    uint32_t mask;
    size_t count = ampl_set_count(set);
    if (count > 0 && ampl_set_dimension(set) != item->count)
        return ampl_fail(e, HN_INVALID, item->set->place, "members have %u components, expected %u",
                         (unsigned)ampl_set_dimension(set), (unsigned)item->count);
    if (!fixed_components(e, item, member, &mask))
        return false;
    if (count > 0 && mask != 0)
        return walk_slice(e, walk, item, set, member, mask);
    if (count > e->max_steps - e->steps) /* fail now, not after all those steps */
        return ampl_step(e, count, walk->indexing->place);
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(set, i, member);
        if (!walk_member(e, walk, item, member))
            return false;
    }
    return true;
}

static bool walk_items(struct ampl_evaluator *e, const struct walk *walk, const struct ampl_index_item *item) {
    if (!item) {
        bool holds = true;
        if (walk->indexing->condition && !ampl_test(e, walk->indexing->condition, "the condition of an index", &holds))
            return false;
        return !holds || walk->visit(e, walk->context);
    }
    size_t mark = e->temporary_count;
    e->depth += AMPL_LOOP_DEPTH;
    struct ampl_set *set = ampl_evaluate_set(e, item->set);
    bool good = set && walk_set(e, walk, item, set);
    e->depth -= AMPL_LOOP_DEPTH;
    e->temporary_count = mark;
    return good;
}

bool ampl_loop(struct ampl_evaluator *e, const struct ampl_indexing *indexing, ampl_visit visit, void *context) {
    if (!indexing)
        return visit(e, context);
    struct walk walk = {indexing, visit, context};
    return walk_items(e, &walk, indexing->items);
}

const ampl_atom *ampl_loop_index(const struct ampl_evaluator *e, const struct ampl_indexing *indexing) {
    return e->stack + e->base + (indexing ? indexing->first_slot : 0);
}

struct entries {
    struct ampl_declaration *declaration;
    ampl_visit_entry visit;
    void *context;
};

static bool visit_entry(struct ampl_evaluator *e, void *context) {
    const struct entries *entries = context;
    struct ampl_declaration *declaration = entries->declaration;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    memcpy(key, ampl_loop_index(e, declaration->indexing), declaration->arity * sizeof *key);
    return entries->visit(e, declaration, key, entries->context);
}

bool ampl_loop_entries(struct ampl_evaluator *e, struct ampl_declaration *declaration, ampl_visit_entry visit,
                       void *context) {
    struct entries entries = {declaration, visit, context};
    uint32_t about = e->about;
    struct ampl_frame outer = ampl_frame_enter(e, declaration->slots);
    e->about = declaration->name;
    bool good = !e->failed && ampl_loop(e, declaration->indexing, visit_entry, &entries);
    e->about = about;
    ampl_frame_leave(e, outer);
    return good;
}
