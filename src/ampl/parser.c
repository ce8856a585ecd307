/* parser.c - see parser.h: tokens, messages, names and nodes for the parse_*.c files.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ampl_parser_release(struct ampl_parser *parser) {
    base_release(parser->pending);
    ampl_label_release(&parser->label);
}

/* ---- tokens ---- */

void ampl_next(struct ampl_parser *parser) {
    if (parser->failed)
        return;
    parser->token = parser->data_mode ? ampl_lex_data(&parser->lexer) : ampl_lex(&parser->lexer);
    if (parser->symbols->no_memory)
        ampl_exhausted(parser);
    else if (parser->token.kind == AMPL_TOKEN_NAME)
        parser->misused |= parser->symbols->list[parser->token.symbol].misused;
}

void *ampl_abandon(struct ampl_parser *parser) {
    if (!parser->failed)
        parser->failed_at = parser->token;
    parser->failed = true;
    parser->token.kind = AMPL_TOKEN_END;
    return NULL;
}

void ampl_resume(struct ampl_parser *parser) {
    parser->token = parser->failed_at;
    parser->failed = false;
}

bool ampl_is_reserved(uint32_t symbol) {
    return symbol > AMPL_RESERVED_FIRST && symbol < AMPL_RESERVED_END;
}

bool ampl_is_hidden(const struct ampl_parser *parser, uint32_t symbol) {
    return symbol < AMPL_RESERVED_FIRST && (ampl_declared(parser, symbol) || ampl_find_dummy(parser, symbol));
}

bool ampl_at(const struct ampl_parser *parser, enum ampl_token_kind kind) {
    return parser->token.kind == kind;
}

bool ampl_at_word(const struct ampl_parser *parser, enum ampl_word word) {
    return parser->token.kind == AMPL_TOKEN_NAME && parser->token.symbol == (uint32_t)word &&
           !ampl_is_hidden(parser, word);
}

bool ampl_at_one_of(const struct ampl_parser *parser, const enum ampl_word *words) {
    while (*words != AMPL_WORD_none && !ampl_at_word(parser, *words))
        words++;
    return *words != AMPL_WORD_none;
}

bool ampl_at_end(const struct ampl_parser *parser) {
    return parser->failed || ampl_at(parser, AMPL_TOKEN_SEMICOLON) || ampl_at(parser, AMPL_TOKEN_END);
}

/* Advances if the condition is true; returns the condition. */
static bool next_if(struct ampl_parser *parser, bool here) {
    if (here)
        ampl_next(parser);
    return here;
}

bool ampl_accept(struct ampl_parser *parser, enum ampl_token_kind kind) {
    return next_if(parser, ampl_at(parser, kind));
}

bool ampl_accept_word(struct ampl_parser *parser, enum ampl_word word) {
    return next_if(parser, ampl_at_word(parser, word));
}

void ampl_skip_commas(struct ampl_parser *parser) {
    while (ampl_accept(parser, AMPL_TOKEN_COMMA))
        ;
}

void ampl_expect(struct ampl_parser *parser, enum ampl_token_kind kind, const char *where) {
    if (!ampl_accept(parser, kind))
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: expected '%s' %s", ampl_shown(parser).text,
                     ampl_token_text(kind), where);
}

struct ampl_token ampl_peek(const struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    return ampl_lex(&lexer);
}

struct ampl_token ampl_after_brackets(const struct ampl_parser *parser, enum ampl_token_kind open,
                                      enum ampl_token_kind shut) {
    enum { MOST_LOOKAHEAD = 500 };
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token token = ampl_lex(&lexer);
    int depth = parser->token.kind == open;
    for (int i = 0; i < MOST_LOOKAHEAD; i++) {
        if (depth == 0 && token.kind != open)
            return token;
        if (token.kind == AMPL_TOKEN_END || token.kind == AMPL_TOKEN_SEMICOLON)
            break;
        depth += token.kind == open;
        depth -= token.kind == shut;
        token = ampl_lex(&lexer);
    }
    return (struct ampl_token){.kind = AMPL_TOKEN_END};
}

