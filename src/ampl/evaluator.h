/* evaluator.h - evaluates the tree: numbers, symbols, sets, and model expressions where inputs or variables are
 * involved.
 *
 * Values are computed on demand and cached with their declaration. Dummy indices live in frames on one stack;
 * intermediate sets are temporaries that the caller releases. The first error is sticky: after it every function
 * returns nothing or false. Steps of all loops are counted against a limit, the memory of sets, tables and names
 * against another, calls against a depth.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_EVALUATOR_H
#define HN_AMPL_EVALUATOR_H

#include "ampl/lexer.h"
#include "ampl/symbols.h"
#include "ampl/tree.h"
#include "ampl/words.h"

enum { AMPL_STEPS_PER_NODE = 4, AMPL_BYTES_PER_NODE = 24 };

/* Depth measures the stack that nested calls need, in units of about 300 bytes: one for a nested expression, more for a
 * value lookup and for a loop. Beyond AMPL_DEEP a value is deferred (see lookup.c); beyond AMPL_MOST_DEEP it is an
 * error. */
enum { AMPL_MOST_DEEP = 700, AMPL_DEEP = 100, AMPL_LOOKUP_DEPTH = 2, AMPL_LOOP_DEPTH = 2 };

/* A value that is deferred until others are computed. */
struct ampl_waiting {
    struct ampl_declaration *declaration;
    const struct ampl_node *from;
    struct ampl_place place;
    ampl_atom key[AMPL_MOST_COMPONENTS];
};

/* One contribution of a variable to a goal. The contributions to one goal and index are a circular list. */
struct ampl_added {
    struct ampl_value value;
    size_t next;
};

struct ampl_evaluator {
    struct ampl_sources *sources;
    struct ampl_symbols *symbols;
    struct ampl_program *program;
    hn_model *model;
    size_t max_nodes; /* of the graph; also the maximum size of a set */
    size_t steps, max_steps;
    size_t held, max_held; /* bytes of sets, tables, strings and names created here */
    uint32_t depth;
    bool failed;
    bool putting_off;   /* with failed: a value was deferred; not an error */
    bool catching;      /* a caller computes deferred values */
    uint32_t caught_at; /* at this depth */
    struct ampl_waiting *waiting;
    size_t waiting_count, waiting_capacity;
    bool inputs_made;
    bool relax_integrality;
    bool starting;                  /* variables have their start values */
    enum ampl_command_kind leaving; /* AMPL_LET: none; BREAK, CONTINUE, STOP: commands are skipped up to that loop */
    uint32_t leaving_to;            /* its name; 0: the innermost loop */
    uint64_t runs;                  /* of commands so far; 0 outside commands */
    uint32_t about;                 /* symbol of the current declaration, for messages */

    ampl_atom *stack;
    size_t stack_capacity, base, top; /* the current frame starts at base */
    struct ampl_set **temporaries;    /* allocated ones; the first temporary_count are in use */
    size_t temporary_count, temporary_made, temporary_capacity;
    hn_expr *terms;  /* of sums being collected */
    double *factors; /* parallel to terms */
    size_t term_count, term_capacity, factor_capacity;
    size_t plain_count; /* number of terms before the current run of products: their factor is 1 */
    struct ampl_added *added;
    size_t added_count, added_capacity;
    struct ampl_label label;
};

void ampl_evaluator_release(struct ampl_evaluator *e);

/* ---- evaluator.c: errors, limits, frames, temporaries, labels, loops ---- */

/* These return NULL, which converts to false, or AMPL_NOTHING. */
__attribute__((format(printf, 4, 5))) void *ampl_fail(struct ampl_evaluator *e, hn_status status,
                                                      struct ampl_place place, const char *format, ...);
__attribute__((format(printf, 4, 5))) struct ampl_value ampl_no_value(struct ampl_evaluator *e, hn_status status,
                                                                      struct ampl_place place, const char *format, ...);
void *ampl_fail_memory(struct ampl_evaluator *e);

bool ampl_step(struct ampl_evaluator *e, size_t count, struct ampl_place place); /* counts steps */

