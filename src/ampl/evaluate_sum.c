/* evaluate_sum.c - sums as they are written: a chain a + b - c and a sum over an index are one n-ary sum, added from left to
 * right.
 *
 * What stands in parentheses, and a sum over an index within another sum, is one term: its value is rounded before it is
 * added. Only at the very left parentheses make no difference, ((a + b) + c = a + b + c), nor does a sign before them
 * (-(a + b) rounds as -a - b does), so that a sum there goes on as the same list. Constants stay where they are.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

/* ---- numbers ---- */

struct addition {
    const struct ampl_node *body;
    double sum;
};

static bool visit_number(struct ampl_evaluator *e, void *context) {
    struct addition *a = context;
    double number;
    if (!ampl_number(e, a->body, "a sum", &number))
        return false;
    a->sum += number;
    return true;
}

static double less(double a, double b) {
    return a > b ? a - b : 0;
}

static struct ampl_value sum_numbers(struct ampl_evaluator *e, const struct ampl_node *node) {
    double sum, number;
    if (node->op == AMPL_SUM_OVER) {
        struct addition a = {node->arguments[0], 0};
        if (!ampl_loop(e, node->over.indexing, visit_number, &a))
            return ampl_value_nothing();
        return ampl_value_number(a.sum);
    }
    if (!ampl_number(e, node->arguments[0], "a sum", &sum))
        return ampl_value_nothing();
    for (uint32_t i = 1; i < node->count; i++) {
        if (!ampl_number(e, node->arguments[i], "a sum", &number))
            return ampl_value_nothing();
        uint32_t sign = node->is.signs[i];
        sum = sign == AMPL_TOKEN_PLUS ? sum + number : sign == AMPL_TOKEN_MINUS ? sum - number : less(sum, number);
    }
    return ampl_value_number(sum);
}

/* ---- terms ---- */

