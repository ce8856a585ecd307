/* attributes.c - checks values against their declarations: >= <= > < <> in integer binary symbolic, and within for
 * sets; and the bounds of variables.
 *
 * A value that depends on inputs is not known yet; its attributes become requirements on the inputs.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* ---- params ---- */

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

/* ---- variables ---- */

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

/* ---- sets ---- */

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
