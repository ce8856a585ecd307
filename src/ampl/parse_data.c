/* parse_data.c - data statements: set, param and var in their list forms, stored directly in the tables of the
 * declarations.
 *
 * A slice ([*,1] or (a,*)) fixes some components of a key; the free ones are read from the text. `.` means no value.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parse_data.h"

#include "ampl/labels.h"
#include "base/error.h"

/* ---- atoms and values ---- */

bool ampl_data_at_atom(const struct ampl_parser *parser) {
    return ampl_at(parser, AMPL_TOKEN_NAME) || ampl_at(parser, AMPL_TOKEN_NUMBER) || ampl_at(parser, AMPL_TOKEN_TEXT);
}

bool ampl_data_atom(struct ampl_parser *parser, ampl_atom *atom) {
    if (!ampl_data_at_atom(parser))
        return ampl_unexpected(parser, "a set member");
    *atom = ampl_at(parser, AMPL_TOKEN_NUMBER) ? ampl_atom_number(parser->token.number)
                                               : ampl_atom_symbol(parser->token.symbol);
    ampl_next(parser);
    return true;
}

void ampl_data_skip_commas(struct ampl_parser *parser) {
    while (ampl_accept(parser, AMPL_TOKEN_COMMA))
        ;
}

bool ampl_data_accept_assign(struct ampl_parser *parser) {
    return ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept(parser, AMPL_TOKEN_EQUAL);
}

/* Parses a value for the declaration; *given is false for '.'. */
static bool parse_value(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                        struct ampl_value *value, bool *given) {
    *given = !ampl_at(parser, AMPL_TOKEN_DOT);
    if (*given && !ampl_data_at_atom(parser))
        return ampl_unexpected(parser, "a value");
    bool number = ampl_at(parser, AMPL_TOKEN_NUMBER);
    if (*given && !number && !declaration->symbolic)
        return ampl_mistake(parser, HN_INVALID, parser->token.place, "%s: %s is numeric", ampl_shown(parser).text,
                            ampl_name(parser, declaration->name));
    *value = number ? ampl_value_number(parser->token.number) : ampl_value_symbol(parser->token.symbol);
    ampl_next(parser);
    return true;
}

static bool parse_data_no_memory(struct ampl_parser *parser) {
    parser->failed = true;
    return ampl_no_memory(parser->sources);
}

/* A second value for the same entry. */
static bool given_twice(struct ampl_parser *parser, const struct ampl_declaration *declaration, const ampl_atom *key,
                        struct ampl_place place) {
    struct ampl_label label = {.text = NULL};
    const char *text =
        ampl_label_write(&label, parser->symbols, ampl_name(parser, declaration->name), declaration->arity, key);
    if (text)
        ampl_mistake(parser, HN_INVALID, place, "%s: %s already has a value", ampl_shown_at(parser, place).text, text);
    else
        parse_data_no_memory(parser);
    ampl_label_release(&label);
    return false;
}

bool ampl_data_value(struct ampl_parser *parser, struct ampl_declaration *declaration, const ampl_atom *key,
                     struct ampl_place place) {
    struct ampl_value value = ampl_value_nothing();
    bool given;
    if (!parse_value(parser, declaration, &value, &given))
        return false;
    if (!given)
        return true;
    bool fresh;
    declaration->assigned = true;
    if (!ampl_table_add(&declaration->given, declaration->arity, key, value, &fresh))
        return parse_data_no_memory(parser);
    return fresh || given_twice(parser, declaration, key, place);
}

/* ---- targets of data ---- */

struct ampl_declaration *ampl_data_target(struct ampl_parser *parser, enum ampl_kind kind) {
    static const char kinds[][12] = {"set", "param", "variable", "constraint", "objective"};
    struct ampl_word_text shown = ampl_shown(parser);
    if (!ampl_at(parser, AMPL_TOKEN_NAME)) {
        ampl_unexpected(parser, "a name");
        return NULL;
    }
    struct ampl_declaration *declaration = ampl_declared(parser, parser->token.symbol);
    if (!declaration)
        ampl_not_declared(parser);
    else if (declaration->kind != kind)
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is a %s, not a %s", shown.text,
                     kinds[declaration->kind], kinds[kind]);
    else if (declaration->value)
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is defined in the model", shown.text);
    else if (declaration->let)
        ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "data for %s after a let command for it", shown.text);
    if (parser->failed)
        return NULL;
    ampl_next(parser);
    return declaration;
}

