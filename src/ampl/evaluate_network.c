/* evaluate_network.c - contributions of variables to goals by from, to, obj, coeff and cover.
 *
 * Once all variables have their columns, their contributions are collected, in order of declaration and index. The
 * contributions to one goal at one index form a circular list; the goal's table stores its last entry, whose successor
 * is the first.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/memory.h"
#include "base/size.h"

/* ---- collecting ---- */

struct giving {
    const struct ampl_contribution *contribution;
    struct ampl_value variable;
};

/* Appends an entry to the circular list of this goal and key. */
static bool add_entry(struct ampl_evaluator *e, struct ampl_declaration *goal, const ampl_atom *key,
                      struct ampl_value value, struct ampl_place place) {
    struct ampl_added *list = array_grow(e->added, &e->added_capacity, e->added_count + 1, sizeof *list);
    if (!list)
        return ampl_fail_memory(e);
    e->added = list;
    size_t number = e->added_count++;
    const struct ampl_value *last = ampl_table_find(&goal->added, key);
    list[number] = (struct ampl_added){value, number};
    if (last) {
        size_t before = (size_t)last->is.number;
        list[number].next = list[before].next;
        list[before].next = number;
    }
    return ampl_hold(e, sizeof *list, place) &&
           ampl_keep(e, &goal->added, goal->arity, key, ampl_value_number((double)number), place);
}

static bool visit_target(struct ampl_evaluator *e, void *context) {
    const struct giving *giving = context;
    const struct ampl_contribution *c = giving->contribution;
    struct ampl_declaration *goal = c->target->is.declaration;
    struct ampl_value factor = ampl_value_number(1);
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (!ampl_subscripts(e, c->target, key) || !ampl_check_key(e, goal, key, c->target->place) ||
        (c->factor && !ampl_operand(e, c->factor, &factor)))
        return false;
    struct ampl_value value = ampl_multiply(e, factor, giving->variable, c->place);
    if (!e->failed && c->minus && value.kind == AMPL_NUMBER)
        value.is.number = -value.is.number;
    else if (!e->failed && c->minus)
        value = ampl_value_expr(e, hn_neg(ampl_expr(e, value)), c->place);
    return !e->failed && add_entry(e, goal, key, value, c->place);
}

static bool visit_variable(struct ampl_evaluator *e, void *context) {
    const struct ampl_declaration *variable = context;
    const struct ampl_value *known = ampl_table_find(&variable->known, ampl_loop_index(e, variable->indexing));
    if (!known)
        return true;
    struct giving giving = {.variable = *known};
    for (const struct ampl_contribution *c = variable->contributions; c; c = c->next) {
        giving.contribution = c;
        if (!ampl_loop(e, c->indexing, visit_target, &giving))
            return false;
    }
    return true;
}

bool ampl_collect_contributions(struct ampl_evaluator *e) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next) {
        struct ampl_frame outer;
        if (!d->contributions)
            continue;
        e->about = d->name;
        if (!ampl_frame_enter(e, d->slots, &outer))
            return false;
        bool good = ampl_loop(e, d->indexing, visit_variable, d);
        ampl_frame_leave(e, outer);
        if (!good)
            return false;
    }
    return true;
}

/* ---- in goals ---- */

/* The entries after `last` as one sum. */
static struct ampl_value sum_ring(struct ampl_evaluator *e, size_t last, bool minus, struct ampl_place place) {
    size_t count = 0, at = last;
    do
        count++;
    while ((at = e->added[at].next) != last);
    hn_expr *terms = base_allocate(size_product(count, sizeof *terms));
    if (!terms) {
        ampl_fail_memory(e);
        return ampl_value_nothing();
    }
    for (size_t i = 0; i < count; i++) {
        at = e->added[at].next;
        terms[i] = ampl_expr(e, e->added[at].value);
        terms[i] = minus ? hn_neg(terms[i]) : terms[i];
    }
    struct ampl_value value = ampl_value_expr(e, hn_sum(e->model, count, terms), place);
    base_release(terms);
    return value;
}

static struct ampl_value added_to(struct ampl_evaluator *e, const struct ampl_declaration *goal, bool minus,
                                  struct ampl_place place) {
    const struct ampl_value *last = ampl_table_find(&goal->added, ampl_loop_index(e, goal->indexing));
    return last ? sum_ring(e, (size_t)last->is.number, minus, place) : ampl_value_number(0);
}

struct ampl_value ampl_evaluate_net(struct ampl_evaluator *e, const struct ampl_node *node) {
    return added_to(e, node->is.declaration, node->dimension != 0, node->place);
}

bool ampl_add_contributions(struct ampl_evaluator *e, struct ampl_declaration *goal, struct ampl_value *value) {
    if (!goal->receives || goal->placed)
        return true;
    struct ampl_value added = added_to(e, goal, false, goal->place);
    if (!e->failed)
        *value = ampl_value_expr(e, hn_add(ampl_expr(e, *value), ampl_expr(e, added)), goal->place);
    return !e->failed;
}
