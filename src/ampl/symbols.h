/* symbols.h - texts to small numbers: names, quoted texts and set members, each stored once.
 *
 * The first symbols are the words of words.h. Each symbol has room for the declaration of that name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_SYMBOLS_H
#define HN_AMPL_SYMBOLS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct ampl_declaration;

struct ampl_symbol {
    const char *text; /* ended by 0; begins with one where only backquotes make it a name (lexer.c) */
    size_t length;
    struct ampl_declaration *declaration; /* NULL: the name is not declared */
    bool misused;                         /* a reserved word that was declared: what follows from that goes unsaid */
};

struct ampl_symbols {
    struct arena texts;
    struct ampl_symbol *list;
    size_t count, capacity;
    uint32_t *slots; /* symbol numbers + 1 by hash, open addressing, 0 = free */
    size_t slot_count;
    bool no_memory; /* a text could not be stored, perhaps while looking ahead; sticks */
};

/* Fills in the words; false when memory is out. */
bool ampl_symbols_create(struct ampl_symbols *symbols);
void ampl_symbols_release(struct ampl_symbols *symbols);

/* The number of a text, new or known; false when memory is out. */
bool ampl_symbols_intern(struct ampl_symbols *symbols, const char *text, size_t length, uint32_t *symbol);

/* The name or text itself. */
const char *ampl_symbols_text(const struct ampl_symbols *symbols, uint32_t symbol);

/* Whether it begins with '$': what is declared by it has no name in the model. */
bool ampl_symbols_nameless(const struct ampl_symbols *symbols, uint32_t symbol);

#endif
