/* search_slope.h - nearest_kernel.h receives every slope that core/solver.h asks for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SEARCH_SLOPE_H
#define HN_CUDA_SEARCH_SLOPE_H

#include "core/point.h"

static void thread_search_slope(const struct point *p, real *row, struct sample_slope *slope);
#define point_slope thread_search_slope

#endif