/* ---- messages ---- */

static struct ampl_word_text show_token(const struct ampl_parser *parser, const struct ampl_token *token) {
    enum { FEW = 16 }; /* of an included file, which may not be a model at all */
    struct ampl_word_text shown;
    bool included = parser->sources->list[token->place.source].included;
    size_t length = token->end - token->place.offset, most = included ? FEW : sizeof shown.text - 4;
    if (token->kind == AMPL_TOKEN_END) {
        memcpy(shown.text, "end of text", sizeof "end of text");
        return shown;
    }
    bool cut = length > most;
    length = cut ? most : length;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)parser->lexer.text[token->place.offset + i];
        shown.text[i] = (char)(c < ' ' || c == 0x7f ? '?' : c);
    }
    memcpy(shown.text + length, cut ? "..." : "", cut ? 4 : 1);
    return shown;
}

struct ampl_word_text ampl_shown(const struct ampl_parser *parser) {
    return show_token(parser, &parser->token);
}

struct ampl_word_text ampl_shown_at(const struct ampl_parser *parser, struct ampl_place place) {
    struct ampl_lexer lexer = parser->lexer;
    lexer.at = place.offset;
    struct ampl_token token = parser->data_mode ? ampl_lex_data(&lexer) : ampl_lex(&lexer);
    return show_token(parser, &token);
}

void *ampl_mistake(struct ampl_parser *parser, hn_status status, struct ampl_place place, const char *format, ...) {
    char text[400];
    if (parser->failed)
        return NULL;
    if (parser->symbols->no_memory) /* the failed allocation in look-ahead may be the only error */
        return ampl_exhausted(parser);
    ampl_abandon(parser);
    if (parser->misused && status == HN_SYNTAX)
        return NULL;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    ampl_error(parser->sources, status, &place, "%s", text);
    return NULL;
}

void *ampl_unexpected(struct ampl_parser *parser, const char *wanted) {
    struct ampl_word_text shown = ampl_shown(parser);
    const struct ampl_token *token = &parser->token;
    if (token->kind == AMPL_TOKEN_BAD && token->problem)
        return ampl_mistake(parser, HN_SYNTAX, token->place, "%s: %s", shown.text, token->problem);
    if (token->kind == AMPL_TOKEN_IMPLIES)
        return ampl_mistake(parser, HN_UNSUPPORTED, token->place, "%s: implications are not supported", shown.text);
    return ampl_mistake(parser, HN_SYNTAX, token->place, "%s: expected %s", shown.text, wanted);
}

/* ---- names ---- */

const char *ampl_name(const struct ampl_parser *parser, uint32_t symbol) {
    return ampl_symbols_text(parser->symbols, symbol);
}

struct ampl_declaration *ampl_declared(const struct ampl_parser *parser, uint32_t symbol) {
    return parser->symbols->list[symbol].declaration;
}

struct ampl_declaration *ampl_declared_here(struct ampl_parser *parser, const char *wanted) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME))
        return ampl_unexpected(parser, wanted);
    struct ampl_declaration *declaration = ampl_declared(parser, parser->token.symbol);
    if (!declaration)
        return ampl_not_declared(parser);
    return parser->failed ? NULL : declaration;
}

/* Attaches a suggestion to the next error. Names of one letter get none. */
static void hint(struct ampl_parser *parser, const char *given, const struct suggestion *suggestion) {
    if (suggestion->best && given[0] != '\0' && given[1] != '\0')
        snprintf(parser->sources->hint, sizeof parser->sources->hint, "did you mean %.60s?", suggestion->best);
}

