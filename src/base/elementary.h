/* elementary.h - the elementary functions over SIMD vectors: includes all families.
 *
 *     exp log log10 pow                        elementary_exponential.h
 *     sin cos sincos tan                       elementary_circle.h
 *     asin acos atan atan2                     elementary_arc.h
 *     sinh cosh tanh asinh acosh atanh         elementary_hyperbolic.h
 *
 * They are our own because they decide the library's bits: built from + - * / sqrt and integer operations only, they
 * give the same bits for every WIDTH, every element, every compiler and every level of optimisation, as long as
 * products and sums are not contracted (-ffp-contract=off). Every result is within 2 units in the last place of the
 * exact value over the whole domain, denormal arguments and results included; zeros, infinities and NaN follow annex F
 * of C99 (no promise is made about the exception flags). In a rounding mode other than to nearest the last few places
 * may differ.
 *
 * Rare arguments (denormal, huge, infinite, NaN) take a slower path, entered when any element of the wide needs it and
 * applied to those elements only. The sine's and cosine's slow path lives in reduce.c, which must be linked.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ELEMENTARY_H
#define HN_BASE_ELEMENTARY_H

#include "base/elementary_arc.h"
#include "base/elementary_circle.h"
#include "base/elementary_exponential.h"
#include "base/elementary_hyperbolic.h"

#endif
