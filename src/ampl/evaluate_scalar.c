/* evaluate_scalar.c - numbers, symbols and expressions of the model from their trees.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"

#include <math.h>

#define WIDTH 1
#include "base/elementary.h"

/* ---- values ---- */

struct ampl_value ampl_value_atom(ampl_atom atom) {
    if (ampl_atom_is_symbol(atom))
        return ampl_value_symbol(ampl_atom_to_symbol(atom));
    return ampl_value_number(ampl_atom_to_number(atom));
}

hn_expr ampl_expr(struct ampl_evaluator *e, struct ampl_value value) {
    if (value.kind == AMPL_EXPRESSION)
        return (hn_expr){e->model, value.index};
    return hn_constant(e->model, value.is.number);
}

struct ampl_value ampl_value_expr(struct ampl_evaluator *e, hn_expr expr, struct ampl_place place) {
    double number;
    hn_error error;
    if (!hn_is_valid(expr)) {
        hn_status status = hn_model_status(e->model, &error);
        return ampl_no_value(e, status, place, "%s: %s", ampl_symbol_text(e, e->about),
                             status != HN_OK ? error.text : "no value");
    }
    if (hn_is_constant(expr, &number))
        return ampl_value_number(number);
    return (struct ampl_value){.kind = AMPL_EXPRESSION, .index = expr.node};
}

bool ampl_operand(struct ampl_evaluator *e, const struct ampl_node *node, struct ampl_value *value) {
    *value = ampl_evaluate(e, node);
    if (value->kind == AMPL_SYMBOL)
        return ampl_fail(e, HN_INVALID, node->place, "'%s' is a string, expected a number",
                         ampl_symbol_text(e, value->index));
    return !e->failed;
}

bool ampl_number(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, double *number) {
    struct ampl_value value;
    if (!ampl_operand(e, node, &value))
        return false;
    *number = value.is.number;
    return value.kind == AMPL_NUMBER || ampl_fail_varying(e, node, where);
}

bool ampl_tuple_of(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, ampl_atom *tuple) {
    if (node->type != AMPL_TUPLE)
        return ampl_atom_of(e, node, where, tuple);
    for (uint32_t i = 0; i < node->count; i++)
        if (!ampl_atom_of(e, node->arguments[i], where, &tuple[i]))
            return false;
    return true;
}

bool ampl_atom_of(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, ampl_atom *atom) {
    struct ampl_value value = ampl_evaluate(e, node);
    if (e->failed)
        return false;
    if (value.kind == AMPL_SYMBOL) {
        *atom = ampl_atom_symbol(value.index);
        return true;
    }
    if (value.kind != AMPL_NUMBER)
        return ampl_fail_varying(e, node, where);
    *atom = ampl_atom_number(value.is.number);
    return !isnan(value.is.number) || ampl_fail(e, HN_INVALID, node->place, "NaN may not appear in %s", where);
}

/* ---- products and powers ---- */

struct ampl_value ampl_multiply(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                                struct ampl_place place) {
    if (a.kind == AMPL_NUMBER && b.kind == AMPL_NUMBER)
        return ampl_value_number(a.is.number * b.is.number);
    if (a.kind == AMPL_NUMBER)
        return ampl_value_expr(e, hn_scale(a.is.number, ampl_expr(e, b)), place);
    if (b.kind == AMPL_NUMBER)
        return ampl_value_expr(e, hn_scale(b.is.number, ampl_expr(e, a)), place);
    return ampl_value_expr(e, hn_mul(ampl_expr(e, a), ampl_expr(e, b)), place);
}

static struct ampl_value divide(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                                struct ampl_place place) {
    if (b.kind == AMPL_NUMBER && b.is.number == 0)
        return ampl_no_value(e, HN_INVALID, place, "division by zero");
    if (a.kind == AMPL_NUMBER && b.kind == AMPL_NUMBER)
        return ampl_value_number(a.is.number / b.is.number);
    return ampl_value_expr(e, hn_div(ampl_expr(e, a), ampl_expr(e, b)), place);
}

