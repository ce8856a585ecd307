/* evaluate_logic.c - conditions: 0 or 1 if all operands are known, else a condition of the model.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

static struct ampl_value truth(bool holds) {
    return ampl_value_number(holds ? 1 : 0);
}

/* ---- comparisons ---- */

uint32_t ampl_mirrored(uint32_t relation) {
    static const uint8_t pairs[][2] = {{AMPL_TOKEN_LESS, AMPL_TOKEN_GREATER},
                                       {AMPL_TOKEN_LESS_EQUAL, AMPL_TOKEN_GREATER_EQUAL}};
    for (int i = 0; i < 2; i++)
        if (relation == pairs[i][0] || relation == pairs[i][1])
            return relation == pairs[i][0] ? pairs[i][1] : pairs[i][0];
    return relation;
}

static bool compare_numbers(uint32_t relation, double a, double b) {
    switch (relation) {
    case AMPL_TOKEN_EQUAL:
        return a == b;
    case AMPL_TOKEN_NOT_EQUAL:
        return a != b;
    case AMPL_TOKEN_LESS:
        return a < b;
    case AMPL_TOKEN_LESS_EQUAL:
        return a <= b;
    default:
        return compare_numbers(ampl_mirrored(relation), b, a);
    }
}

static hn_expr compare_exprs(uint32_t relation, hn_expr a, hn_expr b) {
    switch (relation) {
    case AMPL_TOKEN_EQUAL:
        return hn_equal(a, b);
    case AMPL_TOKEN_NOT_EQUAL:
        return hn_not_equal(a, b);
    case AMPL_TOKEN_LESS:
        return hn_less(a, b);
    case AMPL_TOKEN_LESS_EQUAL:
        return hn_less_equal(a, b);
    default:
        return compare_exprs(ampl_mirrored(relation), b, a);
    }
}

/* Strings are ordered bytewise; a string and a number are never equal. */
static struct ampl_value compare_symbols(struct ampl_evaluator *e, uint32_t relation, struct ampl_value a,
                                         struct ampl_value b, struct ampl_place place) {
    if (a.kind == AMPL_SYMBOL && b.kind == AMPL_SYMBOL) {
        int order = strcmp(ampl_symbol_text(e, a.index), ampl_symbol_text(e, b.index));
        return truth(compare_numbers(relation, order, 0));
    }
    if (relation == AMPL_TOKEN_EQUAL || relation == AMPL_TOKEN_NOT_EQUAL)
        return truth(relation == AMPL_TOKEN_NOT_EQUAL);
    return ampl_no_value(e, HN_INVALID, place, "a string and a number cannot be ordered");
}

/* Whether all members of a are in b; false with an error. */
static bool all_in(struct ampl_evaluator *e, const struct ampl_set *a, const struct ampl_set *b,
                   struct ampl_place place) {
    ampl_atom member[AMPL_MOST_COMPONENTS];
    size_t count = ampl_set_count(a), number;
    for (size_t i = 0; i < count; i++) {
        ampl_set_member(a, i, member);
        if (!ampl_step(e, 1, place) || !ampl_set_find(b, member, &number))
            return false;
    }
    return true;
}

struct ampl_value ampl_compare(struct ampl_evaluator *e, uint32_t relation, struct ampl_value a, struct ampl_value b,
                               struct ampl_place place) {
    if (a.kind == AMPL_SYMBOL || b.kind == AMPL_SYMBOL)
        return compare_symbols(e, relation, a, b, place);
    if (a.kind == AMPL_NUMBER && b.kind == AMPL_NUMBER)
        return truth(compare_numbers(relation, a.is.number, b.is.number));
    return ampl_value_expr(e, compare_exprs(relation, ampl_expr(e, a), ampl_expr(e, b)), place);
}

/* ---- membership ---- */

static struct ampl_value member_of(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom tuple[AMPL_MOST_COMPONENTS];
    bool in = ampl_tuple_of(e, node->arguments[0], "a test of membership", tuple) &&
              ampl_contains(e, node->arguments[1], tuple, &in) && in;
    return truth(in);
}

static struct ampl_value subset_of(struct ampl_evaluator *e, const struct ampl_node *node) {
    size_t mark = e->temporary_count;
    const struct ampl_set *a = ampl_evaluate_set(e, node->arguments[0]);
    const struct ampl_set *b = a ? ampl_evaluate_set(e, node->arguments[1]) : NULL;
    bool holds = b && ampl_set_count(a) <= ampl_set_count(b) && all_in(e, a, b, node->place);
    e->temporary_count = mark;
    return truth(holds);
}

/* ---- and, or, not, forall, exists ---- */

