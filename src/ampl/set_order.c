/* set_order.c - sets ordered by another set: by numbers (Reals, Integers, an interval), or by the order of a listed
 * set.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdlib.h>

struct ranked {
    double rank;
    size_t number; /* of the member, to break ties, which do not occur */
};

static int set_order_compare(const void *a, const void *b) {
    const struct ranked *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

/* The rank of a member among numbers (order NULL) or in a set. */
static bool rank_of(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const struct ampl_set *order,
                    const ampl_atom *member, double *rank) {
    size_t number = 0;
    bool in = order && ampl_set_count(order) > 0 && ampl_set_find(order, member, &number);
    if (!order && !ampl_contains(e, declaration->order, member, &in))
        return false;
    *rank = order ? (double)number : in ? ampl_atom_to_number(*member) : 0;
    if (in)
        return true;
    return ampl_fail(e, HN_INVALID, declaration->order->place, "the member %s of %s is not in the set that orders it",
                     ampl_label(e, "", declaration->dimension, member), ampl_symbol_text(e, declaration->name));
}

static bool rank_all(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const struct ampl_set *order,
                     const struct ampl_set *set, struct ranked *list) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    for (size_t i = 0; i < ampl_set_count(set); i++) {
        ampl_set_member(set, i, member);
        if (!ampl_step(e, 1, declaration->place) || !rank_of(e, declaration, order, member, &list[i].rank))
            return false;
        list[i].rank = declaration->reversed ? -list[i].rank : list[i].rank;
        list[i].number = i;
    }
    return true;
}

/* Stores the same members in the order of the list. */
static bool rewrite(struct ampl_evaluator *e, struct ampl_set *set, const struct ranked *list,
                    struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    struct ampl_set *sorted = ampl_temporary(e, ampl_set_dimension(set));
    for (size_t i = 0; sorted && i < ampl_set_count(set); i++) {
        ampl_set_member(set, list[i].number, member);
        if (!ampl_collect(e, sorted, member, place))
            return false;
    }
    if (!sorted)
        return false;
    return ampl_set_copy(set, sorted) ? ampl_hold_set(e, set, place) : ampl_fail_memory(e);
}

static bool arrange(struct ampl_evaluator *e, struct ampl_declaration *declaration, struct ampl_set *set) {
    bool by_number = declaration->order->op == AMPL_INTERVAL;
    const struct ampl_set *order = by_number ? NULL : ampl_evaluate_set(e, declaration->order);
    size_t count = ampl_set_count(set);
    if (!by_number && !order)
        return false;
    uint32_t dimension = by_number ? 1 : ampl_set_dimension(order);
    if (count > 0 && dimension != ampl_set_dimension(set))
        return ampl_fail(
            e, HN_INVALID, declaration->order->place, "%s has dimension %u and is ordered by a set of dimension %u",
            ampl_symbol_text(e, declaration->name), (unsigned)ampl_set_dimension(set), (unsigned)dimension);
    if (count > e->max_nodes)
        return ampl_fail(e, HN_LIMIT, declaration->place, "%s: a set of more than %zu members; raise max_nodes",
                         ampl_symbol_text(e, declaration->name), e->max_nodes);
    struct ranked *list = base_allocate(size_product(count + 1, sizeof *list));
    if (!list)
        return ampl_fail_memory(e);
    bool good = rank_all(e, declaration, order, set, list);
    if (good && count > 0) {
        qsort(list, count, sizeof *list, set_order_compare);
        good = rewrite(e, set, list, declaration->place);
    }
    base_release(list);
    return good;
}

bool ampl_arrange(struct ampl_evaluator *e, struct ampl_declaration *declaration, struct ampl_set *set) {
    size_t mark = e->temporary_count;
    if (!declaration->order || set->arranged)
        return true;
    if (declaration->arranging)
        return ampl_fail(e, HN_INVALID, declaration->order->place, "%s is ordered by itself",
                         ampl_symbol_text(e, declaration->name));
    declaration->arranging = true;
    bool good = arrange(e, declaration, set);
    declaration->arranging = false;
    e->temporary_count = mark;
    set->arranged = good;
    return good;
}
