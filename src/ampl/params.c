/* params.c - checks values against their declarations, determines the bounds of variables, and makes network inputs.
 *
 * Attributes are >= <= > < <> in integer binary symbolic, and within for sets. A param without a value is an input. It
 * may appear wherever a number is computed, but not in sets, subscripts and integer params, which determine the
 * structure of the model. Expressions that may depend on inputs or variables are marked once, before anything is
 * evaluated. A value that depends on inputs is not known yet; its attributes become requirements on the inputs.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* ---- attributes of params ---- */

static bool check_type(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                       struct ampl_value value) {
    const char *problem = NULL;
    double number = value.is.number;
    if (value.kind == AMPL_SYMBOL)
        problem = param->symbolic ? NULL : "a string cannot be the value of a param that is not symbolic";
    else if (value.kind == AMPL_EXPRESSION)
        problem = param->integer || param->binary || param->symbolic
                      ? "an integer, binary or symbolic param may not depend on network inputs"
                      : NULL;
    else if (param->integer && number != floor(number))
        problem = "the value is not an integer";
    else if (param->binary && number != 0 && number != 1)
        problem = "the value is neither 0 nor 1";
    if (!problem)
        return true;
    return ampl_fail(e, HN_INVALID, param->place, "%s: %s", ampl_label_of(e, param, key), problem);
}

/* The requirement is named after the number of the attribute. */
static bool require(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                    const struct ampl_attribute *attribute, struct ampl_value condition) {
    char name[400];
    unsigned number = 1;
    for (const struct ampl_attribute *a = param->attributes; a != attribute; a = a->next)
        number++;
    snprintf(name, sizeof name, "%s attribute %u", ampl_label_of(e, param, key), number);
    if (e->failed)
        return false;
    hn_require(e->model, name, ampl_expr(e, condition));
    return ampl_model_good(e, param);
}

static bool check_bound(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                        struct ampl_value value, const struct ampl_attribute *attribute) {
    struct ampl_value bound = ampl_evaluate(e, attribute->bound);
    const char *relation = ampl_token_text((enum ampl_token_kind)attribute->relation);
    if (e->failed)
        return false;
    if (value.kind == AMPL_SYMBOL || bound.kind == AMPL_SYMBOL) {
        if (attribute->relation == AMPL_TOKEN_NOT_EQUAL && (value.kind != bound.kind || value.index != bound.index))
            return true;
        return ampl_fail(e, HN_INVALID, param->place, "%s: the value violates %s", ampl_label_of(e, param, key),
                         relation);
    }
    struct ampl_value holds = ampl_compare(e, attribute->relation, value, bound, param->place);
    if (value.kind == AMPL_EXPRESSION || bound.kind == AMPL_EXPRESSION)
        return require(e, param, key, attribute, holds);
    if (holds.is.number != 0)
        return true;
    return ampl_fail(e, HN_INVALID, param->place, "%s: the value %s violates %s %s", ampl_label_of(e, param, key),
                     error_number(value.is.number).text, relation, error_number(bound.is.number).text);
}

static bool check_membership(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                             struct ampl_value value, const struct ampl_node *set) {
    bool in = false;
    if (value.kind == AMPL_EXPRESSION)
        return ampl_fail(e, HN_INVALID, param->place, "%s depends on network inputs and cannot be in a finite set",
                         ampl_label_of(e, param, key));
    if (value.kind == AMPL_NUMBER && isnan(value.is.number))
        return ampl_fail(e, HN_INVALID, param->place, "%s is NaN", ampl_label_of(e, param, key));
    ampl_atom atom = value.kind == AMPL_SYMBOL ? ampl_atom_symbol(value.index) : ampl_atom_number(value.is.number);
    if (!ampl_contains(e, set, &atom, &in))
        return false;
    return in ||
           ampl_fail(e, HN_INVALID, param->place, "%s: the value %s is not in its set", ampl_label_of(e, param, key),
                     value.kind == AMPL_SYMBOL ? ampl_symbol_text(e, value.index) : error_number(value.is.number).text);
}

