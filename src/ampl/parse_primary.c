/* parse_primary.c - operands: numerals, strings, names, parentheses, if, and reductions over index sets.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include <math.h>
#include <string.h>

enum { MOST_LOOKAHEAD = 500 };

static struct ampl_node *numeral(struct ampl_parser *parser, double value) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, parser->token.place, 0);
    if (node)
        node->is.number = value;
    ampl_next(parser);
    return node;
}

static struct ampl_node *literal(struct ampl_parser *parser) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_LITERAL, AMPL_SCALAR, parser->token.place, 0);
    if (node)
        node->is.symbol = parser->token.symbol;
    ampl_next(parser);
    return node;
}

/* ( a ) is a; ( a, b ) is a tuple. */
static struct ampl_node *parenthesised(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    size_t first = parser->pending_count;
    ampl_next(parser);
    struct ampl_node *node = NULL;
    do {
        ampl_accept(parser, AMPL_TOKEN_COMMA);
        node = parser->pending_count == first ? ampl_parse_condition_or_any(parser) : ampl_parse_scalar(parser);
    } while (ampl_pending_push(parser, node, 0) && ampl_at(parser, AMPL_TOKEN_COMMA));
    if (node && !ampl_expect(parser, AMPL_TOKEN_SHUT, "to close the parenthesis"))
        node = NULL;
    size_t count = parser->pending_count - first;
    if (node && count > AMPL_MOST_COMPONENTS)
        node = ampl_mistake(parser, HN_LIMIT, place, "a tuple of more than %d components", AMPL_MOST_COMPONENTS) ? node
                                                                                                                 : NULL;
    if (node && count > 1)
        node = ampl_need(parser, parser->pending[first], AMPL_SCALAR)
                   ? ampl_node_pending(parser, AMPL_LIST, AMPL_TUPLE, place, first)
                   : NULL;
    parser->pending_count = first;
    return node;
}

static struct ampl_node *choice(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_node *no = NULL;
    ampl_next(parser);
    struct ampl_node *condition = ampl_parse_logical(parser);
    if (!condition)
        return NULL;
    if (!ampl_accept_word(parser, AMPL_WORD_then)) {
        ampl_unexpected(parser, "'then'");
        return NULL;
    }
    struct ampl_node *yes = ampl_parse_any(parser);
    if (!yes || (yes->type != AMPL_SET && !ampl_need(parser, yes, AMPL_SCALAR)))
        return NULL;
    if (ampl_accept_word(parser, AMPL_WORD_else)) {
        no = ampl_parse_any(parser);
        if (!ampl_need(parser, no, (enum ampl_type)yes->type))
            return NULL;
        if (yes->dimension != 0 && no->dimension != 0 && yes->dimension != no->dimension) {
            ampl_mistake(parser, HN_SYNTAX, no->place, "the branches have dimensions %u and %u",
                         (unsigned)yes->dimension, (unsigned)no->dimension);
            return NULL;
        }
    } else if (yes->type == AMPL_SET) {
        ampl_unexpected(parser, "'else'");
        return NULL;
    }
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
    enum ampl_type type;
};

static const struct reduction *find_reduction(uint32_t word) {
    static const struct reduction reductions[] = {
        {AMPL_WORD_sum, AMPL_SUM_OVER, AMPL_SCALAR},     {AMPL_WORD_prod, AMPL_PRODUCT_OVER, AMPL_SCALAR},
        {AMPL_WORD_min, AMPL_MIN_OVER, AMPL_SCALAR},     {AMPL_WORD_max, AMPL_MAX_OVER, AMPL_SCALAR},
        {AMPL_WORD_setof, AMPL_IMAGE_OVER, AMPL_SET},    {AMPL_WORD_union, AMPL_UNION_OVER, AMPL_SET},
        {AMPL_WORD_inter, AMPL_INTERSECT_OVER, AMPL_SET}};
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++)
        if ((uint32_t)reductions[i].word == word)
            return &reductions[i];
    return NULL;
}

bool ampl_takes_index(uint32_t word) {
    return find_reduction(word) != NULL;
}

/* The operand of a reduction: a product of numbers, the members of setof, or a set. */
static struct ampl_node *parse_reduced(struct ampl_parser *parser, const struct reduction *reduction) {
    if (reduction->type == AMPL_SCALAR)
        return ampl_parse_product(parser);
    if (reduction->op == AMPL_IMAGE_OVER)
        return ampl_parse_member(parser);
    return reduction->op == AMPL_UNION_OVER ? ampl_parse_united(parser) : ampl_parse_intersected(parser);
}

