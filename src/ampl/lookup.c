/* lookup.c - the value of a name with subscripts.
 *
 * A param's value comes from data or let, else from := or default, else from the default of its data; computed values
 * are cached. While a value is being computed its table entry is a marker, which detects circular definitions. A param
 * or defined variable that refers to itself is computed in the order of its index.
 *
 * Dependency chains of any length need bounded stack: if dependencies nest too deeply, the innermost value is pushed on
 * a list and all calls return, as after an error, to the lookup of the first value. Then the list is processed from its
 * end; each value is retried when its dependencies are known.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/arena.h"

#include <string.h>

bool ampl_subscripts(struct ampl_evaluator *e, const struct ampl_node *node, ampl_atom *key) {
    for (uint32_t i = 0; i < node->count; i++)
        if (!ampl_atom_of(e, node->arguments[i], "a subscript", &key[i]))
            return false;
    return true;
}

bool ampl_fail_subscript(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                         struct ampl_place place) {
    return ampl_fail(e, HN_INVALID, place, "%s is outside its index set", ampl_label_of(e, declaration, key));
}

/* ---- evaluating expressions ---- */

/* Enters a frame with the dummies bound to the key, which the caller leaves; false if the key is not in the index (or
 * after an error). */
static bool enter_key(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                      struct ampl_place place, struct ampl_frame *outer) {
    bool in;
    *outer = ampl_frame_enter(e, declaration->slots);
    if (e->failed || !ampl_admits(e, declaration->indexing, key, &in))
        return false;
    return in || ampl_fail_subscript(e, declaration, key, place);
}

bool ampl_check_key(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    struct ampl_place place) {
    struct ampl_frame outer;
    bool good = enter_key(e, declaration, key, place, &outer);
    ampl_frame_leave(e, outer);
    return good;
}

static struct ampl_value compute(struct ampl_evaluator *e, struct ampl_declaration *declaration,
                                 const struct ampl_node *from, const ampl_atom *key, struct ampl_place place) {
    struct ampl_frame outer;
    struct ampl_value value = ampl_value_nothing();
    uint32_t about = e->about;
    bool nameless = ampl_symbols_nameless(e->symbols, declaration->name);
    e->about = declaration->name;
    if (enter_key(e, declaration, key, place, &outer))
        value = nameless ? ampl_evaluate_nameless(e, from) : ampl_evaluate(e, from);
    bool checked = declaration->kind == AMPL_PARAMS && !(e->starting && value.kind == AMPL_EXPRESSION);
    if (!e->failed && checked)
        ampl_check_param(e, declaration, key, value);
    e->about = about;
    ampl_frame_leave(e, outer);
    return value;
}

/* ---- deferred values ---- */

/* Markers in a table instead of a value. */
enum { COMPUTING, PUT_OFF, WAITING };

static struct ampl_value placeholder(uint32_t state) {
    return (struct ampl_value){.kind = AMPL_NOTHING, .index = state};
}

static void compute_set(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                        const ampl_atom *key, struct ampl_place place);

static bool put_off(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                    const ampl_atom *key, struct ampl_place place) {
    if (!array_room(&e->waiting, &e->waiting_capacity, e->waiting_count + 1, sizeof *e->waiting))
        return ampl_fail_memory(e);
    struct ampl_waiting *last = &e->waiting[e->waiting_count++];
    *last = (struct ampl_waiting){.declaration = declaration, .from = from, .place = place};
    if (declaration->arity > 0)
        memcpy(last->key, key, declaration->arity * sizeof *key);
    return true;
}

/* Computes and stores a value; false with an error, or if a dependency is deferred. */
static bool compute_once(struct ampl_evaluator *e, struct ampl_declaration *d, const struct ampl_node *from,
                         const ampl_atom *key, struct ampl_place place) {
    if (!ampl_keep(e, &d->known, d->arity, key, placeholder(COMPUTING), place))
        return false;
    e->depth += AMPL_LOOKUP_DEPTH;
    if (d->kind == AMPL_SETS) {
        compute_set(e, d, from, key, place);
    } else {
        struct ampl_value value = compute(e, d, from, key, place);
        if (!e->failed)
            ampl_keep(e, &d->known, d->arity, key, value, place);
    }
    e->depth -= AMPL_LOOKUP_DEPTH;
    if (e->putting_off && !ampl_table_set(&d->known, d->arity, key, placeholder(PUT_OFF))) {
        e->putting_off = false;
        return ampl_fail_memory(e);
    }
    return !e->failed;
}

/* Retries the last value on the list. State is restored after a deferral. */
static bool compute_last(struct ampl_evaluator *e) {
    size_t temporaries = e->temporary_count, terms = e->term_count;
    struct ampl_frame frame = {e->base, e->top};
    uint32_t depth = e->depth, about = e->about;
    struct ampl_waiting w = e->waiting[e->waiting_count - 1];
    if (compute_once(e, w.declaration, w.from, w.key, w.place)) {
        e->waiting_count--;
        return true;
    }
    if (!e->putting_off)
        return false;
    e->failed = e->putting_off = false;
    ampl_frame_leave(e, frame);
    e->temporary_count = temporaries;
    e->term_count = terms;
    e->depth = depth;
    e->about = about;
    return ampl_table_set(&w.declaration->known, w.declaration->arity, w.key, placeholder(WAITING)) ||
           ampl_fail_memory(e);
}

