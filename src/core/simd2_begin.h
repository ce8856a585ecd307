/* simd2_begin.h - simd2: a SIMD vector of two numbers, for emitted code that computes two statements at once
 * (codegen/passes/slp_vectorize.h), if compiler and target support vectors (PAIRS).
 *
 * Headers over simd that are included after this one are compiled again, over simd2: simd_abs becomes simd2_abs, and
 * pair_sum simd2_pair_sum. simd2_end.h restores the names. A declared name that is missing in this list is declared
 * twice, which compilers reject. The bits of an element depend only on the operands of that element.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SIMD2_BEGIN_H
#define HN_CORE_SIMD2_BEGIN_H

typedef double simd2 __attribute__((vector_size(16)));
typedef double simd2_loose __attribute__((vector_size(16), aligned(8), may_alias)); /* aligned as a single number */
typedef int64_t simd2_bits __attribute__((vector_size(16)));
typedef uint64_t simd2_words __attribute__((vector_size(16)));

SIMD_INLINE simd2_bits simd2_to_bits(simd2 a) {
    return (simd2_bits)a;
}

SIMD_INLINE simd2 simd2_of_bits(simd2_bits bits) {
    return (simd2)bits;
}

SIMD_INLINE simd2 simd2_of(double low, double high) {
    simd2 a = {low, high};
    return a;
}

SIMD_INLINE simd2_bits simd2_bits_of(int64_t low, int64_t high) {
    simd2_bits a = {low, high};
    return a;
}

SIMD_INLINE simd2 simd2_all(double value) {
    return simd2_of(value, value);
}

SIMD_INLINE simd2_bits simd2_bits_all(int64_t value) {
    return simd2_bits_of(value, value);
}

SIMD_INLINE double simd2_low(simd2 a) {
    return a[0];
}

SIMD_INLINE double simd2_high(simd2 a) {
    return a[1];
}

SIMD_INLINE int64_t simd2_bits_low(simd2_bits a) {
    return a[0];
}

SIMD_INLINE int64_t simd2_bits_high(simd2_bits a) {
    return a[1];
}

SIMD_INLINE simd2 simd2_turn(simd2 a) {
    return simd2_of(a[1], a[0]);
}

SIMD_INLINE simd2_bits simd2_bits_turn(simd2_bits a) {
    return simd2_bits_of(a[1], a[0]);
}

/* Two consecutive numbers. */
SIMD_INLINE simd2 simd2_load(const double *at) {
    return *(const simd2_loose *)(const void *)at;
}

SIMD_INLINE void simd2_store(double *at, simd2 value) {
    *(simd2_loose *)(void *)at = value;
}

SIMD_INLINE simd2 simd2_sqrt(simd2 a) {
    return simd2_of(simd_sqrt(a[0]), simd_sqrt(a[1]));
}

SIMD_INLINE int simd2_any(simd2_bits mask) {
    return (mask[0] | mask[1]) != 0;
}

SIMD_INLINE int simd2_seldom(simd2_bits mask) {
    return simd2_any(mask);
}

/* ---- the headers, whose include guards are removed ---- */

#undef HN_BASE_SIMD_OPERATIONS_H
#undef HN_BASE_SIMD_PAIR_H
#undef HN_BASE_ELEMENTARY_ROUND_H
#undef HN_BASE_ELEMENTARY_EXPONENTIAL_H
#undef HN_BASE_ELEMENTARY_CIRCLE_H
#undef HN_BASE_ELEMENTARY_ARC_H
#undef HN_BASE_ELEMENTARY_HYPERBOLIC_H
#undef HN_LINALG_PIVOT_KERNEL_H
#undef HN_CPU_ROW_VALUES_KERNEL_H
#undef HN_CODEGEN_ROW_FUNCTIONS_KERNEL_H

/* ---- macros; simd2_end.h has the same list ---- */

