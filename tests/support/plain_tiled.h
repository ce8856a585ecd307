/* plain_tiled.h - full factors and tiled systems of the plain executor, in plain loops. s is always the sample's slots.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_PLAIN_TILED_H
#define HN_TESTS_SUPPORT_PLAIN_TILED_H

#include "core/plan.h"

/* Where a full factor lies: L by rows, packed, D on its diagonal; 1/D; a row of L D. */
struct plain_full {
    size_t order;
    double *lower, *inverse, *n;
    const double *unknown; /* which unknown comes when; NULL: as they are numbered */
    const double *whole;   /* what pivots are measured by; NULL: the diagonal */
};

/* 1/d, or 0 where d is lost in rounding; keeps the range of pivots. */
double plain_pivot(const struct plan *p, double *s, double whole, double d);
void plain_factor(const struct plan *p, double *s, const struct plain_full *f);
void plain_solve(const struct plain_full *f, double *z);

/* ---- tiled systems: numbers of their own lie behind the plan's slots ---- */

size_t plain_tiled_numbers(const struct plan *p);
void plain_tiled_multiply(const struct plan *p, double *s, bool columns, uint32_t from, uint32_t to, bool subtract);

/* z: the right-hand side becomes the solution. */
void plain_tiled_solve(const struct plan *p, double *s, double *z);

#endif
