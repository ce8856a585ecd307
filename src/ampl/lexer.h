/* lexer.h - tokenises a text, one token at a time, without allocating.
 *
 * Two modes, chosen by the caller for each token. Model mode has names (in backquotes any text is one; $1 is a
 * definition without a name in the model), numerals, strings and operators. Data mode has words: any text between
 * blanks and the marks ; : , ( ) [ ] { } * := = is one word, and a number if it has the form of one. Comments (# to the
 * end of the line, C comments) are blanks. Errors are not reported here: a BAD token carries its problem.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_LEXER_H
#define HN_AMPL_LEXER_H

#include "ampl/sources.h"
#include "ampl/symbols.h"

/* X(name, text): texts for messages. */
#define AMPL_TOKEN_LIST(X)                                                                                             \
    X(END, "the end of the text")                                                                                      \
    X(BAD, "a bad character")                                                                                          \
    X(NAME, "a name")                                                                                                  \
    X(NUMBER, "a number")                                                                                              \
    X(TEXT, "a string")                                                                                                \
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
    const char *problem; /* BAD: the error; NULL for an unexpected character */
};

struct ampl_lexer {
    const char *text; /* 0-terminated */
    uint32_t length, at, source;
    struct ampl_symbols *symbols;
};

struct ampl_lexer ampl_lexer_start(const struct ampl_sources *sources, uint32_t source, struct ampl_symbols *symbols);
struct ampl_token ampl_lex(struct ampl_lexer *lexer);
struct ampl_token ampl_lex_data(struct ampl_lexer *lexer);

/* Skips the rest of a statement, including the next ';' outside quotes, comments and << >> (or to the end). */
void ampl_lex_skip_statement(struct ampl_lexer *lexer);

/* Skips a loop or an if command, from its first word to the end of its last block. */
void ampl_lex_skip_blocks(struct ampl_lexer *lexer);

/* Reads a file name, quoted or bare; length 0 if ';' or the end comes first. */
const char *ampl_lex_file_name(struct ampl_lexer *lexer, size_t *length);

const char *ampl_token_text(enum ampl_token_kind kind);

#endif