/* Computes a value and, before it, its deferred dependencies. */
static bool compute_all(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                        const ampl_atom *key, struct ampl_place place) {
    size_t first = e->waiting_count;
    e->catching = true;
    e->caught_at = e->depth;
    bool good = put_off(e, declaration, from, key, place);
    while (good && e->waiting_count > first)
        good = compute_last(e);
    e->waiting_count = first;
    e->catching = false;
    return good;
}

/* Whether the value is known, computing it if necessary. */
static bool make_known(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                       const ampl_atom *key, struct ampl_place place) {
    const struct ampl_value *known = ampl_table_find(&declaration->known, key);
    if (known && known->kind != AMPL_NOTHING)
        return true;
    if (known && known->index != PUT_OFF)
        return ampl_fail(e, HN_INVALID, place, "%s is defined in terms of itself", ampl_label_of(e, declaration, key));
    if (!e->catching)
        return compute_all(e, declaration, from, key, place);
    if (e->depth - e->caught_at < AMPL_DEEP)
        return compute_once(e, declaration, from, key, place);
    if (put_off(e, declaration, from, key, place))
        e->failed = e->putting_off = true;
    return false;
}

static struct ampl_value compute_and_keep(struct ampl_evaluator *e, struct ampl_declaration *declaration,
                                          const struct ampl_node *from, const ampl_atom *key, struct ampl_place place) {
    if (!make_known(e, declaration, from, key, place))
        return ampl_value_nothing();
    return *ampl_table_find(&declaration->known, key);
}

/* ---- filling in order ---- */

static bool visit_key(struct ampl_evaluator *e, struct ampl_declaration *declaration, const ampl_atom *key,
                      void *keys) {
    return ampl_collect(e, keys, key, declaration->place);
}

/* Computes every entry that is not given, in the order of the index or, if entries depend on later ones, in reverse. */
static bool fill_keys(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                      const struct ampl_set *keys) {
    ampl_atom key[AMPL_MOST_COMPONENTS];
    size_t count = ampl_set_count(keys);
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(keys, declaration->backward ? count - 1 - i : i, key);
        if (declaration->kind == AMPL_PARAMS && ampl_table_find(&declaration->given, key))
            continue;
        compute_and_keep(e, declaration, from, key, declaration->place);
        if (e->failed)
            return false;
    }
    return true;
}

static bool fill(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from) {
    size_t mark = e->temporary_count;
    struct ampl_set *keys = ampl_temporary(e, declaration->arity);
    bool good = keys && ampl_loop_entries(e, declaration, visit_key, keys);
    declaration->filling = true;
    good = good && fill_keys(e, declaration, from, keys);
    declaration->filling = false;
    e->temporary_count = mark;
    return good;
}

static struct ampl_value computed(struct ampl_evaluator *e, struct ampl_declaration *declaration,
                                  const struct ampl_node *from, const ampl_atom *key, struct ampl_place place) {
    bool chain = declaration->recursive && declaration->indexing && !declaration->filling;
    if (chain && !ampl_table_find(&declaration->known, key) && !fill(e, declaration, from))
        return ampl_value_nothing();
    return compute_and_keep(e, declaration, from, key, place);
}

/* ---- params ---- */

static struct ampl_value no_value(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                                  struct ampl_place place) {
    if (!ampl_check_key(e, param, key, place))
        return ampl_value_nothing();
    if (param->given_default.kind != AMPL_NOTHING)
        return param->given_default;
    return ampl_no_value(e, HN_INVALID, place, "%s has no value%s", ampl_label_of(e, param, key),
                         param->assigned ? "" : ", and an integer or symbolic param cannot be a network input");
}

static struct ampl_value refer_param(struct ampl_evaluator *e, struct ampl_declaration *param, const ampl_atom *key,
                                     struct ampl_place place) {
    const struct ampl_value *given = ampl_table_find_next(&param->given, key);
    if (given)
        return *given;
    if (param->input) {
        const struct ampl_value *input = ampl_make_inputs(e) ? ampl_table_find(&param->known, key) : NULL;
        if (input)
            return *input;
        ampl_fail_subscript(e, param, key, place);
        return ampl_value_nothing();
    }
    const struct ampl_node *from = param->value ? param->value : param->fallback;
    if (from && !(from == param->fallback && param->given_default.kind != AMPL_NOTHING))
        return computed(e, param, from, key, place);
    return no_value(e, param, key, place);
}

/* ---- variables ---- */

struct ampl_value ampl_start_value(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                                   const ampl_atom *key) {
    const struct ampl_value *given = ampl_table_find(&variable->given, key);
    if (given)
        return *given;
    if (variable->given_default.kind != AMPL_NOTHING)
        return variable->given_default;
    return variable->fallback ? ampl_evaluate(e, variable->fallback) : ampl_value_number(0);
}

