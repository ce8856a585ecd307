/* labels.h - names with subscripts, for messages and for the model: name[a,b].
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_LABELS_H
#define HN_AMPL_LABELS_H

#include "ampl/atoms.h"
#include "ampl/symbols.h"

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
