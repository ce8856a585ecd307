/* evaluate_set.c - evaluates set expressions: lists their members, tests membership, and sorts ordered sets.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>
#include <stdlib.h>

/* Adds all members of a set; with `other`, only those that are (or are not) in `other`. */
static bool add_members(struct ampl_evaluator *e, struct ampl_set *to, const struct ampl_set *from,
                        const struct ampl_set *other, bool in, struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    size_t count = ampl_set_count(from), number;
    if (count > e->max_steps - e->steps)
        return ampl_step(e, count, place);
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(from, i, member);
        bool kept = !other || ampl_set_find(other, member, &number) == in;
        if (kept ? !ampl_collect(e, to, member, place) : !ampl_step(e, 1, place))
            return false;
    }
    return true;
}

static bool add_all(struct ampl_evaluator *e, struct ampl_set *to, const struct ampl_set *from,
                    struct ampl_place place) {
    return add_members(e, to, from, NULL, true, place);
}

/* ---- progressions and lists ---- */

static struct ampl_set *new_progression(struct ampl_evaluator *e, double first, double step, double count) {
    struct ampl_set *set = ampl_temporary(e, 1);
    if (set)
        ampl_set_progression(set, first, step, count < 1 ? 0 : (size_t)count);
    return set;
}

/* a .. b by c has floor((b - a) / c) + 1 members. */
static struct ampl_set *progression(struct ampl_evaluator *e, const struct ampl_node *node) {
    /* Above 2^53 consecutive numbers are not distinct. */
    const double most = (double)(SIZE_MAX / 4) < 0x1p53 ? (double)(SIZE_MAX / 4) : 0x1p53;
    double first, last, step = 1;
    if (!ampl_number(e, node->arguments[0], "a set", &first) || !ampl_number(e, node->arguments[1], "a set", &last) ||
        (node->count > 2 && !ampl_number(e, node->arguments[2], "a set", &step)))
        return NULL;
    double count = floor((last - first) / step) + 1;
    if (step == 0 || isnan(count) || isinf(first))
        return ampl_fail(e, HN_INVALID, node->place, "the progression has an invalid first member or step");
    return new_progression(e, first, step, fmin(count, most));
}

/* Only the integers between two ends can be listed. */
static struct ampl_set *interval(struct ampl_evaluator *e, const struct ampl_node *node) {
    double low = -HUGE_VAL, high = HUGE_VAL;
    if (node->count > 0 &&
        (!ampl_number(e, node->arguments[0], "a set", &low) || !ampl_number(e, node->arguments[1], "a set", &high)))
        return NULL;
    if (!(node->is.slot & AMPL_WHOLE) || !isfinite(low) || !isfinite(high))
        return ampl_fail(e, HN_UNSUPPORTED, node->place, "an infinite set cannot be listed");
    double first = ceil(low), last = floor(high);
    first += first == low && node->is.slot & AMPL_ABOVE_LOW ? 1 : 0;
    last -= last == high && node->is.slot & AMPL_BELOW_HIGH ? 1 : 0;
    return new_progression(e, first, 1, fmin(last - first + 1, UINT32_MAX - 1));
}

static struct ampl_set *members(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom tuple[AMPL_MOST_COMPONENTS];
    struct ampl_set *set = ampl_temporary(e, node->dimension);
    for (uint32_t i = 0; set && i < node->count; i++)
        if (!ampl_tuple_of(e, node->arguments[i], "a set", tuple) || !ampl_collect(e, set, tuple, node->place))
            return NULL;
    return set;
}

/* ---- chains ---- */

