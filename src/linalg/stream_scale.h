/* stream_scale.h - the streams of a system over other slots: every offset in them times a factor, counts left alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_STREAM_SCALE_H
#define HN_LINALG_STREAM_SCALE_H

#include "linalg/damped_system.h"

/* A product with so many results. */
void stream_scale_product(uint32_t *stream, size_t results, uint32_t factor);

/* The stream of a factor of so many unknowns. */
void stream_scale_factor(uint32_t *stream, enum factor_kind kind, size_t order, uint32_t factor);

#endif
