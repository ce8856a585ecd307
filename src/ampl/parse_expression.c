/* parse_expression.c - operators, by increasing precedence.
 *
 * Ranks, as in AMPL: or; and; not, forall, exists; comparisons, in, within; union diff symdiff; inter; cross; .. by; &;
 * + - less; (sum, prod, min, max over a set take one product, union and inter over a set operands that bind tighter
 * than they do between sets); * / div mod; unary + -; ^, from the right. A chain of operators of one rank becomes one
 * node with all its arguments.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

static struct ampl_node *parse_rank(struct ampl_parser *parser, enum ampl_rank rank);

struct ampl_node *ampl_parse_typed(struct ampl_parser *parser, enum ampl_rank rank, enum ampl_type type) {
    struct ampl_node *node = parse_rank(parser, rank);
    if (node && type == AMPL_TUPLE && node->type != AMPL_TUPLE)
        type = AMPL_SCALAR;
    return ampl_need(parser, node, type) ? node : NULL;
}

/* ---- chains ---- */

struct chain {
    enum ampl_op op;
    enum ampl_type type;
    uint16_t signs[7]; /* tokens, or words after AMPL_TOKEN_COUNT; 0 ends */
};

#define WORD(name) (AMPL_TOKEN_COUNT + AMPL_WORD_##name)

static const struct chain *chain_of(enum ampl_rank rank) {
    static const struct chain chains[] = {
        [AMPL_RANK_OR] = {AMPL_CHAIN_OR, AMPL_LOGICAL, {AMPL_TOKEN_OR, WORD(or)}},
        [AMPL_RANK_AND] = {AMPL_CHAIN_AND, AMPL_LOGICAL, {AMPL_TOKEN_AND, WORD(and)}},
        [AMPL_RANK_UNION] = {AMPL_CHAIN_UNION, AMPL_SET, {WORD(union), WORD(diff), WORD(symdiff)}},
        [AMPL_RANK_INTERSECT] = {AMPL_CHAIN_INTERSECT, AMPL_SET, {WORD(inter)}},
        [AMPL_RANK_CROSS] = {AMPL_CHAIN_CROSS, AMPL_SET, {WORD(cross)}},
        [AMPL_RANK_JOIN] = {AMPL_CHAIN_JOIN, AMPL_SCALAR, {AMPL_TOKEN_JOIN}},
        [AMPL_RANK_ADD] = {AMPL_CHAIN_ADD, AMPL_SCALAR, {AMPL_TOKEN_PLUS, AMPL_TOKEN_MINUS, WORD(less)}},
        [AMPL_RANK_MULTIPLY] = {
            AMPL_CHAIN_MULTIPLY, AMPL_SCALAR, {AMPL_TOKEN_TIMES, AMPL_TOKEN_DIVIDE, WORD(div), WORD(mod)}}};
    return &chains[rank];
}

static uint16_t sign_here(const struct ampl_parser *parser, const struct chain *chain) {
    uint32_t here = parser->token.kind;
    if (here == AMPL_TOKEN_NAME)
        here = parser->token.symbol < AMPL_WORD_COUNT && !ampl_is_hidden(parser, parser->token.symbol)
                   ? AMPL_TOKEN_COUNT + parser->token.symbol
                   : 0;
    for (const uint16_t *sign = chain->signs; *sign != 0; sign++)
        if (*sign == here)
            return *sign;
    return 0;
}

/* The dimension of a chain of sets: the sum for a cross product, equal ones otherwise. */
static bool set_dimension(struct ampl_parser *parser, struct ampl_node *node) {
    uint32_t sum = 0, common = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct ampl_node *set = node->arguments[i];
        sum += set->dimension;
        if (common != 0 && set->dimension != 0 && set->dimension != common && node->op != AMPL_CHAIN_CROSS)
            return ampl_mistake(parser, HN_SYNTAX, set->place,
                                "a set of dimension %u is combined with one of dimension %u", (unsigned)set->dimension,
                                (unsigned)common);
        if (set->dimension != 0)
            common = set->dimension;
        if (sum > AMPL_MOST_COMPONENTS && node->op == AMPL_CHAIN_CROSS)
            return ampl_mistake(parser, HN_LIMIT, set->place, "a set of more than %d dimensions", AMPL_MOST_COMPONENTS);
    }
    node->dimension = (uint8_t)(node->op == AMPL_CHAIN_CROSS ? sum : common);
    return true;
}

