/* parser.h - parses tokens to the tree of tree.h, statement by statement; data statements are stored directly in
 * tables.
 *
 * Names must be declared before use, as in AMPL. After a syntax error the rest of the statement is skipped and parsing
 * continues, so that several errors are reported together. Nothing is evaluated here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_PARSER_H
#define HN_AMPL_PARSER_H

#include "ampl/lexer.h"
#include "ampl/tree.h"
#include "ampl/words.h"

enum { AMPL_MOST_DUMMIES = 64, AMPL_MOST_DEPTH = 200, AMPL_MOST_INCLUDES = 16 };

/* A dummy index in scope. */
struct ampl_dummy {
    uint32_t symbol, slot;
    const struct ampl_index_item *item;
};

/* The state that a scope restores at its end. */
struct ampl_scope {
    uint32_t dummy_count, slot_next;
};

struct ampl_parser {
    struct ampl_sources *sources;
    struct ampl_symbols *symbols;
    struct arena *arena;
    struct ampl_program *program;
    bool in_memory, untrusted; /* included files are refused */

    struct ampl_lexer lexer;
    struct ampl_token token; /* the current token */
    bool data_mode;
    bool failed;   /* the current statement has an error */
    bool misused;  /* it uses a reserved word whose declaration was refused: its syntax errors are consequences */
    bool finished; /* after solve */
    bool changing; /* parsing the target of let: a suffix there is skipped with a note */
    uint32_t depth, include_depth, check_count;
    struct ampl_place start;            /* of the current statement */
    uint32_t pieces;                    /* offset + 1 of a << whose ';' is not reached yet, otherwise 0 */
    uint64_t seed;                      /* of random functions, the latest; 0: none yet */
    uint32_t owner;                     /* symbol of the declared name; 0: a command */
    uint32_t draw_count, command_count; /* random functions in this statement; commands so far */

    struct ampl_dummy dummies[AMPL_MOST_DUMMIES];
    uint32_t dummy_count, slot_next, slot_most;
    const char *no_variables;               /* context in which variables are not allowed; NULL: they are */
    struct ampl_declaration *declaration;   /* the current one */
    struct ampl_attribute **last_attribute; /* where its next attribute is linked */

    struct ampl_node **pending; /* arguments of nodes being built */
    uint16_t *signs;            /* beside them */
    size_t pending_count, pending_capacity, sign_capacity;
};

void ampl_parser_release(struct ampl_parser *parser);

/* Parses one source completely. */
void ampl_parse_source(struct ampl_parser *parser, uint32_t source);

/* ---- parser.c: tokens, messages, memory ---- */

void ampl_next(struct ampl_parser *parser);
bool ampl_at(const struct ampl_parser *parser, enum ampl_token_kind kind);
bool ampl_at_word(const struct ampl_parser *parser, enum ampl_word word);
bool ampl_is_reserved(uint32_t symbol);
bool ampl_is_hidden(const struct ampl_parser *parser,
                    uint32_t symbol); /* whether a declared name hides this operator */
bool ampl_accept(struct ampl_parser *parser, enum ampl_token_kind kind);
bool ampl_accept_word(struct ampl_parser *parser, enum ampl_word word);
bool ampl_expect(struct ampl_parser *parser, enum ampl_token_kind kind, const char *where);
struct ampl_token ampl_peek(const struct ampl_parser *parser); /* the next token, in model mode */

/* Reports the first error of a statement; later ones are consequences. Both return false. */
__attribute__((format(printf, 4, 5))) bool ampl_mistake(struct ampl_parser *parser, hn_status status,
                                                        struct ampl_place place, const char *format, ...);
bool ampl_unexpected(struct ampl_parser *parser, const char *wanted);

/* The text of the current token for a message. */
struct ampl_word_text {
    char text[48];
};
struct ampl_word_text ampl_shown(const struct ampl_parser *parser);
struct ampl_word_text ampl_shown_at(const struct ampl_parser *parser,
                                    struct ampl_place place); /* of the current statement */

/* The current name is not declared: an error, with a suggestion. */
bool ampl_not_declared(struct ampl_parser *parser);
bool ampl_no_function(struct ampl_parser *parser);
void ampl_hint_param(struct ampl_parser *parser, uint32_t symbol); /* not yet an error: a scalar param was requested */

const char *ampl_name(const struct ampl_parser *parser, uint32_t symbol);
struct ampl_declaration *ampl_declared(const struct ampl_parser *parser, uint32_t symbol);
void *ampl_take(struct ampl_parser *parser, size_t count, size_t size); /* zeroed; NULL with an error */

/* ---- parse_nodes.c ---- */

struct ampl_node *ampl_node_new(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                struct ampl_place place, uint32_t count);
bool ampl_pending_push(struct ampl_parser *parser, struct ampl_node *node, uint16_t sign);
/* A node whose arguments are the pending ones from `first` on, which are popped. */
struct ampl_node *ampl_node_pending(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                    struct ampl_place place, size_t first);
bool ampl_need(struct ampl_parser *parser, const struct ampl_node *node, enum ampl_type type);