/* Adds a condition to the conjunction or disjunction; sets *decided if its known value decides it. */
static bool join_value(struct ampl_evaluator *e, struct ampl_value next, struct ampl_place place, bool all,
                       struct ampl_value *value, bool *decided) {
    if (next.kind == AMPL_NUMBER) {
        *decided = (next.is.number != 0) != all;
        if (*decided)
            *value = truth(!all);
        return true;
    }
    hn_expr condition = ampl_expr(e, next);
    if (value->kind == AMPL_EXPRESSION) {
        hn_expr before = ampl_expr(e, *value);
        condition = all ? hn_and(before, condition) : hn_or(before, condition);
    }
    *value = ampl_value_expr(e, condition, place);
    return !e->failed;
}

static bool join_condition(struct ampl_evaluator *e, const struct ampl_node *node, bool all, struct ampl_value *value,
                           bool *decided) {
    struct ampl_value next;
    return ampl_operand(e, node, &next) && join_value(e, next, node->place, all, value, decided);
}

static struct ampl_value junction(struct ampl_evaluator *e, const struct ampl_node *node) {
    bool all = node->op == AMPL_CHAIN_AND, decided = false;
    struct ampl_value value = truth(all);
    for (uint32_t i = 0; i < node->count && !decided; i++)
        if (!join_condition(e, node->arguments[i], all, &value, &decided))
            break;
    return value;
}

/* ---- a < b <= c: arguments are evaluated once, from the left, until a comparison is known to be false ---- */

static struct ampl_value compare_scalars(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value = truth(true), left = ampl_evaluate(e, node->arguments[0]);
    bool decided = false;
    for (uint32_t i = 1; i < node->count && !decided && !e->failed; i++) {
        struct ampl_value right = ampl_evaluate(e, node->arguments[i]);
        if (e->failed)
            break;
        struct ampl_value next = ampl_compare(e, node->is.signs[i], left, right, node->place);
        if (e->failed || !join_value(e, next, node->place, true, &value, &decided))
            break;
        left = right;
    }
    return value;
}

static struct ampl_value compare_sets(struct ampl_evaluator *e, const struct ampl_node *node) {
    size_t mark = e->temporary_count;
    bool holds = true;
    const struct ampl_set *left = ampl_evaluate_set(e, node->arguments[0]);
    for (uint32_t i = 1; i < node->count && holds && left; i++) {
        const struct ampl_set *right = ampl_evaluate_set(e, node->arguments[i]);
        bool same = right && ampl_set_count(left) == ampl_set_count(right) && all_in(e, left, right, node->place);
        holds = same == (node->is.signs[i] == AMPL_TOKEN_EQUAL);
        left = right;
    }
    e->temporary_count = mark;
    return truth(holds);
}

struct quantifier {
    const struct ampl_node *node;
    struct ampl_value value;
    bool decided;
};

static bool visit_condition(struct ampl_evaluator *e, void *context) {
    struct quantifier *q = context;
    return q->decided ||
           join_condition(e, q->node->arguments[0], q->node->op == AMPL_FORALL_OVER, &q->value, &q->decided);
}

static struct ampl_value quantify(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct quantifier q = {node, truth(node->op == AMPL_FORALL_OVER), false};
    ampl_loop(e, node->over.indexing, visit_condition, &q);
    return q.value;
}

static struct ampl_value neither(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value;
    if (!ampl_operand(e, node->arguments[0], &value))
        return ampl_value_nothing();
    if (value.kind == AMPL_NUMBER)
        return truth(value.is.number == 0);
    return ampl_value_expr(e, hn_not(ampl_expr(e, value)), node->place);
}

struct ampl_value ampl_evaluate_logic(struct ampl_evaluator *e, const struct ampl_node *node) {
    switch (node->op) {
    case AMPL_COMPARE:
        return node->arguments[0]->type == AMPL_SET ? compare_sets(e, node) : compare_scalars(e, node);
    case AMPL_MEMBER_OF:
        return member_of(e, node);
    case AMPL_SUBSET_OF:
        return subset_of(e, node);
    case AMPL_CHAIN_AND:
    case AMPL_CHAIN_OR:
        return junction(e, node);
    case AMPL_FORALL_OVER:
    case AMPL_EXISTS_OVER:
        return quantify(e, node);
    case AMPL_NEITHER:
        return neither(e, node);
    default:
        return ampl_no_value(e, HN_INVALID, node->place, "this expression has no value");
    }
}

bool ampl_test(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, bool *holds) {
    struct ampl_value value;
    *holds = false;
    if (!ampl_operand(e, node, &value))
        return false;
    *holds = value.is.number != 0;
    return value.kind == AMPL_NUMBER || ampl_fail_varying(e, node, where);
}