/* ---- slices ---- */

struct ampl_slice ampl_slice_all(uint32_t count) {
    struct ampl_slice slice = {.count = count, .free_count = count};
    for (uint32_t i = 0; i < count; i++)
        slice.free[i] = i;
    return slice;
}

bool ampl_slice_parse(struct ampl_parser *parser, struct ampl_slice *slice, enum ampl_token_kind close) {
    uint32_t n = 0, count = slice->count;
    slice->free_count = 0;
    struct ampl_place place = parser->token.place;
    do {
        if (n >= count)
            return ampl_mistake(parser, HN_SYNTAX, place, "more than %u components", (unsigned)count);
        if (ampl_accept(parser, AMPL_TOKEN_TIMES))
            slice->free[slice->free_count++] = n;
        else if (!ampl_data_atom(parser, &slice->key[n]))
            return false;
        n++;
        ampl_accept(parser, AMPL_TOKEN_COMMA);
    } while (!ampl_at(parser, close));
    ampl_next(parser);
    if (n < count)
        return ampl_mistake(parser, HN_SYNTAX, place, "%u components, expected %u", (unsigned)n, (unsigned)count);
    return true;
}

bool ampl_slice_read(struct ampl_parser *parser, struct ampl_slice *slice, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!ampl_data_atom(parser, &slice->key[slice->free[i]]))
            return false;
        ampl_data_skip_commas(parser);
    }
    return true;
}

bool ampl_data_transposed(struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_OPEN))
        return false;
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token word = ampl_lex_data(&lexer), shut = ampl_lex_data(&lexer);
    if (word.kind != AMPL_TOKEN_NAME || word.symbol != AMPL_WORD_tr || shut.kind != AMPL_TOKEN_SHUT)
        return false;
    if (ampl_lex_data(&lexer).kind != AMPL_TOKEN_COLON)
        return false;
    ampl_next(parser);
    ampl_next(parser);
    ampl_next(parser);
    return true;
}

/* ---- param NAME ... and var NAME ... ---- */

static bool parse_default(struct ampl_parser *parser, struct ampl_declaration *declaration) {
    bool given;
    ampl_next(parser);
    if (!parse_value(parser, declaration, &declaration->given_default, &given))
        return false;
    declaration->assigned = true;
    return given || ampl_unexpected(parser, "a default value");
}

/* One element of a list: a slice, a table, or a key with its value. *head: just after the name, a default or a slice,
 * where '=' may replace ':='. */
static bool parse_param_step(struct ampl_parser *parser, struct ampl_declaration *declaration, struct ampl_slice *slice,
                             bool *head) {
    bool may_assign = *head;
    *head = may_assign && ampl_at_word(parser, AMPL_WORD_default);
    if ((may_assign && ampl_accept(parser, AMPL_TOKEN_EQUAL)) || ampl_accept(parser, AMPL_TOKEN_ASSIGN) ||
        ampl_accept(parser, AMPL_TOKEN_COMMA))
        return true;
    if (ampl_at_word(parser, AMPL_WORD_default))
        return parse_default(parser, declaration);
    *head = ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET);
    if (*head)
        return ampl_slice_parse(parser, slice, AMPL_TOKEN_SHUT_BRACKET);
    bool transposed = ampl_data_transposed(parser);
    if (ampl_accept(parser, AMPL_TOKEN_COLON))
        return ampl_data_table(parser, declaration, slice, transposed);
    struct ampl_place place = parser->token.place;
    return ampl_slice_read(parser, slice, slice->free_count) && ampl_data_value(parser, declaration, slice->key, place);
}

