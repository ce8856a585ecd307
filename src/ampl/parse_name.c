/* parse_name.c - names in expressions: dummies, declared names with subscripts and suffixes, functions.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include <string.h>

/* ---- subscripts ---- */

/* [ a, b ] after a declared name at the place, pending from `first` on. */
static void push_subscripts(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                            struct ampl_place place, size_t first) {
    if (ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET)) {
        const char *outside = parser->no_variables;
        parser->no_variables = "a subscript";
        ampl_push_scalars(parser);
        ampl_expect(parser, AMPL_TOKEN_SHUT_BRACKET, "to close the subscripts");
        parser->no_variables = outside;
    }
    size_t count = parser->pending_count - first;
    if (count != declaration->arity)
        ampl_mistake(parser, HN_SYNTAX, place, "%s has %u subscripts, not %zu", ampl_name(parser, declaration->name),
                     (unsigned)declaration->arity, count);
}

/* A reference with the pending subscripts. */
static struct ampl_node *new_reference(struct ampl_parser *parser, struct ampl_declaration *declaration,
                                       struct ampl_place place, size_t first) {
    enum ampl_type type = declaration->kind == AMPL_SETS ? AMPL_SET : AMPL_SCALAR;
    struct ampl_node *node = ampl_node_pending(parser, AMPL_REFERENCE, type, place, first);
    if (!node)
        return NULL;
    node->is.declaration = declaration;
    node->dimension = (uint8_t)declaration->dimension;
    return node;
}

struct ampl_node *ampl_parse_goal_reference(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *goal = ampl_declared(parser, parser->token.symbol);
    size_t first = parser->pending_count;
    ampl_next(parser);
    push_subscripts(parser, goal, place, first);
    return new_reference(parser, goal, place, first);
}

/* ---- suffixes ---- */

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

/* The suffix of a variable with its subscripts pending from `first` on: a bound or its start value. */
static struct ampl_node *parse_suffix(struct ampl_parser *parser, struct ampl_declaration *variable,
                                      struct ampl_place place, size_t first) {
    const char *name = ampl_name(parser, variable->name);
    ampl_next(parser); /* the '.' */
    struct ampl_word_text shown = ampl_shown(parser);
    enum ampl_suffix suffix = suffix_here(parser);
    if (variable->kind != AMPL_VARIABLES || suffix == AMPL_SUFFIX_OTHER ||
        (suffix == AMPL_SUFFIX_START && variable->defined))
        return ampl_mistake(parser, HN_UNSUPPORTED, place, "%s.%s: this suffix is not supported%s", name, shown.text,
                            variable->defined ? " for a defined variable" : "");
    if (variable == parser->declaration)
        return ampl_mistake(parser, HN_INVALID, place, "%s.%s: not allowed in its own declaration", name, shown.text);
    ampl_next(parser);
    struct ampl_node *node = ampl_node_pending(parser, AMPL_SUFFIX, AMPL_SCALAR, place, first);
    if (!node)
        return NULL;
    node->is.declaration = variable;
    node->dimension = (uint8_t)suffix;
    return node;
}

/* ---- the target of let ---- */

/* let x.start: the start value of a variable that is fixed at another value. */
static bool at_start_suffix(const struct ampl_parser *parser, const struct ampl_declaration *declaration) {
    struct ampl_token suffix = ampl_peek(parser);
    return declaration->kind == AMPL_VARIABLES && suffix.kind == AMPL_TOKEN_NAME &&
           strcmp(ampl_name(parser, suffix.symbol), "start") == 0;
}

/* Another suffix is skipped with a note; bounds are refused. */
static bool let_suffix(struct ampl_parser *parser, const char *name, struct ampl_place place) {
    ampl_next(parser);
    struct ampl_word_text shown = ampl_shown(parser);
    enum ampl_suffix suffix = suffix_here(parser);
    if (suffix == AMPL_SUFFIX_LOWER || suffix == AMPL_SUFFIX_UPPER)
        return ampl_mistake(parser, HN_UNSUPPORTED, place, "%s.%s: let cannot change this suffix", name, shown.text);
    ampl_note_repeated(parser->sources, &place, "let on the suffix %s.%s is skipped", name, shown.text);
    return ampl_abandon(parser);
}

/* Whether let may change the declaration, or its suffix. */
static bool check_let(struct ampl_parser *parser, const struct ampl_declaration *declaration, struct ampl_place place) {
    const char *name = ampl_name(parser, declaration->name);
    if (ampl_at(parser, AMPL_TOKEN_DOT))
        return at_start_suffix(parser, declaration) || let_suffix(parser, name, place);
    if (declaration->kind == AMPL_OBJECTIVES)
        return ampl_mistake(parser, HN_INVALID, place, "%s: let cannot change an objective", name);
    if (declaration->kind != AMPL_CONSTRAINTS)
        return true;
    ampl_note_repeated(parser->sources, &place, "let on the multiplier of %s is skipped", name);
    return ampl_abandon(parser);
}

