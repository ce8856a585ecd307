/* simd2_end.h - restores the names of simd; see simd2_begin.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SIMD2_END_H
#define HN_CORE_SIMD2_END_H

#undef SIMD_OF
#undef SIMD_NAME
#define SIMD_OF(rest)   simd##rest
#define SIMD_NAME(name) name
#pragma pop_macro("WIDTH")
#pragma pop_macro("SIMD_MASK")
#pragma pop_macro("SIMD_AT")
#pragma pop_macro("SIMD_LESS")
#pragma pop_macro("SIMD_NOT_LESS_EQUAL")
#pragma pop_macro("SIMD_TEST")
#pragma pop_macro("SIMD_LESSER")
#pragma pop_macro("SIMD_GREATER")

#endif
