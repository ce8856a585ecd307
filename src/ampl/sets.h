/* sets.h - sets of tuples: listed, or an arithmetic progression in closed form.
 *
 * Members keep their order and are found in constant time; members that match given components can be iterated without
 * visiting the others (slices). Functions that may allocate return false when out of memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_SETS_H
#define HN_AMPL_SETS_H

#include "ampl/tables.h"

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