/* ---- references ---- */

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
    bool suffixed =
        declaration->kind == AMPL_VARIABLES &&
        ampl_after_brackets(parser, AMPL_TOKEN_OPEN_BRACKET, AMPL_TOKEN_SHUT_BRACKET).kind == AMPL_TOKEN_DOT;
    if (!(changing && is_goal(declaration)) && !suffixed && !may_appear(parser, declaration))
        return NULL;
    ampl_next(parser);
    push_subscripts(parser, declaration, place, first);
    if (parser->failed)
        return NULL;
    if (ampl_at(parser, AMPL_TOKEN_DOT) && !changing)
        return parse_suffix(parser, declaration, place, first);
    if (changing && !check_let(parser, declaration, place))
        return NULL;
    struct ampl_node *node = new_reference(parser, declaration, place, first);
    if (node && declaration == parser->declaration)
        note_recursion(declaration, node);
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
static struct ampl_node *parse_net(struct ampl_parser *parser) {
    const struct ampl_declaration *goal = parser->declaration;
    bool of_node = !ampl_at_word(parser, AMPL_WORD_to_come), minus = ampl_at_word(parser, AMPL_WORD_net_out);
    if (!goal || !is_goal(goal) || goal->node != of_node)
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is allowed in %s", ampl_shown(parser).text,
                            of_node ? "nodes only" : "objectives and constraints only");
    struct ampl_node *node = ampl_new_net(parser, parser->token.place, minus);
    ampl_next(parser);
    return node;
}

static struct ampl_node *parse_dummy(struct ampl_parser *parser, const struct ampl_dummy *dummy) {
    struct ampl_node *node = ampl_node_new(parser, AMPL_DUMMY, AMPL_SCALAR, parser->token.place, 0);
    if (node) {
        node->is.slot = dummy->slot;
        node->over.item = dummy->item;
    }
    ampl_next(parser);
    return node;
}

/* ---- functions ---- */

/* One letter per argument: n scalar, S set; those after '?' are optional, '*' repeats the last one. */
static const char *find_function(uint32_t word) {
    static const struct {
        enum ampl_word word;
        char arguments[6];
    } functions[] = {
        {AMPL_WORD_atan2, "nn"},     {AMPL_WORD_min, "n*"},      {AMPL_WORD_max, "n*"},     {AMPL_WORD_floor, "n"},
        {AMPL_WORD_ceil, "n"},       {AMPL_WORD_round, "n?n"},   {AMPL_WORD_trunc, "n?n"},  {AMPL_WORD_precision, "nn"},
        {AMPL_WORD_card, "S"},       {AMPL_WORD_arity, "S"},     {AMPL_WORD_ord, "n?S"},    {AMPL_WORD_ord0, "n?S"},
        {AMPL_WORD_first, "S"},      {AMPL_WORD_last, "S"},      {AMPL_WORD_member, "nS"},  {AMPL_WORD_next, "n?Sn"},
        {AMPL_WORD_prev, "n?Sn"},    {AMPL_WORD_nextw, "n?Sn"},  {AMPL_WORD_prevw, "n?Sn"}, {AMPL_WORD_num, "n"},
        {AMPL_WORD_length, "n"},     {AMPL_WORD_substr, "nn?n"}, {AMPL_WORD_Beta, "nn"},    {AMPL_WORD_Cauchy, ""},
        {AMPL_WORD_Exponential, ""}, {AMPL_WORD_Gamma, "n"},     {AMPL_WORD_Irand224, ""},  {AMPL_WORD_Normal, "nn"},
        {AMPL_WORD_Normal01, ""},    {AMPL_WORD_Poisson, "n"},   {AMPL_WORD_Uniform, "nn"}, {AMPL_WORD_Uniform01, ""}};
    if (word > AMPL_RANDOM_END && word < AMPL_WORD_COUNT)
        return "n";
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if ((uint32_t)functions[i].word == word)
            return functions[i].arguments;
    return NULL;
}

bool ampl_is_function(uint32_t word) {
    return find_function(word) != NULL;
}

/* Reports the number of arguments of the function. */
static void wrong_count(struct ampl_parser *parser, uint32_t word) {
    struct ampl_word_text shown = ampl_shown(parser);
    const char *name = ampl_name(parser, word), *pattern = find_function(word), *option = strchr(pattern, '?');
    size_t most = strlen(pattern) - (option != NULL), least = option ? (size_t)(option - pattern) : most;
    if (least < most)
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: %s takes %zu to %zu arguments", shown.text, name,
                     least, most);
    ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: %s takes %zu argument%s", shown.text, name, most,
                 most == 1 ? "" : "s");
}

