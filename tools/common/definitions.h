/* definitions.h - defined variables of a model, found by the names that options give.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_DEFINITIONS_H
#define HN_TOOLS_DEFINITIONS_H

#include "hardnet/model.h"

/* By the whole name, such as "next[2]". */
bool definition_find(const hn_model *model, const char *name, hn_expr *value);

/* The subscript of an entry of the family (of this length): "[3,1]", or ""; NULL if it is of another family. */
const char *definition_subscript(const char *name, const char *family, size_t length);

/* "; did you mean stage?" for a mistyped name; empty when no defined variable is near. */
struct definition_hint {
    char text[128];
};
struct definition_hint definition_suggest(const hn_model *model, const char *name);

#endif
