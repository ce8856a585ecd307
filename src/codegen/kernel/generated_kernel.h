/* generated_kernel.h - macros for access to slots; included at the beginning of every generated kernel, after the small
 * functions of the kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_GENERATED_KERNEL_H
#define HN_CODEGEN_GENERATED_KERNEL_H

#include "base/elementary.h"
#include "codegen/kernel/row_functions_kernel.h"
#include "cpu/row_values_kernel.h"
#include "linalg/pivot_kernel.h"

#include <stddef.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 /* 1: float in double, as on s390x */
#error "numbers must be rounded to double after every operation: FLT_EVAL_METHOD must be 0"
#endif

/* A slot by its number, as a number or as a mask; in a loop an offset in doubles is added. */
#define S(slot)           (*(simd *)(void *)(slots + (size_t)(slot)*SLOT_STRIDE))
#define M(slot)           (*(simd_bits *)(void *)(slots + (size_t)(slot)*SLOT_STRIDE))
#define S_AT(moved, slot) (*(simd *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))
#define M_AT(moved, slot) (*(simd_bits *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))

/* Outputs in a round: the buffers to read from and to write to. */
#define F(slot)           (*(const simd *)(const void *)(from + (size_t)(slot)*SLOT_STRIDE))
#define T(slot)           (*(simd *)(void *)(to + (size_t)(slot)*SLOT_STRIDE))
#define F_AT(moved, slot) (*(const simd *)(const void *)(from + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))
#define T_AT(moved, slot) (*(simd *)(void *)(to + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))

/* Functions are not inlined: merged into one, their compile time is superlinear. gcc also analyses functions that it
 * does not inline, without benefit here (docs/decisions.md); noipa prevents it. */
#if defined(__GNUC__) && !defined(__clang__)
#define GENERATED __attribute__((noinline, noipa))
#else
#define GENERATED __attribute__((noinline))
#endif

#endif
