/* stream_scale.h - adapts the streams of a system to another slot size: multiplies every offset by a factor, leaves
 * counts unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_STREAM_SCALE_H
#define HN_LINALG_STREAM_SCALE_H

#include "linalg/damped_system.h"

/* A product with so many results. */
void stream_scale_product(uint32_t *stream, size_t results, uint32_t factor);

/* The stream of a factor of order `order`. */
void stream_scale_factor(uint32_t *stream, enum factor_kind kind, size_t order, uint32_t factor);

#endif