#pragma push_macro("WIDTH")
#pragma push_macro("SIMD_MASK")
#pragma push_macro("SIMD_AT")
#pragma push_macro("SIMD_LESS")
#pragma push_macro("SIMD_NOT_LESS_EQUAL")
#pragma push_macro("SIMD_TEST")
#pragma push_macro("SIMD_LESSER")
#pragma push_macro("SIMD_GREATER")
#undef WIDTH
#undef SIMD_MASK
#undef SIMD_AT
#undef SIMD_LESS
#undef SIMD_NOT_LESS_EQUAL
#undef SIMD_TEST
#undef SIMD_LESSER
#undef SIMD_GREATER
#define WIDTH                2
#define SIMD_MASK(condition) ((simd2_bits)(condition))
#define SIMD_AT(v, i)        ((v)[i])

/* GCC splits masks into scalars if it sees that they come from comparisons; it keeps these instructions. It folds those
 * of constants, which are equalities and residuals. */
#if defined(__SSE2__) && !defined(__clang__)
#define SIMD_LESS(a, b)           ((simd2_bits)__builtin_ia32_cmpltpd(a, b))
#define SIMD_NOT_LESS_EQUAL(a, b) ((simd2_bits)__builtin_ia32_cmpnlepd(a, b))
#else
#define SIMD_LESS(a, b)           SIMD_MASK(a < b)
#define SIMD_NOT_LESS_EQUAL(a, b) (~simd_less_equal(a, b))
#endif
/* Without a comparison: SSE2 has no single instruction for that of 64-bit integers. */
#define SIMD_TEST(a, place) simd_bits_subtract(simd_bits_all(0), simd_bits_right(a, place) & simd_bits_all(1))
#ifdef __SSE2__
#define SIMD_LESSER(a, b)  __builtin_ia32_minpd(a, b)
#define SIMD_GREATER(a, b) __builtin_ia32_maxpd(a, b)
#else
#define SIMD_LESSER(a, b)  simd_select(simd_less(a, b), a, b)
#define SIMD_GREATER(a, b) simd_select(simd_less(b, a), a, b)
#endif

/* ---- operations ---- */

#define SIMD_OF(rest)       simd2##rest
#define simd                SIMD_OF()
#define simd_abs            SIMD_OF(_abs)
#define simd_all            SIMD_OF(_all)
#define simd_bits           SIMD_OF(_bits)
#define simd_bits_add       SIMD_OF(_bits_add)
#define simd_bits_all       SIMD_OF(_bits_all)
#define simd_bits_left      SIMD_OF(_bits_left)
#define simd_bits_right     SIMD_OF(_bits_right)
#define simd_bits_subtract  SIMD_OF(_bits_subtract)
#define simd_bits_test      SIMD_OF(_bits_test)
#define simd_copy_sign      SIMD_OF(_copy_sign)
#define simd_equal          SIMD_OF(_equal)
#define simd_greater        SIMD_OF(_greater)
#define simd_keep           SIMD_OF(_keep)
#define simd_less           SIMD_OF(_less)
#define simd_less_equal     SIMD_OF(_less_equal)
#define simd_not_equal      SIMD_OF(_not_equal)
#define simd_not_less_equal SIMD_OF(_not_less_equal)
#define simd_of_bits        SIMD_OF(_of_bits)
#define simd_pair           SIMD_OF(_pair)
#define simd_seldom         SIMD_OF(_seldom)
#define simd_select         SIMD_OF(_select)
#define simd_sqrt           SIMD_OF(_sqrt)
#define simd_to_bits        SIMD_OF(_to_bits)
#define simd_words          SIMD_OF(_words)
#define simd_lesser         SIMD_OF(_lesser)

#include "base/simd_operations.h"

/* ---- declarations of the headers ---- */

#define SIMD_NAME(name) simd2_##name

#define pair_quick_sum SIMD_NAME(pair_quick_sum)
#define pair_sum       SIMD_NAME(pair_sum)
#define pair_head      SIMD_NAME(pair_head)
#define pair_product   SIMD_NAME(pair_product)
#define pair_multiply  SIMD_NAME(pair_multiply)
#define pair_divide    SIMD_NAME(pair_divide)
#define pair_root      SIMD_NAME(pair_root)

