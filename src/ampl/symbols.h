/* symbols.h - interns texts: names, strings and set members, as small numbers; and labels: names with subscripts.
 *
 * The first symbols are the words of words.h. Each symbol can refer to the declaration with that name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_SYMBOLS_H
#define HN_AMPL_SYMBOLS_H

#include "ampl/tables.h"
#include "base/arena.h"
#include "base/names.h"

struct ampl_declaration;

struct ampl_symbol {
    const char *text; /* 0-terminated; begins with a 0 if it is a name only in backquotes (lexer.c) */
    size_t length;
    struct ampl_declaration *declaration; /* NULL: not declared */
    bool misused;                         /* a reserved word that was declared: consequential errors are not reported */
};

struct ampl_symbols {
    struct arena texts;
    struct ampl_symbol *list;
    size_t count, capacity;
    struct names names; /* to their numbers */
    bool no_memory;     /* out of memory, perhaps during look-ahead; sticky */
};

/* Adds the words; false when out of memory. */
bool ampl_symbols_create(struct ampl_symbols *symbols);
void ampl_symbols_release(struct ampl_symbols *symbols);

/* Interns a text; false when out of memory. */
bool ampl_symbols_intern(struct ampl_symbols *symbols, const char *text, size_t length, uint32_t *symbol);

/* The text of a symbol. */
const char *ampl_symbols_text(const struct ampl_symbols *symbols, uint32_t symbol);

/* Whether it begins with '$': its definition has no name in the model. */
bool ampl_symbols_nameless(const struct ampl_symbols *symbols, uint32_t symbol);

/* ---- labels ---- */

/* The buffer of one label, reused for the next one. */
struct ampl_label {
    char *text;
    size_t capacity;
};

/* name[a,b]; valid until the next label. NULL: out of memory. */
const char *ampl_label_write(struct ampl_label *label, const struct ampl_symbols *symbols, const char *name,
                             uint32_t count, const ampl_atom *atoms);
void ampl_label_release(struct ampl_label *label);

#endif
