/* completion.h - which outputs of a model the equalities are solved for, and what solving them takes; made once from a model.
 *
 * completion_lanes.h has the mathematics and runs it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_COMPLETION_H
#define HN_BASELINES_COMPLETION_H

#include "baselines/baseline_program.h"
#include "cpu/backend.h"

struct completion {
    struct backend backend;
    struct baseline_program program;
    size_t equations;                   /* that are solved, and dependent outputs */
    bool *solved;                       /* rows */
    bool *dependent;                    /* outputs */
    size_t width;                       /* independent outputs: neither dependent nor fixed */
    uint32_t *independent;              /* their columns, ascending */
    struct damped system;               /* h_w */
    struct product by_rows, by_columns; /* J and J' */
    struct arena arena;
    /* offsets of vectors: over rows, over outputs */
    uint32_t residual, shift, right[2], unknown[2];
    uint32_t gradient, step, memory[2];
    size_t slots, bytes; /* of memory for one thread; 0: there is no completion */
};

hn_status completion_create(struct completion *completion, const hn_model *model, hn_instructions instructions,
                            hn_error *error);
void completion_release(struct completion *completion);

/* A number that tells choices apart. */
uint32_t completion_checksum(const struct completion *completion);

/* Memory of completion->bytes, 64-byte aligned, is begun once. */
void completion_begin(const struct completion *completion, double *slots);

/* ---- what the parts of completion_create share ---- */

/* How many samples go side by side. */
uint32_t completion_stride(void);

/* The entries of J at count points, rows of x and y; in memory that holds the program's slots, 64-byte aligned. */
struct jacobian_batch {
    size_t count;
    const double *x, *y;
    double *entries; /* count x entries */
};

void completion_jacobians(const struct completion *completion, double *slots, const struct jacobian_batch *batch);

#endif
