/* tables.h - tuples of atoms with a hash index, and tables from tuples to values.
 *
 * Tuples keep the order in which they were added and are found in constant time. An arity of 0 has one tuple, the
 * empty one, so that a scalar is a table like any other. Functions that may need memory return false when it is out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_TABLES_H
#define HN_AMPL_TABLES_H

#include "ampl/atoms.h"

#include <stddef.h>

struct ampl_slot {
    uint32_t number, hash; /* number of the tuple + 1, 0 = free; its hash, so that few tuples need be looked at */
};

struct ampl_tuples {
    uint32_t arity;
    size_t count, capacity;  /* capacity in atoms */
    ampl_atom *atoms;        /* count x arity */
    struct ampl_slot *slots; /* open addressing; NULL until needed */
    size_t slot_count;
};

enum { AMPL_MOST_COMPONENTS = 32 };

/* The number of a tuple; false when it is not there. */
bool ampl_tuples_find(const struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number);

/* Adds a tuple unless it is there; *number is its number, *fresh (may be NULL) whether it is new. */
bool ampl_tuples_add(struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number, bool *fresh);

/* The memory that they hold. */
size_t ampl_tuples_bytes(const struct ampl_tuples *tuples);

/* Forgets the tuples, keeps the memory. */
void ampl_tuples_clear(struct ampl_tuples *tuples, uint32_t arity);
void ampl_tuples_release(struct ampl_tuples *tuples);

/* ---- values ---- */

struct ampl_set;

enum ampl_value_kind { AMPL_NOTHING, AMPL_NUMBER, AMPL_SYMBOL, AMPL_EXPRESSION, AMPL_SET_VALUE };

struct ampl_value {
    uint32_t kind;  /* enum ampl_value_kind */
    uint32_t index; /* SYMBOL: the symbol; EXPRESSION: the node of the model */
    union {
        double number;
        struct ampl_set *set;
    } is;
};

static inline struct ampl_value ampl_value_nothing(void) {
    return (struct ampl_value){.kind = AMPL_NOTHING};
}

static inline struct ampl_value ampl_value_number(double number) {
    return (struct ampl_value){.kind = AMPL_NUMBER, .is = {.number = number}};
}

static inline struct ampl_value ampl_value_symbol(uint32_t symbol) {
    return (struct ampl_value){.kind = AMPL_SYMBOL, .index = symbol};
}

struct ampl_table {
    struct ampl_tuples keys;
    struct ampl_value *values; /* beside the keys */
    size_t capacity;
    size_t counted; /* of its memory, by whoever has a limit for it */
    size_t next;    /* the number of the key that was asked for last, + 1 */
};

/* NULL when the key is not there; the pointer is good until the next ampl_table_set. */
struct ampl_value *ampl_table_find(const struct ampl_table *table, const ampl_atom *key);

/* The same where keys are asked for in their order more often than not, as sums do: the one after the last is looked at first. */
struct ampl_value *ampl_table_find_next(struct ampl_table *table, const ampl_atom *key);

bool ampl_table_set(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value);

/* Adds a value unless the key has one; *fresh tells. */
bool ampl_table_add(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value,
                    bool *fresh);

size_t ampl_table_bytes(const struct ampl_table *table); /* without the sets among the values */

/* Both also release the sets among the values. */
void ampl_table_clear(struct ampl_table *table);
void ampl_table_release(struct ampl_table *table);

#endif
