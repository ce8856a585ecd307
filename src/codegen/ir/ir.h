/* ir.h - the statements of an entry, in order: what a walk over a plan writes and what is printed.
 *
 * An operand is a slot (plan.h) or, from STATEMENT_CONSTANT on, a number that its slot holds for ever. A statement's operands are its
 * destinations (one; two of FUNCTION_SINCOS: sine and cosine) and then its arguments.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_IR_H
#define HN_CODEGEN_IR_H

#include "codegen/ir/functions.h"

#define STATEMENT_CONSTANT UINT32_C(0x80000000)

struct statement {
    uint32_t function; /* enum function */
    uint32_t first;    /* of its operands */
    uint32_t count;
};

struct statements {
    struct statement *list;
    size_t count, capacity;
    uint32_t *operands;
    size_t operand_count, operand_capacity;
    uint32_t window,
        window_slots; /* slots that are read in one place and written to another: vectors that take turns */
    size_t late;      /* so many statements, the first ones, may stand where their values are needed first */
    bool round;       /* functions that are told the round they are in */
    bool failed;      /* memory is out: what is added is lost */
};

void statements_release(struct statements *s);

/* A statement without operands yet; those that are added belong to the last one. */
void statements_begin(struct statements *s, enum function function);
void statements_operand(struct statements *s, uint32_t operand);

/* The same at once. */
void statements_add(struct statements *s, enum function function, uint32_t destination, const uint32_t *arguments,
                    size_t count);

/* Statement number i of another list, as it is. */
void statements_repeat(struct statements *s, const struct statements *from, size_t i);

static inline bool statements_in_window(const struct statements *s, uint32_t slot) {
    return slot - s->window < s->window_slots;
}

/* What stands right behind the residual of a row: its size, and whether it is lost. */
static inline bool statement_follows_row(const struct statement *at) {
    return at->function == ROW_MOST_SIZE || at->function == ROW_RELATIVE || at->function == ROW_MOST ||
           at->function == ROW_LOSE_FINITE;
}

static inline uint32_t statement_destinations(const struct statement *at) {
    return at->function == FUNCTION_SINCOS ? 2 : 1;
}

#endif
