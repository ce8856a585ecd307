/* defined.h - makes a formula NaN if one of its parts is undefined.
 *
 * 1/0 and log(0) are infinite in IEEE arithmetic, 0/0 and log(-1) are NaN, and a row that is not finite is not ok. But
 * other operations may mask an infinity: 1/log(y) is -0 at y = 0, atan(1/y) is pi/2, min(1/y, 3) is 3; and a comparison
 * masks NaN, too. This module makes such formulas NaN where that happens, and keeps every bit elsewhere. Other
 * formulas, nearly all, are unchanged. Derivatives are those of the original formula. Overflow does not count as
 * undefined, and a formula that is infinite as a whole is not changed: that is detected without this, and an infinite
 * bound means no bound.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_DEFINED_H
#define HN_AUTODIFF_DEFINED_H

#include "hardnet/base.h"
#include "model/graph.h"

/* Nodes, replaced if necessary; 0 entries are skipped. */
struct watched {
    uint32_t *nodes;
    size_t count;
};

/* The original formula, whose derivatives are formed; the node itself if it was not replaced, or if an entry is a
 * number. */
uint32_t defined_formula(const struct graph *graph, uint32_t entry);

hn_status defined_watch(struct graph *graph, const struct watched *lists, size_t count, hn_error *error);

#endif
