/* completion.h - equalities solved for some of the outputs, given the others, for LANES samples at once; and the way back.
 *
 *     y = (z, w)       z independent, w dependent (dependent.h), h(x, y) = 0 the equalities that are solved, as many as w
 *     Newton           w <- w - h_w^-1 h
 *     the way back     F(z) = f(z, w(z)):   dF/dz = f_z - h_z' mu,   h_w' mu = f_w      (implicit function theorem)
 *
 * h_w is a matrix over all rows and outputs whose other rows and columns are empty, so that every vector here has one slot per row
 * or per output. Systems with it are solved by way of h_w h_w' (sparse/damped_system.h), where empty rows give 0. In comes a layer
 * that takes no steps; its program and places are used, in memory of one's own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_COMPLETION_H
#define HN_TRAINING_COMPLETION_H

#include "layer/layer_parts.h"

struct completion {
    const hn_layer *layer;
    size_t equations;                   /* that are solved, and dependent outputs */
    bool *solved;                       /* rows */
    bool *dependent;                    /* outputs */
    size_t width;                       /* independent outputs: neither dependent nor fixed */
    uint32_t *independent;              /* their columns, ascending */
    struct damped system;               /* h_w */
    struct product by_rows, by_columns; /* J and J' */
    struct rows_task task;
    struct arena arena;
    /* places of vectors: over rows, over outputs */
    uint32_t residual, shift, right[2], unknown[2];
    uint32_t gradient, step, memory[2];
    size_t slots, bytes; /* of memory for one thread */
};

/* The layer outlives it. */
hn_status completion_create(struct completion *c, const hn_model *model, const hn_layer *layer, hn_error *error);
void completion_release(struct completion *completion);

/* A number that tells choices apart. */
uint32_t completion_checksum(const struct completion *completion);

/* Memory of completion->bytes, 64-byte aligned, is begun once. */
void completion_begin(const struct completion *completion, double *slots);

/* x in; what depends on it alone is evaluated, and fixed and dependent outputs get their values and starts. */
void completion_load(const struct completion *completion, double *slots, const double *const x[LANES]);

/* c, J and r at y. */
void completion_evaluate(const struct completion *completion, double *slots);

/* The largest |r| among rows that are solved, or among the others; relative to bounds above 1 if so asked. NaN: not finite. */
double completion_violation(const struct completion *completion, const double *slots, size_t lane, bool solved,
                            bool relative);

/* Newton on the lanes where `wanted`; `found` says where the equalities hold in the end. c, J and r are those of y then. */
void completion_solve(const struct completion *completion, double *slots, const bool wanted[LANES], bool found[LANES]);

/* A gradient by y at this place becomes that by z, in its independent entries. Needs J. */
void completion_fold(const struct completion *completion, double *slots, uint32_t gradient);

#endif
