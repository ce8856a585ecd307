/* simd2_names.h - a text that is written over `wide` once more, over `two`: what an emitted file has for statements in pairs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SIMD2_NAMES_H
#define HN_CODEGEN_SIMD2_NAMES_H

#include "codegen/print/text.h"

/* Names that texts before have declared. */
struct simd2_names {
    const char *at[256]; /* in the texts */
    size_t length[256], count;
};

/* The text behind those that stand in `out`: wide_... is simd2_..., and what is declared over wide has simd2_ before its name. Comments
 * and constants are left out, which are there already. */
void simd2_names_file(struct text *out, struct simd2_names *names, const char *file);

#endif
