/* parse_data.h - shared by the files that parse data statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_PARSE_DATA_H
#define HN_AMPL_PARSE_DATA_H

#include "ampl/parser.h"
#include "ampl/sets.h"

/* A key with some components fixed; the free ones are listed in order. */
struct ampl_slice {
    uint32_t count, free_count;
    uint32_t free[AMPL_MOST_COMPONENTS];
    ampl_atom key[AMPL_MOST_COMPONENTS];
};

struct ampl_slice ampl_slice_all(uint32_t count); /* all components free */
/* Components up to the closing token; '*' is free. */
bool ampl_slice_parse(struct ampl_parser *parser, struct ampl_slice *slice, enum ampl_token_kind close);
/* Reads the first free components from the text. */
bool ampl_slice_read(struct ampl_parser *parser, struct ampl_slice *slice, uint32_t count);

bool ampl_data_at_atom(const struct ampl_parser *parser);
bool ampl_data_atom(struct ampl_parser *parser, ampl_atom *atom);
void ampl_data_skip_commas(struct ampl_parser *parser);
bool ampl_data_accept_assign(struct ampl_parser *parser); /* := or = */
bool ampl_data_transposed(struct ampl_parser *parser);    /* consumes (tr) before ':' */

/* The declaration with this name, if data are allowed for it. */
struct ampl_declaration *ampl_data_target(struct ampl_parser *parser, enum ampl_kind kind);

/* Parses the value for a key whose entry starts at the place; '.' means none. */
bool ampl_data_value(struct ampl_parser *parser, struct ampl_declaration *declaration, const ampl_atom *key,
                     struct ampl_place place);

/* A set whose members are being read; set NULL: none. */
struct ampl_data_set {
    const struct ampl_declaration *declaration;
    struct ampl_set *set;
};
bool ampl_data_set(struct ampl_parser *parser, struct ampl_declaration *declaration, const ampl_atom *key,
                   struct ampl_data_set *given);
bool ampl_data_member(struct ampl_parser *parser, const struct ampl_data_set *given, const ampl_atom *member,
                      struct ampl_place place);

/* parse_table.c, after ':' */
bool ampl_data_table(struct ampl_parser *parser, struct ampl_declaration *declaration, struct ampl_slice *slice,
                     bool transposed);
bool ampl_data_set_table(struct ampl_parser *parser, struct ampl_data_set *given, struct ampl_slice *slice,
                         bool transposed);

/* param: SET: a b c := ..., after param */
void ampl_data_columns(struct ampl_parser *parser, enum ampl_kind kind);

#endif
