/* parse_primary.c - operands: numerals, strings, parentheses, if, reductions over index sets, intervals, and
 * piecewise-linear terms.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include <math.h>

static struct ampl_node *parse_numeral(struct ampl_parser *parser, double value) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, parser->token.place, 0);
    if (node)
        node->is.number = value;
    ampl_next(parser);
    return node;
}

static struct ampl_node *parse_literal(struct ampl_parser *parser) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_LITERAL, AMPL_SCALAR, parser->token.place, 0);
    if (node)
        node->is.symbol = parser->token.symbol;
    ampl_next(parser);
    return node;
}

/* ( a ) is a; ( a, b ) is a tuple. */
static struct ampl_node *parse_parentheses(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    size_t first = parser->pending_count;
    ampl_next(parser);
    ampl_accept(parser, AMPL_TOKEN_COMMA);
    struct ampl_node *node = ampl_parse_condition_or_any(parser);
    ampl_push(parser, node, 0);
    if (ampl_accept(parser, AMPL_TOKEN_COMMA))
        ampl_push_scalars(parser);
    ampl_expect(parser, AMPL_TOKEN_SHUT, "to close the parenthesis");
    size_t count = parser->pending_count - first;
    if (count > AMPL_MOST_COMPONENTS)
        ampl_mistake(parser, HN_LIMIT, place, "a tuple of more than %d components", AMPL_MOST_COMPONENTS);
    if (count > 1 && ampl_need(parser, node, AMPL_SCALAR))
        return ampl_node_pending(parser, AMPL_LIST, AMPL_TUPLE, place, first);
    parser->pending_count = first;
    return parser->failed ? NULL : node;
}

static struct ampl_node *parse_choice(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_node *no = NULL;
    ampl_next(parser);
    struct ampl_node *condition = ampl_parse_logical(parser);
    if (!ampl_accept_word(parser, AMPL_WORD_then))
        ampl_unexpected(parser, "'then'");
    struct ampl_node *yes = ampl_parse_any(parser);
    if (!parser->failed && yes->type != AMPL_SET)
        ampl_need(parser, yes, AMPL_SCALAR);
    if (ampl_accept_word(parser, AMPL_WORD_else)) {
        no = ampl_parse_any(parser);
        if (ampl_need(parser, no, (enum ampl_type)yes->type) && yes->dimension != 0 && no->dimension != 0 &&
            yes->dimension != no->dimension)
            ampl_mistake(parser, HN_SYNTAX, no->place, "the branches have dimensions %u and %u",
                         (unsigned)yes->dimension, (unsigned)no->dimension);
    } else if (!parser->failed && yes->type == AMPL_SET) {
        ampl_unexpected(parser, "'else'");
    }
    if (parser->failed)
        return NULL;
    struct ampl_node *node = ampl_node_new(parser, AMPL_CHOICE, (enum ampl_type)yes->type, place, no ? 3 : 2);
    if (!node)
        return NULL;
    node->dimension = no && yes->dimension == 0 ? no->dimension : yes->dimension;
    node->arguments[0] = condition;
    node->arguments[1] = yes;
    if (no)
        node->arguments[2] = no;
    return node;
}

/* ---- reductions ---- */

struct reduction {
    enum ampl_word word;
    enum ampl_op op;
    enum ampl_type type, operand;
    enum ampl_rank rank; /* of the operand */
};

static const struct reduction *find_reduction(uint32_t word) {
    static const struct reduction reductions[] = {
        {AMPL_WORD_sum, AMPL_SUM_OVER, AMPL_SCALAR, AMPL_SCALAR, AMPL_RANK_MULTIPLY},
        {AMPL_WORD_prod, AMPL_PRODUCT_OVER, AMPL_SCALAR, AMPL_SCALAR, AMPL_RANK_MULTIPLY},
        {AMPL_WORD_min, AMPL_MIN_OVER, AMPL_SCALAR, AMPL_SCALAR, AMPL_RANK_MULTIPLY},
        {AMPL_WORD_max, AMPL_MAX_OVER, AMPL_SCALAR, AMPL_SCALAR, AMPL_RANK_MULTIPLY},
        {AMPL_WORD_setof, AMPL_IMAGE_OVER, AMPL_SET, AMPL_TUPLE, AMPL_RANK_JOIN},
        {AMPL_WORD_union, AMPL_UNION_OVER, AMPL_SET, AMPL_SET, AMPL_RANK_INTERSECT},
        {AMPL_WORD_inter, AMPL_INTERSECT_OVER, AMPL_SET, AMPL_SET, AMPL_RANK_CROSS},
        {AMPL_WORD_forall, AMPL_FORALL_OVER, AMPL_LOGICAL, AMPL_LOGICAL, AMPL_RANK_AND},
        {AMPL_WORD_exists, AMPL_EXISTS_OVER, AMPL_LOGICAL, AMPL_LOGICAL, AMPL_RANK_AND}};
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
        if ((uint32_t)reductions[i].word == word)
            return &reductions[i];
    return NULL;
}

