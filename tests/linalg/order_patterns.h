/* order_patterns.h - patterns of symmetric matrices to order: of many shapes from random numbers, and from shipped models.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SPARSE_ORDER_PATTERNS_H
#define HN_TESTS_SPARSE_ORDER_PATTERNS_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As order_minimum_degree wants it; index without the diagonal. */
struct pattern {
    size_t n;
    size_t *first;
    uint32_t *index;
};

void pattern_release(struct pattern *pattern);

/* Edges between rows; equal ones and loops may be there, in any direction, and are dropped at the end. */
struct edges {
    size_t n, count, capacity;
    uint32_t *ends; /* two for each edge */
};

void edges_add(struct edges *edges, size_t i, size_t j);
void edges_clique(struct edges *edges, const uint32_t *rows, size_t count);

/* The pattern of the edges, which are released. A generator that is not NULL scrambles the numbers of the rows. */
struct pattern edges_finish(struct edges *edges, struct random *scramble);

enum shape { SPARSE, BAND, GRID2, GRID3, ARROW, BLOCKS, SCALE_FREE, STAGES, SHAPES };

const char *shape_name(enum shape shape);
struct pattern random_pattern(enum shape shape, struct random *random, bool scramble);

/* J J' (or J' J) for J = dc/dy of a model file, with let ("N=100") or NULL; the test fails where it cannot be read. */
struct pattern model_pattern(const char *path, const char *let, bool transposed);

#endif
