/* parse_data.c - data statements: set, param and var as lists and as tables, stored directly in the tables of the
 * declarations.
 *
 * A slice ([*,1] or (a,*)) fixes some components of a key; the free ones are read from the text. A table has one param
 * or set by rows and columns, or one key with a column for each of several params. `.` means no value.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"
#include "base/arena.h"
#include "base/memory.h"

/* A key with some components fixed; the free ones are listed in order. */
struct slice {
    uint32_t count, free_count;
    uint32_t free[AMPL_MOST_COMPONENTS];
    ampl_atom key[AMPL_MOST_COMPONENTS];
};

/* A set whose members are being read; set NULL: none. */
struct data_set {
    const struct ampl_declaration *declaration;
    struct ampl_set *set;
};

/* ---- atoms and values ---- */

static bool at_atom(const struct ampl_parser *parser) {
    return ampl_at(parser, AMPL_TOKEN_NAME) || ampl_at(parser, AMPL_TOKEN_NUMBER) || ampl_at(parser, AMPL_TOKEN_TEXT);
}

static ampl_atom parse_atom(struct ampl_parser *parser) {
    if (!at_atom(parser))
        ampl_unexpected(parser, "a set member");
    ampl_atom atom = ampl_at(parser, AMPL_TOKEN_NUMBER) ? ampl_atom_number(parser->token.number)
                                                        : ampl_atom_symbol(parser->token.symbol);
    ampl_next(parser);
    return atom;
}

static bool accept_assign(struct ampl_parser *parser) {
    return ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept(parser, AMPL_TOKEN_EQUAL);
}

/* A value for the declaration; AMPL_NOTHING for '.'. */
static struct ampl_value parse_value(struct ampl_parser *parser, const struct ampl_declaration *declaration) {
    if (ampl_accept(parser, AMPL_TOKEN_DOT))
        return ampl_value_nothing();
    if (!at_atom(parser))
        ampl_unexpected(parser, "a value");
    bool number = ampl_at(parser, AMPL_TOKEN_NUMBER);
    if (!number && !declaration->symbolic)
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s: %s is numeric", ampl_shown(parser).text,
                     ampl_name(parser, declaration->name));
    struct ampl_value value =
        number ? ampl_value_number(parser->token.number) : ampl_value_symbol(parser->token.symbol);
    ampl_next(parser);
    return value;
}

/* name[a,b]; valid until the next one. */
static const char *label(struct ampl_parser *parser, const char *name, uint32_t count, const ampl_atom *atoms) {
    const char *text = ampl_label_write(&parser->label, parser->symbols, name, count, atoms);
    if (!text)
        ampl_exhausted(parser);
    return text ? text : name;
}

/* A second value for the same entry. */
static void given_twice(struct ampl_parser *parser, const struct ampl_declaration *declaration, const ampl_atom *key,
                        struct ampl_place place) {
    const char *text = label(parser, ampl_name(parser, declaration->name), declaration->arity, key);
    ampl_mistake(parser, HN_INVALID, place, "%s: %s already has a value", ampl_shown_at(parser, place).text, text);
}

/* The value of the key whose entry starts at the place. */
static void parse_entry(struct ampl_parser *parser, struct ampl_declaration *declaration, const ampl_atom *key,
                        struct ampl_place place) {
    struct ampl_value value = parse_value(parser, declaration);
    bool fresh;
    if (parser->failed || value.kind == AMPL_NOTHING)
        return;
    declaration->assigned = true;
    if (!ampl_table_add(&declaration->given, declaration->arity, key, value, &fresh))
        ampl_exhausted(parser);
    else if (!fresh)
        given_twice(parser, declaration, key, place);
}

/* The declaration with the current name, if data are allowed for it. */
static struct ampl_declaration *parse_target(struct ampl_parser *parser, enum ampl_kind kind) {
    static const char kinds[][12] = {"set", "param", "variable", "constraint", "objective"};
    struct ampl_word_text shown = ampl_shown(parser);
    struct ampl_declaration *declaration = ampl_declared_here(parser, "a name");
    if (!declaration)
        return NULL;
    if (declaration->kind != kind)
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is a %s, not a %s", shown.text,
                            kinds[declaration->kind], kinds[kind]);
    if (declaration->value)
        return ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is defined in the model", shown.text);
    if (declaration->let)
        return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "data for %s after a let command for it",
                            shown.text);
    ampl_next(parser);
    return declaration;
}

/* ---- slices ---- */