/* Count the memory of objects that grow during expansion. */
bool ampl_hold(struct ampl_evaluator *e, size_t bytes, struct ampl_place place);
bool ampl_hold_set(struct ampl_evaluator *e, struct ampl_set *set, struct ampl_place place);
bool ampl_keep(struct ampl_evaluator *e, struct ampl_table *table, uint32_t arity, const ampl_atom *key,
               struct ampl_value value, struct ampl_place place); /* sets and counts */

/* A new frame; returns the one to restore. */
struct ampl_frame {
    size_t base, top;
};
struct ampl_frame ampl_frame_enter(struct ampl_evaluator *e, uint32_t slots);
void ampl_frame_leave(struct ampl_evaluator *e, struct ampl_frame outer);

struct ampl_set *ampl_temporary(struct ampl_evaluator *e, uint32_t dimension); /* empty; NULL with an error */
bool ampl_collect(struct ampl_evaluator *e, struct ampl_set *set, const ampl_atom *member, struct ampl_place place);

/* The symbol of a computed string; nothing with an error. */
struct ampl_value ampl_new_text(struct ampl_evaluator *e, const char *text, size_t length, struct ampl_place place);

const char *ampl_symbol_text(const struct ampl_evaluator *e, uint32_t symbol);

/* name[a,b]; valid until the next label. */
const char *ampl_label(struct ampl_evaluator *e, const char *name, uint32_t count, const ampl_atom *atoms);
const char *ampl_label_of(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key);

typedef bool (*ampl_visit)(struct ampl_evaluator *e, void *context);

/* Visits every index in order with the dummies bound; false when a visit or the evaluation fails. NULL: one visit. */
bool ampl_loop(struct ampl_evaluator *e, const struct ampl_indexing *indexing, ampl_visit visit, void *context);

/* The current index: arity atoms, valid until the next evaluation. */
const ampl_atom *ampl_loop_index(const struct ampl_evaluator *e, const struct ampl_indexing *indexing);

/* The same over the index of a declaration, in a new frame, with the key of each entry. */
typedef bool (*ampl_visit_entry)(struct ampl_evaluator *e, struct ampl_declaration *declaration, const ampl_atom *key,
                                 void *context);
bool ampl_loop_entries(struct ampl_evaluator *e, struct ampl_declaration *declaration, ampl_visit_entry visit,
                       void *context);

/* ---- evaluate_scalar.c, evaluate_sum.c, evaluate_logic.c, evaluate_call.c, evaluate_pieces.c ---- */

