/* functions.h - what a statement of generated code computes: the one list of operators, the program's fused ones, and the layer's own.
 *
 * X(name, result, masks, arguments, meaning): the meaning is an expression over SIMD vectors a, b, c, ... as in model/operators.h, and
 * is printed with their names replaced. A result is a number (0) or a mask (1); bit i of masks says that argument i is a mask. Names
 * that are not in base/ are in codegen/kernel/generated_kernel.h, linalg/pivot_kernel.h and cpu/row_values_kernel.h, whose text the
 * generated code begins with.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_FUNCTIONS_H
#define HN_CODEGEN_FUNCTIONS_H

#include "autodiff/program.h"

#define OWN_FUNCTION_LIST(X)                                                                                           \
    X(ZERO, 0, 0, 0, simd_all(0))                                                                                      \
    X(UNLIMITED, 0, 0, 0, simd_all(REAL_INFINITY))                                                                     \
    X(NONE_SET, 1, 0, 0, simd_bits_all(0))                                                                             \
    /* rows: c, bl, bu; where bounds are constant, what is left of the formula */                                      \
    X(RESIDUAL, 0, 0, 3, row_residual(a, b, c))                                                                        \
    X(RESIDUAL_EQUAL, 0, 0, 2, (a - b) + simd_all(0))                                                                  \
    X(RESIDUAL_UPPER, 0, 0, 2, simd_keep(~simd_less_equal(a, b), a - b))                                               \
    X(RESIDUAL_LOWER, 0, 0, 2, simd_keep(~simd_less_equal(b, a), a - b))                                               \
    X(RELATIVE, 0, 0, 3, row_relative(a, b, c))                                                                        \
    X(MOST, 0, 0, 2, simd_greater(b, a))                                                                               \
    X(LEAST, 0, 0, 2, simd_lesser(b, a))                                                                               \
    X(MOST_SIZE, 0, 0, 2, row_most(a, b))                                                                              \
    X(LOSE_FINITE, 1, 1, 2, row_lose(a, b))                                                                            \
    X(ALL_FINITE, 1, 1, 1, row_all_finite(a))                                                                          \
    X(ADD_SQUARE, 0, 0, 3, row_add_square(a, b, c))                                                                    \
    /* weights: mask, most, old */                                                                                     \
    X(RESCALE, 0, 1, 3, simd_select(a, kernel_scale_for(b), c))                                                        \
    /* active rows: c, bl, bu, scale, hold, and the mask of those that are left out */                                 \
    X(ACTIVE, 1, 0, 5, kernel_active(a, b, c, d, e, simd_bits_all(0)))                                                 \
    X(ACTIVE_LEADS, 1, 32, 6, kernel_active(a, b, c, d, e, f))                                                         \
    X(ACTIVE_UPPER_LEADS, 1, 16, 5, row_active_upper(a, b, c, d) & ~e)                                                 \
    X(ACTIVE_LOWER_LEADS, 1, 16, 5, row_active_lower(a, b, c, d) & ~e)                                                 \
    X(TAKE_MASK, 1, 7, 3, (a & b) | (~a & c))                                                                          \
    X(TAKE_ALL, 1, 3, 2, a | b)                                                                                        \
    X(TAKE, 0, 3, 5, row_take(a, b, c, d, e))                                                                          \
    X(TAKE_EQUAL, 0, 1, 4, simd_select(a, b *c, d))                                                                    \
    X(MASK, 1, 1, 1, a)                                                                                                \
    X(ALL_SET, 1, 0, 0, ~simd_bits_all(0))                                                                             \
    X(SHIFT, 0, 1, 2, simd_select(a, b, simd_all(1)))                                                                  \
    /* the factor and the step */                                                                                      \
    X(INVERSE, 0, 0, 2, kernel_pivot_inverse(a, b))                                                                    \
    X(INVERSE_ADDED, 0, 0, 2, kernel_pivot_added_inverse(a, b))                                                        \
    X(MOVES, 1, 1, 3, a | simd_not_equal(b, c))                                                                        \
    /* the adjoint */                                                                                                  \
    X(COUNTS, 1, 1, 2, a | simd_not_equal(b, simd_all(0)))                                                             \
    X(EQUALITY, 1, 0, 2, simd_equal(a, b))                                                                             \
    X(BELOW, 1, 1, 2, ~a &simd_less(b, simd_all(0)))                                                                   \
    X(KEEP, 0, 1, 2, simd_keep(a, b))                                                                                  \
    X(KEEP_PRODUCT, 0, 1, 3, simd_keep(a, b *c))                                                                       \
    X(ADD_KEPT, 0, 2, 3, a + simd_keep(b, c))                                                                          \
    X(ADD_KEPT_NOT, 0, 6, 4, a + simd_keep(b & ~c, d))                                                                 \
    /* acts of a round (codegen/kernel/fused_fixed_kernel.h): statements of C; nobody reads their destination */       \
    X(LEAVE, 0, 1, 1, if (round_leaves(round, ~a)) return 1)                                                           \
    X(LEAVE_SINGULAR, 0, 0, 2, if (round_leaves(round, round_singular(a, b))) return 1)                                \
    X(JUDGE, 0, 0, 1, round_judge(slots, round, a))

#define FUNCTION_OPERATOR(name, text, arguments, meaning)     FUNCTION_##name = OP_##name,
#define FUNCTION_FUSED(name, text, meaning)                   FUNCTION_##name = CODE_##name,
#define FUNCTION_OWN(name, result, masks, arguments, meaning) ROW_##name,
enum function {
    OPERATOR_LIST(FUNCTION_OPERATOR) FUSED_LIST(FUNCTION_FUSED) FUNCTION_SINCOS = CODE_SINCOS,
    ROW_FIRST = CODE_COUNT - 1,
    OWN_FUNCTION_LIST(FUNCTION_OWN)
    /* Sums of products, each rounded before it is added, left to right; pairs follow the start. */
    SUM_PLUS,  /* start + */
    SUM_MINUS, /* start - */
    SUM_BACK,  /* the product of the first pair, minus the others */
    SUM_ZERO,  /* 0 + */
    SUM_FIRST, /* the first product + */
    FUNCTIONS
};
#undef FUNCTION_OPERATOR
#undef FUNCTION_FUSED
#undef FUNCTION_OWN

enum { FUNCTION_MOST_ARGUMENTS = 6 };

struct function_shape {
    const char *meaning;
    uint8_t arguments;
    uint8_t masks;
    bool mask; /* the result is one */
    bool call; /* it is long: an elementary function */
};

/* Sums, FUNCTION_SINCOS and what is no function have no meaning. */
struct function_shape function_shape(enum function function);

static inline bool function_is_sum(enum function function) {
    return function >= SUM_PLUS;
}

/* The reciprocal of a pivot. */
static inline bool function_is_inverse(enum function function) {
    return function == ROW_INVERSE || function == ROW_INVERSE_ADDED;
}

static inline bool function_is_act(enum function function) {
    return function == ROW_LEAVE || function == ROW_LEAVE_SINGULAR || function == ROW_JUDGE;
}

#endif