#define ROUND_PLACES   SIMD_NAME(ROUND_PLACES)
#define ROUND_ZERO     SIMD_NAME(ROUND_ZERO)
#define ROUND_HALF     SIMD_NAME(ROUND_HALF)
#define round_count    SIMD_NAME(round_count)
#define round_value    SIMD_NAME(round_value)
#define round_exponent SIMD_NAME(round_exponent)
#define round_power    SIMD_NAME(round_power)
#define round_scale    SIMD_NAME(round_scale)

#define LN2_HIGH                  SIMD_NAME(LN2_HIGH)
#define LN2_LOW                   SIMD_NAME(LN2_LOW)
#define LOG2_E                    SIMD_NAME(LOG2_E)
#define LOG10_E_HIGH              SIMD_NAME(LOG10_E_HIGH)
#define LOG10_E_LOW               SIMD_NAME(LOG10_E_LOW)
#define TWO_THIRDS_HIGH           SIMD_NAME(TWO_THIRDS_HIGH)
#define TWO_THIRDS_LOW            SIMD_NAME(TWO_THIRDS_LOW)
#define SQRT_HALF                 SIMD_NAME(SQRT_HALF)
#define WHOLE_NUMBERS             SIMD_NAME(WHOLE_NUMBERS)
#define exponential_parts         SIMD_NAME(exponential_parts)
#define exponential_polynomial    SIMD_NAME(exponential_polynomial)
#define exponential_split         SIMD_NAME(exponential_split)
#define exponential_extreme       SIMD_NAME(exponential_extreme)
#define EXPONENTIAL_LIMIT         SIMD_NAME(EXPONENTIAL_LIMIT)
#define exponential_normal        SIMD_NAME(exponential_normal)
#define elementary_exp            SIMD_NAME(elementary_exp)
#define logarithm_parts           SIMD_NAME(logarithm_parts)
#define logarithm_split           SIMD_NAME(logarithm_split)
#define logarithm_polynomial      SIMD_NAME(logarithm_polynomial)
#define logarithm_sum             SIMD_NAME(logarithm_sum)
#define logarithm_rare            SIMD_NAME(logarithm_rare)
#define logarithm_special         SIMD_NAME(logarithm_special)
#define logarithm_lift            SIMD_NAME(logarithm_lift)
#define elementary_log            SIMD_NAME(elementary_log)
#define logarithm_pair_polynomial SIMD_NAME(logarithm_pair_polynomial)
#define logarithm_pair            SIMD_NAME(logarithm_pair)
#define elementary_log10          SIMD_NAME(elementary_log10)
#define power_integer             SIMD_NAME(power_integer)
#define power_special             SIMD_NAME(power_special)
#define elementary_pow            SIMD_NAME(elementary_pow)

#define TWO_OVER_PI        SIMD_NAME(TWO_OVER_PI)
#define HALF_PI_FIRST      SIMD_NAME(HALF_PI_FIRST)
#define HALF_PI_SECOND     SIMD_NAME(HALF_PI_SECOND)
#define HALF_PI_THIRD      SIMD_NAME(HALF_PI_THIRD)
#define CIRCLE_LIMIT       SIMD_NAME(CIRCLE_LIMIT)
#define circle_angle       SIMD_NAME(circle_angle)
#define circle_reduce_far  SIMD_NAME(circle_reduce_far)
#define circle_reduce_near SIMD_NAME(circle_reduce_near)
#define circle_reduce      SIMD_NAME(circle_reduce)
#define sine_polynomial    SIMD_NAME(sine_polynomial)
#define cosine_polynomial  SIMD_NAME(cosine_polynomial)
#define circle_pairs       SIMD_NAME(circle_pairs)
#define circle_odd         SIMD_NAME(circle_odd)
#define circle_sign        SIMD_NAME(circle_sign)
#define circle_values      SIMD_NAME(circle_values)
#define elementary_sincos  SIMD_NAME(elementary_sincos)
#define elementary_sin     SIMD_NAME(elementary_sin)
#define elementary_cos     SIMD_NAME(elementary_cos)
#define elementary_tan     SIMD_NAME(elementary_tan)

