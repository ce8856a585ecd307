/* evaluator.h - the tree in, values out: numbers, symbols, sets, and expressions of the model where inputs or
 * variables take part.
 *
 * Values are computed when they are asked for and kept with their declaration. Dummy indices live in frames on one
 * stack; sets that nobody keeps are temporaries that a caller gives back. The first error sticks: after it every
 * function returns nothing and false, and everyone unwinds. Steps of all loops are counted against a limit, the
 * memory of sets, tables and names against another, calls against a depth.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_EVALUATOR_H
#define HN_AMPL_EVALUATOR_H

#include "ampl/labels.h"
#include "ampl/lexer.h"
#include "ampl/sets.h"
#include "ampl/symbols.h"
#include "ampl/tree.h"
#include "ampl/words.h"

enum { AMPL_STEPS_PER_NODE = 4, AMPL_BYTES_PER_NODE = 24 };

/* Depth counts the stack that nested calls need, in pieces of about 300 bytes: one for an expression within another, more for a
 * value that is looked up and for a loop. Beyond AMPL_DEEP a value is put off (see lookup.c); what is left is an error. */
enum { AMPL_MOST_DEEP = 700, AMPL_DEEP = 100, AMPL_LOOKUP_DEPTH = 2, AMPL_LOOP_DEPTH = 2 };

/* A value that waits for others to be computed first. */
struct ampl_waiting {
    struct ampl_declaration *declaration;
    const struct ampl_node *from;
    struct ampl_place place;
    ampl_atom key[AMPL_MOST_COMPONENTS];
};

/* What one variable adds to a goal; those of one goal and index are a ring. */
struct ampl_added {
    struct ampl_value value;
    size_t next;
};

struct ampl_evaluator {
    struct ampl_sources *sources;
    struct ampl_symbols *symbols;
    struct ampl_program *program;
    hn_model *model;
    size_t max_nodes; /* of the graph; also the most members of a set */
    size_t steps, max_steps;
    size_t held, max_held; /* bytes of sets, tables, texts and names that were made here */
    uint32_t depth;
    bool failed;
    bool putting_off;   /* with failed: no error, but a value waits for another one */
    bool catching;      /* somebody below computes what waits */
    uint32_t caught_at; /* the depth there */
    struct ampl_waiting *waiting;
    size_t waiting_count, waiting_capacity;
    bool inputs_made;
    bool relax_integrality;
    bool starting;                  /* variables stand for their start values */
    enum ampl_command_kind leaving; /* AMPL_LET: nothing; BREAK, CONTINUE, STOP: commands end up to that loop */
    uint32_t leaving_to;            /* its name; 0: the innermost one */
    uint64_t runs;                  /* of commands so far; 0 when none is run */
    uint32_t about;                 /* symbol of the declaration being worked on, for messages */

    ampl_atom *stack;
    size_t stack_capacity, base, top; /* the current frame starts at base */
    struct ampl_set **temporaries;    /* made ones; the first temporary_count are in use */
    size_t temporary_count, temporary_made, temporary_capacity;
    hn_expr *terms;  /* of sums being collected */
    double *factors; /* beside them */
    size_t term_count, term_capacity, factor_capacity;
    size_t plain_count; /* of the terms of the sum at hand: those before it have the factor 1 */
    struct ampl_added *added;
    size_t added_count, added_capacity;
    struct ampl_label label;
};

void ampl_evaluator_release(struct ampl_evaluator *e);

/* ---- evaluator.c: errors, limits, frames, temporaries ---- */

__attribute__((format(printf, 4, 5))) bool ampl_fail(struct ampl_evaluator *e, hn_status status,
                                                     struct ampl_place place, const char *format, ...);
bool ampl_fail_memory(struct ampl_evaluator *e);
bool ampl_step(struct ampl_evaluator *e, size_t count, struct ampl_place place); /* counts steps */

/* Count the memory of what grows while a model is expanded. */
bool ampl_hold(struct ampl_evaluator *e, size_t bytes, struct ampl_place place);
bool ampl_hold_set(struct ampl_evaluator *e, struct ampl_set *set, struct ampl_place place);
bool ampl_keep(struct ampl_evaluator *e, struct ampl_table *table, uint32_t arity, const ampl_atom *key,
               struct ampl_value value, struct ampl_place place); /* sets and counts */

struct ampl_frame {
    size_t base, top;
};
bool ampl_frame_enter(struct ampl_evaluator *e, uint32_t slots, struct ampl_frame *outer);
void ampl_frame_leave(struct ampl_evaluator *e, struct ampl_frame outer);

struct ampl_set *ampl_temporary(struct ampl_evaluator *e, uint32_t dimension); /* empty; NULL with an error */
bool ampl_collect(struct ampl_evaluator *e, struct ampl_set *set, const ampl_atom *member, struct ampl_place place);

/* The symbol of a text that was put together here; nothing with an error. */
struct ampl_value ampl_new_text(struct ampl_evaluator *e, const char *text, size_t length, struct ampl_place place);

const char *ampl_symbol_text(const struct ampl_evaluator *e, uint32_t symbol);

/* name[a,b]; good until the next label. */
const char *ampl_label(struct ampl_evaluator *e, const char *name, uint32_t count, const ampl_atom *atoms);

/* ---- evaluate_scalar.c, evaluate_sum.c, evaluate_logic.c, evaluate_call.c, evaluate_pieces.c ---- */

