/* parse_table.c - tables in data: one param or set by rows and columns, or one key with a column for each of several
 * params.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parse_data.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- rows and columns of one param or set ---- */

struct labels {
    ampl_atom *atoms;
    size_t count, capacity;
};

/* The column labels up to ':=' or '='. */
static bool parse_labels(struct ampl_parser *parser, struct labels *labels) {
    while (!ampl_data_accept_assign(parser)) {
        ampl_data_skip_commas(parser);
        ampl_atom *atoms = array_grow(labels->atoms, &labels->capacity, labels->count + 1, sizeof *atoms);
        if (!atoms) {
            parser->failed = true;
            return ampl_no_memory(parser->sources);
        }
        labels->atoms = atoms;
        if (!ampl_data_atom(parser, &atoms[labels->count]))
            return false;
        labels->count++;
    }
    return true;
}

static bool at_row(const struct ampl_parser *parser) {
    return ampl_data_at_atom(parser);
}

/* The column is the last free component, or the first in a transposed table; the row has the others. */
static struct ampl_slice row_part(const struct ampl_slice *slice, bool transposed, uint32_t *column) {
    struct ampl_slice row = *slice;
    *column = slice->free[transposed ? 0 : slice->free_count - 1];
    row.free_count--;
    if (transposed)
        for (uint32_t i = 0; i < row.free_count; i++)
            row.free[i] = slice->free[i + 1];
    return row;
}

typedef bool (*cell_reader)(struct ampl_parser *parser, void *context, const ampl_atom *key);

static bool parse_rows(struct ampl_parser *parser, struct ampl_slice *slice, bool transposed,
                       const struct labels *labels, cell_reader read, void *context) {
    uint32_t column;
    struct ampl_slice row = row_part(slice, transposed, &column);
    while (at_row(parser)) {
        if (!ampl_slice_read(parser, &row, row.free_count))
            return false;
        for (size_t i = 0; i < labels->count; i++) {
            row.key[column] = labels->atoms[i];
            if (!read(parser, context, row.key))
                return false;
            ampl_data_skip_commas(parser);
        }
    }
    return true;
}

static bool parse_grid(struct ampl_parser *parser, struct ampl_slice *slice, bool transposed, cell_reader read,
                       void *context) {
    struct labels labels = {.atoms = NULL};
    if (slice->free_count < 2)
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place,
                            "a table needs two free subscripts, but %u are free", (unsigned)slice->free_count);
    bool good = parse_labels(parser, &labels) && parse_rows(parser, slice, transposed, &labels, read, context);
    base_release(labels.atoms);
    return good;
}

static bool read_param_cell(struct ampl_parser *parser, void *context, const ampl_atom *key) {
    return ampl_data_value(parser, context, key, parser->token.place);
}

bool ampl_data_table(struct ampl_parser *parser, struct ampl_declaration *declaration, struct ampl_slice *slice,
                     bool transposed) {
    return parse_grid(parser, slice, transposed, read_param_cell, declaration);
}

static bool read_set_cell(struct ampl_parser *parser, void *context, const ampl_atom *key) {
    struct ampl_place place = parser->token.place;
    if (ampl_accept(parser, AMPL_TOKEN_MINUS))
        return true;
    if (!ampl_accept(parser, AMPL_TOKEN_PLUS))
        return ampl_unexpected(parser, "'+' or '-'");
    return ampl_data_member(parser, context, key, place);
}

bool ampl_data_set_table(struct ampl_parser *parser, struct ampl_data_set *given, struct ampl_slice *slice,
                         bool transposed) {
    return parse_grid(parser, slice, transposed, read_set_cell, given);
}

/* ---- param: SET: a b c := key values ... ---- */

enum { MOST_COLUMNS = 256 };

struct columns {
    struct ampl_declaration *list[MOST_COLUMNS];
    uint32_t count, arity;
    struct ampl_data_set given; /* set NULL: none */
};

