/* defined.h - what has no value somewhere inside has none outside.
 *
 * 1/0 and log(0) are infinite in IEEE arithmetic, 0/0 and log(-1) are NaN, and a row that is not finite is not ok. But on its way
 * to the row an infinity may be lost: 1/log(y) is -0 at y = 0, atan(1/y) is pi/2, min(1/y, 3) is 3; and a comparison loses NaN, too.
 * Here formulas in which that can happen become NaN where it does, and keep every bit where it does not. Others, nearly all,
 * stay the nodes that they are. Derivatives are those of the formula as it was. Too large a number is no lack of a value, and a
 * whole formula that is infinite stays so: that is seen without this, and of a bound it means that there is none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_DEFINED_H
#define HN_AUTODIFF_DEFINED_H

#include "hardnet/base.h"
#include "model/graph.h"

/* Nodes that are replaced where need be; 0 is none. */
struct watched {
    uint32_t *nodes;
    size_t count;
};

/* The formula as it was before, of which derivatives are made; the node itself where nothing is watched, or an entry is a number. */
uint32_t defined_formula(const struct graph *graph, uint32_t entry);

hn_status defined_watch(struct graph *graph, const struct watched *lists, size_t count, hn_error *error);

#endif
