/* parse_goal.c - objectives, constraints and nodes.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

/* := value after the name: the initial value of a multiplier, which the layer does not use. */
static void skip_multiplier(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    if (!ampl_accept(parser, AMPL_TOKEN_ASSIGN) && !ampl_accept_word(parser, AMPL_WORD_default))
        return;
    ampl_note_repeated(parser->sources, &place, "the start value of a multiplier is skipped");
    ampl_parse_scalar(parser);
}

static struct ampl_declaration *parse_name(struct ampl_parser *parser, enum ampl_kind kind) {
    struct ampl_declaration *goal = ampl_declare(parser, kind);
    if (!goal)
        return NULL;
    if (ampl_symbols_nameless(parser->symbols, goal->name))
        ampl_mistake(parser, HN_SYNTAX, goal->place, "%s: %s needs a name without '$'", ampl_name(parser, goal->name),
                     kind == AMPL_CONSTRAINTS ? "a constraint" : "an objective");
    skip_multiplier(parser);
    return parser->failed ? NULL : goal;
}

/* A suffix after the expression, optionally preceded by ','. */
static bool at_suffix(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_COMMA))
        return ampl_at_word(parser, AMPL_WORD_suffix);
    struct ampl_token after = ampl_peek(parser);
    return after.kind == AMPL_TOKEN_NAME && after.symbol == AMPL_WORD_suffix;
}

static void skip_suffixes(struct ampl_parser *parser) {
    while (at_suffix(parser)) {
        ampl_accept(parser, AMPL_TOKEN_COMMA);
        ampl_skip_suffix(parser);
    }
}

void ampl_parse_objective(struct ampl_parser *parser, bool maximize) {
    struct ampl_declaration *objective = parse_name(parser, AMPL_OBJECTIVES);
    if (!objective)
        return;
    objective->maximize = maximize;
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON)) /* the whole expression is to_come */
        objective->sides[0] = ampl_new_net(parser, objective->place, false);
    else {
        ampl_expect(parser, AMPL_TOKEN_COLON, "after the name");
        objective->sides[0] = ampl_parse_scalar(parser);
    }
    skip_suffixes(parser);
    ampl_end_declaration(parser);
}

/* Operators of logical constraints. */
static bool at_logical(const struct ampl_parser *parser) {
    static const enum ampl_word words[] = {AMPL_WORD_and,    AMPL_WORD_or,     AMPL_WORD_not,
                                           AMPL_WORD_forall, AMPL_WORD_exists, AMPL_WORD_none};
    return ampl_at_one_of(parser, words) || ampl_at(parser, AMPL_TOKEN_AND) || ampl_at(parser, AMPL_TOKEN_OR) ||
           ampl_at(parser, AMPL_TOKEN_NOT) || ampl_at(parser, AMPL_TOKEN_IMPLIES);
}

static void *refuse_logical(struct ampl_parser *parser) {
    return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: logical constraints are not supported",
                        ampl_shown(parser).text);
}

/* A side of a constraint: a number; a condition in parentheses gets a specific error. */
static struct ampl_node *parse_side(struct ampl_parser *parser, const struct ampl_declaration *constraint) {
    if (at_logical(parser))
        return refuse_logical(parser);
    struct ampl_node *side = ampl_parse_any(parser);
    if (side && side->type == AMPL_LOGICAL)
        return ampl_mistake(parser, HN_UNSUPPORTED, side->place,
                            "%s: a condition as a constraint (logical constraint) is not supported",
                            ampl_name(parser, constraint->name));
    return ampl_need(parser, side, AMPL_SCALAR) ? side : NULL;
}

/* Parses <=, >= or = between two sides; otherwise an error that names `wanted`. */
static uint32_t parse_relation(struct ampl_parser *parser, const char *wanted) {
    enum ampl_token_kind kind = parser->token.kind;
    struct ampl_place place = parser->token.place;
    if (kind == AMPL_TOKEN_LESS || kind == AMPL_TOKEN_GREATER || kind == AMPL_TOKEN_NOT_EQUAL)
        ampl_mistake(parser, HN_UNSUPPORTED, place, "%s: a constraint needs <=, >= or =", ampl_shown(parser).text);
    else if (at_logical(parser))
        refuse_logical(parser);
    else if (ampl_at_word(parser, AMPL_WORD_complements))
        ampl_mistake(parser, HN_UNSUPPORTED, place, "complements: complementarity is not supported");
    else if (kind != AMPL_TOKEN_LESS_EQUAL && kind != AMPL_TOKEN_GREATER_EQUAL && kind != AMPL_TOKEN_EQUAL)
        ampl_unexpected(parser, wanted);
    ampl_next(parser);
    return kind;
}

/* Parses two or three sides and the relations between them. */
static void parse_sides(struct ampl_parser *parser, struct ampl_declaration *constraint) {
    constraint->side_count = 2;
    constraint->sides[0] = parse_side(parser, constraint);
    constraint->relation = parse_relation(parser, "<=, >= or =");
    constraint->sides[1] = parse_side(parser, constraint);
    struct ampl_place place = parser->token.place;
    if (parser->failed || ampl_at(parser, AMPL_TOKEN_SEMICOLON) || at_suffix(parser))
        return;
    uint32_t relation = parse_relation(parser, "';'");
    if (relation != constraint->relation || relation == AMPL_TOKEN_EQUAL)
        ampl_mistake(parser, HN_SYNTAX, place, "the two relations of a constraint must both be <= or both be >=");
    constraint->sides[2] = parse_side(parser, constraint);
    constraint->side_count = 3;
}

void ampl_parse_constraint(struct ampl_parser *parser) {
    struct ampl_declaration *constraint = parse_name(parser, AMPL_CONSTRAINTS);
    if (!constraint)
        return;
    ampl_expect(parser, AMPL_TOKEN_COLON, "after the name");
    parse_sides(parser, constraint);
    skip_suffixes(parser);
    if (ampl_at_word(parser, AMPL_WORD_complements) || at_logical(parser))
        parse_relation(parser, "<=, >= or =");
    ampl_end_declaration(parser);
}

/* node N: net_in = b; without a condition inflow equals outflow. */
void ampl_parse_node(struct ampl_parser *parser) {
    struct ampl_declaration *node = parse_name(parser, AMPL_CONSTRAINTS);
    if (!node)
        return;
    node->node = true;
    if (ampl_accept(parser, AMPL_TOKEN_COLON)) {
        parse_sides(parser, node);
    } else {
        node->side_count = 2;
        node->relation = AMPL_TOKEN_EQUAL;
        node->sides[0] = ampl_new_net(parser, node->place, false);
        node->sides[1] = ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, node->place, 0);
    }
    if (!parser->failed && !node->placed)
        ampl_mistake(parser, HN_SYNTAX, node->place, "%s: the condition of a node needs net_in or net_out",
                     ampl_name(parser, node->name));
    ampl_end_declaration(parser);
}
