/* ptx_operations.h - operations of a device on numbers and masks: each says its instructions and returns where the result is.
 *
 * What is known when the text is printed is computed there, in the precision of the device, and says nothing. Operands of the wrong
 * kind give PTX_NONE.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PTX_OPERATIONS_H
#define HN_CUDA_PTX_OPERATIONS_H

#include "cuda/ptx.h"

struct ptx_operand ptx_number(double number);
struct ptx_operand ptx_mask(bool truth);

/* ---- numbers ---- */

/* + - * / */
struct ptx_operand ptx_arithmetic(struct ptx *x, char sign, const struct ptx_operand *a, const struct ptx_operand *b);

/* neg, abs, sqrt.rn */
struct ptx_operand ptx_of_one(struct ptx *x, const char *name, const struct ptx_operand *a);

/* ---- masks ---- */

enum ptx_comparison { PTX_LESS, PTX_LESS_EQUAL, PTX_NOT_LESS_EQUAL, PTX_EQUAL, PTX_NOT_EQUAL };

struct ptx_operand ptx_compare(struct ptx *x, enum ptx_comparison comparison, const struct ptx_operand *a,
                               const struct ptx_operand *b);
struct ptx_operand ptx_not(struct ptx *x, const struct ptx_operand *a);

/* a & b where all is true, else a | b */
struct ptx_operand ptx_join(struct ptx *x, bool all, const struct ptx_operand *a, const struct ptx_operand *b);

/* mask ? a : b */
struct ptx_operand ptx_choose(struct ptx *x, const struct ptx_operand *mask, const struct ptx_operand *a,
                              const struct ptx_operand *b);

/* simd_greater, else simd_lesser: b where one of them is NaN */
struct ptx_operand ptx_extreme(struct ptx *x, bool greater, const struct ptx_operand *a, const struct ptx_operand *b);

/* ---- what texts of kernels call: row_lose and row_all_finite, row_most, row_add_square, kernel_scale_for ---- */

struct ptx_operand ptx_lose(struct ptx *x, const struct ptx_operand *lost, const struct ptx_operand *a);
struct ptx_operand ptx_nothing_lost(struct ptx *x, const struct ptx_operand *lost);
struct ptx_operand ptx_most_size(struct ptx *x, const struct ptx_operand *most, const struct ptx_operand *a);
struct ptx_operand ptx_add_square(struct ptx *x, const struct ptx_operand *sum, const struct ptx_operand *scale,
                                  const struct ptx_operand *r);
struct ptx_operand ptx_scale_for(struct ptx *x, const struct ptx_operand *a);

/* The reciprocal of a pivot, or of an added unknown's, without a branch; 0 for one that is lost in the rounding of its whole. Where it is
 * not right the register `doubt` hears of it. Of doubles it begins as the device's own division does (an estimate, and Newton's method
 * twice), which leaves numbers near the ends of the range to a function. Floats need not be rounded correctly: the estimate is within one
 * unit in the last place, 0 where a denormal number would be right, and infinite or huge where a pivot is denormal or nearly. */
struct ptx_operand ptx_quick_inverse(struct ptx *x, bool added, const struct ptx_operand *whole,
                                     const struct ptx_operand *d);

#endif
