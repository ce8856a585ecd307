/* evaluate_sum.c - sums keep their written order: a chain a + b - c and a sum over an index are one n-ary sum, added
 * from left to right.
 *
 * A parenthesised sum, and a sum over an index within another sum, is one term: its value is rounded before it is
 * added. Only a leftmost parenthesis makes no difference, ((a + b) + c = a + b + c), nor does a sign before it (-(a +
 * b) rounds as -a - b does), so that such a sum is merged into the same list. Constants keep their position.
 *
 * A number times a variable is stored as such, so that a long sum of these enters the model without an expression per
 * term. Before a term of another kind, the products of a short sum become expressions, in order: sums of derivatives
 * have the same order.
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

static bool push(struct ampl_evaluator *e, double factor, hn_expr term, struct ampl_place place) {
    if (e->term_count >= e->max_nodes) /* the graph would reject such a sum */
        return ampl_fail(e, HN_LIMIT, place, "%s: a sum of more than %zu terms; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    if (!array_room(&e->terms, &e->term_capacity, e->term_count + 1, sizeof term) ||
        !array_room(&e->factors, &e->factor_capacity, e->term_count + 1, sizeof factor))
        return ampl_fail_memory(e);
    e->terms[e->term_count] = term;
    e->factors[e->term_count++] = factor;
    return true;
}

static bool add_value(struct ampl_evaluator *e, struct ampl_value value, bool minus, struct ampl_place place) {
    if (minus)
        value = ampl_negative(e, value, place);
    return !e->failed && push(e, 1, ampl_expr(e, value), place);
}

/* Whether this is a variable with a column; false if its start value is meant. */
static bool is_variable(const struct ampl_evaluator *e, const struct ampl_node *node) {
    return node->op == AMPL_REFERENCE && node->is.declaration->kind == AMPL_VARIABLES &&
           !node->is.declaration->defined && !e->starting;
}

/* The index of the numeric factor if the other factor is a variable; 2: not such a product. */
static uint32_t number_factor(const struct ampl_evaluator *e, const struct ampl_node *node) {
    if (node->op != AMPL_CHAIN_MULTIPLY || node->count != 2 || node->is.signs[1] != AMPL_TOKEN_TIMES)
        return 2;
    if (!node->arguments[0]->varies && is_variable(e, node->arguments[1]))
        return 0;
    return !node->arguments[1]->varies && is_variable(e, node->arguments[0]) ? 1 : 2;
}

static bool add_product(struct ampl_evaluator *e, const struct ampl_node *node, uint32_t number, bool minus) {
    struct ampl_value values[2];
    if (!ampl_operand(e, node->arguments[0], &values[0]) || !ampl_operand(e, node->arguments[1], &values[1]))
        return false;
    if (values[number].kind != AMPL_NUMBER || values[1 - number].kind != AMPL_EXPRESSION)
        return add_value(e, ampl_multiply(e, values[0], values[1], node->place), minus, node->place);
    double factor = values[number].is.number;
    return push(e, minus ? -factor : factor, ampl_expr(e, values[1 - number]), node->place);
}

/* Converts the products of a short sum to expressions. */
static bool apply_factors(struct ampl_evaluator *e, size_t first, struct ampl_place place) {
    enum { SHORT = 16 };
    for (size_t i = e->plain_count; i < e->term_count && e->term_count - first < SHORT; e->plain_count = ++i) {
        if (e->factors[i] == 1)
            continue;
        e->terms[i] = hn_scale(e->factors[i], e->terms[i]);
        e->factors[i] = 1;
        if (!hn_is_valid(e->terms[i]))
            ampl_value_expr(e, e->terms[i], place);
    }
    return !e->failed;
}

/* Adds a term to the sum whose terms begin at first. Evaluating it may push terms temporarily. */
static bool add_term(struct ampl_evaluator *e, const struct ampl_node *node, size_t first, bool minus) {
    struct ampl_value value;
    uint32_t number = number_factor(e, node);
    if (number < 2)
        return add_product(e, node, number, minus);
    if (!is_variable(e, node) && !apply_factors(e, first, node->place))
        return false;
    if (!ampl_operand(e, node, &value))
        return false;
    if (value.kind == AMPL_EXPRESSION && is_variable(e, node))
        return push(e, minus ? -1 : 1, ampl_expr(e, value), node->place);
    return add_value(e, value, minus, node->place);
}