bool ampl_takes_index(uint32_t word) {
    const struct reduction *reduction = find_reduction(word);
    return reduction && reduction->type != AMPL_LOGICAL;
}

struct ampl_node *ampl_parse_reduction(struct ampl_parser *parser) {
    const struct reduction *reduction = find_reduction(parser->token.symbol);
    struct ampl_place place = parser->token.place;
    struct ampl_scope scope = ampl_scope_enter(parser);
    ampl_next(parser);
    struct ampl_indexing *indexing = ampl_parse_indexing(parser);
    struct ampl_node *body = ampl_parse_typed(parser, reduction->rank, reduction->operand);
    ampl_scope_leave(parser, scope);
    struct ampl_node *node = ampl_node_new(parser, reduction->op, reduction->type, place, 1);
    if (!node)
        return NULL;
    node->over.indexing = indexing;
    node->arguments[0] = body;
    if (reduction->op == AMPL_IMAGE_OVER)
        node->dimension = (uint8_t)(body->type == AMPL_TUPLE ? body->count : 1);
    else if (reduction->type == AMPL_SET)
        node->dimension = body->dimension;
    return node;
}

/* ---- infinite sets of numbers: interval [a, b), integer [a, b], Reals, Integers ---- */

static bool at_bracket(enum ampl_token_kind kind) {
    return kind == AMPL_TOKEN_OPEN || kind == AMPL_TOKEN_OPEN_BRACKET;
}

bool ampl_at_interval(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_declared(parser, parser->token.symbol))
        return false;
    if (ampl_at_word(parser, AMPL_WORD_Reals) || ampl_at_word(parser, AMPL_WORD_Integers))
        return true;
    return (ampl_at_word(parser, AMPL_WORD_interval) || ampl_at_word(parser, AMPL_WORD_integer)) &&
           at_bracket(ampl_peek(parser).kind);
}

struct ampl_node *ampl_parse_interval(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    const char *outside = parser->no_variables;
    bool whole = ampl_at_word(parser, AMPL_WORD_Integers) || ampl_at_word(parser, AMPL_WORD_integer);
    bool all = ampl_at_word(parser, AMPL_WORD_Integers) || ampl_at_word(parser, AMPL_WORD_Reals);
    struct ampl_node *node = ampl_node_new(parser, AMPL_INTERVAL, AMPL_SET, place, all ? 0 : 2);
    ampl_next(parser);
    if (!node)
        return NULL;
    node->dimension = 1;
    node->is.slot = whole ? AMPL_WHOLE : 0u;
    if (all)
        return node;
    parser->no_variables = "an interval";
    node->is.slot |= ampl_at(parser, AMPL_TOKEN_OPEN) ? AMPL_ABOVE_LOW : 0u;
    if (!ampl_accept(parser, AMPL_TOKEN_OPEN) && !ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET))
        ampl_unexpected(parser, "'[' or '('");
    node->arguments[0] = ampl_parse_scalar(parser);
    ampl_expect(parser, AMPL_TOKEN_COMMA, "between the ends of an interval");
    node->arguments[1] = ampl_parse_scalar(parser);
    node->is.slot |= ampl_at(parser, AMPL_TOKEN_SHUT) ? AMPL_BELOW_HIGH : 0u;
    if (!ampl_accept(parser, AMPL_TOKEN_SHUT) && !ampl_accept(parser, AMPL_TOKEN_SHUT_BRACKET))
        ampl_unexpected(parser, "']' or ')'");
    parser->no_variables = outside;
    return parser->failed ? NULL : node;
}

