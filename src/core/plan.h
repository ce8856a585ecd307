/* plan.h - a layer as data: everything that an executor needs to correct samples and to differentiate the correction.
 *
 * A plan is one block of memory without pointers. A list is identified by its offset from the plan's address: a plan
 * may be copied, kept after its model is destroyed, or written out as arrays. plan_create makes it; then it is
 * constant.
 *
 * The numbers of a sample are in slots. With `width` samples together, number s of sample k is slots[s * width + k]; lists count
 * in slots. The program comes first (constants, leaves, temporaries), then the
 * layer's own vectors, then the storage of the linear system
 *
 *     (M M' + E) z = b,     M = A on the rows' side, A' on the outputs' side,  A = W J,  E = eps on rows that count, else 1
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PLAN_H
#define HN_CORE_PLAN_H

#include "autodiff/program.h"
#include "core/plan_fields.h"
#include "core/sample.h"
#include "core/set.h"
#include "core/summary.h"
#include "linalg/damped_system.h"

#include <string.h>

/* The offset of a list from the plan's address, in units of 8 bytes, and its number of elements, of type uint32_t
 * unless noted otherwise. */
struct plan_list {
    uint32_t at, count;
};

/* A sparse matrix of values, by rows. */
struct plan_matrix {
    struct plan_list first; /* rows + 1 */
    struct plan_list column, slot;
};

/* Values, each with the index of its entry in a vector. */
struct plan_entries {
    struct plan_list slot, entry;
};

struct plan_program {
    struct plan_list constants;    /* double: of the first slots */
    struct plan_list code;         /* struct instruction */
    struct plan_list pairs;        /* factors of sums of products: two slots each */
    struct plan_list coefficients; /* double: of sums of numbers times slots, */
    struct plan_list columns;      /* and these slots */
    uint32_t first[PHASES + 1];    /* phase p is code[first[p]] up to code[first[p + 1]] */
    uint32_t operators[PHASES];    /* operators of the graph that each phase computes */
};

/* The linear system; streams and kinds are those of linalg/damped_system.h. */
struct plan_system {
    uint32_t kind; /* enum factor_kind */
    uint32_t order, nonzeros;
    uint32_t added; /* of the order: the last unknowns, for columns of M kept out of M M' (linalg/border.h) */
    uint32_t lower, negated, inverse, pivot_range, zero; /* slots */
    uint32_t solution;                                   /* with added unknowns: two vectors of all unknowns */
    double multiply_adds;
    struct plan_list by_rows, by_columns; /* streams of the products A x and A' x */
    struct plan_list stream;
    struct plan_list permutation;  /* order: the elimination order */
    struct plan_list column_first; /* order + 1; no elements when dense */
    struct plan_list row_unknown;  /* nonzeros: the entry's row, as an unknown; no elements when dense */
    struct plan_list row_number;   /* nonzeros: in the order of elimination; FACTOR_WALKED only, as those below */
    struct plan_list row_first, row_column, row_entry;
    struct plan_list constant_slot, constant_value; /* constants, written once; double */
};

#define PLAN_FIELD_INNER(type, name) type name;

struct plan {
    uint64_t bytes; /* total size */
    struct sample_options options;
    PLAN_FIELD_LIST(PLAN_FIELD_NUMBER, PLAN_FIELD_LIST_OF, PLAN_FIELD_ENTRIES, PLAN_FIELD_MATRIX, PLAN_FIELD_MATRIX,
                    PLAN_FIELD_INNER)
};

/* options: complete, with the method's default numbers filled in. A plan is released by plan_destroy; a copy by its
 * owner. */
hn_status plan_create(struct plan **out, const hn_model *model, const hn_layer_options *options, hn_error *error);
void plan_destroy(struct plan *plan);

/* ---- lists ---- */

static inline const void *plan_bytes_at(const struct plan *plan, struct plan_list list) {
    return (const unsigned char *)plan + 8 * (size_t)list.at;
}

static inline const uint32_t *plan_words(const struct plan *plan, struct plan_list list) {
    return (const uint32_t *)plan_bytes_at(plan, list);
}

static inline const double *plan_numbers(const struct plan *plan, struct plan_list list) {
    return (const double *)plan_bytes_at(plan, list);
}

/* Whether row i of J is constant and the system tiled: the weight of such a row is constant, and A is not stored. */
static inline bool plan_knows(const struct plan *plan, size_t i) {
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    bool known = plan->system.kind == FACTOR_TILED;
    for (size_t e = first[i]; known && e < first[i + 1]; e++)
        known = slot[e] < plan->program.constants.count;
    return known;
}

static inline const struct instruction *plan_code(const struct plan *plan) {
    return (const struct instruction *)plan_bytes_at(plan, plan->program.code);
}

#define PLAN_BLOCKS
static inline const struct set_block *plan_blocks(const struct plan *plan) {
    return (const struct set_block *)plan_bytes_at(plan, plan->blocks);
}

/* ---- masks in slots: numbers whose bits are all ones or all zeros ---- */

static inline bool mask_read(const double *at) {
    int64_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits != 0;
}

static inline void mask_write(double *at, bool value) {
    int64_t bits = -(int64_t)value;
    memcpy(at, &bits, sizeof bits);
}

#endif
