/* refine_layout.h - what a step of refinement walks and where its numbers lie, as plain data: refine_qp.h takes it, here and on a device.
 *
 * Every uint32_t that is called an offset counts doubles; a slot is as many of them as samples lie side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_REFINE_LAYOUT_H
#define HN_CORE_REFINE_LAYOUT_H

#include "core/barrier.h"
#include "linalg/damped_factor.h"

struct program;

struct refine_places {
    struct barrier_task task;
    struct damped system;
    const struct program *program;
    size_t inputs;
    uint32_t x, y, sigma, lambda; /* offsets of leaves */
    uint32_t own;                 /* offset of f's own curvature, one slot per output */
    const uint32_t *curvature;    /* offsets by output; a slot of zeros where there is none */
    const bool *fixed;            /* outputs that do not move */
};

#endif
