/* marks.h - digests of expressions: what a model means, in 16 bytes per expression. docs/fingerprint.md has the definition.
 *
 * Nodes of a finished model go in, in an order of evaluation; out goes a mark for each of them, and for the roots (the expressions that
 * the model's lists name) the mark of their coefficients where they are affine. A mark depends on what is computed, not on
 * the numbers of nodes, on the order in which they were made or on how signs and sums are spelt in the graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_MARKS_H
#define HN_MODEL_MARKS_H

#include "base/digest.h"
#include "model/parts.h"

enum { MARK_BYTES = 16 };

/* How the value of a node follows from the expression that its digest stands for. */
enum mark_sign { MARK_PLUS = '+', MARK_MINUS = '-', MARK_AFFINE = '=', MARK_NONE = '0' };

struct mark {
    unsigned char sign; /* enum mark_sign */
    unsigned char digest[MARK_BYTES];
};

struct marks {
    const hn_model *model;
    struct mark *of;     /* by node; number 0 is no expression; not of what counts by its coefficients alone */
    struct mark *affine; /* by node: of the coefficients of an affine root; sign 0 elsewhere */
};

/* Ends a digest and keeps its first half. */
struct mark mark_finish(struct digest *digest, enum mark_sign sign);
void digest_add_mark(struct digest *digest, const struct mark *mark);

/* Marks all that the roots need; the first affine_count of them count by their coefficients where they are affine. Release
 * frees what it made. */
hn_status marks_create(struct marks *marks, const hn_model *model, const uint32_t *roots, size_t root_count,
                       size_t affine_count, hn_error *error);
void marks_release(struct marks *marks);

/* affine.c: marks the roots that are affine in x and y by their coefficients. False: out of memory. */
bool marks_affine_roots(struct marks *marks, const uint32_t *order, size_t count, const uint32_t *roots,
                        size_t root_count);

#endif