#define HALF_PI_HIGH          SIMD_NAME(HALF_PI_HIGH)
#define HALF_PI_LOW           SIMD_NAME(HALF_PI_LOW)
#define TAN_EIGHTH_PI         SIMD_NAME(TAN_EIGHTH_PI)
#define ARCTANGENT_LEAST      SIMD_NAME(ARCTANGENT_LEAST)
#define ARCTANGENT_MOST       SIMD_NAME(ARCTANGENT_MOST)
#define arcsine_polynomial    SIMD_NAME(arcsine_polynomial)
#define arcsine_parts         SIMD_NAME(arcsine_parts)
#define arcsine_split         SIMD_NAME(arcsine_split)
#define elementary_asin       SIMD_NAME(elementary_asin)
#define elementary_acos       SIMD_NAME(elementary_acos)
#define arctangent_polynomial SIMD_NAME(arctangent_polynomial)
#define arctangent_parts      SIMD_NAME(arctangent_parts)
#define arctangent_split      SIMD_NAME(arctangent_split)
#define elementary_atan       SIMD_NAME(elementary_atan)
#define arctangent_rescale    SIMD_NAME(arctangent_rescale)
#define elementary_atan2      SIMD_NAME(elementary_atan2)

#define hyperbolic_limit      SIMD_NAME(hyperbolic_limit)
#define HYPERBOLIC_MOST       SIMD_NAME(HYPERBOLIC_MOST)
#define HYPERBOLIC_FAR        SIMD_NAME(HYPERBOLIC_FAR)
#define HYPERBOLIC_TINY       SIMD_NAME(HYPERBOLIC_TINY)
#define TANH_MOST             SIMD_NAME(TANH_MOST)
#define AREA_LARGE            SIMD_NAME(AREA_LARGE)
#define hyperbolic_result     SIMD_NAME(hyperbolic_result)
#define hyperbolic_parts      SIMD_NAME(hyperbolic_parts)
#define hyperbolic_split      SIMD_NAME(hyperbolic_split)
#define elementary_cosh       SIMD_NAME(elementary_cosh)
#define hyperbolic_polynomial SIMD_NAME(hyperbolic_polynomial)
#define elementary_sinh       SIMD_NAME(elementary_sinh)
#define elementary_tanh       SIMD_NAME(elementary_tanh)
#define hyperbolic_logarithm  SIMD_NAME(hyperbolic_logarithm)
#define hyperbolic_area       SIMD_NAME(hyperbolic_area)
#define hyperbolic_tiny       SIMD_NAME(hyperbolic_tiny)
#define elementary_asinh      SIMD_NAME(elementary_asinh)
#define elementary_acosh      SIMD_NAME(elementary_acosh)
#define elementary_atanh      SIMD_NAME(elementary_atanh)

#define kernel_pivot_inverse       SIMD_NAME(kernel_pivot_inverse)
#define kernel_pivot_added_inverse SIMD_NAME(kernel_pivot_added_inverse)

#define kernel_finite    SIMD_NAME(kernel_finite)
#define kernel_row       SIMD_NAME(kernel_row)
#define kernel_scale_for SIMD_NAME(kernel_scale_for)
#define kernel_active    SIMD_NAME(kernel_active)

#define row_residual     SIMD_NAME(row_residual)
#define row_relative     SIMD_NAME(row_relative)
#define row_most         SIMD_NAME(row_most)
#define row_lost         SIMD_NAME(row_lost)
#define row_lose         SIMD_NAME(row_lose)
#define row_all_finite   SIMD_NAME(row_all_finite)
#define row_add_square   SIMD_NAME(row_add_square)
#define row_active_upper SIMD_NAME(row_active_upper)
#define row_active_lower SIMD_NAME(row_active_lower)
#define row_take         SIMD_NAME(row_take)

#endif
