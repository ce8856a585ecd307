/* tables.h - set members, tuples of them with a hash index, tables from tuples to values, and sets of tuples.
 *
 * A set member is an atom: a number or a symbol in 64 bits that are equal exactly if the atoms are. A number is stored
 * as its bits; -0 is replaced by 0, and NaN is not allowed. A symbol is its number (symbols.h) in the payload of a NaN
 * that arithmetic never produces. So tuples of atoms are compared and hashed as plain words. 1 and '1' are different
 * atoms.
 *
 * Tuples keep their insertion order and are found in constant time. Arity 0 has one tuple, the empty one, so that a
 * scalar is a table like any other. A set is listed, or an arithmetic progression in closed form; members that match
 * given components can be iterated without visiting the others (slices). Functions that may allocate return false when
 * out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_TABLES_H
#define HN_AMPL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- atoms ---- */

typedef uint64_t ampl_atom;

#define AMPL_SYMBOL_TAG UINT64_C(0xfffc000000000000)

static inline ampl_atom ampl_atom_symbol(uint32_t symbol) {
    return AMPL_SYMBOL_TAG | symbol;
}

/* The number must not be NaN. */
static inline ampl_atom ampl_atom_number(double number) {
    ampl_atom atom;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&atom, &number, sizeof atom);
    return atom;
}

static inline bool ampl_atom_is_symbol(ampl_atom atom) {
    return (atom & AMPL_SYMBOL_TAG) == AMPL_SYMBOL_TAG;
}

static inline uint32_t ampl_atom_to_symbol(ampl_atom atom) {
    return (uint32_t)atom;
}

static inline double ampl_atom_to_number(ampl_atom atom) {
    double number;
    memcpy(&number, &atom, sizeof number);
    return number;
}

/* Mixes another word into a hash (the finaliser of splitmix64). */
static inline uint64_t ampl_hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ (hash >> 27);
}

/* ---- tuples ---- */

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

/* ---- sets ---- */

struct ampl_slices;

struct ampl_set {
    struct ampl_tuples tuples; /* of a listed set; its arity is the dimension */
    bool progression, circular;
    bool arranged; /* its members are in the declared order */
    double first, step;
    size_t count;               /* of a progression */
    struct ampl_slices *slices; /* created on demand */
    size_t counted;             /* memory counted by the owner of a limit */
};

struct ampl_set *ampl_set_create(uint32_t dimension); /* NULL: out of memory */
void ampl_set_destroy(struct ampl_set *set);

/* Makes a set empty and listed, or a progression; keeps its memory for reuse. */
void ampl_set_clear(struct ampl_set *set, uint32_t dimension);
void ampl_set_progression(struct ampl_set *set, double first, double step, size_t count);

size_t ampl_set_count(const struct ampl_set *set);
size_t ampl_set_bytes(const struct ampl_set *set); /* allocated memory */
uint32_t ampl_set_dimension(const struct ampl_set *set);

/* Member number i; `member` has the set's dimension. */
void ampl_set_member(const struct ampl_set *set, size_t i, ampl_atom *member);
bool ampl_set_find(const struct ampl_set *set, const ampl_atom *member, size_t *number);
bool ampl_set_add(struct ampl_set *set, const ampl_atom *member);
bool ampl_set_copy(struct ampl_set *to, const struct ampl_set *from);

/* ---- slices: bit i of the mask means that component i is given ---- */

#define AMPL_NO_MEMBER UINT32_MAX

/* The first member that matches the given components of `like`, and the next one; AMPL_NO_MEMBER after the last. The
 * set must not change between the calls. ampl_set_slice returns false when out of memory. */
bool ampl_set_slice(struct ampl_set *set, uint32_t mask, const ampl_atom *like, uint32_t *member);
uint32_t ampl_set_slice_next(const struct ampl_set *set, uint32_t mask, uint32_t member);

#endif