static struct ampl_node *reduce(struct ampl_parser *parser, const struct reduction *reduction) {
    struct ampl_place place = parser->token.place;
    struct ampl_scope scope = ampl_scope_enter(parser);
    ampl_next(parser);
    struct ampl_indexing *indexing = ampl_parse_indexing(parser);
    struct ampl_node *body = indexing ? parse_reduced(parser, reduction) : NULL;
    ampl_scope_leave(parser, scope);
    struct ampl_node *node = body ? ampl_node_new(parser, reduction->op, reduction->type, place, 1) : NULL;
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

/* ---- names ---- */

static bool parse_bracketed(struct ampl_parser *parser) {
    do
        if (!ampl_pending_push(parser, ampl_parse_scalar(parser), 0))
            return false;
    while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    return ampl_expect(parser, AMPL_TOKEN_SHUT_BRACKET, "to close the subscripts");
}

/* [ a, b ] after a declared name at the place. */
static bool parse_subscripts(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                             struct ampl_place place) {
    size_t first = parser->pending_count;
    if (ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET)) {
        const char *outside = parser->no_variables;
        parser->no_variables = "a subscript";
        bool good = parse_bracketed(parser);
        parser->no_variables = outside;
        if (!good)
            return false;
    }
    size_t count = parser->pending_count - first;
    if (count == declaration->arity)
        return true;
    return ampl_mistake(parser, HN_SYNTAX, place, "%s has %u subscripts, not %zu", ampl_name(parser, declaration->name),
                        (unsigned)declaration->arity, count);
}

static bool is_goal(const struct ampl_declaration *declaration) {
    return declaration->kind == AMPL_CONSTRAINTS || declaration->kind == AMPL_OBJECTIVES;
}

static bool may_appear(struct ampl_parser *parser, const struct ampl_declaration *declaration) {
    if (is_goal(declaration))
        return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: %s may not appear in an expression",
                            ampl_name(parser, declaration->name),
                            declaration->kind == AMPL_CONSTRAINTS ? "a constraint" : "an objective");
    if (declaration->kind == AMPL_VARIABLES && parser->no_variables)
        return ampl_mistake(parser, HN_INVALID, parser->token.place, "%s: a variable may not appear in %s",
                            ampl_name(parser, declaration->name), parser->no_variables);
    return true;
}

static enum ampl_suffix suffix_here(const struct ampl_parser *parser) {
    static const struct {
        char text[8];
        enum ampl_suffix suffix;
    } suffixes[] = {{"lb", AMPL_SUFFIX_LOWER},   {"lb0", AMPL_SUFFIX_LOWER},  {"lb1", AMPL_SUFFIX_LOWER},
                    {"lb2", AMPL_SUFFIX_LOWER},  {"ub", AMPL_SUFFIX_UPPER},   {"ub0", AMPL_SUFFIX_UPPER},
                    {"ub1", AMPL_SUFFIX_UPPER},  {"ub2", AMPL_SUFFIX_UPPER},  {"val", AMPL_SUFFIX_START},
                    {"init", AMPL_SUFFIX_START}, {"init0", AMPL_SUFFIX_START}};
    for (size_t i = 0; ampl_at(parser, AMPL_TOKEN_NAME) && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strcmp(suffixes[i].text, ampl_name(parser, parser->token.symbol)) == 0)
            return suffixes[i].suffix;
    return AMPL_SUFFIX_OTHER;
}

/* Whether a '.' follows the current name and its subscripts. */
static bool before_suffix(const struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token token = ampl_lex(&lexer);
    int open = 0;
    for (int i = 0; i < MOST_LOOKAHEAD; i++) {
        if (open == 0 && token.kind != AMPL_TOKEN_OPEN_BRACKET)
            return token.kind == AMPL_TOKEN_DOT;
        if (token.kind == AMPL_TOKEN_END || token.kind == AMPL_TOKEN_SEMICOLON)
            return false;
        open += token.kind == AMPL_TOKEN_OPEN_BRACKET;
        open -= token.kind == AMPL_TOKEN_SHUT_BRACKET;
        token = ampl_lex(&lexer);
    }
    return false;
}