bool ampl_check_attribute(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                          struct ampl_value value, const struct ampl_attribute *attribute) {
    if (attribute->relation == AMPL_TOKEN_NAME)
        return check_membership(e, param, key, value, attribute->bound);
    return check_bound(e, param, key, value, attribute);
}

bool ampl_check_param(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                      struct ampl_value value) {
    if (!check_type(e, param, key, value))
        return false;
    for (const struct ampl_attribute *a = param->attributes; a; a = a->next)
        if (!ampl_check_attribute(e, param, key, value, a))
            return false;
    return true;
}

/* ---- bounds of variables ---- */

bool ampl_variable_bounds(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                          struct ampl_bounds *bounds) {
    bounds->lower = ampl_value_number(variable->binary ? 0 : -HUGE_VAL);
    bounds->upper = ampl_value_number(variable->binary ? 1 : HUGE_VAL);
    for (const struct ampl_attribute *a = variable->attributes; a; a = a->next) {
        struct ampl_value bound;
        if (!ampl_operand(e, a->bound, &bound))
            return false;
        struct ampl_value *side = a->relation == AMPL_TOKEN_GREATER_EQUAL ? &bounds->lower : &bounds->upper;
        bool unbounded = side->kind == AMPL_NUMBER && isinf(side->is.number);
        *side =
            unbounded ? bound : ampl_smaller(e, *side, bound, a->relation == AMPL_TOKEN_GREATER_EQUAL, a->bound->place);
        if (e->failed)
            return false;
    }
    return true;
}

/* ---- members of sets ---- */

bool ampl_check_set(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    const struct ampl_set *set) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    for (const struct ampl_attribute *a = declaration->attributes; a; a = a->next)
        for (size_t i = 0; i < ampl_set_count(set); i++) {
            bool in;
            ampl_set_member(set, i, member);
            if (!ampl_step(e, 1, declaration->place) || !ampl_contains(e, a->bound, member, &in))
                return false;
            if (!in) {
                char text[300];
                snprintf(text, sizeof text, "%s", ampl_label(e, "", ampl_set_dimension(set), member));
                return ampl_fail(e, HN_INVALID, declaration->place, "the set %s: the member %s is not allowed",
                                 ampl_label_of(e, declaration, key), text);
            }
        }
    return true;
}

/* ---- all given values ---- */

static bool check_entry(struct ampl_evaluator *e, const struct ampl_declaration *declaration, size_t number) {
    ampl_atom key[AMPL_MOST_COMPONENTS];
    bool in;
    ampl_table_key(&declaration->given, number, key);
    struct ampl_value value = declaration->given.values[number];
    if (!ampl_admits(e, declaration->indexing, key, &in))
        return false;
    if (!in)
        return ampl_fail_subscript(e, declaration, key, declaration->place);
    if (declaration->kind == AMPL_SETS)
        return ampl_check_set(e, declaration, key, value.is.set);
    return declaration->kind != AMPL_PARAMS || ampl_check_param(e, declaration, key, value);
}

bool ampl_check_given(struct ampl_evaluator *e) {
    for (const struct ampl_declaration *d = e->program->first; d && !e->failed; d = d->next) {
        struct ampl_frame outer = ampl_frame_enter(e, d->slots);
        e->about = d->name;
        for (size_t i = 0; i < d->given.keys.count && !e->failed; i++)
            if (ampl_step(e, 1, d->place))
                check_entry(e, d, i);
        ampl_frame_leave(e, outer);
    }
    return !e->failed;
}

/* ---- which params are inputs ---- */

static bool in_a_set(const struct ampl_declaration *param) {
    for (const struct ampl_attribute *a = param->attributes; a; a = a->next)
        if (a->relation == AMPL_TOKEN_NAME)
            return true;
    return false;
}

void ampl_mark_inputs(struct ampl_evaluator *e) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        d->input = d->kind == AMPL_PARAMS && !d->assigned && !d->value && !d->fallback && !d->integer && !d->binary &&
                   !d->symbolic && !in_a_set(d);
}