static bool add_leftmost(struct ampl_evaluator *e, const struct ampl_node *node, size_t first, bool minus);

struct visit {
    const struct ampl_node *body;
    size_t first; /* index of the sum's first term */
    bool minus;
};

static bool visit_term(struct ampl_evaluator *e, void *context) {
    const struct visit *v = context;
    if (e->term_count == v->first)
        return add_leftmost(e, v->body, v->first, v->minus);
    return add_term(e, v->body, v->first, v->minus);
}

/* Pops the terms from first on and returns their sum. */
static struct ampl_value finish_sum(struct ampl_evaluator *e, size_t first, struct ampl_place place) {
    size_t count = e->term_count - first;
    hn_expr sum = hn_linear(e->model, count, count ? e->factors + first : NULL, count ? e->terms + first : NULL);
    e->term_count = e->plain_count = first;
    return ampl_value_expr(e, sum, place);
}

/* a less b: the sum so far minus b, or 0 if that is negative. */
static bool apply_less(struct ampl_evaluator *e, const struct ampl_node *node, size_t first) {
    struct ampl_value sum = finish_sum(e, first, node->place), other;
    if (e->failed || !ampl_operand(e, node, &other))
        return false;
    hn_expr difference = hn_sub(ampl_expr(e, sum), ampl_expr(e, other));
    hn_expr positive = hn_max(difference, hn_constant(e->model, 0));
    struct ampl_value value = ampl_value_expr(e, positive, node->place);
    return !e->failed && add_value(e, value, false, node->place);
}

/* `less` applies to the sum so far: such a chain is a whole sum. */
static bool add_chain(struct ampl_evaluator *e, const struct ampl_node *node, size_t first, bool minus) {
    if (!add_leftmost(e, node->arguments[0], first, minus))
        return false;
    for (uint32_t i = 1; i < node->count; i++) {
        bool is_less = node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_less;
        if (is_less ? !apply_less(e, node->arguments[i], first)
                    : !add_term(e, node->arguments[i], first, minus != (node->is.signs[i] == AMPL_TOKEN_MINUS)))
            return false;
    }
    return true;
}

static bool has_less(const struct ampl_node *node) {
    for (uint32_t i = 1; i < node->count; i++)
        if (node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_less)
            return true;
    return false;
}

/* The branch of a choice with a known condition, NULL if that branch is absent; sets *known. */
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

/* Adds the leftmost term of a sum, merging its terms if it is a sum. Recursion is limited by the parser. */
static bool add_leftmost(struct ampl_evaluator *e, const struct ampl_node *node, size_t first, bool minus) {
    bool known;
    if (e->failed)
        return false;
    if (!node->varies)
        return add_term(e, node, first, minus);
    if (node->op == AMPL_CHAIN_ADD && !has_less(node))
        return add_chain(e, node, first, minus);
    if (node->op == AMPL_NEGATE)
        return add_leftmost(e, node->arguments[0], first, !minus);
    if (node->op == AMPL_SUM_OVER) {
        struct visit v = {node->arguments[0], e->term_count, minus};
        return ampl_loop(e, node->over.indexing, visit_term, &v);
    }
    const struct ampl_node *chosen = branch(e, node, &known);
    if (e->failed || !known)
        return !e->failed && add_term(e, node, first, minus);
    return !chosen || add_leftmost(e, chosen, first, minus);
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
    size_t first = e->term_count, plain = e->plain_count;
    struct ampl_value value = ampl_value_nothing();
    bool less_in_it = node->op == AMPL_CHAIN_ADD && has_less(node);
    e->plain_count = first;
    if (less_in_it ? add_chain(e, node, first, false) : add_leftmost(e, node, first, false))
        value = finish_sum(e, first, node->place);
    e->term_count = first;
    e->plain_count = plain;
    return value;
}