/* The suffix of a variable with its subscripts pending from `first` on: a bound or its start value. */
static struct ampl_node *parse_suffix(struct ampl_parser *parser, struct ampl_declaration *variable,
                                      struct ampl_place place, size_t first) {
    const char *name = ampl_name(parser, variable->name);
    ampl_next(parser); /* the '.' */
    struct ampl_word_text shown = ampl_shown(parser);
    enum ampl_suffix suffix = suffix_here(parser);
    if (variable->kind != AMPL_VARIABLES || suffix == AMPL_SUFFIX_OTHER ||
        (suffix == AMPL_SUFFIX_START && variable->defined)) {
        ampl_mistake(parser, HN_UNSUPPORTED, place, "%s.%s: this suffix is not supported%s", name, shown.text,
                     variable->defined ? " for a defined variable" : "");
        return NULL;
    }
    if (variable == parser->declaration) {
        ampl_mistake(parser, HN_INVALID, place, "%s.%s: not allowed in its own declaration", name, shown.text);
        return NULL;
    }
    ampl_next(parser);
    struct ampl_node *node = ampl_node_pending(parser, AMPL_SUFFIX, AMPL_SCALAR, place, first);
    if (!node)
        return NULL;
    node->is.declaration = variable;
    node->dimension = (uint8_t)suffix;
    return node;
}

/* let x.start: the start value of a variable that is fixed at another value. */
static bool at_start_suffix(const struct ampl_parser *parser, const struct ampl_declaration *declaration) {
    struct ampl_token suffix = ampl_peek(parser);
    return declaration->kind == AMPL_VARIABLES && suffix.kind == AMPL_TOKEN_NAME &&
           strcmp(ampl_name(parser, suffix.symbol), "start") == 0;
}

/* A suffix assigned by let is skipped with a note; bounds are refused. */
static bool meet_suffix(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                        struct ampl_place place) {
    const char *name = ampl_name(parser, declaration->name);
    ampl_next(parser);
    struct ampl_word_text shown = ampl_shown(parser);
    enum ampl_suffix suffix = suffix_here(parser);
    if (suffix == AMPL_SUFFIX_LOWER || suffix == AMPL_SUFFIX_UPPER)
        return ampl_mistake(parser, HN_UNSUPPORTED, place, "%s.%s: let cannot change this suffix", name, shown.text);
    ampl_note_repeated(parser->sources, &place, "let on the suffix %s.%s is skipped", name, shown.text);
    parser->failed = true; /* not an error: skips the rest of the statement */
    return false;
}

/* let on a constraint sets its multiplier, which is skipped with a note. */
static bool meet_goal(struct ampl_parser *parser, const struct ampl_declaration *declaration, struct ampl_place place) {
    const char *name = ampl_name(parser, declaration->name);
    if (declaration->kind == AMPL_OBJECTIVES)
        return ampl_mistake(parser, HN_INVALID, place, "%s: let cannot change an objective", name);
    ampl_note_repeated(parser->sources, &place, "let on the multiplier of %s is skipped", name);
    parser->failed = true; /* not an error, as above */
    return false;
}

/* A reference to the current declaration; t+1 or next(t) among its subscripts means that it depends on later
 * entries. */
static void note_recursion(struct ampl_declaration *declaration, const struct ampl_node *node) {
    declaration->recursive = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct ampl_node *subscript = node->arguments[i];
        bool plus = subscript->op == AMPL_CHAIN_ADD && subscript->arguments[0]->op == AMPL_DUMMY &&
                    subscript->is.signs[1] == AMPL_TOKEN_PLUS;
        bool next = subscript->op == AMPL_CALL && subscript->is.word == AMPL_WORD_next;
        declaration->backward |= plus || next;
    }
}

struct ampl_node *ampl_parse_reference(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *declaration = ampl_declared(parser, parser->token.symbol);
    size_t first = parser->pending_count;
    bool changing = parser->changing;
    parser->changing = false; /* subscripts of the target are not targets */
    bool suffixed = declaration->kind == AMPL_VARIABLES && before_suffix(parser);
    if (!(changing && is_goal(declaration)) && !suffixed && !may_appear(parser, declaration))
        return NULL;
    ampl_next(parser);
    bool good = parse_subscripts(parser, declaration, place);
    if (good && ampl_at(parser, AMPL_TOKEN_DOT) && !changing) {
        struct ampl_node *node = parse_suffix(parser, declaration, place, first);
        parser->pending_count = first;
        return node;
    }
    if (good && ampl_at(parser, AMPL_TOKEN_DOT) && at_start_suffix(parser, declaration))
        good = true; /* let evaluates it */
    else if (good && ampl_at(parser, AMPL_TOKEN_DOT))
        good = meet_suffix(parser, declaration, place);
    else if (good && is_goal(declaration))
        good = meet_goal(parser, declaration, place);
    enum ampl_type type = declaration->kind == AMPL_SETS ? AMPL_SET : AMPL_SCALAR;
    struct ampl_node *node = good ? ampl_node_pending(parser, AMPL_REFERENCE, type, place, first) : NULL;
    parser->pending_count = first;
    if (!node)
        return NULL;
    node->is.declaration = declaration;
    node->dimension = (uint8_t)declaration->dimension;
    if (declaration == parser->declaration)
        note_recursion(declaration, node);
    return node;
}