static bool parse_set_name(struct ampl_parser *parser, struct columns *columns) {
    struct ampl_lexer lexer = parser->lexer;
    enum ampl_token_kind after = ampl_lex_data(&lexer).kind;
    const struct ampl_declaration *declared =
        ampl_at(parser, AMPL_TOKEN_NAME) ? ampl_declared(parser, parser->token.symbol) : NULL;
    if (after != AMPL_TOKEN_COLON && !(declared && declared->kind == AMPL_SETS))
        return true;
    struct ampl_place place = parser->token.place;
    struct ampl_declaration *set = ampl_data_target(parser, AMPL_SETS);
    if (!set)
        return false;
    if (set->arity > 0)
        return ampl_mistake(parser, HN_SYNTAX, place, "%s has subscripts", ampl_name(parser, set->name));
    columns->arity = set->dimension;
    bool good = ampl_data_set(parser, set, NULL, &columns->given);
    ampl_accept(parser, AMPL_TOKEN_COLON);
    return good;
}

static bool parse_columns(struct ampl_parser *parser, struct columns *columns, enum ampl_kind kind) {
    while (!ampl_data_accept_assign(parser)) {
        struct ampl_place place = parser->token.place;
        if (columns->count >= MOST_COLUMNS)
            return ampl_mistake(parser, HN_LIMIT, place, "more than %d columns", MOST_COLUMNS);
        struct ampl_declaration *column = ampl_data_target(parser, kind);
        if (!column)
            return false;
        if (columns->count == 0 && !columns->given.set)
            columns->arity = column->arity;
        if (column->arity != columns->arity)
            return ampl_mistake(parser, HN_SYNTAX, place, "%s has %u subscripts, but the table has %u",
                                ampl_name(parser, column->name), (unsigned)column->arity, (unsigned)columns->arity);
        columns->list[columns->count++] = column;
        ampl_data_skip_commas(parser);
    }
    return true;
}

static bool parse_column_row(struct ampl_parser *parser, const struct columns *columns, struct ampl_slice *slice) {
    if (ampl_accept(parser, AMPL_TOKEN_COMMA))
        return true;
    if (ampl_accept(parser, AMPL_TOKEN_OPEN_BRACKET))
        return ampl_slice_parse(parser, slice, AMPL_TOKEN_SHUT_BRACKET);
    struct ampl_place place = parser->token.place;
    if (!ampl_slice_read(parser, slice, slice->free_count))
        return false;
    if (columns->given.set && !ampl_data_member(parser, &columns->given, slice->key, place))
        return false;
    for (uint32_t i = 0; i < columns->count; i++) {
        if (!ampl_data_value(parser, columns->list[i], slice->key, place))
            return false;
        ampl_data_skip_commas(parser);
    }
    return true;
}

/* param default 0: ...: a number for every column. */
static bool parse_common_default(struct ampl_parser *parser, struct ampl_value *value) {
    *value = ampl_value_nothing();
    if (!ampl_accept_word(parser, AMPL_WORD_default))
        return true;
    if (!ampl_at(parser, AMPL_TOKEN_NUMBER))
        return ampl_unexpected(parser, "a number");
    *value = ampl_value_number(parser->token.number);
    ampl_next(parser);
    return true;
}

void ampl_data_columns(struct ampl_parser *parser, enum ampl_kind kind) {
    struct columns columns = {.count = 0};
    struct ampl_value common;
    if (!parse_common_default(parser, &common) || !ampl_expect(parser, AMPL_TOKEN_COLON, "before the columns") ||
        !parse_set_name(parser, &columns) || !parse_columns(parser, &columns, kind))
        return;
    for (uint32_t i = 0; i < columns.count && common.kind != AMPL_NOTHING; i++) {
        columns.list[i]->given_default = common;
        columns.list[i]->assigned = true;
    }
    struct ampl_slice slice = ampl_slice_all(columns.arity);
    while (!ampl_at(parser, AMPL_TOKEN_SEMICOLON)) {
        if (columns.count == 0 && slice.free_count == 0) { /* avoids rows without tokens, which would never end */
            ampl_unexpected(parser, "a param or a free subscript");
            return;
        }
        if (!parse_column_row(parser, &columns, &slice))
            return;
    }
}