static struct ampl_set *combine(struct ampl_evaluator *e, const struct ampl_set *a, const struct ampl_set *b,
                                uint32_t sign, const struct ampl_node *node) {
    struct ampl_set *set = ampl_temporary(e, node->dimension);
    bool good = set != NULL;
    switch (sign) {
    case AMPL_TOKEN_COUNT + AMPL_WORD_union:
        good = good && add_all(e, set, a, node->place) && add_all(e, set, b, node->place);
        break;
    case AMPL_TOKEN_COUNT + AMPL_WORD_diff:
        good = good && add_members(e, set, a, b, false, node->place);
        break;
    case AMPL_TOKEN_COUNT + AMPL_WORD_symdiff:
        good = good && add_members(e, set, a, b, false, node->place) && add_members(e, set, b, a, false, node->place);
        break;
    default: /* inter */
        good = good && add_members(e, set, a, b, true, node->place);
    }
    return good ? set : NULL;
}

/* The members that are, or are not, in a set that cannot be listed. */
static struct ampl_set *filter(struct ampl_evaluator *e, const struct ampl_set *from, const struct ampl_node *by,
                               bool in, const struct ampl_node *node) {
    struct ampl_set *set = ampl_temporary(e, node->dimension);
    ampl_atom member[AMPL_MOST_COMPONENTS];
    for (size_t i = 0; set && i < ampl_set_count(from); i++) {
        bool found;
        ampl_set_member(from, i, member);
        if (!ampl_step(e, 1, node->place) || !ampl_contains(e, by, member, &found) ||
            (found == in && !ampl_collect(e, set, member, node->place)))
            return NULL;
    }
    return set;
}

static struct ampl_set *chain(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_set *set = ampl_evaluate_set(e, node->arguments[0]);
    for (uint32_t i = 1; set && i < node->count; i++) {
        bool inter = node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_inter;
        bool diff = node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_diff;
        if (node->arguments[i]->op == AMPL_INTERVAL && (inter || diff)) {
            set = filter(e, set, node->arguments[i], inter, node);
            continue;
        }
        struct ampl_set *other = ampl_evaluate_set(e, node->arguments[i]);
        set = other ? combine(e, set, other, node->is.signs[i], node) : NULL;
    }
    return set;
}

static struct ampl_set *cross_two(struct ampl_evaluator *e, const struct ampl_set *a, const struct ampl_set *b,
                                  struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    uint32_t split = ampl_set_dimension(a);
    struct ampl_set *set = ampl_temporary(e, split + ampl_set_dimension(b));
    size_t rows = ampl_set_count(a), columns = ampl_set_count(b);
    size_t most = (e->max_steps - e->steps) / (split + ampl_set_dimension(b) + 1); /* one step per component */
    if (set && columns > 0 && rows > most / columns && !ampl_step(e, SIZE_MAX, place))
        return NULL;
    for (size_t i = 0; set && i < rows; i++) {
        ampl_set_member(a, i, member);
        for (size_t j = 0; j < columns; j++) {
            ampl_set_member(b, j, member + split);
            if (!ampl_collect(e, set, member, place))
                return NULL;
        }
    }
    return set;
}

static struct ampl_set *cross(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_set *set = ampl_evaluate_set(e, node->arguments[0]);
    for (uint32_t i = 1; set && i < node->count; i++) {
        struct ampl_set *other = ampl_evaluate_set(e, node->arguments[i]);
        set = other ? cross_two(e, set, other, node->place) : NULL;
    }
    return set;
}

/* ---- over an index ---- */

struct collection {
    const struct ampl_node *node;
    struct ampl_set *set;
    bool started; /* for an intersection */
};

/* Keeps the members that the next set also has. */
static bool intersect(struct ampl_evaluator *e, struct collection *c, struct ampl_set *set) {
    struct ampl_set *kept = set;
    if (c->started) {
        kept = ampl_temporary(e, c->node->dimension);
        if (!kept || !add_members(e, kept, c->set, set, true, c->node->place))
            return false;
    }
    c->started = true;
    ampl_set_clear(c->set, c->node->dimension);
    return add_all(e, c->set, kept, c->node->place);
}