struct ampl_node *ampl_parse_goal_reference(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *goal = ampl_declared(parser, parser->token.symbol);
    size_t first = parser->pending_count;
    ampl_next(parser);
    bool good = parse_subscripts(parser, goal, place);
    struct ampl_node *node = good ? ampl_node_pending(parser, AMPL_REFERENCE, AMPL_SCALAR, place, first) : NULL;
    parser->pending_count = first;
    if (node)
        node->is.declaration = goal;
    return node;
}

/* The contributions of variables to the current goal; minus: with negative sign. */
struct ampl_node *ampl_new_net(struct ampl_parser *parser, struct ampl_place place, bool minus) {
    struct ampl_declaration *goal = parser->declaration;
    struct ampl_node *node = ampl_node_new(parser, AMPL_NET, AMPL_SCALAR, place, 0);
    if (!node)
        return NULL;
    goal->placed = true;
    node->is.declaration = goal;
    node->dimension = minus;
    return node;
}

/* net_in, net_out, to_come: in goals only. */
static struct ampl_node *net(struct ampl_parser *parser) {
    const struct ampl_declaration *goal = parser->declaration;
    bool of_node = !ampl_at_word(parser, AMPL_WORD_to_come), minus = ampl_at_word(parser, AMPL_WORD_net_out);
    if (!goal || !is_goal(goal) || goal->node != of_node) {
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is allowed in %s", ampl_shown(parser).text,
                     of_node ? "nodes only" : "objectives and constraints only");
        return NULL;
    }
    struct ampl_node *node = ampl_new_net(parser, parser->token.place, minus);
    ampl_next(parser);
    return node;
}

static struct ampl_node *dummy_reference(struct ampl_parser *parser, const struct ampl_dummy *dummy) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_DUMMY, AMPL_SCALAR, parser->token.place, 0);
    if (node) {
        node->is.slot = dummy->slot;
        node->over.item = dummy->item;
    }
    ampl_next(parser);
    return node;
}

static struct ampl_node *unknown_name(struct ampl_parser *parser) {
    uint32_t symbol = parser->token.symbol;
    if (symbol < AMPL_RESERVED_END)
        ampl_unexpected(parser, "an expression");
    else
        ampl_not_declared(parser);
    return NULL;
}

static struct ampl_node *named(struct ampl_parser *parser) {
    uint32_t symbol = parser->token.symbol;
    const struct ampl_dummy *dummy = ampl_find_dummy(parser, symbol);
    if (dummy)
        return dummy_reference(parser, dummy);
    enum ampl_token_kind after = ampl_peek(parser).kind;
    const struct reduction *reduction = ampl_declared(parser, symbol) ? NULL : find_reduction(symbol);
    if (reduction && after == AMPL_TOKEN_OPEN_BRACE)
        return reduce(parser, reduction);
    if (symbol == AMPL_WORD_if)
        return choice(parser);
    if (ampl_at_interval(parser))
        return ampl_parse_interval(parser);
    if (symbol == AMPL_WORD_Infinity)
        return numeral(parser, HUGE_VAL);
    if (symbol >= AMPL_WORD_net_in && symbol <= AMPL_WORD_to_come && !ampl_declared(parser, symbol))
        return net(parser);
    if (after == AMPL_TOKEN_OPEN || (after == AMPL_TOKEN_OPEN_BRACE && ampl_takes_braces(symbol)))
        return ampl_parse_call(parser);
    return ampl_declared(parser, symbol) ? ampl_parse_reference(parser) : unknown_name(parser);
}

struct ampl_node *ampl_parse_primary(struct ampl_parser *parser) {
    switch (parser->token.kind) {
    case AMPL_TOKEN_NUMBER:
        return numeral(parser, parser->token.number);
    case AMPL_TOKEN_TEXT:
        return literal(parser);
    case AMPL_TOKEN_OPEN:
        return parenthesised(parser);
    case AMPL_TOKEN_OPEN_BRACE:
        return ampl_parse_braces(parser);
    case AMPL_TOKEN_NAME:
        return named(parser);
    case AMPL_TOKEN_PIECES:
        return ampl_parse_pieces(parser);
    default:
        ampl_unexpected(parser, "an expression");
        return NULL;
    }
}