struct ampl_value ampl_computed_variable(struct ampl_evaluator *e, struct ampl_declaration *variable,
                                         const ampl_atom *key) {
    return computed(e, variable, variable->value, key, variable->place);
}

/* For let: evaluates a variable's value in a new frame, without caching it. */
static struct ampl_value refer_start(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                                     struct ampl_place place) {
    struct ampl_frame outer;
    struct ampl_value value = ampl_value_nothing();
    if (enter_key(e, variable, key, place, &outer))
        value = variable->defined ? ampl_evaluate(e, variable->value) : ampl_start_value(e, variable, key);
    ampl_frame_leave(e, outer);
    return value;
}

/* x.lb and similar, in a frame of the variable. */
struct ampl_value ampl_refer_suffix(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_declaration *variable = node->is.declaration;
    struct ampl_value value = ampl_value_nothing();
    struct ampl_bounds bounds;
    struct ampl_frame outer;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (!ampl_subscripts(e, node, key))
        return value;
    bool bound = enter_key(e, variable, key, node->place, &outer);
    if (bound && node->dimension == AMPL_SUFFIX_START)
        value = ampl_start_value(e, variable, key);
    else if (bound && ampl_variable_bounds(e, variable, &bounds))
        value = node->dimension == AMPL_SUFFIX_LOWER ? bounds.lower : bounds.upper;
    ampl_frame_leave(e, outer);
    return value;
}

static struct ampl_value refer_variable(struct ampl_evaluator *e, struct ampl_declaration *variable,
                                        const ampl_atom *key, struct ampl_place place) {
    if (e->starting)
        return refer_start(e, variable, key, place);
    if (variable->defined)
        return computed(e, variable, variable->value, key, place);
    const struct ampl_value *known = ampl_table_find_next(&variable->known, key);
    if (known)
        return *known;
    ampl_fail_subscript(e, variable, key, place);
    return ampl_value_nothing();
}

struct ampl_value ampl_refer(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (!ampl_subscripts(e, node, key))
        return ampl_value_nothing();
    if (node->is.declaration->kind == AMPL_VARIABLES)
        return refer_variable(e, node->is.declaration, key, node->place);
    return refer_param(e, node->is.declaration, key, node->place);
}

/* ---- sets ---- */

static struct ampl_set *keep_set(struct ampl_evaluator *e, struct ampl_declaration *declaration, const ampl_atom *key,
                                 const struct ampl_set *from) {
    struct ampl_set *set = ampl_table_new_set(&declaration->known, declaration->arity, key, declaration->dimension);
    if (!set || !ampl_set_copy(set, from))
        return ampl_fail_memory(e);
    set->circular = declaration->circular;
    return ampl_hold_set(e, set, declaration->place) ? set : NULL;
}

static void compute_set(struct ampl_evaluator *e, struct ampl_declaration *declaration, const struct ampl_node *from,
                        const ampl_atom *key, struct ampl_place place) {
    struct ampl_frame outer;
    uint32_t about = e->about;
    size_t mark = e->temporary_count;
    e->about = declaration->name;
    const struct ampl_set *set = enter_key(e, declaration, key, place, &outer) ? ampl_evaluate_set(e, from) : NULL;
    struct ampl_set *kept = set && ampl_check_set(e, declaration, key, set) ? keep_set(e, declaration, key, set) : NULL;
    if (kept)
        ampl_arrange(e, declaration, kept);
    e->about = about;
    e->temporary_count = mark;
    ampl_frame_leave(e, outer);
}

/* A set given by data or let is sorted on first use. */
static bool arrange_given(struct ampl_evaluator *e, struct ampl_declaration *declaration, const ampl_atom *key,
                          struct ampl_set *set, struct ampl_place place) {
    struct ampl_frame outer;
    set->circular = declaration->circular;
    if (!declaration->order || set->arranged)
        return true;
    bool good = enter_key(e, declaration, key, place, &outer) && ampl_arrange(e, declaration, set);
    ampl_frame_leave(e, outer);
    return good;
}

struct ampl_set *ampl_refer_set(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom key[AMPL_MOST_COMPONENTS];
    struct ampl_declaration *declaration = node->is.declaration;
    if (!ampl_subscripts(e, node, key))
        return NULL;
    const struct ampl_value *given = ampl_table_find(&declaration->given, key);
    const struct ampl_node *from = declaration->value ? declaration->value : declaration->fallback;
    if (given)
        return arrange_given(e, declaration, key, given->is.set, node->place) ? given->is.set : NULL;
    if (from)
        return make_known(e, declaration, from, key, node->place) ? ampl_table_find(&declaration->known, key)->is.set
                                                                  : NULL;
    if (ampl_check_key(e, declaration, key, node->place))
        ampl_fail(e, HN_INVALID, node->place, "the set %s is given no members", ampl_label_of(e, declaration, key));
    return NULL;
}
