/* lexer.c - see lexer.h.
 *
 * The text is 0-terminated, and tokens do not contain 0, so that one byte of look-ahead is always available.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/lexer.h"

#include "ampl/numerals.h"
#include "ampl/words.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct ampl_lexer ampl_lexer_start(const struct ampl_sources *sources, uint32_t source, struct ampl_symbols *symbols) {
    const struct ampl_source *s = &sources->list[source];
    uint32_t start = strncmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* byte order mark */
    return (struct ampl_lexer){
        .text = s->text, .length = (uint32_t)s->length, .at = start, .source = source, .symbols = symbols};
}

const char *ampl_token_text(enum ampl_token_kind kind) {
#define TEXT(name, text) text,
    static const char texts[][20] = {AMPL_TOKEN_LIST(TEXT)};
#undef TEXT
    return texts[kind];
}

/* ---- characters ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Letters, '_', and every byte of a UTF-8 character beyond ASCII. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* 0x1a is the end-of-file character of DOS */
static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x1a;
}

static char peek(const struct ampl_lexer *lexer, uint32_t ahead) {
    return lexer->length - lexer->at > ahead ? lexer->text[lexer->at + ahead] : '\0';
}

/* ---- tokens ---- */

static struct ampl_token token_at(const struct ampl_lexer *lexer) {
    return (struct ampl_token){.kind = AMPL_TOKEN_END, .place = {lexer->source, lexer->at}, .end = lexer->at};
}

static struct ampl_token finish(struct ampl_lexer *lexer, struct ampl_token token, enum ampl_token_kind kind,
                                uint32_t length) {
    lexer->at += length;
    token.kind = kind;
    token.end = lexer->at;
    return token;
}

static struct ampl_token bad(struct ampl_lexer *lexer, struct ampl_token token, const char *problem, uint32_t length) {
    token.problem = problem;
    return finish(lexer, token, AMPL_TOKEN_BAD, length);
}

/* Skips blanks and comments; false at an unterminated comment, which becomes the next token. */
static bool skip_blanks(struct ampl_lexer *lexer) {
    for (;;) {
        char c = peek(lexer, 0);
        if (is_blank(c)) {
            lexer->at++;
        } else if (c == '#') {
            while (lexer->at < lexer->length && peek(lexer, 0) != '\n')
                lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            uint32_t start = lexer->at;
            lexer->at += 2;
            while (lexer->at < lexer->length && !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
                lexer->at++;
            if (lexer->at == lexer->length) {
                lexer->at = start;
                return false;
            }
            lexer->at += 2;
        } else {
            return true;
        }
    }
}

static struct ampl_token intern(struct ampl_lexer *lexer, struct ampl_token token, enum ampl_token_kind kind,
                                const char *text, size_t length) {
    if (ampl_symbols_intern(lexer->symbols, text, length, &token.symbol)) {
        token.kind = kind;
        return token;
    }
    token.kind = AMPL_TOKEN_BAD;
    token.problem = "out of memory";
    return token;
}

/* The length of the quoted string that starts here, quotes included; 0 if it is unterminated. A line break inside needs
 * a backslash before it; a doubled quote is a quote. */
static uint32_t quoted_length(const struct ampl_lexer *lexer) {
    char quote = peek(lexer, 0);
    for (uint32_t i = 1; lexer->at + i < lexer->length; i++) {
        char c = peek(lexer, i);
        if (c == quote && peek(lexer, i + 1) == quote)
            i++;
        else if (c == quote)
            return i + 1;
        else if (c == '\n' && peek(lexer, i - 1) != '\\' && !(peek(lexer, i - 1) == '\r' && peek(lexer, i - 2) == '\\'))
            return 0;
    }
    return 0;
}

/* Copies a quoted string with doubled quotes reduced to one; returns its length. */
static size_t unquote(char *copy, const char *inside, size_t count, char quote) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        copy[n++] = inside[i];
        i += inside[i] == quote;
    }
    return n;
}