static bool add_value(struct ampl_evaluator *e, struct ampl_value value, bool minus, struct ampl_place place) {
    if (value.kind == AMPL_NUMBER && minus)
        value.is.number = -value.is.number;
    else if (minus)
        value = ampl_value_expr(e, hn_neg(ampl_expr(e, value)), place);
    if (e->failed)
        return false;
    if (e->term_count >= e->max_nodes) /* the graph would take no such sum */
        return ampl_fail(e, HN_LIMIT, place, "%s: a sum of more than %zu terms; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    hn_expr *terms = array_grow(e->terms, &e->term_capacity, e->term_count + 1, sizeof *terms);
    if (!terms)
        return ampl_fail_memory(e);
    e->terms = terms;
    terms[e->term_count++] = ampl_expr(e, value);
    return true;
}

/* One term. Evaluating it may collect terms of its own, which are gone again afterwards. */
static bool add_term(struct ampl_evaluator *e, const struct ampl_node *node, bool minus) {
    struct ampl_value value;
    return ampl_operand(e, node, &value) && add_value(e, value, minus, node->place);
}

static bool add_leftmost(struct ampl_evaluator *e, const struct ampl_node *node, bool minus);

struct visit {
    const struct ampl_node *body;
    size_t first; /* where the terms of this sum begin */
    bool minus;
};

static bool visit_term(struct ampl_evaluator *e, void *context) {
    const struct visit *v = context;
    if (e->term_count == v->first)
        return add_leftmost(e, v->body, v->minus);
    return add_term(e, v->body, v->minus);
}

/* The value of the terms from first on, which are taken away. */
static struct ampl_value finish(struct ampl_evaluator *e, size_t first, struct ampl_place place) {
    hn_expr sum = hn_sum(e->model, e->term_count - first, e->terms + first);
    e->term_count = first;
    return ampl_value_expr(e, sum, place);
}

/* a less b: the sum so far minus b, or 0 when that is negative. */
static bool apply_less(struct ampl_evaluator *e, const struct ampl_node *node, size_t first) {
    struct ampl_value sum = finish(e, first, node->place), other;
    if (e->failed || !ampl_operand(e, node, &other))
        return false;
    hn_expr difference = hn_sub(ampl_expr(e, sum), ampl_expr(e, other));
    hn_expr positive = hn_max(difference, hn_constant(e->model, 0));
    struct ampl_value value = ampl_value_expr(e, positive, node->place);
    return !e->failed && add_value(e, value, false, node->place);
}

static bool add_chain(struct ampl_evaluator *e, const struct ampl_node *node, bool minus) {
    if (!add_leftmost(e, node->arguments[0], minus))
        return false;
    for (uint32_t i = 1; i < node->count; i++)
        if (!add_term(e, node->arguments[i], minus != (node->is.signs[i] == AMPL_TOKEN_MINUS)))
            return false;
    return true;
}

static bool has_less(const struct ampl_node *node) {
    for (uint32_t i = 1; i < node->count; i++)
        if (node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_less)
            return true;
    return false;
}

static bool add_chain_with_less(struct ampl_evaluator *e, const struct ampl_node *node) {
    size_t first = e->term_count;
    if (!add_leftmost(e, node->arguments[0], false))
        return false;
    for (uint32_t i = 1; i < node->count; i++) {
        bool is_less = node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_less;
        if (is_less ? !apply_less(e, node->arguments[i], first)
                    : !add_term(e, node->arguments[i], node->is.signs[i] == AMPL_TOKEN_MINUS))
            return false;
    }
    return true;
}

/* The branch of a choice whose condition is known, NULL when there is none; *known tells. */
static const struct ampl_node *branch(struct ampl_evaluator *e, const struct ampl_node *node, bool *known) {
    *known = false;
    if (node->op != AMPL_CHOICE || node->arguments[0]->varies)
        return NULL;
    struct ampl_value condition = ampl_evaluate(e, node->arguments[0]);
    *known = condition.kind == AMPL_NUMBER;
    if (condition.is.number != 0)
        return node->arguments[1];
    return node->count > 2 ? node->arguments[2] : NULL;
}

/* The term at the very left of a sum, whose own terms may stand for it. As deep as the tree, which the parser limits. */
static bool add_leftmost(struct ampl_evaluator *e, const struct ampl_node *node, bool minus) {
    bool known;
    if (e->failed)
        return false;
    if (!node->varies)
        return add_term(e, node, minus);
    if (node->op == AMPL_CHAIN_ADD && !has_less(node))
        return add_chain(e, node, minus);
    if (node->op == AMPL_NEGATE)
        return add_leftmost(e, node->arguments[0], !minus);
    if (node->op == AMPL_SUM_OVER) {
        struct visit v = {node->arguments[0], e->term_count, minus};
        return ampl_loop(e, node->over.indexing, visit_term, &v);
    }
    const struct ampl_node *chosen = branch(e, node, &known);
    if (e->failed || !known)
        return !e->failed && add_term(e, node, minus);
    return !chosen || add_leftmost(e, chosen, minus);
}

struct ampl_value ampl_evaluate_nameless(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value a, b;
    if (node->op != AMPL_CHAIN_ADD || node->count != 2 || node->is.signs[1] != AMPL_TOKEN_MINUS || !node->varies)
        return ampl_evaluate(e, node);
    if (!ampl_operand(e, node->arguments[0], &a) || !ampl_operand(e, node->arguments[1], &b))
        return ampl_value_nothing();
    return ampl_value_expr(e, hn_sub(ampl_expr(e, a), ampl_expr(e, b)), node->place);
}

struct ampl_value ampl_evaluate_sum(struct ampl_evaluator *e, const struct ampl_node *node) {
    if (!node->varies)
        return sum_numbers(e, node);
    size_t first = e->term_count;
    bool less_in_it = node->op == AMPL_CHAIN_ADD && has_less(node);
    if (less_in_it ? !add_chain_with_less(e, node) : !add_leftmost(e, node, false)) {
        e->term_count = first;
        return ampl_value_nothing();
    }
    return finish(e, first, node->place);
}