/* ---- dependence on inputs ---- */

static bool mark_node(struct ampl_node *node);

/* An index does not make its expression vary, but its parts are marked for messages. */
static void mark_indexing(const struct ampl_indexing *indexing) {
    if (!indexing)
        return;
    for (const struct ampl_index_item *item = indexing->items; item; item = item->next) {
        mark_node(item->set);
        for (uint32_t i = 0; i < item->count; i++)
            mark_node(item->components[i].fixed);
    }
    mark_node(indexing->condition);
}

static bool mark_node(struct ampl_node *node) {
    if (!node)
        return false;
    bool varies =
        (node->op == AMPL_REFERENCE && node->is.declaration->varies) || node->op == AMPL_SUFFIX || node->op == AMPL_NET;
    for (uint32_t i = 0; i < node->count; i++)
        varies |= mark_node(node->arguments[i]);
    if (node->op != AMPL_DUMMY)
        mark_indexing(node->over.indexing);
    node->varies = varies;
    return varies;
}

/* A param that let changes may depend on any input. */
static void mark_declaration(struct ampl_declaration *d, bool any_input) {
    d->varies = d->input || d->kind == AMPL_VARIABLES || (d->kind == AMPL_PARAMS && d->let && any_input);
    mark_indexing(d->indexing);
    bool value = mark_node(d->value), fallback = mark_node(d->fallback);
    d->varies |= value || fallback;
    mark_node(d->order);
    for (struct ampl_attribute *a = d->attributes; a; a = a->next)
        mark_node(a->bound);
    for (int i = 0; i < 3; i++)
        mark_node(d->sides[i]);
    for (const struct ampl_contribution *c = d->contributions; c; c = c->next) {
        mark_indexing(c->indexing);
        mark_node(c->target);
        mark_node(c->factor);
    }
    if (d->recursive && d->varies) { /* its references to itself were marked too early */
        mark_node(d->value);
        mark_node(d->fallback);
    }
}

/* Recursion is limited by the parser's nesting limit. */
static void mark_commands(struct ampl_command *first) {
    for (struct ampl_command *c = first; c; c = c->next) {
        mark_indexing(c->indexing);
        mark_node(c->value);
        mark_node(c->after);
        mark_node(c->target);
        mark_commands(c->body);
        mark_commands(c->otherwise);
    }
}

/* Names are declared before use, so one pass is enough. */
void ampl_mark_varying(struct ampl_evaluator *e) {
    bool any_input = false;
    for (const struct ampl_declaration *d = e->program->first; d; d = d->next)
        any_input |= d->input;
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        mark_declaration(d, any_input);
    mark_commands(e->program->first_command);
}

/* ---- the cause of a dependence ---- */

/* The reference that makes an expression vary; NULL if it does not vary. */
static const struct ampl_node *culprit_in(const struct ampl_node *node) {
    if (!node || !node->varies)
        return NULL;
    if (node->op == AMPL_REFERENCE && node->is.declaration->varies)
        return node;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct ampl_node *found = culprit_in(node->arguments[i]);
        if (found)
            return found;
    }
    return NULL;
}

bool ampl_fail_varying(struct ampl_evaluator *e, const struct ampl_node *node, const char *where) {
    const struct ampl_node *reference = culprit_in(node);
    const struct ampl_declaration *culprit = reference ? reference->is.declaration : NULL;
    struct ampl_place place = reference ? reference->place : node->place;
    const char *name = culprit ? ampl_symbol_text(e, culprit->name) : "this expression";
    if (culprit && culprit->input)
        return ampl_fail(e, HN_INVALID, place, "%s has no value, so it is a network input, which may not appear in %s",
                         name, where);
    if (culprit && culprit->kind == AMPL_VARIABLES)
        return ampl_fail(e, HN_INVALID, place, "%s: a variable may not appear in %s", name, where);
    return ampl_fail(e, HN_INVALID, place, "%s depends on network inputs and may not appear in %s", name, where);
}

/* ---- creating inputs ---- */

