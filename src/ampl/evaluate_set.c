/* evaluate_set.c - evaluates set expressions.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include <math.h>

static bool add_all(struct ampl_evaluator *e, struct ampl_set *to, const struct ampl_set *from,
                    struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    size_t count = ampl_set_count(from);
    if (count > e->max_steps - e->steps)
        return ampl_step(e, count, place);
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(from, i, member);
        if (!ampl_collect(e, to, member, place))
            return false;
    }
    return true;
}

/* Members of `from` that are, or are not, in `other`. */
static bool add_some(struct ampl_evaluator *e, struct ampl_set *to, const struct ampl_set *from,
                     const struct ampl_set *other, bool in, struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    size_t count = ampl_set_count(from), number;
    if (count > e->max_steps - e->steps)
        return ampl_step(e, count, place);
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(from, i, member);
        bool found = ampl_set_count(other) > 0 && ampl_set_find(other, member, &number);
        if (found == in ? !ampl_collect(e, to, member, place) : !ampl_step(e, 1, place))
            return false;
    }
    return true;
}

/* ---- progressions and lists ---- */

/* a .. b by c has floor((b - a) / c) + 1 members. */
static struct ampl_set *progression(struct ampl_evaluator *e, const struct ampl_node *node) {
    /* Beyond 2^53 consecutive numbers are not distinct. */
    const double most = (double)(SIZE_MAX / 4) < 0x1p53 ? (double)(SIZE_MAX / 4) : 0x1p53;
    double first, last, step = 1;
    if (!ampl_number(e, node->arguments[0], "a set", &first) || !ampl_number(e, node->arguments[1], "a set", &last) ||
        (node->count > 2 && !ampl_number(e, node->arguments[2], "a set", &step)))
        return NULL;
    double count = floor((last - first) / step) + 1;
    if (step == 0 || isnan(count) || isinf(first)) {
        ampl_fail(e, HN_INVALID, node->place, "the progression has an invalid first member or step");
        return NULL;
    }
    struct ampl_set *set = ampl_temporary(e, 1);
    if (set)
        ampl_set_progression(set, first, step, count < 1 ? 0 : count < most ? (size_t)count : (size_t)most);
    return set;
}

/* Only the integers between two ends can be listed. */
static struct ampl_set *interval(struct ampl_evaluator *e, const struct ampl_node *node) {
    const double most = (double)(UINT32_MAX - 1);
    double low = -HUGE_VAL, high = HUGE_VAL;
    if (node->count > 0 &&
        (!ampl_number(e, node->arguments[0], "a set", &low) || !ampl_number(e, node->arguments[1], "a set", &high)))
        return NULL;
    if (!(node->is.slot & AMPL_WHOLE) || !isfinite(low) || !isfinite(high)) {
        ampl_fail(e, HN_UNSUPPORTED, node->place, "an infinite set cannot be listed");
        return NULL;
    }
    double first = ceil(low), last = floor(high);
    first += first == low && node->is.slot & AMPL_ABOVE_LOW ? 1 : 0;
    last -= last == high && node->is.slot & AMPL_BELOW_HIGH ? 1 : 0;
    struct ampl_set *set = ampl_temporary(e, 1);
    double count = last - first + 1;
    if (set)
        ampl_set_progression(set, first, 1, count < 1 ? 0 : count < most ? (size_t)count : (size_t)most);
    return set;
}

static bool tuple_of(struct ampl_evaluator *e, const struct ampl_node *node, ampl_atom *tuple) {
    if (node->type != AMPL_TUPLE)
        return ampl_atom_of(e, node, "a set", tuple);
    for (uint32_t i = 0; i < node->count; i++)
        if (!ampl_atom_of(e, node->arguments[i], "a set", &tuple[i]))
            return false;
    return true;
}

static struct ampl_set *members(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom tuple[AMPL_MOST_COMPONENTS];
    struct ampl_set *set = ampl_temporary(e, node->dimension);
    for (uint32_t i = 0; set && i < node->count; i++)
        if (!tuple_of(e, node->arguments[i], tuple) || !ampl_collect(e, set, tuple, node->place))
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
        good = good && add_some(e, set, a, b, false, node->place);
        break;
    case AMPL_TOKEN_COUNT + AMPL_WORD_symdiff:
        good = good && add_some(e, set, a, b, false, node->place) && add_some(e, set, b, a, false, node->place);
        break;
    default: /* inter */
        good = good && add_some(e, set, a, b, true, node->place);
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

static bool visit_index(struct ampl_evaluator *e, void *context) {
    struct collection *c = context;
    return ampl_collect(e, c->set, ampl_loop_index(e, c->node->over.indexing), c->node->place);
}

static bool visit_image(struct ampl_evaluator *e, void *context) {
    struct collection *c = context;
    ampl_atom tuple[AMPL_MOST_COMPONENTS];
    return tuple_of(e, c->node->arguments[0], tuple) && ampl_collect(e, c->set, tuple, c->node->place);
}

static bool visit_union(struct ampl_evaluator *e, void *context) {
    struct collection *c = context;
    size_t mark = e->temporary_count;
    const struct ampl_set *set = ampl_evaluate_set(e, c->node->arguments[0]);
    bool good = set && add_all(e, c->set, set, c->node->place);
    e->temporary_count = mark;
    return good;
}

/* Keeps the members that the next set also has. */
static bool visit_intersection(struct ampl_evaluator *e, void *context) {
    struct collection *c = context;
    size_t mark = e->temporary_count;
    struct ampl_set *set = ampl_evaluate_set(e, c->node->arguments[0]), *kept = set;
    if (set && c->started) {
        kept = ampl_temporary(e, c->node->dimension);
        if (kept && !add_some(e, kept, c->set, set, true, c->node->place))
            kept = NULL;
    }
    if (kept)
        ampl_set_clear(c->set, c->node->dimension);
    bool good = kept && add_all(e, c->set, kept, c->node->place);
    c->started = true;
    e->temporary_count = mark;
    return good;
}

static struct ampl_set *evaluate_set_collect(struct ampl_evaluator *e, const struct ampl_node *node, ampl_visit visit) {
    struct collection c = {node, ampl_temporary(e, node->dimension), false};
    return c.set && ampl_loop(e, node->over.indexing, visit, &c) ? c.set : NULL;
}

/* {S} and {i in S} are S itself. */
static struct ampl_set *indexed(struct ampl_evaluator *e, const struct ampl_node *node) {
    const struct ampl_indexing *indexing = node->over.indexing;
    const struct ampl_index_item *item = indexing->items;
    if (!item->next && !indexing->condition && indexing->arity == item->count)
        return ampl_evaluate_set(e, item->set);
    return evaluate_set_collect(e, node, visit_index);
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
        return evaluate_set_collect(e, node, visit_image);
    case AMPL_UNION_OVER:
        return evaluate_set_collect(e, node, visit_union);
    case AMPL_INTERSECT_OVER:
        return evaluate_set_collect(e, node, visit_intersection);
    case AMPL_CHOICE:
        return choice(e, node);
    default:
        ampl_fail(e, HN_INVALID, node->place, "not a set");
        return NULL;
    }
}

struct ampl_set *ampl_evaluate_set(struct ampl_evaluator *e, const struct ampl_node *node) {
    if (e->failed)
        return NULL;
    if (e->depth >= AMPL_MOST_DEEP) {
        ampl_fail(e, HN_LIMIT, node->place, "%s: evaluation is nested too deeply", ampl_symbol_text(e, e->about));
        return NULL;
    }
    e->depth++;
    struct ampl_set *set = evaluate(e, node);
    e->depth--;
    return e->failed ? NULL : set;
}