static struct slice slice_all(uint32_t count) {
    struct slice slice = {.count = count, .free_count = count};
    for (uint32_t i = 0; i < count; i++)
        slice.free[i] = i;
    return slice;
}

/* Components up to the closing token; '*' is free. */
static void parse_slice(struct ampl_parser *parser, struct slice *slice, enum ampl_token_kind close) {
    uint32_t n = 0, count = slice->count;
    slice->free_count = 0;
    struct ampl_place place = parser->token.place;
    do {
        if (n >= count)
            ampl_mistake(parser, HN_SYNTAX, place, "more than %u components", (unsigned)count);
        else if (ampl_accept(parser, AMPL_TOKEN_TIMES))
            slice->free[slice->free_count++] = n++;
        else
            slice->key[n++] = parse_atom(parser);
        ampl_accept(parser, AMPL_TOKEN_COMMA);
    } while (!parser->failed && !ampl_at(parser, close));
    ampl_next(parser);
    if (n < count)
        ampl_mistake(parser, HN_SYNTAX, place, "%u components, expected %u", (unsigned)n, (unsigned)count);
}

/* Reads the free components. */
static void read_slice(struct ampl_parser *parser, struct slice *slice) {
    for (uint32_t i = 0; i < slice->free_count; i++) {
        slice->key[slice->free[i]] = parse_atom(parser);
        ampl_skip_commas(parser);
    }
}

/* ---- sets ---- */

/* The given members of a set, an empty set at first. */
static struct data_set open_set(struct ampl_parser *parser, struct ampl_declaration *declaration,
                                const ampl_atom *key) {
    const struct ampl_value *known = ampl_table_find(&declaration->given, key);
    struct data_set given = {declaration, known ? known->is.set : NULL};
    declaration->assigned = true;
    if (!known)
        given.set = ampl_table_new_set(&declaration->given, declaration->arity, key, declaration->dimension);
    if (!given.set)
        ampl_exhausted(parser);
    return given;
}

static void add_member(struct ampl_parser *parser, const struct data_set *given, const ampl_atom *member,
                       struct ampl_place place) {
    size_t number;
    if (parser->failed)
        return;
    if (ampl_set_find(given->set, member, &number))
        ampl_mistake(parser, HN_INVALID, place, "the set %s already has the member %s",
                     ampl_name(parser, given->declaration->name),
                     label(parser, "", given->declaration->dimension, member));
    else if (!ampl_set_add(given->set, member))
        ampl_exhausted(parser);
}

/* ---- tables: rows and columns of one param or set ---- */

/* Consumes (tr) before ':'. */
static bool accept_transposed(struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_OPEN))
        return false;
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token word = ampl_lex_data(&lexer), shut = ampl_lex_data(&lexer);
    if (word.kind != AMPL_TOKEN_NAME || word.symbol != AMPL_WORD_tr || shut.kind != AMPL_TOKEN_SHUT ||
        ampl_lex_data(&lexer).kind != AMPL_TOKEN_COLON)
        return false;
    ampl_next(parser);
    ampl_next(parser);
    ampl_next(parser);
    return true;
}

struct labels {
    ampl_atom *atoms;
    size_t count, capacity;
};

/* The column labels up to ':=' or '='. */
static void parse_labels(struct ampl_parser *parser, struct labels *labels) {
    while (!parser->failed && !accept_assign(parser)) {
        ampl_skip_commas(parser);
        if (array_room(&labels->atoms, &labels->capacity, labels->count + 1, sizeof *labels->atoms))
            labels->atoms[labels->count++] = parse_atom(parser);
        else
            ampl_exhausted(parser);
    }
}

/* A table being read: of the params, or else of the set. */
struct grid {
    struct ampl_declaration *param;
    struct data_set *set;
};

static void parse_cell(struct ampl_parser *parser, const struct grid *grid, const ampl_atom *key) {
    struct ampl_place place = parser->token.place;
    if (grid->param)
        parse_entry(parser, grid->param, key, place);
    else if (ampl_accept(parser, AMPL_TOKEN_PLUS))
        add_member(parser, grid->set, key, place);
    else if (!ampl_accept(parser, AMPL_TOKEN_MINUS))
        ampl_unexpected(parser, "'+' or '-'");
}

