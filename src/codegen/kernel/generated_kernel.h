/* generated_kernel.h - the text that every generated kernel begins with, behind the small functions of the kernels: how a slot is
 * reached.
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

/* A slot by its number, as a number or as a mask; in a loop a distance in doubles is added. */
#define S(slot)           (*(simd *)(void *)(slots + (size_t)(slot)*SLOT_STRIDE))
#define M(slot)           (*(simd_bits *)(void *)(slots + (size_t)(slot)*SLOT_STRIDE))
#define S_AT(moved, slot) (*(simd *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))
#define M_AT(moved, slot) (*(simd_bits *)(void *)(slots + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))

/* Outputs in a round: where they are read, and where they go to. */
#define F(slot)           (*(const simd *)(const void *)(from + (size_t)(slot)*SLOT_STRIDE))
#define T(slot)           (*(simd *)(void *)(to + (size_t)(slot)*SLOT_STRIDE))
#define F_AT(moved, slot) (*(const simd *)(const void *)(from + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))
#define T_AT(moved, slot) (*(simd *)(void *)(to + ((moved) + (ptrdiff_t)(slot)*SLOT_STRIDE)))

/* A function of its own: compilers would otherwise make one of them all, which takes them longer than linear time. gcc looks into
 * functions that it does not inline, too; here it has nothing to find (docs/decisions.md), and need not look. */
#if defined(__GNUC__) && !defined(__clang__)
#define GENERATED __attribute__((noinline, noipa))
#else
#define GENERATED __attribute__((noinline))
#endif

#endif
