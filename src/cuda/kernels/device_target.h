/* device_target.h - replaces the C library's headers in kernels, and defines the attributes of shared headers (base/real.h).
 *
 * Two compilers read a kernel: NVRTC, which treats functions and data as a device's (--device-as-default-execution-space), and,
 * with DEVICE_HOST, a C++20 compiler of the host, where one thread runs all samples. The preceding text defines
 *
 *     REAL_SINGLE, DEVICE_SINGLE    a kernel of floats
 *     DEVICE_REGISTERS              slots are a local array: loops are unrolled only with a pragma
 *     THREAD_WAITS                  total waiting iterations of the threads of a warp: see kernel_main.h
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_TARGET_H
#define HN_CUDA_DEVICE_TARGET_H

#ifdef DEVICE_HOST
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define DEVICE_CONSTANT
#define DEVICE_INLINE inline
#define DEVICE_UNROLL
#define DEVICE_UNROLL_FOUR
#define DEVICE_UNROLL_EIGHT
#define DEVICE_UNROLL_SOME
#define DEVICE_UNROLL_MANY
#define DEVICE_ROLLED
#define DEVICE_STORE_ONCE(to, value) (*(to) = (value))
#define GENERATED                    __attribute__((noinline))
#define DEVICE_SQRT                  __builtin_sqrt
#define DEVICE_SQRT_FLOAT            __builtin_sqrtf
#define DEVICE_FUSED                 __builtin_fma
#define DEVICE_FUSED_FLOAT           __builtin_fmaf
#define DEVICE_SUBTRACT_FLOAT        device_subtract
#define WARP_VOTE(flag)              ((unsigned)(flag))
#define WARP_COUNT(votes)            (votes)
#define THREAD_PATIENCE              1
#define DEVICE_LOCAL(pointer)        ((void)0)
#define DEVICE_TASK(pointer)         ((void)0)
#define DEVICE_GLOBAL(pointer)       ((void)0)
#define BLOCK_COUNT(flag)            ((unsigned)(flag))
#define BLOCK_WARPS                  1
#define DEVICE_TAKE(counter)         ((*(counter))++)

static inline float device_subtract(volatile float a, volatile float b) {
    return a - b;
}

#else
typedef int device_int32;
typedef unsigned int device_uint32;
typedef long long device_int64;
typedef unsigned long long device_uint64;
#define int32_t  device_int32
#define uint32_t device_uint32
#define int64_t  device_int64
#define uint64_t device_uint64
#ifndef INT64_C
#define INT64_C(n)  n##LL
#define UINT64_C(n) n##ULL
#define INT32_C(n)  n
#define UINT32_C(n) n##U
#endif
#ifndef INT64_MAX
#define INT64_MAX  0x7fffffffffffffffLL
#define INT64_MIN  (-INT64_MAX - 1)
#define INT32_MAX  0x7fffffff
#define INT32_MIN  (-INT32_MAX - 1)
#define UINT32_MAX 0xffffffffU
#endif
#ifndef SIZE_MAX
#define SIZE_MAX (~(size_t)0)
#endif
#ifndef DBL_MAX
#define DBL_MAX 0x1.fffffffffffffp+1023
#define DBL_MIN 0x1p-1022
#define FLT_MAX 0x1.fffffep+127f
#define FLT_MIN 0x1p-126f
#endif

#define DEVICE_CONSTANT              __constant__
#define DEVICE_INLINE                __forceinline__
#define DEVICE_UNROLL                _Pragma("unroll")
#define DEVICE_UNROLL_FOUR           _Pragma("unroll 4")
#define DEVICE_UNROLL_EIGHT          _Pragma("unroll 8")
#define DEVICE_UNROLL_SOME           _Pragma("unroll 16")
#define DEVICE_UNROLL_MANY           _Pragma("unroll 10")
#define DEVICE_ROLLED                _Pragma("unroll 1")
#define DEVICE_STORE_ONCE(to, value) __stcs(to, value)
#define GENERATED                    __noinline__
#define DEVICE_SQRT                  __dsqrt_rn
#define DEVICE_SQRT_FLOAT            __fsqrt_rn
#define DEVICE_FUSED                 __fma_rn
#define DEVICE_FUSED_FLOAT           __fmaf_rn
#define DEVICE_SUBTRACT_FLOAT        __fsub_rn
#define SIMD_SELECT(mask, a, b)      ((mask) ? (a) : (b))
#define SIMD_KEEP(mask, a)           ((mask) ? (a) : 0)
#define SIMD_ABS                     DEVICE_ABS
#define WARP_VOTE(flag)              __ballot_sync(0xffffffffU, flag)
#define WARP_COUNT(votes)            __popc(votes)
#define BLOCK_WARPS                  (blockDim.x / 32)
#define BLOCK_COUNT(flag)                                                                                              \
    (BLOCK_WARPS == 1 ? (unsigned)WARP_COUNT(WARP_VOTE(flag)) : (unsigned)__syncthreads_count(flag))
#ifndef THREAD_PATIENCE
#define THREAD_PATIENCE (THREAD_WAITS)
#endif
#ifdef DEVICE_REGISTERS
#define DEVICE_LOCAL(pointer) __builtin_assume(__isLocal(pointer))
#else
#define DEVICE_LOCAL(pointer) ((void)0)
#endif
#ifdef TASK_NEAR
#define DEVICE_TASK(pointer) __builtin_assume(__isShared(pointer))
#else
#define DEVICE_TASK(pointer) ((void)0)
#endif
#define DEVICE_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))
#define DEVICE_TAKE(counter)   atomicAdd(counter, 1U)
#endif

/* ---- numbers ---- */

#ifdef DEVICE_SINGLE
#define REAL_SQRT          DEVICE_SQRT_FLOAT
#define PAIR_FUSED         DEVICE_FUSED_FLOAT
#define ROUNDED_DIFFERENCE DEVICE_SUBTRACT_FLOAT
#else
#define REAL_SQRT DEVICE_SQRT
#endif
#ifndef DEVICE_HOST
#ifdef DEVICE_SINGLE
#define DEVICE_ABS  fabsf
#define ROW_GREATER fmaxf
#else
#define DEVICE_ABS fabs
#endif
#endif

/* ---- attributes ---- */

#define FREESTANDING
#define REAL_LIBM
#define LOOP_STAYS      ((void)0)
#define SELDOM          GENERATED
#define SHARED_FUNCTION static inline
#define SHARED_SELDOM   REDUCE_FUNCTION
#define SHARED_CONSTANT static const
#define SIMD_INLINE     static DEVICE_INLINE
#define SAMPLE_FUNCTION SIMD_INLINE
#define SAMPLE_CONSTANT static const
#define RANDOM_FUNCTION SHARED_FUNCTION
#define RANDOM_INNER    SHARED_FUNCTION
#define REDUCE_FUNCTION static SELDOM
#ifdef DEVICE_REGISTERS
#define SHARED_LOOP DEVICE_ROLLED
#ifdef DEVICE_SINGLE
#define ROW_FUSED DEVICE_FUSED_FLOAT
#else
#define ROW_FUSED DEVICE_FUSED
#endif
#endif

#endif