static void parse_param(struct ampl_parser *parser, enum ampl_kind kind) {
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *declaration = ampl_data_target(parser, kind);
    if (!declaration)
        return;
    struct ampl_slice slice = ampl_slice_all(declaration->arity);
    bool head = true;
    if (declaration->arity == 0 && ampl_table_find(&declaration->given, slice.key)) {
        given_twice(parser, declaration, slice.key, place);
        return;
    }
    while (!ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        if (!parse_param_step(parser, declaration, &slice, &head))
            return;
}

/* ---- set NAME ... ---- */

static bool member_twice(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                         const ampl_atom *member, struct ampl_place place) {
    struct ampl_label label = {.text = NULL};
    const char *text = ampl_label_write(&label, parser->symbols, "", declaration->dimension, member);
    if (text)
        ampl_mistake(parser, HN_INVALID, place, "the set %s already has the member %s",
                     ampl_name(parser, declaration->name), text);
    else
        parse_data_no_memory(parser);
    ampl_label_release(&label);
    return false;
}

bool ampl_data_member(struct ampl_parser *parser, const struct ampl_data_set *given, const ampl_atom *member,
                      struct ampl_place place) {
    size_t number;
    if (ampl_set_find(given->set, member, &number))
        return member_twice(parser, given->declaration, member, place);
    return ampl_set_add(given->set, member) || parse_data_no_memory(parser);
}

bool ampl_data_set(struct ampl_parser *parser, struct ampl_declaration *declaration, const ampl_atom *key,
                   struct ampl_data_set *given) {
    const struct ampl_value *known = ampl_table_find(&declaration->given, key);
    *given = (struct ampl_data_set){declaration, known ? known->is.set : NULL};
    if (known)
        return true;
    struct ampl_value value = {.kind = AMPL_SET_VALUE, .is = {.set = ampl_set_create(declaration->dimension)}};
    declaration->assigned = true;
    if (value.is.set && ampl_table_set(&declaration->given, declaration->arity, key, value)) {
        given->set = value.is.set;
        return true;
    }
    ampl_set_destroy(value.is.set);
    return parse_data_no_memory(parser);
}

/* (a,b) is a member; (a,*) is a slice for the following members. */
static bool parse_set_tuple(struct ampl_parser *parser, const struct ampl_data_set *given, struct ampl_slice *slice,
                            struct ampl_place place) {
    struct ampl_slice tuple = ampl_slice_all(slice->count);
    if (!ampl_slice_parse(parser, &tuple, AMPL_TOKEN_SHUT))
        return false;
    if (tuple.free_count == 0)
        return ampl_data_member(parser, given, tuple.key, place);
    *slice = tuple;
    return true;
}

static bool parse_set_step(struct ampl_parser *parser, struct ampl_data_set *given, struct ampl_slice *slice) {
    struct ampl_place place = parser->token.place;
    if (ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept(parser, AMPL_TOKEN_COMMA))
        return true;
    bool transposed = ampl_data_transposed(parser);
    if (ampl_accept(parser, AMPL_TOKEN_COLON))
        return ampl_data_set_table(parser, given, slice, transposed);
    if (ampl_accept(parser, AMPL_TOKEN_OPEN))
        return parse_set_tuple(parser, given, slice, place);
    return ampl_slice_read(parser, slice, slice->free_count) && ampl_data_member(parser, given, slice->key, place);
}

static void parse_set(struct ampl_parser *parser) {
    struct ampl_declaration *declaration = ampl_data_target(parser, AMPL_SETS);
    if (!declaration)
        return;
    struct ampl_slice subscripts = ampl_slice_all(declaration->arity);
    if (declaration->arity > 0) {
        if (!ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET)) {
            ampl_unexpected(parser, "'[' and the subscripts of the set");
            return;
        }
        if (!ampl_slice_parse(parser, &subscripts, AMPL_TOKEN_SHUT_BRACKET))
            return;
        if (subscripts.free_count > 0) {
            ampl_unexpected(parser, "a subscript for every component");
            return;
        }
    }
    struct ampl_data_set given;
    struct ampl_slice slice = ampl_slice_all(declaration->dimension);
    bool good = ampl_data_set(parser, declaration, subscripts.key, &given);
    ampl_data_accept_assign(parser);
    while (good && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        good = parse_set_step(parser, &given, &slice);
}

void ampl_parse_data_statement(struct ampl_parser *parser, enum ampl_word word) {
    enum ampl_kind kind = word == AMPL_WORD_var ? AMPL_VARIABLES : AMPL_PARAMS;
    ampl_next(parser);
    if (word == AMPL_WORD_set)
        parse_set(parser);
    else if (ampl_at(parser, AMPL_TOKEN_COLON) || ampl_at_word(parser, AMPL_WORD_default))
        ampl_data_columns(parser, kind);
    else
        parse_param(parser, kind);
}
