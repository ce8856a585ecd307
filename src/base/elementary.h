/* elementary.h - the elementary functions over SIMD vectors: includes all families.
 *
 *     exp log log10 pow                        elementary_exponential.h
 *     sin cos sincos tan                       elementary_circle.h
 *     asin acos atan atan2                     elementary_arc.h
 *     sinh cosh tanh asinh acosh atanh         elementary_hyperbolic.h
 *
 * They are implemented here to make the library's results reproducible: with only + - * / sqrt and integer operations,
 * they return the same bits for every WIDTH, element, compiler and optimisation level, as long as products and sums are
 * not contracted (-ffp-contract=off). Every result is within 2 units in the last place of the exact value over the
 * whole domain, denormal arguments and results included; zeros, infinities and NaN follow annex F of C99 (exception
 * flags are unspecified). In a rounding mode other than to nearest the last few places may differ.
 *
 * Rare arguments (denormal, huge, infinite, NaN) take a slower path, entered when any element of the vector needs it
 * and applied to those elements only. The sine's and cosine's slow path is in reduce.c, which must be linked.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_H
#define HN_BASE_ELEMENTARY_H

#include "base/elementary_arc.h"
#include "base/elementary_circle.h"
#include "base/elementary_exponential.h"
#include "base/elementary_hyperbolic.h"

#endif
