/* real.h - the number type of a layer, and declaration macros for functions and constants of shared headers.
 *
 * Shared headers (cmake/texts.cmake) are compiled in the library, where real is double, and in emitted C files and CUDA
 * kernels, where it is float if REAL_SINGLE is defined. FREESTANDING is defined in the latter two: <math.h> is not
 * available, the preceding text defines the attributes, and core/scalar.h defines infinity and NaN.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_REAL_H
#define HN_BASE_REAL_H

#ifdef REAL_SINGLE
typedef float real;
#define REAL(literal) literal##f
#define REAL_MAX      FLT_MAX
#define REAL_MIN      FLT_MIN
#else
typedef double real;
#define REAL(literal) literal
#define REAL_MAX      DBL_MAX
#define REAL_MIN      DBL_MIN
#endif

#ifdef FREESTANDING
#define real_sqrt simd_sqrt
#endif
#ifndef FREESTANDING
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define real_sqrt       sqrt
#define REAL_INFINITY   HUGE_VAL
#define REAL_NAN        NAN
#define SHARED_FUNCTION static inline
#define SHARED_CONSTANT static const
#define LOOP_STAYS      ((void)0) /* in emitted files: prevents compilers from replacing the loop by a library call */
#endif

/* LITERAL(simd_pair){high, low}: a value of that type. */
#ifdef __cplusplus
#define LITERAL(type) type
#else
#define LITERAL(type) (type)
#endif

/* On a device, loops are not unrolled and rarely called functions are not inlined: the run time of code that executes
 * once is dominated by instruction fetch. */
#ifndef SHARED_LOOP
#define SHARED_LOOP
#endif
#ifndef DEVICE_UNROLL
#define DEVICE_UNROLL /* unrolls the next loop, on a device */
#endif
#ifndef SHARED_SELDOM
#define SHARED_SELDOM static
#endif

#endif