/* The column is the last free component, or the first in a transposed table; the row has the others. */
static void parse_rows(struct ampl_parser *parser, const struct grid *grid, struct slice row, bool transposed,
                       const struct labels *labels) {
    uint32_t column = row.free[transposed ? 0 : row.free_count - 1];
    row.free_count--;
    for (uint32_t i = 0; transposed && i < row.free_count; i++)
        row.free[i] = row.free[i + 1];
    while (at_atom(parser)) {
        read_slice(parser, &row);
        for (size_t i = 0; i < labels->count && !parser->failed; i++) {
            row.key[column] = labels->atoms[i];
            parse_cell(parser, grid, row.key);
            ampl_skip_commas(parser);
        }
    }
}

/* After ':'. */
static void parse_grid(struct ampl_parser *parser, const struct grid *grid, const struct slice *slice,
                       bool transposed) {
    struct labels labels = {.atoms = NULL};
    if (slice->free_count < 2) {
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "a table needs two free subscripts, but %u are free",
                     (unsigned)slice->free_count);
        return;
    }
    parse_labels(parser, &labels);
    parse_rows(parser, grid, *slice, transposed, &labels);
    base_release(labels.atoms);
}

/* ---- tables: param: SET: a b c := key values ... ---- */

enum { MOST_COLUMNS = 256 };

struct columns {
    struct ampl_declaration *list[MOST_COLUMNS];
    uint32_t count, arity;
    struct data_set given; /* set NULL: none */
};

static void parse_set_name(struct ampl_parser *parser, struct columns *columns) {
    struct ampl_lexer lexer = parser->lexer;
    enum ampl_token_kind after = ampl_lex_data(&lexer).kind;
    const struct ampl_declaration *declared =
        ampl_at(parser, AMPL_TOKEN_NAME) ? ampl_declared(parser, parser->token.symbol) : NULL;
    if (parser->failed || (after != AMPL_TOKEN_COLON && !(declared && declared->kind == AMPL_SETS)))
        return;
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *set = parse_target(parser, AMPL_SETS);
    if (set && set->arity > 0)
        ampl_mistake(parser, HN_SYNTAX, place, "%s has subscripts", ampl_name(parser, set->name));
    if (parser->failed)
        return;
    columns->arity = set->dimension;
    columns->given = open_set(parser, set, NULL);
    ampl_accept(parser, AMPL_TOKEN_COLON);
}

static void parse_columns(struct ampl_parser *parser, struct columns *columns, enum ampl_kind kind) {
    while (!parser->failed && !accept_assign(parser)) {
        struct ampl_place place = parser->token.place;
        if (columns->count >= MOST_COLUMNS)
            ampl_mistake(parser, HN_LIMIT, place, "more than %d columns", MOST_COLUMNS);
        struct ampl_declaration *column = parse_target(parser, kind);
        if (!column)
            return;
        if (columns->count == 0 && !columns->given.set)
            columns->arity = column->arity;
        if (column->arity != columns->arity)
            ampl_mistake(parser, HN_SYNTAX, place, "%s has %u subscripts, but the table has %u",
                         ampl_name(parser, column->name), (unsigned)column->arity, (unsigned)columns->arity);
        columns->list[columns->count++] = column;
        ampl_skip_commas(parser);
    }
}

static void parse_column_row(struct ampl_parser *parser, const struct columns *columns, struct slice *slice) {
    if (columns->count == 0 && slice->free_count == 0) /* rows without tokens would loop forever */
        ampl_unexpected(parser, "a param or a free subscript");
    if (ampl_accept(parser, AMPL_TOKEN_COMMA))
        return;
    if (ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET)) {
        parse_slice(parser, slice, AMPL_TOKEN_SHUT_BRACKET);
        return;
    }
    struct ampl_place place = parser->token.place;
    read_slice(parser, slice);
    if (columns->given.set)
        add_member(parser, &columns->given, slice->key, place);
    for (uint32_t i = 0; i < columns->count; i++) {
        parse_entry(parser, columns->list[i], slice->key, place);
        ampl_skip_commas(parser);
    }
}

static void parse_column_table(struct ampl_parser *parser, enum ampl_kind kind) {
    struct columns columns = {.count = 0};
    struct ampl_value common = ampl_value_nothing(); /* param default 0: ...: a number for every column */
    if (ampl_accept_word(parser, AMPL_WORD_default)) {
        common = ampl_value_number(parser->token.number);
        if (!ampl_accept(parser, AMPL_TOKEN_NUMBER))
            ampl_unexpected(parser, "a number");
    }
    ampl_expect(parser, AMPL_TOKEN_COLON, "before the columns");
    parse_set_name(parser, &columns);
    parse_columns(parser, &columns, kind);
    for (uint32_t i = 0; i < columns.count && common.kind != AMPL_NOTHING; i++) {
        columns.list[i]->given_default = common;
        columns.list[i]->assigned = true;
    }
    struct slice slice = slice_all(columns.arity);
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        parse_column_row(parser, &columns, &slice);
}