/* ---- << breakpoints; slopes >> x, or (x, zero) for a term that is 0 at zero ---- */

/* Values or indexed values, {p in 1..n} limit[p], pending. */
static void push_items(struct ampl_parser *parser) {
    do {
        struct ampl_place place = parser->token.place;
        struct ampl_scope scope = ampl_scope_enter(parser);
        const struct ampl_indexing *indexing = ampl_parse_optional_index(parser);
        struct ampl_node *value = ampl_parse_scalar(parser);
        ampl_scope_leave(parser, scope);
        struct ampl_node *item = ampl_node_new(parser, AMPL_ITEM, AMPL_SCALAR, place, 1);
        if (!item)
            return;
        item->over.indexing = indexing;
        item->arguments[0] = value;
        ampl_push(parser, item, 0);
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
}

/* Pushes both lists, up to the closing >>; returns the number of breakpoints. */
static uint32_t push_lists(struct ampl_parser *parser) {
    const char *outside = parser->no_variables;
    size_t first = parser->pending_count;
    parser->pieces = parser->token.place.offset + 1;
    parser->no_variables = "a breakpoint or slope";
    ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON)) /* no breakpoints: one slope */
        push_items(parser);
    uint32_t breakpoints = (uint32_t)(parser->pending_count - first);
    ampl_expect(parser, AMPL_TOKEN_SEMICOLON, "between breakpoints and slopes");
    if (parser->failed)
        return 0;
    parser->pieces = 0;
    parser->no_variables = outside;
    push_items(parser);
    ampl_expect(parser, AMPL_TOKEN_PIECES_END, "after the slopes");
    return breakpoints;
}

static struct ampl_node *parse_pieces(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    size_t first = parser->pending_count;
    if (parser->depth >= AMPL_MOST_DEPTH) /* the argument may be another such term */
        return ampl_mistake(parser, HN_LIMIT, place, "nested more than %d deep", AMPL_MOST_DEPTH);
    parser->depth++;
    uint32_t breakpoints = push_lists(parser);
    struct ampl_node *x = ampl_parse_primary(parser);
    parser->depth--;
    if (!x)
        return NULL;
    bool pair = x->type == AMPL_TUPLE && x->count == 2;
    struct ampl_node *argument = pair ? x->arguments[0] : x;
    ampl_need(parser, argument, AMPL_SCALAR);
    ampl_push(parser, argument, 0);
    ampl_push(parser, pair ? x->arguments[1] : ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, x->place, 0), 0);
    struct ampl_node *node = ampl_node_pending(parser, AMPL_PIECES, AMPL_SCALAR, place, first);
    if (node)
        node->is.slot = breakpoints;
    return node;
}

/* ---- all operands ---- */

static struct ampl_node *parse_word(struct ampl_parser *parser) {
    uint32_t symbol = parser->token.symbol;
    if (ampl_find_dummy(parser, symbol))
        return ampl_parse_name(parser);
    if (ampl_takes_index(symbol) && !ampl_declared(parser, symbol) && ampl_peek(parser).kind == AMPL_TOKEN_OPEN_BRACE)
        return ampl_parse_reduction(parser);
    if (symbol == AMPL_WORD_if)
        return parse_choice(parser);
    if (ampl_at_interval(parser))
        return ampl_parse_interval(parser);
    if (symbol == AMPL_WORD_Infinity)
        return parse_numeral(parser, HUGE_VAL);
    return ampl_parse_name(parser);
}

struct ampl_node *ampl_parse_primary(struct ampl_parser *parser) {
    switch (parser->token.kind) {
    case AMPL_TOKEN_NUMBER:
        return parse_numeral(parser, parser->token.number);
    case AMPL_TOKEN_TEXT:
        return parse_literal(parser);
    case AMPL_TOKEN_OPEN:
        return parse_parentheses(parser);
    case AMPL_TOKEN_OPEN_BRACE:
        return ampl_parse_braces(parser);
    case AMPL_TOKEN_NAME:
        return parse_word(parser);
    case AMPL_TOKEN_PIECES:
        return parse_pieces(parser);
    default:
        return ampl_unexpected(parser, "an expression");
    }
}
