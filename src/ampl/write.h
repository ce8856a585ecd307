/* write.h - a model in, its text out: what the files write_*.c share. The interface is hn_model_write in hardnet/read.h.
 *
 * The statements of the text are walked twice in the same order: first to see which expressions are used and how often, then to
 * write them. An expression that is used more than once, or would nest too deep, is written once, as `var $1 = ...` (`param`
 * where it depends on inputs only), before the first statement that needs it, and stands as $1 elsewhere; so the text is as long as
 * the graph is large, and reading it needs no depth. The reader keeps no names for these.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_WRITE_H
#define HN_AMPL_WRITE_H

#include "ampl/symbols.h"
#include "hardnet/model.h"

/* ---- write_text.c: a text that grows ---- */

struct write_text {
    char *bytes; /* ended by 0 once something was put */
    size_t length, capacity;
    size_t line;    /* where its last line begins */
    bool no_memory; /* sticks; what comes later is lost */
};

void write_bytes(struct write_text *text, const char *bytes, size_t length);
void write_string(struct write_text *text, const char *string);
void write_break(struct write_text *text); /* a new line of the same statement */
void write_size(struct write_text *text, size_t number);
void write_number(struct write_text *text, double value); /* of any sign, infinite or not, but no NaN */

/* ---- write_names.c: which names stand as they are, and which outputs or inputs share a declaration ---- */

enum { WRITE_MOST_ARITY = 5 };

/* Inputs or outputs that follow each other. A family is declared at once, over ranges; others come one by one, in
 * backquotes where need be. */
struct write_run {
    size_t first, count;
    bool family;
    uint32_t arity; /* of a family */
    int32_t lower[WRITE_MOST_ARITY], upper[WRITE_MOST_ARITY];
    uint32_t tables[2]; /* n of the $n that hold its lower and upper bounds; 0: none */
};

struct write_runs {
    struct write_run *list;
    size_t count, capacity;
};

/* ---- write_survey.c: how often expressions are used, and which of them are written apart ---- */

enum {
    WRITE_SEEN = 1,
    WRITE_INPUTS = 2, /* depends on them */
    WRITE_OUTPUTS = 4,
    WRITE_NUMBER = 8, /* a condition that stands where a number does */
    WRITE_APART = 16, /* has a statement of its own */
    WRITE_EXACT = 32  /* a difference of two, no more terms */
};

/* Of one expression, by its node. */
struct write_node {
    uint32_t uses;
    uint32_t number;     /* n of $n, once it is written apart */
    uint32_t definition; /* 1 + the definition whose name stands for it; 0: none */
    uint8_t flags;
    uint8_t height; /* how deep its text nests */
};

struct writer {
    const hn_model *model;
    struct write_text out;
    struct ampl_symbols symbols; /* the words of the language, and the names of families */
    struct write_runs inputs, outputs;
    bool *input_plain, *output_plain; /* the name needs no backquotes */
    bool dummies_taken;               /* a name of the model is that of a dummy index */
    bool surveying;
    const char *about; /* the part that is at hand, for messages */

    struct write_node *nodes;
    uint32_t *order;             /* nodes, arguments first, as the survey found them */
    size_t order_count, written; /* those before `written` have their statement if they need one */
    size_t *ends;                /* order_count after each expression that a statement needs, in their order */
    size_t end_count, end_capacity, end_next;
    uint32_t *stack, *next; /* of the survey; the stack also of sums and products that are being written */
    size_t depth;
    uint32_t apart_count;

    hn_status status;
    hn_error error;
};

/* The first error stays. */
__attribute__((format(printf, 3, 4))) void write_fail(struct writer *writer, hn_status status, const char *format, ...);

/* Whether a name may stand without backquotes: it looks like one, and is no word of the language. */
bool write_is_plain(struct writer *writer, const char *name, size_t length);
void write_name(struct writer *writer, const char *name);
void write_leaf(struct writer *writer, bool input, size_t index); /* the name of an input or an output */
bool write_find_runs(struct writer *writer);                      /* false with an error */

/* Says that the statement at hand needs an expression: in the survey it is counted, later all that it needs is written before
 * the statement. condition: it stands where AMPL wants a condition. */
void write_need(struct writer *writer, hn_expr expr, bool condition);
bool write_survey_start(struct writer *writer); /* false: out of memory */
void write_survey_end(struct writer *writer);   /* decides what is written apart */

/* The expression behind references to definitions, and what it is. */
hn_expr write_resolve(hn_expr expr, hn_expr_info *info);
bool write_is_condition(hn_operator op);
bool write_is_sum(hn_operator op);
bool write_is_square(hn_expr expr, const hn_expr_info *info);
bool write_is_product(hn_expr expr, const hn_expr_info *info);   /* that is no square */
bool write_is_inline(const struct writer *writer, hn_expr expr); /* its text stands where it is used */
bool write_is_short(hn_expr expr, const hn_expr_info *info);     /* and always does */

/* Which argument stands on the left: the first one, so that the reader makes its parts first again, and sums of derivatives, which
 * follow the order of nodes, round alike; but a constant term stands last, a constant factor first. */
size_t write_left(hn_expr expr, const hn_expr_info *info);

/* ---- write_columns.c: inputs and outputs; what is fixed, and starts; at last, numbers that differ within a family ---- */

void write_columns(struct writer *writer);
void write_all_values(struct writer *writer);
void write_data(struct writer *writer);

/* ---- write_expression.c ---- */

void write_expression(struct writer *writer, hn_expr expr); /* a number, or what stands for it */
void write_condition(struct writer *writer, hn_expr expr);
void write_negative(struct writer *writer, hn_expr expr); /* -expr */
void write_body(struct writer *writer, hn_expr expr);     /* spelt out, whatever stands for it elsewhere */

#endif
