/* evaluate_sum.c - sums: chains of + - less and sum over an index.
 *
 * Where inputs or variables take part the terms of nested sums, negations and chosen branches are collected in one
 * list, so that a linear row becomes one n-ary sum. Constants among them are added up apart. A sum of numbers is
 * added as it is written.
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

struct terms {
    const struct ampl_node *body; /* of a sum over an index */
    double *constant;
    bool minus;
};

static bool add_terms(struct ampl_evaluator *e, const struct ampl_node *node, bool minus, double *constant);

static bool add_value(struct ampl_evaluator *e, struct ampl_value value, bool minus, double *constant,
                      struct ampl_place place) {
    if (value.kind == AMPL_NUMBER) {
        *constant += minus ? -value.is.number : value.is.number;
        return true;
    }
    if (minus)
        value = ampl_value_expr(e, hn_neg(ampl_expr(e, value)), place);
    if (e->failed)
        return false;
    hn_expr *terms = array_grow(e->terms, &e->term_capacity, e->term_count + 1, sizeof *terms);
    if (!terms)
        return ampl_fail_memory(e);
    e->terms = terms;
    terms[e->term_count++] = ampl_expr(e, value);
    return true;
}

static bool visit_terms(struct ampl_evaluator *e, void *context) {
    struct terms *t = context;
    return add_terms(e, t->body, t->minus, t->constant);
}

struct ampl_value ampl_terms_finish(struct ampl_evaluator *e, size_t first, double constant, struct ampl_place place) {
    size_t count = e->term_count - first;
    struct ampl_value value = ampl_value_number(constant);
    if (count > 0) {
        hn_expr sum = hn_sum(e->model, count, e->terms + first);
        value = ampl_value_expr(e, constant != 0 && hn_is_valid(sum) ? hn_shift(sum, constant) : sum, place);
    }
    e->term_count = first;
    return value;
}

/* a less b: the sum so far minus b, or 0 when that is negative. */
static bool apply_less(struct ampl_evaluator *e, const struct ampl_node *node, size_t first, double *constant) {
    struct ampl_value sum = ampl_terms_finish(e, first, *constant, node->place), other;
    if (e->failed || !ampl_operand(e, node, &other))
        return false;
    *constant = 0;
    if (sum.kind == AMPL_NUMBER && other.kind == AMPL_NUMBER) {
        *constant = less(sum.is.number, other.is.number);
        return true;
    }
    hn_expr difference = hn_sub(ampl_expr(e, sum), ampl_expr(e, other));
    hn_expr positive = hn_max(difference, hn_constant(e->model, 0));
    struct ampl_value value = ampl_value_expr(e, positive, node->place);
    return !e->failed && add_value(e, value, false, constant, node->place);
}

static bool add_chain(struct ampl_evaluator *e, const struct ampl_node *node, bool minus, double *constant) {
    for (uint32_t i = 0; i < node->count; i++) {
        bool opposite = i > 0 && node->is.signs[i] == AMPL_TOKEN_MINUS;
        if (!add_terms(e, node->arguments[i], minus != opposite, constant))
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

static struct ampl_value chain_with_less(struct ampl_evaluator *e, const struct ampl_node *node) {
    size_t first = e->term_count;
    double constant = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        bool is_less = i > 0 && node->is.signs[i] == AMPL_TOKEN_COUNT + AMPL_WORD_less;
        bool minus = i > 0 && node->is.signs[i] == AMPL_TOKEN_MINUS;
        if (is_less ? !apply_less(e, node->arguments[i], first, &constant)
                    : !add_terms(e, node->arguments[i], minus, &constant))
            return ampl_value_nothing();
    }
    return ampl_terms_finish(e, first, constant, node->place);
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

static bool add_one(struct ampl_evaluator *e, const struct ampl_node *node, bool minus, double *constant) {
    bool known;
    const struct ampl_node *chosen = branch(e, node, &known);
    struct ampl_value value;
    if (known)
        return !chosen || add_terms(e, chosen, minus, constant);
    return ampl_operand(e, node, &value) && add_value(e, value, minus, constant, node->place);
}

/* As deep as the tree, which the parser limits. */
static bool add_terms(struct ampl_evaluator *e, const struct ampl_node *node, bool minus, double *constant) {
    if (e->failed)
        return false;
    if (!node->varies)
        return add_one(e, node, minus, constant);
    if (node->op == AMPL_CHAIN_ADD && !has_less(node))
        return add_chain(e, node, minus, constant);
    if (node->op == AMPL_NEGATE)
        return add_terms(e, node->arguments[0], !minus, constant);
    if (node->op == AMPL_SUM_OVER) {
        struct terms t = {node->arguments[0], constant, minus};
        return ampl_loop(e, node->over.indexing, visit_terms, &t);
    }
    return add_one(e, node, minus, constant);
}

bool ampl_terms_collect(struct ampl_evaluator *e, const struct ampl_node *node, double *constant) {
    *constant = 0;
    return add_terms(e, node, false, constant);
}

struct ampl_value ampl_evaluate_sum(struct ampl_evaluator *e, const struct ampl_node *node) {
    if (!node->varies)
        return sum_numbers(e, node);
    if (node->op == AMPL_CHAIN_ADD && has_less(node))
        return chain_with_less(e, node);
    size_t first = e->term_count;
    double constant;
    if (!ampl_terms_collect(e, node, &constant)) {
        e->term_count = first;
        return ampl_value_nothing();
    }
    return ampl_terms_finish(e, first, constant, node->place);
}