static bool visit_member(struct ampl_evaluator *e, void *context) {
    struct collection *c = context;
    const struct ampl_node *node = c->node;
    ampl_atom tuple[AMPL_MOST_COMPONENTS];
    size_t mark = e->temporary_count;
    if (node->op == AMPL_SET_OVER)
        return ampl_collect(e, c->set, ampl_loop_index(e, node->over.indexing), node->place);
    if (node->op == AMPL_IMAGE_OVER)
        return ampl_tuple_of(e, node->arguments[0], "a set", tuple) && ampl_collect(e, c->set, tuple, node->place);
    struct ampl_set *set = ampl_evaluate_set(e, node->arguments[0]);
    bool good = set && (node->op == AMPL_UNION_OVER ? add_all(e, c->set, set, node->place) : intersect(e, c, set));
    e->temporary_count = mark;
    return good;
}

static struct ampl_set *collect(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct collection c = {node, ampl_temporary(e, node->dimension), false};
    return c.set && ampl_loop(e, node->over.indexing, visit_member, &c) ? c.set : NULL;
}

/* {S} and {i in S} are S itself. */
static struct ampl_set *indexed(struct ampl_evaluator *e, const struct ampl_node *node) {
    const struct ampl_indexing *indexing = node->over.indexing;
    const struct ampl_index_item *item = indexing->items;
    if (!item->next && !indexing->condition && indexing->arity == item->count)
        return ampl_evaluate_set(e, item->set);
    return collect(e, node);
}

static struct ampl_set *choice(struct ampl_evaluator *e, const struct ampl_node *node) {
    bool holds;
    if (!ampl_test(e, node->arguments[0], "a set", &holds))
        return NULL;
    return ampl_evaluate_set(e, node->arguments[holds ? 1 : 2]);
}

static struct ampl_set *evaluate(struct ampl_evaluator *e, const struct ampl_node *node) {
    switch (node->op) {
    case AMPL_REFERENCE:
        return ampl_refer_set(e, node);
    case AMPL_PROGRESSION:
        return progression(e, node);
    case AMPL_INTERVAL:
        return interval(e, node);
    case AMPL_MEMBERS:
        return members(e, node);
    case AMPL_CHAIN_UNION:
    case AMPL_CHAIN_INTERSECT:
        return chain(e, node);
    case AMPL_CHAIN_CROSS:
        return cross(e, node);
    case AMPL_SET_OVER:
        return indexed(e, node);
    case AMPL_IMAGE_OVER:
    case AMPL_UNION_OVER:
    case AMPL_INTERSECT_OVER:
        return collect(e, node);
    case AMPL_CHOICE:
        return choice(e, node);
    default:
        return ampl_fail(e, HN_INVALID, node->place, "not a set");
    }
}

struct ampl_set *ampl_evaluate_set(struct ampl_evaluator *e, const struct ampl_node *node) {
    if (e->failed)
        return NULL;
    if (e->depth >= AMPL_MOST_DEEP)
        return ampl_fail(e, HN_LIMIT, node->place, "%s: evaluation is nested too deeply",
                         ampl_symbol_text(e, e->about));
    e->depth++;
    struct ampl_set *set = evaluate(e, node);
    e->depth--;
    return e->failed ? NULL : set;
}

/* ---- membership of a tuple, without listing products, unions and conditions ---- */

/* Lists or looks up the set. */
static bool listed(struct ampl_evaluator *e, const struct ampl_node *node, const ampl_atom *member, bool *in) {
    size_t mark = e->temporary_count, number;
    const struct ampl_set *set = ampl_evaluate_set(e, node);
    *in = set && ampl_set_find(set, member, &number);
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

/* ---- order: by numbers (Reals, Integers, an interval), or the order of a listed set ---- */

struct ranked {
    double rank;
    size_t number; /* of the member, to break ties, which cannot occur */
};

static int compare_ranks(const void *a, const void *b) {
    const struct ranked *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

/* The rank of a member among numbers (order NULL) or in a set. */
static bool rank_of(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const struct ampl_set *order,
                    const ampl_atom *member, double *rank) {
    size_t number = 0;
    bool in = order && ampl_set_find(order, member, &number);
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
    return (ampl_set_copy(set, sorted) || ampl_fail_memory(e)) && ampl_hold_set(e, set, place);
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
        qsort(list, count, sizeof *list, compare_ranks);
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
