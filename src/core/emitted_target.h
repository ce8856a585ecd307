/* emitted_target.h - attributes of shared headers (base/real.h) in an emitted file, and the compiler options that its results depend on.
 * REAL_SINGLE: numbers are floats; REAL_LIBM: elementary functions are those of <math.h>.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_EMITTED_TARGET_H
#define HN_CORE_EMITTED_TARGET_H

#define FREESTANDING
#ifdef REAL_LIBM
#include <math.h>
#ifdef REAL_SINGLE
#define REAL_SQRT       sqrtf
#define REAL_CALL(name) name##f
#else
#define REAL_SQRT       sqrt
#define REAL_CALL(name) name
#endif
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math: it hides NaN and changes results"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "numbers must be rounded after every operation: FLT_EVAL_METHOD must be 0"
#endif

/* Products are rounded before they are added, whatever the compiler's flags, and loops stay loops: no library
 * function is called. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define GENERATED __attribute__((noinline, noipa)) /* they share slots only */
#elif defined(__GNUC__)
#define GENERATED __attribute__((noinline))
#else
#define GENERATED
#endif
#if defined(__GNUC__)
#define MAY_BE_UNUSED __attribute__((unused))
#define SELDOM        __attribute__((noinline, unused))
#define LOOP_STAYS    __asm__ volatile("" ::: "memory")
#else
#define MAY_BE_UNUSED
#define SELDOM
#define LOOP_STAYS ((void)0)
#endif
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__)) && !defined(NO_PAIRS)
#define PAIRS /* pairs of equal operations become vector operations */
#endif
#define SHARED_FUNCTION static inline MAY_BE_UNUSED
#define SHARED_CONSTANT static const MAY_BE_UNUSED
#define SIMD_INLINE     SHARED_FUNCTION
#define SAMPLE_FUNCTION SHARED_FUNCTION
#define SAMPLE_CONSTANT SHARED_CONSTANT
#define RANDOM_FUNCTION SHARED_FUNCTION
#define RANDOM_INNER    SHARED_FUNCTION
#define REDUCE_FUNCTION static SELDOM

#endif
