/* parser.c - see parser.h: tokens, messages and memory for the other parse_*.c files.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdarg.h>
#include <string.h>

void ampl_parser_release(struct ampl_parser *parser) {
    base_release(parser->pending);
    base_release(parser->signs);
    parser->pending = NULL;
    parser->signs = NULL;
}

/* ---- tokens ---- */

void ampl_next(struct ampl_parser *parser) {
    parser->token = parser->data_mode ? ampl_lex_data(&parser->lexer) : ampl_lex(&parser->lexer);
    if (parser->symbols->no_memory) {
        parser->failed = true;
        ampl_no_memory(parser->sources);
    } else if (parser->token.kind == AMPL_TOKEN_NAME) {
        parser->misused |= parser->symbols->list[parser->token.symbol].misused;
    }
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

bool ampl_accept(struct ampl_parser *parser, enum ampl_token_kind kind) {
    bool here = ampl_at(parser, kind);
    if (here)
        ampl_next(parser);
    return here;
}

bool ampl_accept_word(struct ampl_parser *parser, enum ampl_word word) {
    bool here = ampl_at_word(parser, word);
    if (here)
        ampl_next(parser);
    return here;
}

bool ampl_expect(struct ampl_parser *parser, enum ampl_token_kind kind, const char *where) {
    if (ampl_accept(parser, kind))
        return true;
    struct ampl_word_text shown = ampl_shown(parser);
    return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: expected '%s' %s", shown.text,
                        ampl_token_text(kind), where);
}

struct ampl_token ampl_peek(const struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    return ampl_lex(&lexer);
}

/* ---- messages ---- */

static struct ampl_word_text parser_show(const struct ampl_parser *parser, const struct ampl_token *token) {
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
    return parser_show(parser, &parser->token);
}

struct ampl_word_text ampl_shown_at(const struct ampl_parser *parser, struct ampl_place place) {
    struct ampl_lexer lexer = parser->lexer;
    lexer.at = place.offset;
    struct ampl_token token = parser->data_mode ? ampl_lex_data(&lexer) : ampl_lex(&lexer);
    return parser_show(parser, &token);
}

bool ampl_mistake(struct ampl_parser *parser, hn_status status, struct ampl_place place, const char *format, ...) {
    char text[400];
    if (parser->failed)
        return false;
    parser->failed = true;
    if (parser->symbols->no_memory) /* the failed allocation in look-ahead may be the only error */
        return ampl_no_memory(parser->sources);
    if (parser->misused && status == HN_SYNTAX)
        return false;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    return ampl_error(parser->sources, status, &place, "%s", text);
}

bool ampl_unexpected(struct ampl_parser *parser, const char *wanted) {
    struct ampl_word_text shown = ampl_shown(parser);
    const struct ampl_token *token = &parser->token;
    if (token->kind == AMPL_TOKEN_BAD && token->problem)
        return ampl_mistake(parser, HN_SYNTAX, token->place, "%s: %s", shown.text, token->problem);
    if (token->kind == AMPL_TOKEN_IMPLIES)
        return ampl_mistake(parser, HN_UNSUPPORTED, token->place, "%s: implications are not supported", shown.text);
    return ampl_mistake(parser, HN_SYNTAX, token->place, "%s: expected %s", shown.text, wanted);
}

/* ---- names and memory ---- */

const char *ampl_name(const struct ampl_parser *parser, uint32_t symbol) {
    return ampl_symbols_text(parser->symbols, symbol);
}

struct ampl_declaration *ampl_declared(const struct ampl_parser *parser, uint32_t symbol) {
    return parser->symbols->list[symbol].declaration;
}

void *ampl_take(struct ampl_parser *parser, size_t count, size_t size) {
    size_t bytes = size_product(count, size);
    void *place = arena_take(parser->arena, bytes > 0 ? bytes : 1, 1);
    if (place) {
        memset(place, 0, bytes);
        return place;
    }
    parser->failed = true;
    ampl_no_memory(parser->sources);
    return NULL;
}
