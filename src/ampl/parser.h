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

enum { AMPL_MOST_DUMMIES = 64, AMPL_MOST_DEPTH = 200 };

/* A dummy index in scope. */
struct ampl_dummy {
    uint32_t symbol, slot;
    const struct ampl_index_item *item;
};

/* An argument of a node being built; in a chain with the token or word before it. */
struct ampl_pending {
    struct ampl_node *node;
    uint16_t sign;
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
    bool failed; /* the current statement has an error, or its rest is skipped */
    struct ampl_token failed_at;
    bool misused;  /* uses a reserved word whose declaration was rejected: further syntax errors are consequential */
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
    struct ampl_contribution **last_contribution;

    struct ampl_pending *pending; /* a stack */
    size_t pending_count, pending_capacity;
    struct ampl_label label; /* for messages */
};

void ampl_parser_release(struct ampl_parser *parser);

/* Parses one source completely. */
void ampl_parse_source(struct ampl_parser *parser, uint32_t source);

/* ---- parser.c: tokens, messages, names, nodes ---- */

void ampl_next(struct ampl_parser *parser);
bool ampl_at(const struct ampl_parser *parser, enum ampl_token_kind kind);
bool ampl_at_word(const struct ampl_parser *parser, enum ampl_word word);
bool ampl_at_one_of(const struct ampl_parser *parser, const enum ampl_word *words); /* ended by AMPL_WORD_none */
bool ampl_at_end(const struct ampl_parser *parser); /* of the statement, perhaps by an error */
bool ampl_is_reserved(uint32_t symbol);
bool ampl_is_hidden(const struct ampl_parser *parser, uint32_t symbol); /* a declared name hides this operator */
bool ampl_accept(struct ampl_parser *parser, enum ampl_token_kind kind);
bool ampl_accept_word(struct ampl_parser *parser, enum ampl_word word);
void ampl_skip_commas(struct ampl_parser *parser);
void ampl_expect(struct ampl_parser *parser, enum ampl_token_kind kind, const char *where);

/* Look-ahead in model mode: the next token; the first one after brackets that may follow the current token. */
struct ampl_token ampl_peek(const struct ampl_parser *parser);
struct ampl_token ampl_after_brackets(const struct ampl_parser *parser, enum ampl_token_kind open,
                                      enum ampl_token_kind shut);

/* After an error the current token is the end of the text until the statement ends: the parsing functions do nothing
 * and return NULL. So only loops need to check for errors. Functions that report an error return NULL, which converts
 * to false; only the first error of a statement is reported. */
void *ampl_abandon(struct ampl_parser *parser); /* without an error */
void ampl_resume(struct ampl_parser *parser);   /* at the token of the error */
__attribute__((format(printf, 4, 5))) void *ampl_mistake(struct ampl_parser *parser, hn_status status,
                                                         struct ampl_place place, const char *format, ...);
void *ampl_unexpected(struct ampl_parser *parser, const char *wanted);
void *ampl_not_declared(struct ampl_parser *parser); /* the current name, with a suggestion */
void *ampl_no_function(struct ampl_parser *parser);
void *ampl_exhausted(struct ampl_parser *parser);                  /* out of memory */
void ampl_hint_param(struct ampl_parser *parser, uint32_t symbol); /* not yet an error: a scalar param was requested */

/* The text of a token of the current statement for a message: the current one, or the one at a place. */
struct ampl_word_text {
    char text[48];
};
struct ampl_word_text ampl_shown(const struct ampl_parser *parser);
struct ampl_word_text ampl_shown_at(const struct ampl_parser *parser, struct ampl_place place);

const char *ampl_name(const struct ampl_parser *parser, uint32_t symbol);
struct ampl_declaration *ampl_declared(const struct ampl_parser *parser, uint32_t symbol);
struct ampl_declaration *ampl_declared_here(struct ampl_parser *parser, const char *wanted); /* NULL with an error */

void *ampl_take(struct ampl_parser *parser, size_t count, size_t size); /* zeroed; NULL with an error */
struct ampl_node *ampl_node_new(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                struct ampl_place place, uint32_t count);
void ampl_push(struct ampl_parser *parser, struct ampl_node *node, uint16_t sign); /* onto the pending ones */
void ampl_push_scalars(struct ampl_parser *parser); /* expressions with commas between them */
/* A node whose arguments are the pending ones from `first` on, which are popped. */
struct ampl_node *ampl_node_pending(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                    struct ampl_place place, size_t first);
bool ampl_need(struct ampl_parser *parser, const struct ampl_node *node, enum ampl_type type);

