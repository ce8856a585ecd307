/* contains.c - membership of a tuple in a set, without listing products, unions and conditions.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include <math.h>

/* Lists the set, or looks it up. */
static bool listed(struct ampl_evaluator *e, const struct ampl_node *node, const ampl_atom *member, bool *in) {
    size_t mark = e->temporary_count, number;
    const struct ampl_set *set = ampl_evaluate_set(e, node);
    *in = set && ampl_set_count(set) > 0 && ampl_set_find(set, member, &number);
    e->temporary_count = mark;
    return set != NULL;
}

static bool in_product(struct ampl_evaluator *e, const struct ampl_node *node, const ampl_atom *member, bool *in) {
    *in = true;
    for (uint32_t i = 0; *in && i < node->count; i++) {
        if (!ampl_contains(e, node->arguments[i], member, in))
            return false;
        member += node->arguments[i]->dimension;
    }
    return true;
}

static bool in_chain(struct ampl_evaluator *e, const struct ampl_node *node, const ampl_atom *member, bool *in) {
    if (!ampl_contains(e, node->arguments[0], member, in))
        return false;
    for (uint32_t i = 1; i < node->count; i++) {
        bool other;
        if (!ampl_contains(e, node->arguments[i], member, &other))
            return false;
        switch (node->is.signs[i]) {
        case AMPL_TOKEN_COUNT + AMPL_WORD_union:
            *in |= other;
            break;
        case AMPL_TOKEN_COUNT + AMPL_WORD_diff:
            *in &= !other;
            break;
        case AMPL_TOKEN_COUNT + AMPL_WORD_symdiff:
            *in ^= other;
            break;
        default: /* inter */
            *in &= other;
        }
    }
    return true;
}

/* Interval, Reals, Integers. */
static bool in_interval(struct ampl_evaluator *e, const struct ampl_node *node, const ampl_atom *member, bool *in) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    if (node->count > 0 && (!ampl_number(e, node->arguments[0], "an interval", &low) ||
                            !ampl_number(e, node->arguments[1], "an interval", &high)))
        return false;
    if (ampl_atom_is_symbol(*member))
        return true;
    double number = ampl_atom_to_number(*member);
    uint32_t bits = node->is.slot;
    *in = (bits & AMPL_ABOVE_LOW ? number > low : number >= low) &&
          (bits & AMPL_BELOW_HIGH ? number < high : number <= high) && !(bits & AMPL_WHOLE && number != floor(number));
    return true;
}

bool ampl_contains(struct ampl_evaluator *e, const struct ampl_node *set, const ampl_atom *member, bool *in) {
    *in = false;
    if (e->failed)
        return false;
    switch (set->op) {
    case AMPL_INTERVAL:
        return in_interval(e, set, member, in);
    case AMPL_SET_OVER:
        return ampl_admits(e, set->over.indexing, member, in);
    case AMPL_CHAIN_CROSS:
        return in_product(e, set, member, in);
    case AMPL_CHAIN_UNION:
    case AMPL_CHAIN_INTERSECT:
        return in_chain(e, set, member, in);
    default:
        return listed(e, set, member, in);
    }
}

/* ---- indices ---- */

/* Tests one item: its member consists of the next free components of the tuple and the item's fixed ones. */
static bool admits_item(struct ampl_evaluator *e, const struct ampl_index_item *item, const ampl_atom **tuple,
                        bool *in) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    for (uint32_t i = 0; i < item->count; i++) {
        if (!item->components[i].fixed)
            member[i] = *(*tuple)++;
        else if (!ampl_atom_of(e, item->components[i].fixed, "an index", &member[i]))
            return false;
    }
    if (!ampl_contains(e, item->set, member, in))
        return false;
    for (uint32_t i = 0; i < item->count; i++) /* after the set, whose evaluation may use the same slots */
        if (!item->components[i].fixed)
            e->stack[e->base + item->components[i].slot] = member[i];
    return true;
}

bool ampl_admits(struct ampl_evaluator *e, const struct ampl_indexing *indexing, const ampl_atom *tuple, bool *in) {
    *in = true;
    if (!indexing)
        return true;
    for (const struct ampl_index_item *item = indexing->items; *in && item; item = item->next)
        if (!admits_item(e, item, &tuple, in))
            return false;
    if (*in && indexing->condition)
        return ampl_test(e, indexing->condition, "the condition of an index", in);
    return true;
}
