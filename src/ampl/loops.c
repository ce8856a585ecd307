/* loops.c - iterates over an index {i in S, (i,j) in T: condition}.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

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
    return indexing ? e->stack + e->base + indexing->first_slot : e->stack + e->base;
}
