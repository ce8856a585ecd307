/* parse_pieces.c - piecewise-linear terms: << breakpoints; slopes >> x, or (x, zero) for one that is 0 at zero.
 *
 * Both lists contain values and indexed values, {p in 1..n} limit[p].
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

static struct ampl_node *parse_item(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_scope scope = ampl_scope_enter(parser);
    const struct ampl_indexing *indexing = NULL;
    bool indexed = ampl_at(parser, AMPL_TOKEN_OPEN_BRACE);
    if (indexed)
        indexing = ampl_parse_indexing(parser);
    struct ampl_node *value = indexed && !indexing ? NULL : ampl_parse_scalar(parser);
    ampl_scope_leave(parser, scope);
    struct ampl_node *item = value ? ampl_node_new(parser, AMPL_ITEM, AMPL_SCALAR, place, 1) : NULL;
    if (!item)
        return NULL;
    item->over.indexing = indexing;
    item->arguments[0] = value;
    return item;
}

static bool parse_items(struct ampl_parser *parser) {
    do
        if (!ampl_pending_push(parser, parse_item(parser), 0))
            return false;
    while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    return true;
}

/* Parses both lists, pending, up to the closing >>. */
static bool parse_lists(struct ampl_parser *parser, size_t first, uint32_t *breakpoints) {
    const char *outside = parser->no_variables;
    parser->pieces = parser->token.place.offset + 1;
    parser->no_variables = "a breakpoint or slope";
    ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON) && !parse_items(parser)) /* no breakpoints: one slope */
        return false;
    *breakpoints = (uint32_t)(parser->pending_count - first);
    if (!ampl_expect(parser, AMPL_TOKEN_SEMICOLON, "between breakpoints and slopes"))
        return false;
    parser->pieces = 0;
    parser->no_variables = outside;
    return parse_items(parser) && ampl_expect(parser, AMPL_TOKEN_PIECES_END, "after the slopes");
}

/* x or (x, zero), stored in the two arguments. */
static bool parse_argument(struct ampl_parser *parser, struct ampl_node **argument, struct ampl_node **zero) {
    *argument = ampl_parse_primary(parser);
    if (*argument && (*argument)->type == AMPL_TUPLE && (*argument)->count == 2) {
        *zero = (*argument)->arguments[1];
        *argument = (*argument)->arguments[0];
    } else {
        *zero = *argument ? ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, (*argument)->place, 0) : NULL;
    }
    return *zero && ampl_need(parser, *argument, AMPL_SCALAR);
}

struct ampl_node *ampl_parse_pieces(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_node *argument, *zero;
    size_t first = parser->pending_count;
    uint32_t breakpoints = 0;
    if (parser->depth >= AMPL_MOST_DEPTH) { /* the argument may be another such term */
        ampl_mistake(parser, HN_LIMIT, place, "nested more than %d deep", AMPL_MOST_DEPTH);
        return NULL;
    }
    parser->depth++;
    bool good = parse_lists(parser, first, &breakpoints) && parse_argument(parser, &argument, &zero);
    parser->depth--;
    uint32_t items = (uint32_t)(parser->pending_count - first);
    struct ampl_node *node = good ? ampl_node_new(parser, AMPL_PIECES, AMPL_SCALAR, place, items + 2) : NULL;
    parser->pending_count = first;
    if (!node)
        return NULL;
    node->is.slot = breakpoints;
    node->arguments[0] = argument;
    node->arguments[1] = zero;
    for (uint32_t i = 0; i < items; i++)
        node->arguments[2 + i] = parser->pending[first + i];
    return node;
}