/* ( arguments ) of the function, pending. */
static void push_arguments(struct ampl_parser *parser, uint32_t word) {
    const char *pattern = find_function(word);
    bool optional = *pattern == '\0';
    ampl_next(parser);
    if (optional && !ampl_at(parser, AMPL_TOKEN_SHUT))
        wrong_count(parser, word);
    for (bool more = !optional; more; more = ampl_accept(parser, AMPL_TOKEN_COMMA)) {
        optional |= *pattern == '?';
        pattern += *pattern == '?';
        if (*pattern == '\0') {
            wrong_count(parser, word);
            return;
        }
        ampl_push(parser, *pattern == 'S' ? ampl_parse_set(parser) : ampl_parse_scalar(parser), 0);
        pattern += pattern[1] != '*';
    }
    if (*pattern != '\0' && *pattern != '?' && pattern[1] != '*' && !optional)
        wrong_count(parser, word);
    ampl_expect(parser, AMPL_TOKEN_SHUT, "after the arguments");
}

static void *refuse_call(struct ampl_parser *parser) {
    struct ampl_word_text shown = ampl_shown(parser);
    uint32_t symbol = parser->token.symbol;
    if (ampl_declared(parser, symbol))
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is not a function; write subscripts in [ ]",
                            shown.text);
    if (ampl_takes_index(symbol))
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place,
                            "%s is not a function; write its index in braces: %s {i in 1..n} ...", shown.text,
                            shown.text);
    return ampl_no_function(parser);
}

/* If the set is omitted, it is the one that the dummy iterates over. */
static struct ampl_node *check_member(struct ampl_parser *parser, struct ampl_node *node) {
    uint32_t word = node->is.word;
    const struct ampl_node *member = node->arguments[0];
    if (strncmp(find_function(word), "n?S", 3) != 0 || node->count > 1 ||
        (member->op == AMPL_DUMMY && member->over.item->count == 1))
        return node;
    return ampl_mistake(parser, HN_SYNTAX, node->place, "%s needs a set as its second argument",
                        ampl_name(parser, word));
}

/* Turns the call into a random draw of the current statement. */
static struct ampl_node *make_draw(struct ampl_parser *parser, struct ampl_node *node, uint32_t word) {
    struct ampl_draw *draw = ampl_take(parser, 1, sizeof *draw);
    if (!draw)
        return NULL;
    ampl_note_repeated(parser->sources, &node->place, "random values differ from those of AMPL");
    *draw = (struct ampl_draw){.word = word,
                               .scope = parser->slot_next,
                               .owner = parser->owner,
                               .command = parser->owner == 0 ? parser->command_count : 0,
                               .number = ++parser->draw_count,
                               .seed = parser->seed};
    node->op = AMPL_DRAW;
    node->is.draw = draw;
    return node;
}

/* name ( ... ), or name { ... } */
static struct ampl_node *parse_call(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    uint32_t word = parser->token.symbol;
    size_t first = parser->pending_count;
    if (!ampl_is_function(word))
        return refuse_call(parser);
    ampl_next(parser);
    if (ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        ampl_push(parser, ampl_parse_braces(parser), 0);
    else
        push_arguments(parser, word);
    struct ampl_node *node = ampl_node_pending(parser, AMPL_CALL, AMPL_SCALAR, place, first);
    if (!node)
        return NULL;
    if (word > AMPL_RANDOM_FIRST && word < AMPL_RANDOM_END)
        return make_draw(parser, node, word);
    node->is.word = word;
    return check_member(parser, node);
}

/* Whether name {..} means name({..}). */
static bool takes_braces(uint32_t word) {
    const char *pattern = find_function(word);
    return pattern && strcmp(pattern, "S") == 0;
}

struct ampl_node *ampl_parse_name(struct ampl_parser *parser) {
    uint32_t symbol = parser->token.symbol;
    const struct ampl_dummy *dummy = ampl_find_dummy(parser, symbol);
    bool declared = ampl_declared(parser, symbol) != NULL;
    enum ampl_token_kind after = ampl_peek(parser).kind;
    if (dummy)
        return parse_dummy(parser, dummy);
    if (symbol >= AMPL_WORD_net_in && symbol <= AMPL_WORD_to_come && !declared)
        return parse_net(parser);
    if (after == AMPL_TOKEN_OPEN || (after == AMPL_TOKEN_OPEN_BRACE && takes_braces(symbol)))
        return parse_call(parser);
    if (declared)
        return ampl_parse_reference(parser);
    return symbol < AMPL_RESERVED_END ? ampl_unexpected(parser, "an expression") : ampl_not_declared(parser);
}