/* Collects the pending nodes from `first` on, all of one type, as arguments. */
static struct ampl_node *finish_chain(struct ampl_parser *parser, const struct chain *chain, enum ampl_type type,
                                      size_t first) {
    size_t count = parser->pending_count - first;
    uint16_t *signs = ampl_take(parser, count, sizeof *signs);
    if (parser->failed)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        signs[i] = parser->pending[first + i].sign;
        ampl_need(parser, parser->pending[first + i].node, type);
    }
    struct ampl_place place = parser->pending[first].node->place;
    struct ampl_node *node = ampl_node_pending(parser, chain->op, chain->type, place, first);
    if (!node || (chain->type == AMPL_SET && !set_dimension(parser, node)))
        return NULL;
    node->is.signs = signs;
    return node;
}

/* Continues an operator of this rank whose left operand is given. */
static struct ampl_node *parse_rest(struct ampl_parser *parser, struct ampl_node *node, enum ampl_rank rank) {
    const struct chain *chain = chain_of(rank);
    uint16_t sign = sign_here(parser, chain);
    if (sign == 0)
        return node;
    size_t first = parser->pending_count;
    ampl_push(parser, node, 0);
    for (; sign != 0; sign = sign_here(parser, chain)) {
        ampl_next(parser);
        ampl_push(parser, parse_rank(parser, rank + 1), sign);
    }
    return finish_chain(parser, chain, chain->type, first);
}

/* Parses chains of several ranks in one call, highest precedence first, to limit the stack depth of nested
 * expressions. */
static struct ampl_node *parse_chain(struct ampl_parser *parser, enum ampl_rank rank) {
    enum ampl_rank top = rank <= AMPL_RANK_AND     ? AMPL_RANK_NOT
                         : rank <= AMPL_RANK_CROSS ? AMPL_RANK_PROGRESSION
                                                   : AMPL_RANK_UNARY;
    struct ampl_node *node = parse_rank(parser, top);
    while (node && top > rank)
        node = parse_rest(parser, node, --top);
    return node;
}

/* ---- the other ranks ---- */

static struct ampl_node *node_one(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                  struct ampl_place place, struct ampl_node *argument) {
    struct ampl_node *node = ampl_node_new(parser, op, type, place, 1);
    if (node)
        node->arguments[0] = argument;
    return node;
}

static struct ampl_node *node_two(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type, struct ampl_node *a,
                                  struct ampl_node *b) {
    struct ampl_node *node = a ? ampl_node_new(parser, op, type, a->place, 2) : NULL;
    if (node) {
        node->arguments[0] = a;
        node->arguments[1] = b;
    }
    return node;
}

static struct ampl_node *parse_not(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    if (ampl_at_word(parser, AMPL_WORD_forall) || ampl_at_word(parser, AMPL_WORD_exists))
        return ampl_parse_reduction(parser);
    if (ampl_accept_word(parser, AMPL_WORD_not) || ampl_accept(parser, AMPL_TOKEN_NOT)) {
        struct ampl_node *argument = ampl_parse_typed(parser, AMPL_RANK_NOT, AMPL_LOGICAL);
        return node_one(parser, AMPL_NEITHER, AMPL_LOGICAL, place, argument);
    }
    return parse_rank(parser, AMPL_RANK_COMPARE);
}

/* The rest after in or within. */
static struct ampl_node *parse_membership(struct ampl_parser *parser, struct ampl_node *left, bool subset) {
    struct ampl_node *right = ampl_parse_typed(parser, AMPL_RANK_UNION, AMPL_SET);
    if (!right || (subset ? !ampl_need(parser, left, AMPL_SET)
                          : left->type != AMPL_TUPLE && !ampl_need(parser, left, AMPL_SCALAR)))
        return NULL;
    uint32_t components = subset ? left->dimension : left->type == AMPL_TUPLE ? left->count : 1;
    if (right->dimension != 0 && components != 0 && components != right->dimension)
        return ampl_mistake(parser, HN_SYNTAX, left->place,
                            "a tuple of %u components is tested in a set of dimension %u", (unsigned)components,
                            (unsigned)right->dimension);
    return node_two(parser, subset ? AMPL_SUBSET_OF : AMPL_MEMBER_OF, AMPL_LOGICAL, left, right);
}

