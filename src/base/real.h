/* real.h - the numbers that a layer computes with, and how functions and constants of shared headers are declared.
 *
 * Shared headers (cmake/texts.cmake) are compiled three times: in the library, where real is double, in emitted C files and in CUDA
 * kernels, where it is float if REAL_SINGLE is defined. double is double everywhere. FREESTANDING stands for the latter two: there is no
 * <math.h> and the text before has defined the attributes; infinity and NaN are those of core/scalar.h.
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
#define LOOP_STAYS      ((void)0) /* in emitted files: compilers must not replace the loop by a library call */
#endif

/* LITERAL(simd_pair){high, low}: a value of that type. */
#ifdef __cplusplus
#define LITERAL(type) type
#else
#define LITERAL(type) (type)
#endif

/* A device makes neither copies of a loop's body nor inlines functions that run seldom: code that runs once costs the time to read it. */
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