struct ampl_value ampl_evaluate(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_sum(struct ampl_evaluator *e, const struct ampl_node *node);
/* The value of something that has no name: a difference of two is hn_sub, whose sign is that of the text. */
struct ampl_value ampl_evaluate_nameless(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_logic(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_pieces(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_draw(struct ampl_evaluator *e, const struct ampl_node *node); /* evaluate_random.c */
struct ampl_value ampl_evaluate_call(struct ampl_evaluator *e, const struct ampl_node *node);

/* A number or an expression, never a symbol; false with an error. */
bool ampl_operand(struct ampl_evaluator *e, const struct ampl_node *node, struct ampl_value *value);
/* A number that must be known now; `where` completes the message about inputs and variables. */
bool ampl_number(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, double *number);
bool ampl_atom_of(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, ampl_atom *atom);
bool ampl_test(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, bool *holds);

hn_expr ampl_expr(struct ampl_evaluator *e, struct ampl_value value);
struct ampl_value ampl_value_expr(struct ampl_evaluator *e, hn_expr expr, struct ampl_place place);
struct ampl_value ampl_value_atom(ampl_atom atom);

/* Operators on numbers and expressions; nothing with an error. */
struct ampl_value ampl_multiply(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                                struct ampl_place place);
struct ampl_value ampl_power(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                             struct ampl_place place);
struct ampl_value ampl_smaller(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b, bool larger,
                               struct ampl_place place);

/* ---- evaluate_set.c, contains.c ---- */

/* Good until the temporaries are given back (e->temporary_count set to what it was before); NULL with an error. */
struct ampl_set *ampl_evaluate_set(struct ampl_evaluator *e, const struct ampl_node *node);
bool ampl_contains(struct ampl_evaluator *e, const struct ampl_node *set, const ampl_atom *member, bool *in);

/* Whether the components are an index; its dummies are bound as far as they are. */
bool ampl_admits(struct ampl_evaluator *e, const struct ampl_indexing *indexing, const ampl_atom *tuple, bool *in);

/* ---- loops.c ---- */

typedef bool (*ampl_visit)(struct ampl_evaluator *e, void *context);

/* Visits every index in order with the dummies bound; false when a visit or the evaluation fails. NULL: one visit. */
bool ampl_loop(struct ampl_evaluator *e, const struct ampl_indexing *indexing, ampl_visit visit, void *context);

/* The index at hand: arity atoms, good until something is evaluated. */
const ampl_atom *ampl_loop_index(const struct ampl_evaluator *e, const struct ampl_indexing *indexing);

/* ---- lookup.c ---- */

struct ampl_value ampl_refer(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_refer_suffix(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_set *ampl_refer_set(struct ampl_evaluator *e, const struct ampl_node *node);
bool ampl_subscripts(struct ampl_evaluator *e, const struct ampl_node *node, ampl_atom *key);
bool ampl_fail_subscript(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                         struct ampl_place place);
/* Whether the key is in the index of the declaration; false with an error otherwise. */
bool ampl_check_key(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    struct ampl_place place);
struct ampl_value ampl_computed_variable(struct ampl_evaluator *e, struct ampl_declaration *variable,
                                         const ampl_atom *key); /* of a variable, or a param, defined by '=' */
struct ampl_value ampl_start_value(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                                   const ampl_atom *key);

/* ---- set_order.c ---- */

/* Brings the members into the order that `ordered by` says; the dummies of the set's index are bound. */
bool ampl_arrange(struct ampl_evaluator *e, struct ampl_declaration *declaration, struct ampl_set *set);

/* ---- attributes.c ---- */

/* The bounds of a variable as its declaration says; the dummies of its index are bound. */
struct ampl_bounds {
    struct ampl_value lower, upper;
};
bool ampl_variable_bounds(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                          struct ampl_bounds *bounds);

/* Whether a value given to a param, or a set, is as its declaration says; the dummies of its index are bound. */
bool ampl_check_param(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                      struct ampl_value value);
bool ampl_check_attribute(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                          struct ampl_value value, const struct ampl_attribute *attribute);
bool ampl_check_set(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    const struct ampl_set *set);
/* All values from data and let. */
bool ampl_check_given(struct ampl_evaluator *e);

/* ---- inputs.c ---- */

/* Which params are inputs, and which expressions may depend on inputs or variables. */
void ampl_mark_inputs(struct ampl_evaluator *e);
void ampl_mark_varying(struct ampl_evaluator *e);
bool ampl_make_inputs(struct ampl_evaluator *e);
bool ampl_check_inputs(struct ampl_evaluator *e);

/* An expression stands where a number is needed: says whose fault it is. */
bool ampl_fail_varying(struct ampl_evaluator *e, const struct ampl_node *node, const char *where);

/* ---- evaluate_network.c ---- */

/* What the variables add to goals by from, to, obj, coeff and cover, once all have their columns. */
bool ampl_collect_contributions(struct ampl_evaluator *e);
/* net_in, net_out, to_come: the sum of what is added to the goal at hand. */
struct ampl_value ampl_evaluate_net(struct ampl_evaluator *e, const struct ampl_node *node);
/* A goal that does not say where that sum stands has it behind the value. */
bool ampl_add_contributions(struct ampl_evaluator *e, struct ampl_declaration *goal, struct ampl_value *value);

/* ---- commands.c, expand.c ---- */

bool ampl_run_commands(struct ampl_evaluator *e);
bool ampl_run_command(struct ampl_evaluator *e, struct ampl_command *command); /* no block: in the frame at hand */
bool ampl_run_block(struct ampl_evaluator *e, struct ampl_command *command);   /* for, repeat, if, break, ... */
bool ampl_is_block(const struct ampl_command *command);
bool ampl_is_dropped(const struct ampl_declaration *goal, const ampl_atom *key);
bool ampl_run_checks(struct ampl_evaluator *e);
bool ampl_expand(struct ampl_evaluator *e);

/* An error of the model becomes one of the declaration; false when there is one. */
bool ampl_model_good(struct ampl_evaluator *e, const struct ampl_declaration *declaration);

#endif
