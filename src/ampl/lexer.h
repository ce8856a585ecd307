/* lexer.h - bytes in, tokens out, one at a time and without memory of its own.
 *
 * Two modes, chosen by the caller token by token. Model mode knows names (in backquotes any text is one; $1 is one of something
 * that has no name in the model), numerals, quoted texts and operators. Data
 * mode knows words: whatever stands between blanks and the marks ; : , ( ) [ ] { } * := = is one word, a number if it
 * reads as one. Comments (# to the end of the line, C comments) are blanks. Nothing is reported here: a BAD token
 * says what is wrong with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_LEXER_H
#define HN_AMPL_LEXER_H

#include "ampl/sources.h"
#include "ampl/symbols.h"

/* X(name, text): texts as a message shows them. */
#define AMPL_TOKEN_LIST(X)                                                                                             \
    X(END, "the end of the text")                                                                                      \
    X(BAD, "a bad character")                                                                                          \
    X(NAME, "a name")                                                                                                  \
    X(NUMBER, "a number")                                                                                              \
    X(TEXT, "a quoted text")                                                                                           \
    X(SUBJECT_TO, "subject to")                                                                                        \
    X(PLUS, "+")                                                                                                       \
    X(MINUS, "-")                                                                                                      \
    X(TIMES, "*")                                                                                                      \
    X(DIVIDE, "/")                                                                                                     \
    X(POWER, "^")                                                                                                      \
    X(OPEN, "(")                                                                                                       \
    X(SHUT, ")")                                                                                                       \
    X(OPEN_BRACKET, "[")                                                                                               \
    X(SHUT_BRACKET, "]")                                                                                               \
    X(OPEN_BRACE, "{")                                                                                                 \
    X(SHUT_BRACE, "}")                                                                                                 \
    X(COMMA, ",")                                                                                                      \
    X(SEMICOLON, ";")                                                                                                  \
    X(COLON, ":")                                                                                                      \
    X(ASSIGN, ":=")                                                                                                    \
    X(EQUAL, "=")                                                                                                      \
    X(NOT_EQUAL, "<>")                                                                                                 \
    X(LESS, "<")                                                                                                       \
    X(LESS_EQUAL, "<=")                                                                                                \
    X(GREATER, ">")                                                                                                    \
    X(GREATER_EQUAL, ">=")                                                                                             \
    X(NOT, "!")                                                                                                        \
    X(AND, "&&")                                                                                                       \
    X(OR, "||")                                                                                                        \
    X(JOIN, "&")                                                                                                       \
    X(RANGE, "..")                                                                                                     \
    X(DOT, ".")                                                                                                        \
    X(PIECES, "<<")                                                                                                    \
    X(PIECES_END, ">>")                                                                                                \
    X(IMPLIES, "==>")

#define AMPL_ENUMERATE(name, text) AMPL_TOKEN_##name,
enum ampl_token_kind { AMPL_TOKEN_LIST(AMPL_ENUMERATE) AMPL_TOKEN_COUNT };
#undef AMPL_ENUMERATE

struct ampl_token {
    enum ampl_token_kind kind;
    struct ampl_place place;
    uint32_t end;        /* offset after its last byte */
    uint32_t symbol;     /* NAME, TEXT; in data mode the word of a NUMBER is not kept */
    double number;       /* NUMBER */
    const char *problem; /* BAD: what is wrong; NULL for a character without meaning */
};

struct ampl_lexer {
    const char *text; /* ended by 0 */
    uint32_t length, at, source;
    struct ampl_symbols *symbols;
};

struct ampl_lexer ampl_lexer_start(const struct ampl_sources *sources, uint32_t source, struct ampl_symbols *symbols);
struct ampl_token ampl_lex(struct ampl_lexer *lexer);
struct ampl_token ampl_lex_data(struct ampl_lexer *lexer);

/* The rest of a statement is skipped, up to and with the next ';' outside quotes, comments and << >> (or the end). */
void ampl_lex_skip_statement(struct ampl_lexer *lexer);

/* A loop or a choice between commands is skipped, from its first word to the end of its last block. */
void ampl_lex_skip_blocks(struct ampl_lexer *lexer);

/* A file name, quoted or bare, that follows; length 0 when ';' or the end comes first. */
const char *ampl_lex_file_name(struct ampl_lexer *lexer, size_t *length);

const char *ampl_token_text(enum ampl_token_kind kind);

#endif
