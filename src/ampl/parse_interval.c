/* parse_interval.c - infinite sets of numbers: interval [a, b), integer [a, b], Reals, Integers.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

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

/* [ or ( low , high ] or ) */
static bool parse_ends(struct ampl_parser *parser, struct ampl_node *node) {
    const char *outside = parser->no_variables;
    parser->no_variables = "an interval";
    if (!at_bracket(parser->token.kind))
        return ampl_unexpected(parser, "'[' or '('");
    node->is.slot |= ampl_at(parser, AMPL_TOKEN_OPEN) ? AMPL_ABOVE_LOW : 0u;
    ampl_next(parser);
    if (!(node->arguments[0] = ampl_parse_scalar(parser)) ||
        !ampl_expect(parser, AMPL_TOKEN_COMMA, "between the ends of an interval") ||
        !(node->arguments[1] = ampl_parse_scalar(parser)))
        return false;
    node->is.slot |= ampl_at(parser, AMPL_TOKEN_SHUT) ? AMPL_BELOW_HIGH : 0u;
    if (!ampl_accept(parser, AMPL_TOKEN_SHUT) && !ampl_accept(parser, AMPL_TOKEN_SHUT_BRACKET))
        return ampl_unexpected(parser, "']' or ')'");
    parser->no_variables = outside;
    return true;
}

struct ampl_node *ampl_parse_interval(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    bool whole = ampl_at_word(parser, AMPL_WORD_Integers) || ampl_at_word(parser, AMPL_WORD_integer);
    bool all = ampl_at_word(parser, AMPL_WORD_Integers) || ampl_at_word(parser, AMPL_WORD_Reals);
    struct ampl_node *node = ampl_node_new(parser, AMPL_INTERVAL, AMPL_SET, place, all ? 0 : 2);
    ampl_next(parser);
    if (!node)
        return NULL;
    node->dimension = 1;
    node->is.slot = whole ? AMPL_WHOLE : 0u;
    return all || parse_ends(parser, node) ? node : NULL;
}
