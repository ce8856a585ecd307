/* completion_lanes.h - equalities solved for some of the outputs, given the others, for LANES samples at once; and the way back.
 *
 *     y = (z, w)       z independent, w dependent (dependent.h), h(x, y) = 0 the equalities that are solved, as many as w
 *     Newton           w <- w - h_w^-1 h
 *     the way back     F(z) = f(z, w(z)):   dF/dz = f_z - h_z' mu,   h_w' mu = f_w      (implicit function theorem)
 *
 * h_w is a matrix over all rows and outputs whose other rows and columns are empty, so that every vector here has one slot per row
 * or per output. Systems with it are solved by way of h_w h_w' (linalg/damped_system.h), where empty rows give 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASELINES_COMPLETION_LANES_H
#define HN_BASELINES_COMPLETION_LANES_H

#include "base/lanes.h"
#include "baselines/completion.h"
#include "cpu/backend.h"

/* What counts as held. */
struct held {
    double tolerance;
    bool relative;
};

/* x in; what depends only on it is evaluated, and fixed and dependent outputs get their values and starts. */
void completion_load(const struct completion *completion, double *slots, const double *const x[LANES]);

/* c, J and r at y. */
void completion_evaluate(const struct completion *completion, double *slots);

/* The largest |r| among rows that are solved, or among the others; relative to bounds above 1 if so asked. NaN: not finite. */
double completion_violation(const struct completion *completion, const double *slots, size_t lane, bool solved,
                            bool relative);

/* Newton on the lanes where `wanted`; `found` says where the equalities hold in the end. c, J and r are those of y then. */
void completion_solve(const struct completion *completion, double *slots, const struct held *held,
                      const bool wanted[LANES], bool found[LANES]);

/* A gradient by y at this offset becomes that by z, in its independent entries. Needs J. */
void completion_fold(const struct completion *completion, double *slots, uint32_t gradient);

#endif