/* ---- parse_expression.c ---- */

/* Precedence of operators, lowest first. */
enum ampl_rank {
    AMPL_RANK_OR,
    AMPL_RANK_AND,
    AMPL_RANK_NOT,
    AMPL_RANK_COMPARE,
    AMPL_RANK_UNION,
    AMPL_RANK_INTERSECT,
    AMPL_RANK_CROSS,
    AMPL_RANK_PROGRESSION,
    AMPL_RANK_JOIN,
    AMPL_RANK_ADD,
    AMPL_RANK_MULTIPLY,
    AMPL_RANK_UNARY
};

/* An expression whose operators have this rank or a higher one. AMPL_TUPLE: a tuple or a scalar. */
struct ampl_node *ampl_parse_typed(struct ampl_parser *parser, enum ampl_rank rank, enum ampl_type type);
struct ampl_node *ampl_parse_logical(struct ampl_parser *parser);
struct ampl_node *ampl_parse_scalar(struct ampl_parser *parser); /* not a comparison */
struct ampl_node *ampl_parse_set(struct ampl_parser *parser);
struct ampl_node *ampl_parse_any(struct ampl_parser *parser);              /* scalar, tuple or set, not a comparison */
struct ampl_node *ampl_parse_condition_or_any(struct ampl_parser *parser); /* the content of parentheses */

/* ---- parse_primary.c, parse_name.c ---- */

struct ampl_node *ampl_parse_primary(struct ampl_parser *parser);
struct ampl_node *ampl_parse_reduction(struct ampl_parser *parser);      /* sum {..}, setof {..}, forall {..}, ... */
struct ampl_node *ampl_parse_interval(struct ampl_parser *parser);       /* interval [a, b), integer [a, b], Reals */
struct ampl_node *ampl_parse_name(struct ampl_parser *parser);           /* not a word of the language */
struct ampl_node *ampl_parse_reference(struct ampl_parser *parser);      /* a declared name, with its subscripts */
struct ampl_node *ampl_parse_goal_reference(struct ampl_parser *parser); /* of an objective or constraint */
struct ampl_node *ampl_new_net(struct ampl_parser *parser, struct ampl_place place, bool minus);
bool ampl_at_interval(const struct ampl_parser *parser);
bool ampl_is_function(uint32_t word);
bool ampl_takes_index(uint32_t word); /* sum {..}, prod {..}, setof {..} and similar */

/* ---- parse_index.c ---- */

/* {...} as an index: its dummies stay in scope until ampl_scope_leave. */
struct ampl_indexing *ampl_parse_indexing(struct ampl_parser *parser);
struct ampl_indexing *ampl_parse_optional_index(struct ampl_parser *parser); /* NULL: none */
struct ampl_node *ampl_parse_braces(struct ampl_parser *parser);             /* {...} as a set */
struct ampl_scope ampl_scope_enter(const struct ampl_parser *parser);
void ampl_scope_leave(struct ampl_parser *parser, struct ampl_scope scope);
const struct ampl_dummy *ampl_find_dummy(const struct ampl_parser *parser, uint32_t symbol);

/* ---- statements, after their first word: parse_declaration.c, parse_command.c, parse_data.c ---- */

/* Declares the current name, with its index, and adds it to the program; NULL with an error. */
struct ampl_declaration *ampl_declare(struct ampl_parser *parser, enum ampl_kind kind);
void ampl_end_declaration(struct ampl_parser *parser);
void ampl_skip_suffix(struct ampl_parser *parser); /* `suffix`, its name and its value, with a note */

/* set, param, var; arc: a variable that may have from and to. */
void ampl_parse_declaration(struct ampl_parser *parser, enum ampl_kind kind, bool arc);
void ampl_parse_check(struct ampl_parser *parser);

/* From their first word on: let, fix, unfix, drop, restore, objective; false for another word. */
bool ampl_parse_command(struct ampl_parser *parser, enum ampl_word word);

/* for, repeat, while or if, with its blocks; *stops: its commands include a solve. False with an error. */
bool ampl_at_compound(const struct ampl_parser *parser);
bool ampl_parse_blocks(struct ampl_parser *parser, bool *stops);
bool ampl_parse_option(struct ampl_parser *parser); /* false: something is skipped */
void ampl_parse_data_statement(struct ampl_parser *parser, enum ampl_word word);

#endif
