/* parse_call.c - functions: their names and parameters.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include <string.h>

/* One letter per argument: n scalar, S set; those after '?' are optional, '*' repeats the last one. */
struct function {
    enum ampl_word word;
    char arguments[6];
};

static const char *find_function(uint32_t word) {
    static const struct function functions[] = {
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

bool ampl_takes_braces(uint32_t word) {
    const char *pattern = find_function(word);
    return pattern && strcmp(pattern, "S") == 0;
}

/* Reports the number of arguments of the function. */
static bool wrong_count(struct ampl_parser *parser, uint32_t word) {
    struct ampl_word_text shown = ampl_shown(parser);
    const char *name = ampl_name(parser, word), *pattern = find_function(word), *option = strchr(pattern, '?');
    size_t most = strlen(pattern) - (option != NULL), least = option ? (size_t)(option - pattern) : most;
    if (least < most)
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: %s takes %zu to %zu arguments", shown.text,
                            name, least, most);
    return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: %s takes %zu argument%s", shown.text, name, most,
                        most == 1 ? "" : "s");
}

/* Parses the arguments, pending; *pattern is advanced to the rest of the pattern. */
static bool parse_arguments(struct ampl_parser *parser, uint32_t word, const char **pattern, bool *optional) {
    const char *next = *pattern;
    do {
        *optional |= *next == '?';
        next += *next == '?';
        if (*next == '\0' || *next == ')')
            return wrong_count(parser, word);
        struct ampl_node *argument = *next == 'S' ? ampl_parse_set(parser) : ampl_parse_scalar(parser);
        if (!ampl_pending_push(parser, argument, 0))
            return false;
        next += next[1] != '*';
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    *pattern = next;
    return true;
}

static bool parse_call_refuse(struct ampl_parser *parser) {
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
static bool check_member(struct ampl_parser *parser, const struct ampl_node *node) {
    uint32_t word = node->is.word;
    bool of_member = word == AMPL_WORD_ord || word == AMPL_WORD_ord0 || word == AMPL_WORD_next ||
                     word == AMPL_WORD_prev || word == AMPL_WORD_nextw || word == AMPL_WORD_prevw;
    if (!of_member || node->count > 1)
        return true;
    const struct ampl_node *member = node->arguments[0];
    if (member->op == AMPL_DUMMY && member->over.item->count == 1)
        return true;
    return ampl_mistake(parser, HN_SYNTAX, node->place, "%s needs a set as its second argument",
                        ampl_name(parser, word));
}

/* ( arguments ) of the function, pending. */
static bool parse_parenthesised(struct ampl_parser *parser, uint32_t word) {
    const char *pattern = find_function(word);
    bool optional = false;
    ampl_next(parser);
    if (*pattern == '\0' && !ampl_at(parser, AMPL_TOKEN_SHUT))
        return wrong_count(parser, word);
    if (*pattern != '\0' && !parse_arguments(parser, word, &pattern, &optional))
        return false;
    if (*pattern != '\0' && *pattern != '?' && pattern[1] != '*' && !optional)
        return wrong_count(parser, word);
    return ampl_expect(parser, AMPL_TOKEN_SHUT, "after the arguments");
}

/* Turns the call into a random draw of the current statement. */
static bool make_draw(struct ampl_parser *parser, struct ampl_node *node, uint32_t word) {
    struct ampl_draw *draw = ampl_take(parser, 1, sizeof *draw);
    if (!draw)
        return false;
    ampl_note_repeated(parser->sources, &node->place, "random values differ from those of AMPL");
    *draw = (struct ampl_draw){.word = word,
                               .scope = parser->slot_next,
                               .owner = parser->owner,
                               .command = parser->owner == 0 ? parser->command_count : 0,
                               .number = ++parser->draw_count,
                               .seed = parser->seed};
    node->op = AMPL_DRAW;
    node->is.draw = draw;
    return true;
}

struct ampl_node *ampl_parse_call(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    uint32_t word = parser->token.symbol;
    const char *pattern = find_function(word);
    size_t first = parser->pending_count;
    if (!pattern) {
        parse_call_refuse(parser);
        return NULL;
    }
    ampl_next(parser);
    bool good;
    if (ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        good = ampl_pending_push(parser, ampl_parse_braces(parser), 0);
    else
        good = parse_parenthesised(parser, word);
    struct ampl_node *node = good ? ampl_node_pending(parser, AMPL_CALL, AMPL_SCALAR, place, first) : NULL;
    parser->pending_count = first;
    if (!node)
        return NULL;
    if (word > AMPL_RANDOM_FIRST && word < AMPL_RANDOM_END)
        return make_draw(parser, node, word) ? node : NULL;
    node->is.word = word;
    return check_member(parser, node) ? node : NULL;
}
