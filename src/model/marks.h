/* marks.h - digests of expressions, 16 bytes each, that identify their meaning. docs/fingerprint.md has the definition.
 *
 * Input: the nodes of a finished model in topological order. Output: a mark for each of them, and for affine roots (the
 * expressions in the model's lists) the mark of their coefficients. A mark depends on the computed function, not on
 * node numbers, their creation order or the representation of signs and sums in the graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_MARKS_H
#define HN_MODEL_MARKS_H

#include "base/digest.h"
#include "model/parts.h"

enum { MARK_BYTES = 16 };

/* The relation of a node's value to the expression of its digest. */
enum mark_sign { MARK_PLUS = '+', MARK_MINUS = '-', MARK_AFFINE = '=', MARK_NONE = '0' };

struct mark {
    unsigned char sign; /* enum mark_sign */
    unsigned char digest[MARK_BYTES];
};

struct marks {
    const hn_model *model;
    struct mark *of;     /* by node; number 0 is not an expression; unset for roots marked only by coefficients */
    struct mark *affine; /* by node: of the coefficients of an affine root; sign 0 elsewhere */
};

/* Finishes a digest and keeps its first half. */
struct mark mark_finish(struct digest *digest, enum mark_sign sign);
void digest_add_mark(struct digest *digest, const struct mark *mark);

/* Marks the roots and everything they depend on; the first affine_count roots are marked by their coefficients if
 * affine. marks_release frees the lists. */
hn_status marks_create(struct marks *marks, const hn_model *model, const uint32_t *roots, size_t root_count,
                       size_t affine_count, hn_error *error);
void marks_release(struct marks *marks);

/* affine.c: marks the roots that are affine in x and y by their coefficients. False: out of memory. */
bool marks_affine_roots(struct marks *marks, const uint32_t *order, size_t count, const uint32_t *roots,
                        size_t root_count);

#endif
