/* atoms.h - set members: a number or a symbol in 64 bits that are equal exactly if the atoms are.
 *
 * A number is stored as its bits, with one zero and without NaN. A symbol is its number (symbols.h) in the payload of a
 * NaN that arithmetic never produces. So tuples of atoms are compared and hashed as plain words. 1 and '1' are
 * different atoms.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_ATOMS_H
#define HN_AMPL_ATOMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

#endif