static bool is_relation(enum ampl_token_kind kind) {
    return kind >= AMPL_TOKEN_EQUAL && kind <= AMPL_TOKEN_GREATER_EQUAL;
}

/* 1 for >, >=, -1 for <, <=, 0 for the others. */
static int direction(uint16_t relation) {
    if (relation == AMPL_TOKEN_LESS || relation == AMPL_TOKEN_LESS_EQUAL)
        return -1;
    return relation == AMPL_TOKEN_GREATER || relation == AMPL_TOKEN_GREATER_EQUAL;
}

/* Compared sets must have the same dimension. */
static bool check_compared_sets(struct ampl_parser *parser, const struct ampl_node *node) {
    uint32_t common = node->arguments[0]->dimension;
    for (uint32_t i = 1; i < node->count; i++) {
        const struct ampl_node *set = node->arguments[i];
        if (direction(node->is.signs[i]) != 0)
            return ampl_mistake(parser, HN_SYNTAX, node->place, "sets can only be compared by =, <> and within");
        if (common != 0 && set->dimension != 0 && set->dimension != common)
            return ampl_mistake(parser, HN_SYNTAX, set->place,
                                "a set of dimension %u is compared with one of dimension %u", (unsigned)set->dimension,
                                (unsigned)common);
        common = set->dimension != 0 ? set->dimension : common;
    }
    return true;
}

/* a < b <= c has one direction and may contain =; <> cannot be chained. */
static bool check_comparison(struct ampl_parser *parser, const struct ampl_node *node, struct ampl_place last) {
    int way = 0;
    if (node->arguments[0]->type == AMPL_SET && !check_compared_sets(parser, node))
        return false;
    for (uint32_t i = 1; i < node->count; i++) {
        int next = direction(node->is.signs[i]);
        if ((way != 0 && next == -way) || (node->count > 2 && node->is.signs[i] == AMPL_TOKEN_NOT_EQUAL))
            return ampl_mistake(parser, HN_SYNTAX, last, "%s: a chain of comparisons must have one direction and no <>",
                                ampl_shown_at(parser, last).text);
        way = next != 0 ? next : way;
    }
    return true;
}

/* left relation b relation c ..., from the first relation on. */
static struct ampl_node *parse_relation(struct ampl_parser *parser, struct ampl_node *left) {
    const struct chain chain = {AMPL_COMPARE, AMPL_LOGICAL, {0}};
    enum ampl_type type = left->type == AMPL_SET ? AMPL_SET : AMPL_SCALAR;
    struct ampl_place last = left->place;
    size_t first = parser->pending_count;
    ampl_need(parser, left, type);
    ampl_push(parser, left, 0);
    while (is_relation(parser->token.kind)) {
        uint16_t sign = (uint16_t)parser->token.kind;
        last = parser->token.place;
        ampl_next(parser);
        ampl_push(parser, ampl_parse_typed(parser, AMPL_RANK_UNION, type), sign);
    }
    struct ampl_node *node = finish_chain(parser, &chain, type, first);
    return node && check_comparison(parser, node, last) ? node : NULL;
}

/* Not inlined into parse_rank, whose frame is on the stack several times per level of nesting. */
__attribute__((noinline)) static struct ampl_node *parse_compare(struct ampl_parser *parser) {
    struct ampl_node *left = parse_rank(parser, AMPL_RANK_UNION);
    if (!left)
        return NULL;
    if (is_relation(parser->token.kind))
        return parse_relation(parser, left);
    struct ampl_place place = parser->token.place;
    bool negated = ampl_accept_word(parser, AMPL_WORD_not) || ampl_accept(parser, AMPL_TOKEN_NOT);
    bool subset = ampl_accept_word(parser, AMPL_WORD_within);
    if (!subset && !ampl_accept_word(parser, AMPL_WORD_in))
        return negated ? ampl_unexpected(parser, "'in' or 'within'") : left;
    struct ampl_node *node = parse_membership(parser, left, subset);
    return node && negated ? node_one(parser, AMPL_NEITHER, AMPL_LOGICAL, place, node) : node;
}

