/* dependent.h - which outputs the equalities of a model are solved for, when the others are given.
 *
 * The Jacobian of the equalities is looked at where outputs will be: at inputs from the box and starts, disturbed and corrected by
 * the layer. Elimination in all of these points at once takes the pivot whose harmonic mean over the points is the largest; then
 * columns are exchanged as long as that enlarges the determinants, so that no dependent output moves much more than an independent
 * one that it follows (after Gu, Eisenstat 1996). Equalities that depend on others, or only on fixed outputs, are left out. The
 * choice is a function of the model only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_DEPENDENT_H
#define HN_BASELINES_DEPENDENT_H

#include "baselines/completion.h"

/* Fills solved (a flag per row) and dependent (one per output; as many of either) of a completion that has its program. */
hn_status dependent_choose(const struct completion *completion, const hn_model *model, hn_instructions instructions,
                           hn_error *error);

#endif
