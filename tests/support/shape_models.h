/* shape_models.h - models whose shape asks for another kernel: factors that are nearly full, factors too long for lists, a row over all
 * outputs, an output in all rows, or both; or rows that are undefined here and there. They have two inputs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SHAPE_MODELS_H
#define HN_TESTS_SUPPORT_SHAPE_MODELS_H

#include "hardnet/model.h"

hn_model *dense_model(size_t rows, size_t outputs, uint64_t seed);

/* The same, with every `every`th row affine. */
hn_model *mixed_model(size_t rows, size_t outputs, size_t every, uint64_t seed);

/* Full affine rows, every other one an equality; some outputs have bounds of their own, and of the rows so many are curved. */
struct affine_shape {
    size_t rows, outputs, bounded, curved;
};
hn_model *affine_model(struct affine_shape shape, uint64_t seed);

/* Blocks of rows that share a few outputs, each row with an output of its own: J J' is full in a block, 0 outside. */
hn_model *block_model(size_t blocks, size_t length, size_t shared, uint64_t seed);

hn_model *one_row_model(size_t outputs, uint64_t seed);
hn_model *one_column_model(size_t rows, uint64_t seed);

/* A chain with every third link left out: its rows join two outputs of their own and all the common ones. Some rows are over all
 * outputs, one over common outputs only. */
hn_model *bordered_model(size_t length, size_t common, size_t budgets, uint64_t seed);

/* Stages that are alike, each with a row to the next: a[k+1] = a[k] + 0.1 sin(b[k]), and a ring around the origin, or what it becomes
 * when a in it grows exponentially. Many stages are rolled into loops. */
hn_model *chain_model(int stages, bool grows);

/* Three outputs, three rows that are undefined where an output is negative, though plain evaluation has a number there. */
hn_model *undefined_model(uint64_t seed);

#endif