/* Suggests a declared name, or a function or a dummy index. */
static void hint_name(struct ampl_parser *parser, bool function) {
    struct suggestion suggestion = {NULL, 0};
    const struct ampl_symbols *symbols = parser->symbols;
    const char *given = ampl_name(parser, parser->token.symbol);
    for (uint32_t i = 0; i < symbols->count; i++)
        if (symbols->list[i].declaration || (function ? ampl_is_function(i) : ampl_find_dummy(parser, i) != NULL))
            suggest_consider(&suggestion, given, ampl_symbols_text(symbols, i));
    if (!parser->failed)
        hint(parser, given, &suggestion);
}

void *ampl_not_declared(struct ampl_parser *parser) {
    hint_name(parser, false);
    return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is not declared", ampl_shown(parser).text);
}

void *ampl_no_function(struct ampl_parser *parser) {
    hint_name(parser, true);
    return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s is not a supported function",
                        ampl_shown(parser).text);
}

void ampl_hint_param(struct ampl_parser *parser, uint32_t symbol) {
    struct suggestion suggestion = {NULL, 0};
    const char *given = ampl_name(parser, symbol);
    for (const struct ampl_declaration *d = parser->program->first; d; d = d->next)
        if (d->kind == AMPL_PARAMS && d->arity == 0)
            suggest_consider(&suggestion, given, ampl_name(parser, d->name));
    hint(parser, given, &suggestion);
}

/* ---- memory and nodes ---- */

void *ampl_exhausted(struct ampl_parser *parser) {
    ampl_no_memory(parser->sources);
    return ampl_abandon(parser);
}

void *ampl_take(struct ampl_parser *parser, size_t count, size_t size) {
    size_t bytes = size_product(count, size);
    void *place = arena_take(parser->arena, bytes > 0 ? bytes : 1, 1);
    return place ? memset(place, 0, bytes) : ampl_exhausted(parser);
}

struct ampl_node *ampl_node_new(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                struct ampl_place place, uint32_t count) {
    struct ampl_node *node = NULL;
    if (!parser->failed)
        node = ampl_take(parser, size_sum(size_product(count, sizeof node->arguments[0]), sizeof *node), 1);
    if (!node)
        return NULL;
    node->op = (uint8_t)op;
    node->type = (uint8_t)type;
    node->place = place;
    node->count = count;
    return node;
}

void ampl_push(struct ampl_parser *parser, struct ampl_node *node, uint16_t sign) {
    if (parser->failed)
        return;
    size_t needed = parser->pending_count + 1;
    if (needed < UINT32_MAX && array_room(&parser->pending, &parser->pending_capacity, needed, sizeof *parser->pending))
        parser->pending[parser->pending_count++] = (struct ampl_pending){node, sign};
    else
        ampl_exhausted(parser);
}

void ampl_push_scalars(struct ampl_parser *parser) {
    do
        ampl_push(parser, ampl_parse_scalar(parser), 0);
    while (ampl_accept(parser, AMPL_TOKEN_COMMA));
}

struct ampl_node *ampl_node_pending(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                    struct ampl_place place, size_t first) {
    size_t count = parser->pending_count - first;
    struct ampl_node *node = ampl_node_new(parser, op, type, place, (uint32_t)count);
    for (size_t i = 0; node && i < count; i++)
        node->arguments[i] = parser->pending[first + i].node;
    parser->pending_count = first;
    return node;
}

bool ampl_need(struct ampl_parser *parser, const struct ampl_node *node, enum ampl_type type) {
    static const char kinds[][20] = {"a number or string", "a condition", "a set", "a tuple"};
    if (parser->failed)
        return false;
    if (node->type == type || (type == AMPL_LOGICAL && node->type == AMPL_SCALAR))
        return true;
    bool named = node->op == AMPL_REFERENCE;
    return ampl_mistake(parser, HN_SYNTAX, node->place, "%s%s%s instead of %s",
                        named ? ampl_name(parser, node->is.declaration->name) : "", named ? ": " : "",
                        kinds[node->type], kinds[type]);
}