struct ampl_value ampl_evaluate(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_sum(struct ampl_evaluator *e, const struct ampl_node *node);
/* The value of a nameless definition: a difference of two is hn_sub, as written. */
struct ampl_value ampl_evaluate_nameless(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_logic(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_pieces(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_evaluate_draw(struct ampl_evaluator *e, const struct ampl_node *node); /* draws.c */
struct ampl_value ampl_evaluate_call(struct ampl_evaluator *e, const struct ampl_node *node);

/* A number or an expression, not a symbol; false with an error. */
bool ampl_operand(struct ampl_evaluator *e, const struct ampl_node *node, struct ampl_value *value);
/* A number that must be constant; `where` completes the message about inputs and variables. */
bool ampl_number(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, double *number);
/* The members of tuples and sets; strings or constant numbers. */
bool ampl_tuple_of(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, ampl_atom *tuple);
bool ampl_atom_of(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, ampl_atom *atom);
bool ampl_test(struct ampl_evaluator *e, const struct ampl_node *node, const char *where, bool *holds);

hn_expr ampl_expr(struct ampl_evaluator *e, struct ampl_value value);
struct ampl_value ampl_value_expr(struct ampl_evaluator *e, hn_expr expr, struct ampl_place place);
struct ampl_value ampl_value_atom(ampl_atom atom);

/* Operators on numbers and expressions; nothing with an error. */
struct ampl_value ampl_multiply(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b,
                                struct ampl_place place);
struct ampl_value ampl_negative(struct ampl_evaluator *e, struct ampl_value a, struct ampl_place place);
struct ampl_value ampl_compare(struct ampl_evaluator *e, uint32_t relation, struct ampl_value a, struct ampl_value b,
                               struct ampl_place place); /* also strings */
uint32_t ampl_mirrored(uint32_t relation);               /* the relation with exchanged sides */
struct ampl_value ampl_smaller(struct ampl_evaluator *e, struct ampl_value a, struct ampl_value b, bool larger,
                               struct ampl_place place);

/* ---- evaluate_set.c ---- */

/* Valid until the temporaries are released (e->temporary_count reset to its previous value); NULL with an error. */
struct ampl_set *ampl_evaluate_set(struct ampl_evaluator *e, const struct ampl_node *node);
bool ampl_contains(struct ampl_evaluator *e, const struct ampl_node *set, const ampl_atom *member, bool *in);

/* Whether the components are in the index; also binds its dummies. */
bool ampl_admits(struct ampl_evaluator *e, const struct ampl_indexing *indexing, const ampl_atom *tuple, bool *in);

/* ---- lookup.c ---- */

struct ampl_value ampl_refer(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_value ampl_refer_suffix(struct ampl_evaluator *e, const struct ampl_node *node);
struct ampl_set *ampl_refer_set(struct ampl_evaluator *e, const struct ampl_node *node);
bool ampl_subscripts(struct ampl_evaluator *e, const struct ampl_node *node, ampl_atom *key);
bool ampl_fail_subscript(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                         struct ampl_place place);
/* Whether the key is in the index of the declaration; otherwise an error. */
bool ampl_check_key(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    struct ampl_place place);
struct ampl_value ampl_computed_variable(struct ampl_evaluator *e, struct ampl_declaration *variable,
                                         const ampl_atom *key); /* of a variable, or a param, defined by '=' */
struct ampl_value ampl_start_value(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                                   const ampl_atom *key);

/* Sorts the members as `ordered by` specifies; the dummies of the set's index are bound. */
bool ampl_arrange(struct ampl_evaluator *e, struct ampl_declaration *declaration, struct ampl_set *set);

/* ---- params.c ---- */

/* The bounds in a variable's declaration; the dummies of its index are bound. */
struct ampl_bounds {
    struct ampl_value lower, upper;
};
bool ampl_variable_bounds(struct ampl_evaluator *e, const struct ampl_declaration *variable,
                          struct ampl_bounds *bounds);

/* Whether a value given to a param, or a set, satisfies its declaration; the dummies of its index are bound. */
bool ampl_check_param(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                      struct ampl_value value);
bool ampl_check_attribute(struct ampl_evaluator *e, const struct ampl_declaration *param, const ampl_atom *key,
                          struct ampl_value value, const struct ampl_attribute *attribute);
bool ampl_check_set(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                    const struct ampl_set *set);
/* All values from data and let. */
bool ampl_check_given(struct ampl_evaluator *e);

/* Determines which params are inputs, and which expressions may depend on inputs or variables. */
void ampl_mark_inputs(struct ampl_evaluator *e);
void ampl_mark_varying(struct ampl_evaluator *e);
bool ampl_make_inputs(struct ampl_evaluator *e);
bool ampl_check_inputs(struct ampl_evaluator *e);

/* Reports an expression where a number is required, and names the input or variable it depends on. */
bool ampl_fail_varying(struct ampl_evaluator *e, const struct ampl_node *node, const char *where);

/* net_in, net_out, to_come: the sum of the contributions to the current goal. */
struct ampl_value ampl_evaluate_net(struct ampl_evaluator *e, const struct ampl_node *node);
/* ---- commands.c, expand.c ---- */

bool ampl_run_commands(struct ampl_evaluator *e);
bool ampl_is_dropped(const struct ampl_declaration *goal, const ampl_atom *key);
bool ampl_run_checks(struct ampl_evaluator *e);
bool ampl_expand(struct ampl_evaluator *e);

/* Converts an error of the model to an error of the declaration; false if there is one. */
bool ampl_model_good(struct ampl_evaluator *e, const struct ampl_declaration *declaration);

#endif
