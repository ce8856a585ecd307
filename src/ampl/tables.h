/* tables.h - tuples of atoms with a hash index, and tables from tuples to values.
 *
 * Tuples keep their insertion order and are found in constant time. Arity 0 has one tuple, the empty one, so that a
 * scalar is a table like any other. Functions that may allocate return false when out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_TABLES_H
#define HN_AMPL_TABLES_H

#include "ampl/atoms.h"

#include <stddef.h>

struct ampl_slot {
    uint32_t number, hash; /* number of the tuple + 1, 0 = free; its hash, to compare fewer tuples */
};

struct ampl_tuples {
    uint32_t arity;
    size_t count, capacity;  /* capacity in atoms */
    ampl_atom *atoms;        /* count x arity */
    struct ampl_slot *slots; /* open addressing; NULL until needed */
    size_t slot_count;
};

enum { AMPL_MOST_COMPONENTS = 32 };

/* The number of a tuple; false if it is absent. */
bool ampl_tuples_find(const struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number);

/* Adds a tuple if absent; *number is its number, *fresh (may be NULL) whether it is new. */
bool ampl_tuples_add(struct ampl_tuples *tuples, const ampl_atom *tuple, size_t *number, bool *fresh);

/* Allocated memory. */
size_t ampl_tuples_bytes(const struct ampl_tuples *tuples);

/* Removes all tuples, keeps the memory. */
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
    struct ampl_value *values; /* parallel to the keys */
    size_t capacity;
    size_t counted; /* memory counted by the owner of a limit */
    size_t next;    /* number of the last key found, + 1 */
};

/* NULL if the key is absent; the pointer is valid until the next ampl_table_set. */
struct ampl_value *ampl_table_find(const struct ampl_table *table, const ampl_atom *key);

/* The same, optimised for lookups in order, as in sums: tries the key after the last one first. */
struct ampl_value *ampl_table_find_next(struct ampl_table *table, const ampl_atom *key);

/* Key number i. */
void ampl_table_key(const struct ampl_table *table, size_t i, ampl_atom *key);

bool ampl_table_set(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value);

/* An empty set as the value of the key; NULL: out of memory. */
struct ampl_set *ampl_table_new_set(struct ampl_table *table, uint32_t arity, const ampl_atom *key, uint32_t dimension);

/* Adds a value unless the key has one; sets *fresh. */
bool ampl_table_add(struct ampl_table *table, uint32_t arity, const ampl_atom *key, struct ampl_value value,
                    bool *fresh);

size_t ampl_table_bytes(const struct ampl_table *table); /* without the sets among the values */

/* Both also release sets among the values. */
void ampl_table_clear(struct ampl_table *table);
void ampl_table_release(struct ampl_table *table);

#endif