/* ---- parse_expression.c ---- */

struct ampl_node *ampl_parse_logical(struct ampl_parser *parser);
struct ampl_node *ampl_parse_scalar(struct ampl_parser *parser); /* not a comparison */
struct ampl_node *ampl_parse_set(struct ampl_parser *parser);
struct ampl_node *ampl_parse_any(struct ampl_parser *parser);              /* scalar, tuple or set, not a comparison */
struct ampl_node *ampl_parse_condition_or_any(struct ampl_parser *parser); /* the content of parentheses */
struct ampl_node *ampl_parse_product(struct ampl_parser *parser);          /* the operand of sum and similar */
struct ampl_node *ampl_parse_united(struct ampl_parser *parser);           /* the operand of union */
struct ampl_node *ampl_parse_intersected(struct ampl_parser *parser);      /* the operand of inter */
struct ampl_node *ampl_parse_conjunct(struct ampl_parser *parser);         /* the operand of forall and exists */
struct ampl_node *ampl_parse_member(struct ampl_parser *parser);           /* the operand of setof: a scalar or tuple */

/* ---- parse_primary.c, parse_call.c, parse_pieces.c, parse_interval.c ---- */

struct ampl_node *ampl_parse_primary(struct ampl_parser *parser);
struct ampl_node *ampl_parse_reference(struct ampl_parser *parser);      /* a declared name, with its subscripts */
struct ampl_node *ampl_parse_goal_reference(struct ampl_parser *parser); /* of an objective or constraint */
struct ampl_node *ampl_new_net(struct ampl_parser *parser, struct ampl_place place, bool minus);
struct ampl_node *ampl_parse_call(struct ampl_parser *parser); /* name ( ... ), or name { ... } */
struct ampl_node *
ampl_parse_interval(struct ampl_parser *parser); /* interval [a, b), integer [a, b], Reals, Integers */
bool ampl_at_interval(const struct ampl_parser *parser);
struct ampl_node *ampl_parse_pieces(struct ampl_parser *parser); /* << breakpoints; slopes >> argument */
bool ampl_is_function(uint32_t word);
bool ampl_takes_braces(uint32_t word);
bool ampl_takes_index(uint32_t word);
/* sum {..}, prod {..}, setof {..} and similar */ /* a function of one set, where card {..} means card({..}) */

/* ---- parse_index.c ---- */

/* {...} as an index: its dummies stay in scope until ampl_scope_leave. */
struct ampl_indexing *ampl_parse_indexing(struct ampl_parser *parser);
struct ampl_node *ampl_parse_braces(struct ampl_parser *parser); /* {...} as a set */
struct ampl_scope ampl_scope_enter(const struct ampl_parser *parser);
void ampl_scope_leave(struct ampl_parser *parser, struct ampl_scope scope);
const struct ampl_dummy *ampl_find_dummy(const struct ampl_parser *parser, uint32_t symbol);

/* ---- statements, after their first word: parse_declaration.c, parse_goal.c, parse_command.c, parse_option.c,
 * parse_data.c ---- */

void ampl_parse_set_declaration(struct ampl_parser *parser);
void ampl_parse_param_declaration(struct ampl_parser *parser);
void ampl_parse_var_declaration(struct ampl_parser *parser);
void ampl_parse_objective(struct ampl_parser *parser, bool maximize);
void ampl_parse_constraint(struct ampl_parser *parser);
void ampl_parse_node(struct ampl_parser *parser);
void ampl_parse_arc(struct ampl_parser *parser);
/* from, to, obj, coeff or cover in the declaration of a variable; false for another token. */
bool ampl_parse_contribution(struct ampl_parser *parser, struct ampl_declaration *variable, bool arc);
void ampl_parse_let(struct ampl_parser *parser);
void ampl_parse_fix(struct ampl_parser *parser, enum ampl_command_kind kind); /* also unfix, drop, restore, objective */
void ampl_parse_check(struct ampl_parser *parser);
struct ampl_command *ampl_new_command(struct ampl_parser *parser, enum ampl_command_kind kind, struct ampl_place place);

/* for, repeat, while or if, with its blocks; *stops: its commands include a solve. false with an error. */
bool ampl_parse_blocks(struct ampl_parser *parser, bool *stops);
bool ampl_parse_option(struct ampl_parser *parser); /* false: something is skipped */
void ampl_parse_data_statement(struct ampl_parser *parser, enum ampl_word word);

/* Skips `suffix`, its name and its value, with a note. */
void ampl_skip_suffix(struct ampl_parser *parser);

/* Declares the current name, with its index, and adds it to the program; NULL with an error. */
struct ampl_declaration *ampl_declare(struct ampl_parser *parser, enum ampl_kind kind);

#endif