/* ---- param NAME ... and var NAME ... ---- */

/* One element of a list: a slice, a table, or a key with its value. *head: just after the name, a default or a slice,
 * where '=' may replace ':='. */
static void parse_param_step(struct ampl_parser *parser, struct ampl_declaration *declaration, struct slice *slice,
                             bool *head) {
    bool may_assign = *head;
    *head = may_assign && ampl_at_word(parser, AMPL_WORD_default);
    if ((may_assign && ampl_accept(parser, AMPL_TOKEN_EQUAL)) || ampl_accept(parser, AMPL_TOKEN_ASSIGN) ||
        ampl_accept(parser, AMPL_TOKEN_COMMA))
        return;
    if (ampl_accept_word(parser, AMPL_WORD_default)) {
        declaration->given_default = parse_value(parser, declaration);
        declaration->assigned = true;
        if (declaration->given_default.kind == AMPL_NOTHING)
            ampl_unexpected(parser, "a default value");
        return;
    }
    *head = ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET);
    bool transposed = !*head && accept_transposed(parser);
    struct ampl_place place = parser->token.place;
    if (*head) {
        parse_slice(parser, slice, AMPL_TOKEN_SHUT_BRACKET);
    } else if (ampl_accept(parser, AMPL_TOKEN_COLON)) {
        parse_grid(parser, &(struct grid){.param = declaration}, slice, transposed);
    } else {
        read_slice(parser, slice);
        parse_entry(parser, declaration, slice->key, place);
    }
}

static void parse_param(struct ampl_parser *parser, enum ampl_kind kind) {
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *declaration = parse_target(parser, kind);
    if (!declaration)
        return;
    struct slice slice = slice_all(declaration->arity);
    bool head = true;
    if (declaration->arity == 0 && ampl_table_find(&declaration->given, slice.key))
        given_twice(parser, declaration, slice.key, place);
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        parse_param_step(parser, declaration, &slice, &head);
}

/* ---- set NAME ... ---- */

static void parse_set_step(struct ampl_parser *parser, struct data_set *given, struct slice *slice) {
    struct ampl_place place = parser->token.place;
    if (ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept(parser, AMPL_TOKEN_COMMA))
        return;
    bool transposed = accept_transposed(parser);
    if (ampl_accept(parser, AMPL_TOKEN_COLON)) {
        parse_grid(parser, &(struct grid){.set = given}, slice, transposed);
    } else if (ampl_accept(parser, AMPL_TOKEN_OPEN)) { /* (a,b) is a member; (a,*) a slice for the following ones */
        struct slice tuple = slice_all(slice->count);
        parse_slice(parser, &tuple, AMPL_TOKEN_SHUT);
        if (tuple.free_count == 0)
            add_member(parser, given, tuple.key, place);
        else
            *slice = tuple;
    } else {
        read_slice(parser, slice);
        add_member(parser, given, slice->key, place);
    }
}

static void parse_set(struct ampl_parser *parser) {
    struct ampl_declaration *declaration = parse_target(parser, AMPL_SETS);
    if (!declaration)
        return;
    struct slice subscripts = slice_all(declaration->arity), slice = slice_all(declaration->dimension);
    if (declaration->arity > 0) {
        if (!ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET))
            ampl_unexpected(parser, "'[' and the subscripts of the set");
        parse_slice(parser, &subscripts, AMPL_TOKEN_SHUT_BRACKET);
        if (subscripts.free_count > 0)
            ampl_unexpected(parser, "a subscript for every component");
    }
    if (parser->failed)
        return;
    struct data_set given = open_set(parser, declaration, subscripts.key);
    accept_assign(parser);
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        parse_set_step(parser, &given, &slice);
}

void ampl_parse_data_statement(struct ampl_parser *parser, enum ampl_word word) {
    enum ampl_kind kind = word == AMPL_WORD_var ? AMPL_VARIABLES : AMPL_PARAMS;
    ampl_next(parser);
    if (word == AMPL_WORD_set)
        parse_set(parser);
    else if (ampl_at(parser, AMPL_TOKEN_COLON) || ampl_at_word(parser, AMPL_WORD_default))
        parse_column_table(parser, kind);
    else
        parse_param(parser, kind);
}
