/* write.h - writes a model as text: the interface between the files write_*.c. The public function is hn_model_write in
 * hardnet/read.h.
 *
 * The statements are visited twice in the same order: to count the uses of expressions, and to write them. An
 * expression that is used more than once, or would nest too deeply, is written once, as `var $1 = ...` (`param` if it
 * depends on inputs only), before the first statement that needs it, and referenced as $1 elsewhere; so the size of the
 * text is proportional to the graph, and reading it needs no deep recursion. The reader does not keep these names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_WRITE_H
#define HN_AMPL_WRITE_H

#include "ampl/symbols.h"
#include "hardnet/model.h"

/* ---- write_names.c: names without backquotes, and outputs or inputs that share a declaration ---- */

enum { WRITE_MOST_ARITY = 5 };

/* Consecutive inputs or outputs. A family is declared once, over ranges; others are declared separately, in backquotes
 * if necessary. */
struct write_run {
    size_t first, count;
    bool family;
    uint32_t arity; /* of a family */
    int32_t lower[WRITE_MOST_ARITY], upper[WRITE_MOST_ARITY];
    uint32_t tables[2]; /* n of the $n with its lower and upper bounds; 0: none */
};

/* All inputs, or all outputs. */
struct write_runs {
    struct write_run *list;
    size_t count, capacity;
    bool *plain; /* the name needs no backquotes */
};

/* A bound of an input or output: an expression that may depend on inputs, or else a number. */
struct write_side {
    hn_expr expr; /* invalid: a number */
    double number;
};

struct write_column {
    const char *name;
    struct write_side sides[2];
    hn_expr start, fixed; /* of an output */
};

/* ---- write_survey.c: counts the uses of expressions, and selects those with separate statements ---- */

enum {
    WRITE_SEEN = 1,
    WRITE_INPUTS = 2, /* depends on them */
    WRITE_OUTPUTS = 4,
    WRITE_NUMBER = 8, /* a condition used as a number */
    WRITE_APART = 16, /* has a separate statement */
    WRITE_EXACT = 32  /* a difference of exactly two terms */
};

/* State of an expression, by its node. */
struct write_node {
    uint32_t uses;
    uint32_t number;     /* n of $n, once it has a separate statement */
    uint32_t definition; /* 1 + the definition that replaces it; 0: none */
    uint8_t flags;
    uint8_t height; /* nesting depth of its text */
};

struct writer {
    const hn_model *model;
    char *text; /* 0-terminated once something was written */
    size_t length, capacity;
    size_t line;                 /* start of its last line */
    struct ampl_symbols symbols; /* the words of the language, and the names of families */
    struct write_runs runs[2];   /* of inputs, of outputs */
    bool dummies_taken;          /* a name of the model equals a dummy index */
    bool surveying;
    const char *about; /* the current part, for messages */

    struct write_node *nodes;
    uint32_t *order;             /* nodes in topological order, from the survey */
    size_t order_count, written; /* those before `written` have their statement if they need one */
    size_t *ends;                /* order_count after each expression that a statement needs, in order */
    size_t end_count, end_capacity, end_next;
    uint32_t *stack, *next; /* of the survey; the stack also of sums and products being written */
    size_t depth;
    uint32_t apart_count;

    hn_status status;
    hn_error error;
};

/* Records the first error. */
__attribute__((format(printf, 3, 4))) void write_fail(struct writer *writer, hn_status status, const char *format, ...);
void write_no_memory(struct writer *writer);

/* Append to the text. */
void write_bytes(struct writer *writer, const char *bytes, size_t length);
void write_put(struct writer *writer, const char *text);
void write_break(struct writer *writer); /* a new line of the same statement */
void write_size(struct writer *writer, size_t number);
void write_number(struct writer *writer, double value); /* any sign, infinite or not, but not NaN */

/* Whether a name can be written without backquotes: it has the form of a name and is not a word of the language. */
bool write_is_plain(struct writer *writer, const char *name, size_t length);
void write_name(struct writer *writer, const char *name);
void write_leaf(struct writer *writer, bool output, size_t index); /* the name of an input or an output */
bool write_find_runs(struct writer *writer);                       /* false: out of memory */
size_t write_column_count(const hn_model *model, bool output);
struct write_column write_column_at(const hn_model *model, bool output, size_t index);
bool write_same_side(const struct write_side *a, const struct write_side *b);

/* Declares that the current statement needs an expression: the survey counts it; later its separate statements are
 * written before the statement. condition: used where AMPL requires a condition. */
void write_need(struct writer *writer, hn_expr expr, bool condition);
bool write_survey_start(struct writer *writer); /* false: out of memory */
void write_survey_end(struct writer *writer);   /* selects expressions with separate statements */

/* The expression that references to definitions resolve to, and its info. */
hn_expr write_resolve(hn_expr expr, hn_expr_info *info);
bool write_is_condition(hn_operator op);
bool write_is_sum(hn_operator op);
bool write_is_square(hn_expr expr, const hn_expr_info *info);
bool write_is_product(hn_expr expr, const hn_expr_info *info);   /* excluding squares */
bool write_is_inline(const struct writer *writer, hn_expr expr); /* its text is written at its uses */
bool write_is_short(hn_expr expr, const hn_expr_info *info);     /* and always is */

/* The argument to write on the left: usually the first, so that the reader creates its parts in the same order and sums
 * of derivatives, which follow the order of nodes, have the same rounding; but a constant term is last, a constant
 * factor first. */
size_t write_left(hn_expr expr, const hn_expr_info *info);

/* ---- write_columns.c: inputs and outputs; fixed values and starts; finally numbers that differ within a family
 * ---- */

void write_columns(struct writer *writer);
void write_all_values(struct writer *writer);
void write_data(struct writer *writer);

/* ---- write_expression.c ---- */

void write_expression(struct writer *writer, hn_expr expr); /* a number, or a reference */
void write_condition(struct writer *writer, hn_expr expr);
void write_negative(struct writer *writer, hn_expr expr); /* -expr */
void write_body(struct writer *writer, hn_expr expr);     /* in full, even if it has a separate statement */

#endif