static struct ampl_node *parse_progression(struct ampl_parser *parser) {
    struct ampl_node *left = parse_rank(parser, AMPL_RANK_JOIN);
    if (!left || !ampl_accept(parser, AMPL_TOKEN_RANGE))
        return left;
    struct ampl_node *right = parse_rank(parser, AMPL_RANK_JOIN), *step = NULL;
    ampl_need(parser, left, AMPL_SCALAR);
    ampl_need(parser, right, AMPL_SCALAR);
    if (ampl_accept_word(parser, AMPL_WORD_by))
        step = ampl_parse_typed(parser, AMPL_RANK_JOIN, AMPL_SCALAR);
    struct ampl_node *node = ampl_node_new(parser, AMPL_PROGRESSION, AMPL_SET, left->place, step ? 3 : 2);
    if (!node)
        return NULL;
    node->dimension = 1;
    node->arguments[0] = left;
    node->arguments[1] = right;
    if (step)
        node->arguments[2] = step;
    return node;
}

static struct ampl_node *parse_power(struct ampl_parser *parser) {
    struct ampl_node *base = ampl_parse_primary(parser);
    if (!base || !ampl_accept(parser, AMPL_TOKEN_POWER))
        return base;
    struct ampl_node *exponent = parse_rank(parser, AMPL_RANK_UNARY);
    ampl_need(parser, base, AMPL_SCALAR);
    ampl_need(parser, exponent, AMPL_SCALAR);
    return node_two(parser, AMPL_RAISE, AMPL_SCALAR, base, exponent);
}

static struct ampl_node *parse_signed(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    bool minus = ampl_accept(parser, AMPL_TOKEN_MINUS);
    if (!minus && !ampl_accept(parser, AMPL_TOKEN_PLUS))
        return parse_power(parser);
    struct ampl_node *argument = ampl_parse_typed(parser, AMPL_RANK_UNARY, AMPL_SCALAR);
    if (!minus || !argument)
        return argument;
    if (argument->op != AMPL_NUMERAL)
        return node_one(parser, AMPL_NEGATE, AMPL_SCALAR, place, argument);
    argument->is.number = -argument->is.number;
    return argument;
}

/* Parses an operand that may nest. */
static struct ampl_node *parse_nested(struct ampl_parser *parser,
                                      struct ampl_node *(*parse)(struct ampl_parser *parser)) {
    if (parser->depth >= AMPL_MOST_DEPTH)
        return ampl_mistake(parser, HN_LIMIT, parser->token.place, "nested more than %d deep", AMPL_MOST_DEPTH);
    parser->depth++;
    struct ampl_node *node = parse(parser);
    parser->depth--;
    return node;
}

static struct ampl_node *parse_rank(struct ampl_parser *parser, enum ampl_rank rank) {
    if (parser->failed)
        return NULL;
    switch (rank) {
    case AMPL_RANK_NOT:
        return parse_nested(parser, parse_not);
    case AMPL_RANK_COMPARE:
        return parse_compare(parser);
    case AMPL_RANK_PROGRESSION:
        return parse_progression(parser);
    case AMPL_RANK_UNARY:
        return parse_nested(parser, parse_signed);
    default:
        return parse_chain(parser, rank);
    }
}

/* ---- the interface ---- */

struct ampl_node *ampl_parse_logical(struct ampl_parser *parser) {
    return ampl_parse_typed(parser, AMPL_RANK_OR, AMPL_LOGICAL);
}

struct ampl_node *ampl_parse_scalar(struct ampl_parser *parser) {
    return ampl_parse_typed(parser, AMPL_RANK_UNION, AMPL_SCALAR);
}

struct ampl_node *ampl_parse_set(struct ampl_parser *parser) {
    return ampl_parse_typed(parser, AMPL_RANK_UNION, AMPL_SET);
}

struct ampl_node *ampl_parse_any(struct ampl_parser *parser) {
    return parse_rank(parser, AMPL_RANK_UNION);
}

struct ampl_node *ampl_parse_condition_or_any(struct ampl_parser *parser) {
    return parse_rank(parser, AMPL_RANK_OR);
}
