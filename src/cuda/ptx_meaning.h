/* ptx_meaning.h - the meaning of a function (codegen/ir/functions.h), compiled to PTX.
 *
 * A meaning is an expression of C over SIMD vectors, masks and the functions of base/simd.h; those of row_values_kernel.h,
 * row_functions_kernel.h and pivot_kernel.h are spelled out in terms of these. A mask is a predicate; but what row_lose hands on is a
 * number: 0, or NaN once something is lost. What is known when the text is printed is computed there, in the precision of the device.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PTX_MEANING_H
#define HN_CUDA_PTX_MEANING_H

#include "cuda/ptx.h"

/* arguments: what a, b, c, ... stand for. PTX_NONE: the meaning says something that is not known here. */
struct ptx_operand ptx_meaning(struct ptx *x, const char *meaning, const struct ptx_operand *arguments);

/* Whether every word of it is known. */
bool ptx_knows_meaning(const char *meaning);

#endif
