/* dependent.h - which outputs the equalities of a model are solved for, when the others are given.
 *
 * The Jacobian of the equalities is looked at where outputs will be: at inputs from the box and starts, disturbed and corrected by
 * the layer. Elimination in all of these points at once takes the pivot whose harmonic mean over the points is the largest; then
 * columns are exchanged as long as that enlarges the determinants, so that no dependent output moves much more than an independent
 * one that it follows (after Gu, Eisenstat 1996). Equalities that depend on others, or on fixed outputs alone, are left out. The
 * choice is a function of the model alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_DEPENDENT_H
#define HN_TRAINING_DEPENDENT_H

#include "layer/layer_parts.h"

/* solved: a flag per row, dependent: one per output; as many of either. The layer is one of the model
 * that takes no steps; its program is run too. */
hn_status dependent_choose(const hn_model *model, const hn_layer *layer, bool *solved, bool *dependent,
                           hn_error *error);

#endif