/* The first arguments of the node, with value a, divided by argument i, with value b. */
static struct ampl_value divide_whole(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                                      const struct ampl_node *node, uint32_t i) {
    bool rest = node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_mod;
    if (a.kind != AMPL_NUMBER || b.kind != AMPL_NUMBER) {
        ampl_fail_varying(e, node, rest ? "mod" : "div");
        return ampl_value_nothing();
    }
    if (b.is.number == 0)
        return ampl_no_value(e, HN_INVALID, node->arguments[i]->place, "division by zero");
    return ampl_value_number(rest ? fmod(a.is.number, b.is.number) : trunc(a.is.number / b.is.number));
}

static struct ampl_value multiply_chain(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value, next;
    if (!ampl_operand(e, node->arguments[0], &value))
        return ampl_value_nothing();
    for (uint32_t i = 1; i < node->count && !e->failed; i++) {
        if (!ampl_operand(e, node->arguments[i], &next))
            return ampl_value_nothing();
        switch (node->is.signs[i]) {
        case AMPL_TOKEN_TIMES:
            value = ampl_multiply(e, value, next, node->place);
            break;
        case AMPL_TOKEN_DIVIDE:
            value = divide(e, value, next, node->arguments[i]->place);
            break;
        default:
            value = divide_whole(e, value, next, node, i);
        }
    }
    return value;
}

static struct ampl_value raise(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value a, b;
    if (!ampl_operand(e, node->arguments[0], &a) || !ampl_operand(e, node->arguments[1], &b))
        return ampl_value_nothing();
    if (a.kind != AMPL_NUMBER || b.kind != AMPL_NUMBER)
        return ampl_value_expr(e, hn_pow(ampl_expr(e, a), ampl_expr(e, b)), node->place);
    double value = elementary_pow(a.is.number, b.is.number);
    if (isnan(value) && !isnan(a.is.number) && !isnan(b.is.number))
        return ampl_no_value(e, HN_INVALID, node->place, "%s ^ %s is NaN", error_number(a.is.number).text,
                             error_number(b.is.number).text);
    return ampl_value_number(value);
}

/* ---- products, minima and maxima over an index ---- */

struct ampl_value ampl_smaller(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b, bool larger,
                               struct ampl_place place) {
    if (a.kind == AMPL_NUMBER && b.kind == AMPL_NUMBER) {
        bool first = larger ? b.is.number < a.is.number : a.is.number < b.is.number;
        return first || isnan(a.is.number) ? a : b;
    }
    hn_expr p = ampl_expr(e, a), q = ampl_expr(e, b);
    return ampl_value_expr(e, larger ? hn_max(p, q) : hn_min(p, q), place);
}

struct folding {
    const struct ampl_node *node;
    struct ampl_value value; /* AMPL_NOTHING before the first */
};

static bool visit_fold(struct ampl_evaluator *e, void *context) {
    struct folding *f = context;
    struct ampl_value next;
    if (!ampl_operand(e, f->node->arguments[0], &next))
        return false;
    if (f->value.kind == AMPL_NOTHING)
        f->value = next;
    else if (f->node->op == AMPL_PRODUCT_OVER)
        f->value = ampl_multiply(e, f->value, next, f->node->place);
    else
        f->value = ampl_smaller(e, f->value, next, f->node->op == AMPL_MAX_OVER, f->node->place);
    return !e->failed;
}

static struct ampl_value fold(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct folding f = {node, ampl_value_nothing()};
    if (!ampl_loop(e, node->over.indexing, visit_fold, &f))
        return ampl_value_nothing();
    if (f.value.kind != AMPL_NOTHING)
        return f.value;
    return ampl_value_number(node->op == AMPL_PRODUCT_OVER ? 1 : node->op == AMPL_MIN_OVER ? HUGE_VAL : -HUGE_VAL);
}

/* ---- other operators ---- */

struct ampl_value ampl_negative(struct ampl_evaluator *e, struct ampl_value a, struct ampl_place place) {
    return a.kind == AMPL_NUMBER ? ampl_value_number(-a.is.number) : ampl_value_expr(e, hn_neg(ampl_expr(e, a)), place);
}