static struct ampl_token quoted(struct ampl_lexer *lexer, struct ampl_token token) {
    uint32_t length = quoted_length(lexer);
    if (length == 0)
        return bad(lexer, token, "unterminated string", 1);
    const char *inside = lexer->text + lexer->at + 1;
    size_t count = length - 2;
    char quote = inside[-1];
    token = finish(lexer, token, AMPL_TOKEN_TEXT, length);
    if (!memchr(inside, quote, count))
        return intern(lexer, token, AMPL_TOKEN_TEXT, inside, count);
    char *copy = base_allocate(length);
    lexer->symbols->no_memory |= !copy;
    token = copy ? intern(lexer, token, AMPL_TOKEN_TEXT, copy, unquote(copy, inside, count, quote))
                 : bad(lexer, token, "out of memory", 0);
    base_release(copy);
    return token;
}

static bool is_plain_name(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!is_letter(text[i]) && !(i > 0 && is_digit(text[i])))
            return false;
    return length > 0;
}

/* A name in backquotes is any text. If it is also a plain name, it is that name; otherwise it is stored after a 0 byte,
 * which other tokens never contain: `sum` is not the word of the language, and `a b` is not the string 'a b'. */
static struct ampl_token any_name(struct ampl_lexer *lexer, struct ampl_token token) {
    enum { FEW = 200 };
    uint32_t length = quoted_length(lexer);
    if (length <= 2)
        return bad(lexer, token, length == 0 ? "unterminated name in backquotes" : "an empty name",
                   length == 0 ? 1 : 2);
    const char *inside = lexer->text + lexer->at + 1;
    char few[FEW], *copy = length <= FEW ? few : base_allocate(length);
    token = finish(lexer, token, AMPL_TOKEN_NAME, length);
    lexer->symbols->no_memory |= !copy;
    if (!copy)
        return bad(lexer, token, "out of memory", 0);
    copy[0] = '\0';
    size_t count = unquote(copy + 1, inside, length - 2, '`');
    bool plain = is_plain_name(copy + 1, count);
    if (plain)
        token = intern(lexer, token, AMPL_TOKEN_NAME, copy + 1, count);
    if (!plain || (token.kind == AMPL_TOKEN_NAME && token.symbol < AMPL_WORD_COUNT))
        token = intern(lexer, token, AMPL_TOKEN_NAME, copy, count + 1);
    if (copy != few)
        base_release(copy);
    return token;
}

/* A name; also '$' followed by letters or digits. */
static struct ampl_token name(struct ampl_lexer *lexer, struct ampl_token token) {
    uint32_t length = peek(lexer, 0) == '$';
    while (is_letter(peek(lexer, length)) || is_digit(peek(lexer, length)))
        length++;
    if (length == 1 && strncmp(lexer->text + lexer->at, "s.t.", 4) == 0)
        return finish(lexer, token, AMPL_TOKEN_SUBJECT_TO, 4);
    const char *text = lexer->text + lexer->at;
    return intern(lexer, finish(lexer, token, AMPL_TOKEN_NAME, length), AMPL_TOKEN_NAME, text, length);
}

static struct ampl_token numeral(struct ampl_lexer *lexer, struct ampl_token token) {
    size_t length = ampl_numeral(lexer->text + lexer->at, lexer->length - lexer->at, &token.number);
    if (is_letter(peek(lexer, (uint32_t)length)))
        return bad(lexer, token, "a number is followed by a name", (uint32_t)length + 1);
    return finish(lexer, token, AMPL_TOKEN_NUMBER, (uint32_t)length);
}