static bool visit_input(struct ampl_evaluator *e, struct ampl_declaration *param, const ampl_atom *key, void *context) {
    (void)context;
    const char *label = ampl_label_of(e, param, key);
    if (ampl_symbols_nameless(e->symbols, param->name))
        return ampl_fail(e, HN_INVALID, param->place, "%s has no value, but an input needs a name without '$'", label);
    if (!ampl_hold(e, strlen(label), param->place))
        return false;
    hn_expr input = hn_input(e->model, label);
    struct ampl_value value = {.kind = AMPL_EXPRESSION, .index = input.node};
    if (!hn_is_valid(input))
        return ampl_model_good(e, param);
    return ampl_keep(e, &param->known, param->arity, key, value, param->place);
}

struct box {
    double lower, upper;
};

/* A constant >= or <= is a side of the box; other attributes become requirements. */
static bool apply_attribute(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                            const struct ampl_attribute *a, struct box *box) {
    struct ampl_value bound;
    if (!ampl_operand(e, a->bound, &bound))
        return false;
    bool constant = bound.kind == AMPL_NUMBER;
    if (constant && (a->relation == AMPL_TOKEN_GREATER_EQUAL || a->relation == AMPL_TOKEN_GREATER))
        box->lower = fmax(box->lower, bound.is.number);
    else if (constant && (a->relation == AMPL_TOKEN_LESS_EQUAL || a->relation == AMPL_TOKEN_LESS))
        box->upper = fmin(box->upper, bound.is.number);
    if (constant && (a->relation == AMPL_TOKEN_GREATER_EQUAL || a->relation == AMPL_TOKEN_LESS_EQUAL))
        return true;
    return ampl_check_attribute(e, param, key, *ampl_table_find(&param->known, key), a);
}

static bool visit_range(struct ampl_evaluator *e, struct ampl_declaration *param, const ampl_atom *key, void *context) {
    struct box box = {-HUGE_VAL, HUGE_VAL};
    (void)context;
    for (const struct ampl_attribute *a = param->attributes; a; a = a->next)
        if (!apply_attribute(e, param, key, a, &box))
            return false;
    if (!(box.lower <= box.upper))
        return ampl_fail(e, HN_INVALID, param->place, "%s: the range is empty", ampl_label_of(e, param, key));
    hn_input_range(ampl_expr(e, *ampl_table_find(&param->known, key)), box.lower, box.upper);
    return ampl_model_good(e, param);
}

static bool for_inputs(struct ampl_evaluator *e, ampl_visit_entry visit) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        if (d->input && !ampl_loop_entries(e, d, visit, NULL))
            return false;
    return true;
}

bool ampl_make_inputs(struct ampl_evaluator *e) {
    if (e->inputs_made)
        return true;
    e->inputs_made = true;
    bool catching = e->catching; /* inputs are created once: their dependencies may not be deferred past this */
    uint32_t caught_at = e->caught_at;
    e->catching = false;
    bool good = for_inputs(e, visit_input) && for_inputs(e, visit_range);
    e->catching = catching;
    e->caught_at = caught_at;
    return good;
}

/* ---- indices changed by let ---- */

struct recount {
    size_t count;
    bool changed;
};

static bool visit_again(struct ampl_evaluator *e, struct ampl_declaration *param, const ampl_atom *key, void *context) {
    struct recount *again = context;
    (void)e;
    again->count++;
    again->changed |= !ampl_table_find(&param->known, key);
    return true;
}

bool ampl_check_inputs(struct ampl_evaluator *e) {
    if (!ampl_make_inputs(e))
        return false;
    for (struct ampl_declaration *d = e->program->first; d; d = d->next) {
        struct recount again = {0, false};
        if (d->input && !ampl_loop_entries(e, d, visit_again, &again))
            return false;
        if (d->input && (again.changed || again.count != d->known.keys.count))
            return ampl_fail(e, HN_UNSUPPORTED, d->place, "let changes the index of the input %s after its use",
                             ampl_symbol_text(e, d->name));
    }
    return true;
}