static struct ampl_value negate(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value;
    return ampl_operand(e, node->arguments[0], &value) ? ampl_negative(e, value, node->place) : value;
}

/* If the condition is known only the selected branch is evaluated. */
static struct ampl_value choice(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value condition = ampl_evaluate(e, node->arguments[0]), yes, no = ampl_value_number(0);
    if (e->failed)
        return ampl_value_nothing();
    if (condition.kind == AMPL_NUMBER) {
        if (condition.is.number != 0)
            return ampl_evaluate(e, node->arguments[1]);
        return node->count > 2 ? ampl_evaluate(e, node->arguments[2]) : no;
    }
    if (!ampl_operand(e, node->arguments[1], &yes) || (node->count > 2 && !ampl_operand(e, node->arguments[2], &no)))
        return ampl_value_nothing();
    hn_expr otherwise = ampl_expr(e, no), then = ampl_expr(e, yes); /* C does not order the evaluation of arguments */
    return ampl_value_expr(e, hn_if(ampl_expr(e, condition), then, otherwise), node->place);
}

/* a & b: concatenates strings; numbers are converted as in labels. */
static struct ampl_value join_texts(struct ampl_evaluator *e, const struct ampl_node *node) {
    char text[512];
    size_t length = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        ampl_atom atom = 0;
        if (!ampl_atom_of(e, node->arguments[i], "a text", &atom))
            return ampl_value_nothing();
        number_text number = error_number(ampl_atom_is_symbol(atom) ? 0 : ampl_atom_to_number(atom));
        const char *part = ampl_atom_is_symbol(atom) ? ampl_symbol_text(e, ampl_atom_to_symbol(atom)) : number.text;
        size_t more = strlen(part);
        if (more > sizeof text - length)
            return ampl_no_value(e, HN_INVALID, node->place, "a string of more than 512 bytes");
        memcpy(text + length, part, more);
        length += more;
    }
    return ampl_new_text(e, text, length, node->place);
}

static struct ampl_value evaluate(struct ampl_evaluator *e, const struct ampl_node *node) {
    switch (node->op) {
    case AMPL_NUMERAL:
        return ampl_value_number(node->is.number);
    case AMPL_LITERAL:
        return ampl_value_symbol(node->is.symbol);
    case AMPL_DUMMY:
        return ampl_value_atom(e->stack[e->base + node->is.slot]);
    case AMPL_REFERENCE:
        return ampl_refer(e, node);
    case AMPL_SUFFIX:
        return ampl_refer_suffix(e, node);
    case AMPL_CHAIN_ADD:
    case AMPL_SUM_OVER:
        return ampl_evaluate_sum(e, node);
    case AMPL_CHAIN_MULTIPLY:
        return multiply_chain(e, node);
    case AMPL_CHAIN_JOIN:
        return join_texts(e, node);
    case AMPL_NEGATE:
        return negate(e, node);
    case AMPL_RAISE:
        return raise(e, node);
    case AMPL_CALL:
        return ampl_evaluate_call(e, node);
    case AMPL_NET:
        return ampl_evaluate_net(e, node);
    case AMPL_PIECES:
        return ampl_evaluate_pieces(e, node);
    case AMPL_DRAW:
        return ampl_evaluate_draw(e, node);
    case AMPL_PRODUCT_OVER:
    case AMPL_MIN_OVER:
    case AMPL_MAX_OVER:
        return fold(e, node);
    case AMPL_CHOICE:
        return choice(e, node);
    default:
        return ampl_evaluate_logic(e, node);
    }
}

struct ampl_value ampl_evaluate(struct ampl_evaluator *e, const struct ampl_node *node) {
    if (e->failed)
        return ampl_value_nothing();
    if (e->depth >= AMPL_MOST_DEEP)
        return ampl_no_value(e, HN_LIMIT, node->place, "%s: evaluation is nested too deeply",
                             ampl_symbol_text(e, e->about));
    e->depth++;
    struct ampl_value value = evaluate(e, node);
    e->depth--;
    return e->failed ? ampl_value_nothing() : value;
}