/* Longer operators before their prefixes. */
static struct ampl_token operator_token(struct ampl_lexer *lexer, struct ampl_token token) {
    static const struct {
        char text[5];
        uint8_t kind;
    } operators[] = {{"<==>", AMPL_TOKEN_IMPLIES},  {"==>", AMPL_TOKEN_IMPLIES},    {"<==", AMPL_TOKEN_IMPLIES},
                     {":=", AMPL_TOKEN_ASSIGN},     {"==", AMPL_TOKEN_EQUAL},       {"<=", AMPL_TOKEN_LESS_EQUAL},
                     {"<>", AMPL_TOKEN_NOT_EQUAL},  {"<<", AMPL_TOKEN_PIECES},      {">=", AMPL_TOKEN_GREATER_EQUAL},
                     {">>", AMPL_TOKEN_PIECES_END}, {"!=", AMPL_TOKEN_NOT_EQUAL},   {"&&", AMPL_TOKEN_AND},
                     {"||", AMPL_TOKEN_OR},         {"**", AMPL_TOKEN_POWER},       {"..", AMPL_TOKEN_RANGE},
                     {"+", AMPL_TOKEN_PLUS},        {"-", AMPL_TOKEN_MINUS},        {"*", AMPL_TOKEN_TIMES},
                     {"/", AMPL_TOKEN_DIVIDE},      {"^", AMPL_TOKEN_POWER},        {"(", AMPL_TOKEN_OPEN},
                     {")", AMPL_TOKEN_SHUT},        {"[", AMPL_TOKEN_OPEN_BRACKET}, {"]", AMPL_TOKEN_SHUT_BRACKET},
                     {"{", AMPL_TOKEN_OPEN_BRACE},  {"}", AMPL_TOKEN_SHUT_BRACE},   {",", AMPL_TOKEN_COMMA},
                     {";", AMPL_TOKEN_SEMICOLON},   {":", AMPL_TOKEN_COLON},        {"=", AMPL_TOKEN_EQUAL},
                     {"<", AMPL_TOKEN_LESS},        {">", AMPL_TOKEN_GREATER},      {"!", AMPL_TOKEN_NOT},
                     {"&", AMPL_TOKEN_JOIN},        {".", AMPL_TOKEN_DOT}};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t length = strlen(operators[i].text);
        if (strncmp(lexer->text + lexer->at, operators[i].text, length) == 0)
            return finish(lexer, token, (enum ampl_token_kind)operators[i].kind, (uint32_t)length);
    }
    return bad(lexer, token, NULL, 1);
}

/* Starts the next token, in a model or in data; false if it is the end or an unterminated comment. */
static bool begin(struct ampl_lexer *lexer, struct ampl_token *token) {
    bool closed = skip_blanks(lexer);
    *token = token_at(lexer);
    if (lexer->at == lexer->length)
        return false;
    if (!closed)
        *token = bad(lexer, *token, "unterminated comment", lexer->length - lexer->at);
    return closed;
}

struct ampl_token ampl_lex(struct ampl_lexer *lexer) {
    struct ampl_token token;
    if (!begin(lexer, &token))
        return token;
    char c = peek(lexer, 0);
    if (is_letter(c) || (c == '$' && (is_letter(peek(lexer, 1)) || is_digit(peek(lexer, 1)))))
        return name(lexer, token);
    if (c == '`')
        return any_name(lexer, token);
    if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1))))
        return numeral(lexer, token);
    if (c == '\'' || c == '"')
        return quoted(lexer, token);
    return operator_token(lexer, token);
}

/* ---- data mode ---- */

static bool ends_word(const struct ampl_lexer *lexer, uint32_t ahead) {
    char c = peek(lexer, ahead);
    return is_blank(c) || strchr(";,()[]{}*=#'\":", c) || (c == '/' && peek(lexer, ahead + 1) == '*');
}

static struct ampl_token data_word(struct ampl_lexer *lexer, struct ampl_token token) {
    const char *text = lexer->text + lexer->at;
    uint32_t length = 0, sign = text[0] == '+' || text[0] == '-';
    while (!ends_word(lexer, length))
        length++;
    if (length == 0)
        return bad(lexer, token, NULL, 1);
    if (length == 1 && strchr("+-.", text[0]))
        return operator_token(lexer, token);
    bool infinite = length - sign == 8 && memcmp(text + sign, "Infinity", 8) == 0;
    if (infinite || ampl_numeral(text + sign, length - sign, &token.number) == length - sign) {
        token.number = infinite ? HUGE_VAL : token.number;
        token.number = text[0] == '-' ? -token.number : token.number;
        return finish(lexer, token, AMPL_TOKEN_NUMBER, length);
    }
    for (uint32_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return bad(lexer, token, "a progression (..) is not allowed in data", length);
    return intern(lexer, finish(lexer, token, AMPL_TOKEN_NAME, length), AMPL_TOKEN_NAME, text, length);
}

struct ampl_token ampl_lex_data(struct ampl_lexer *lexer) {
    struct ampl_token token;
    if (!begin(lexer, &token))
        return token;
    char c = peek(lexer, 0);
    if (c == '\'' || c == '"')
        return quoted(lexer, token);
    if (c != '\0' && strchr(";:,()[]{}*", c))
        return operator_token(lexer, token);
    if (c == '=') /* a single '=': == is not punctuation in data */
        return finish(lexer, token, AMPL_TOKEN_EQUAL, 1);
    return data_word(lexer, token);
}

/* ---- raw text ---- */

/* Skips blanks and one punctuation mark or string; returns its first byte, 0 at the end. */
static char skip_mark(struct ampl_lexer *lexer) {
    if (!skip_blanks(lexer))
        lexer->at = lexer->length;
    char c = peek(lexer, 0);
    uint32_t text = c == '\'' || c == '"' || c == '`' ? quoted_length(lexer) : 0;
    lexer->at += text > 0 ? text : lexer->at < lexer->length;
    return c;
}

/* << breakpoints ; slopes >> contains one ';'; the lexer is after the << . */
static bool skip_pieces(struct ampl_lexer *lexer) {
    struct ampl_lexer ahead = *lexer;
    for (int semicolons = 0; ahead.at < ahead.length && semicolons < 2;) {
        char c = skip_mark(&ahead);
        semicolons += c == ';';
        if (c == '>' && peek(&ahead, 0) == '>') {
            lexer->at = ahead.at + 1;
            return true;
        }
    }
    return false;
}

void ampl_lex_skip_statement(struct ampl_lexer *lexer) {
    char c = 0;
    bool closed = true; /* cached, so that many unterminated << take linear time */
    while (lexer->at < lexer->length && c != ';') {
        c = skip_mark(lexer);
        if (c == '<' && closed && peek(lexer, 0) == '<') {
            lexer->at++;
            closed = skip_pieces(lexer);
        }
    }
}

/* ---- loops and choices ---- */

static struct ampl_token look_ahead(const struct ampl_lexer *lexer) {
    struct ampl_lexer ahead = *lexer;
    return ampl_lex(&ahead);
}

/* Skips to the closing brace; returns whether { } is a block of commands, which contains a ';' or nothing, rather than
 * an index. */
static bool skip_braces(struct ampl_lexer *lexer) {
    bool block = look_ahead(lexer).kind == AMPL_TOKEN_SHUT_BRACE;
    for (size_t open = 1; open > 0;) {
        struct ampl_token token = ampl_lex(lexer);
        block |= token.kind == AMPL_TOKEN_SEMICOLON;
        open += token.kind == AMPL_TOKEN_OPEN_BRACE;
        open -= token.kind == AMPL_TOKEN_SHUT_BRACE;
        if (token.kind == AMPL_TOKEN_END)
            return true;
    }
    return block;
}

/* Whether the command continues after a block or a ';'. */
static bool goes_on(const struct ampl_lexer *lexer, bool after_block) {
    struct ampl_token next = look_ahead(lexer);
    if (next.kind != AMPL_TOKEN_NAME)
        return false;
    return next.symbol == AMPL_WORD_else ||
           (after_block && (next.symbol == AMPL_WORD_until || next.symbol == AMPL_WORD_while));
}

void ampl_lex_skip_blocks(struct ampl_lexer *lexer) {
    for (;;) {
        struct ampl_token token = ampl_lex(lexer);
        bool block = token.kind == AMPL_TOKEN_OPEN_BRACE && skip_braces(lexer);
        if (token.kind == AMPL_TOKEN_END)
            return;
        if ((block || token.kind == AMPL_TOKEN_SEMICOLON) && !goes_on(lexer, block))
            break;
    }
    if (look_ahead(lexer).kind == AMPL_TOKEN_SEMICOLON)
        ampl_lex(lexer);
}

const char *ampl_lex_file_name(struct ampl_lexer *lexer, size_t *length) {
    skip_blanks(lexer);
    const char *start = lexer->text + lexer->at;
    uint32_t text = *start == '\'' || *start == '"' ? quoted_length(lexer) : 0;
    if (text > 0) {
        lexer->at += text;
        *length = text - 2;
        return start + 1;
    }
    while (lexer->at < lexer->length && !is_blank(peek(lexer, 0)) && peek(lexer, 0) != ';')
        lexer->at++;
    *length = (size_t)(lexer->text + lexer->at - start);
    return start;
}
