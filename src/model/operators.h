/* operators.h - the operators: X(name, text, arguments, meaning), and their further properties, the traits.
 *
 * The meaning is an expression over SIMD vectors a, b, c (base/simd.h, base/elementary.h). It is expanded at WIDTH 1
 * for constant folding and plain evaluation and at the width of each instruction set for programs, so that an operator
 * gives the same bits everywhere. NODE operators have no meaning here: they represent a number, a leaf or a list.
 *
 * min and max propagate a NaN from either side. Conditions are 0 or 1. GUARD is a product that is 0 if its first factor
 * is 0, whatever the second: derivatives use it so that a NaN or an infinity in a branch that is not taken does not
 * propagate.
 *
 * Public operators have the numbers of HN_OPERATOR_LIST (hardnet/model.h). All lists grow at their ends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_OPERATORS_H
#define HN_MODEL_OPERATORS_H

#include <stdint.h>

#define NODE_LIST(X)                                                                                                   \
    X(NONE, "none", 0, a)                                                                                              \
    X(CONSTANT, "constant", 0, a)                                                                                      \
    X(LEAF, "leaf", 0, a)                                                                                              \
    X(REFERENCE, "reference", 0, a)                                                                                    \
    X(SUM, "sum", 0, a)                                                                                                \
    X(LINEAR, "linear", 0, a)

#define OPERATOR_LIST(X)                                                                                               \
    X(ADD, "add", 2, a + b)                                                                                            \
    X(SUB, "sub", 2, a - b)                                                                                            \
    X(MUL, "mul", 2, a *b)                                                                                             \
    X(DIV, "div", 2, a / b)                                                                                            \
    X(NEG, "neg", 1, -a)                                                                                               \
    X(POW, "pow", 2, elementary_pow(a, b))                                                                             \
    X(SQRT, "sqrt", 1, simd_sqrt(a))                                                                                   \
    X(EXP, "exp", 1, elementary_exp(a))                                                                                \
    X(LOG, "log", 1, elementary_log(a))                                                                                \
    X(LOG10, "log10", 1, elementary_log10(a))                                                                          \
    X(SIN, "sin", 1, elementary_sin(a))                                                                                \
    X(COS, "cos", 1, elementary_cos(a))                                                                                \
    X(TAN, "tan", 1, elementary_tan(a))                                                                                \
    X(ASIN, "asin", 1, elementary_asin(a))                                                                             \
    X(ACOS, "acos", 1, elementary_acos(a))                                                                             \
    X(ATAN, "atan", 1, elementary_atan(a))                                                                             \
    X(ATAN2, "atan2", 2, elementary_atan2(a, b))                                                                       \
    X(SINH, "sinh", 1, elementary_sinh(a))                                                                             \
    X(COSH, "cosh", 1, elementary_cosh(a))                                                                             \
    X(TANH, "tanh", 1, elementary_tanh(a))                                                                             \
    X(ASINH, "asinh", 1, elementary_asinh(a))                                                                          \
    X(ACOSH, "acosh", 1, elementary_acosh(a))                                                                          \
    X(ATANH, "atanh", 1, elementary_atanh(a))                                                                          \
    X(ABS, "abs", 1, simd_abs(a))                                                                                      \
    X(MIN, "min", 2, simd_select(simd_less(a, b) | simd_not_equal(a, a), a, b))                                        \
    X(MAX, "max", 2, simd_select(simd_less(b, a) | simd_not_equal(a, a), a, b))                                        \
    X(LESS, "less", 2, simd_keep(simd_less(a, b), simd_all(1)))                                                        \
    X(LESS_EQUAL, "less_equal", 2, simd_keep(simd_less_equal(a, b), simd_all(1)))                                      \
    X(EQUAL, "equal", 2, simd_keep(simd_equal(a, b), simd_all(1)))                                                     \
    X(NOT_EQUAL, "not_equal", 2, simd_keep(simd_not_equal(a, b), simd_all(1)))                                         \
    X(AND, "and", 2, simd_keep(simd_not_equal(a, simd_all(0)) & simd_not_equal(b, simd_all(0)), simd_all(1)))          \
    X(OR, "or", 2, simd_keep(simd_not_equal(a, simd_all(0)) | simd_not_equal(b, simd_all(0)), simd_all(1)))            \
    X(NOT, "not", 1, simd_keep(simd_equal(a, simd_all(0)), simd_all(1)))                                               \
    X(IF, "if", 3, simd_select(simd_not_equal(a, simd_all(0)), b, c))                                                  \
    X(GUARD, "guard", 2, simd_keep(simd_not_equal(a, simd_all(0)), a *b))

/* X(name, family, undefined, masks, sign, slope, finite, rounding, calls in double, calls in float), in the same order:
 *
 *     family     the header of its function, base/elementary_*.h; BASIC needs none
 *     undefined  the finite arguments for which it is infinite or NaN
 *     masks      which results of an undefined argument may become a finite result
 *     sign       of the result
 *     slope      how the result depends on the arguments
 *     finite     1 if the result is finite for finite arguments, whatever their size
 *     rounding   the bound on its rounding error in float: a function rounding_... of core/rounding_bound.h
 *     calls      instructions of a call; 0: it is not a call
 *
 * OWN is a rule for more than one argument, in autodiff/defined.c and autodiff/split_uses.c. */
/* clang-format off */
#define OPERATOR_TRAITS(X)                                                                                      \
    /* name       family       undefined     masks     sign          slope     rounding    calls */             \
    X(ADD,        BASIC,       NOWHERE,      NOTHING,  OWN,          RISES, 0, sum,        0,   0)              \
    X(SUB,        BASIC,       NOWHERE,      NOTHING,  OWN,          OWN,   0, sum,        0,   0)              \
    X(MUL,        BASIC,       NOWHERE,      NOTHING,  OWN,          OWN,   0, product,    0,   0)              \
    X(DIV,        BASIC,       DIVISOR,      OWN,      OWN,          OWN,   0, quotient,   0,   0)              \
    X(NEG,        BASIC,       NOWHERE,      NOTHING,  OWN,          FALLS, 1, none,       0,   0)              \
    X(POW,        EXPONENTIAL, POWER,        OWN,      OWN,          OWN,   0, pow,        330, 380)            \
    X(SQRT,       BASIC,       NEGATIVE,     NOTHING,  NOT_NEGATIVE, RISES, 0, root,       4,   4)              \
    X(EXP,        EXPONENTIAL, NOWHERE,      INFINITE, NOT_NEGATIVE, RISES, 0, exp,        70,  75)             \
    X(LOG,        EXPONENTIAL, NOT_POSITIVE, NOTHING,  ANY,          RISES, 0, log,        70,  85)             \
    X(LOG10,      EXPONENTIAL, NOT_POSITIVE, NOTHING,  ANY,          RISES, 0, log,        190, 210)            \
    X(SIN,        CIRCLE,      NOWHERE,      NOTHING,  ANY,          ANY,   1, gentle,     122, 172)            \
    X(COS,        CIRCLE,      NOWHERE,      NOTHING,  ANY,          ANY,   1, gentle,     122, 172)            \
    X(TAN,        CIRCLE,      NOWHERE,      NOTHING,  ANY,          ANY,   0, tan,        150, 230)            \
    X(ASIN,       ARC,         BEYOND_ONE,   NOTHING,  ODD,          RISES, 0, arc,        130, 120)            \
    X(ACOS,       ARC,         BEYOND_ONE,   NOTHING,  NOT_NEGATIVE, FALLS, 0, arc,        140, 130)            \
    X(ATAN,       ARC,         NOWHERE,      INFINITE, ODD,          RISES, 1, gentle,     150, 150)            \
    X(ATAN2,      ARC,         NOWHERE,      INFINITE, ANY,          ANY,   0, atan2,      210, 230)            \
    X(SINH,       HYPERBOLIC,  NOWHERE,      NOTHING,  ODD,          RISES, 0, hyperbolic, 140, 150)            \
    X(COSH,       HYPERBOLIC,  NOWHERE,      NOTHING,  NOT_NEGATIVE, EVEN,  0, hyperbolic, 110, 120)            \
    X(TANH,       HYPERBOLIC,  NOWHERE,      INFINITE, ODD,          RISES, 1, gentle,     150, 160)            \
    X(ASINH,      HYPERBOLIC,  NOWHERE,      NOTHING,  ODD,          RISES, 0, gentle,     220, 230)            \
    X(ACOSH,      HYPERBOLIC,  BELOW_ONE,    NOTHING,  NOT_NEGATIVE, RISES, 0, acosh,      220, 230)            \
    X(ATANH,      HYPERBOLIC,  FROM_ONE,     NOTHING,  ODD,          RISES, 0, atanh,      190, 200)            \
    X(ABS,        BASIC,       NOWHERE,      NOTHING,  NOT_NEGATIVE, EVEN,  1, none,       0,   0)              \
    X(MIN,        BASIC,       NOWHERE,      INFINITE, OWN,          RISES, 0, extreme,    0,   0)              \
    X(MAX,        BASIC,       NOWHERE,      INFINITE, OWN,          RISES, 0, extreme,    0,   0)              \
    X(LESS,       BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, comparison, 0,   0)              \
    X(LESS_EQUAL, BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, comparison, 0,   0)              \
    X(EQUAL,      BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, comparison, 0,   0)              \
    X(NOT_EQUAL,  BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, comparison, 0,   0)              \
    X(AND,        BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, extreme,    0,   0)              \
    X(OR,         BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, extreme,    0,   0)              \
    X(NOT,        BASIC,       NOWHERE,      ALL,      ANY,          ANY,   0, none,       0,   0)              \
    X(IF,         BASIC,       NOWHERE,      OWN,      OWN,          OWN,   0, choice,     0,   0)              \
    X(GUARD,      BASIC,       NOWHERE,      NOTHING,  ANY,          ANY,   0, product,    0,   0)
/* clang-format on */

#define OPERATOR_ENUMERATE(name, text, arguments, meaning) OP_##name,
enum op { NODE_LIST(OPERATOR_ENUMERATE) OPERATOR_LIST(OPERATOR_ENUMERATE) OP_COUNT };
#undef OPERATOR_ENUMERATE

enum { MOST_ARGUMENTS = 3 };

enum operator_family { FAMILY_BASIC, FAMILY_EXPONENTIAL, FAMILY_CIRCLE, FAMILY_ARC, FAMILY_HYPERBOLIC };

enum operator_undefined {
    UNDEFINED_NOWHERE,
    UNDEFINED_NEGATIVE,     /* NaN for a < 0 */
    UNDEFINED_BELOW_ONE,    /* NaN for a < 1 */
    UNDEFINED_BEYOND_ONE,   /* NaN for |a| > 1 */
    UNDEFINED_NOT_POSITIVE, /* infinite at 0, NaN below */
    UNDEFINED_FROM_ONE,     /* infinite for |a| = 1, NaN above */
    UNDEFINED_DIVISOR,      /* b = 0 */
    UNDEFINED_POWER         /* depends on base and exponent */
};

enum operator_masks { MASKS_NOTHING, MASKS_INFINITE, MASKS_ALL, MASKS_OWN };
enum operator_sign { RESULT_ANY, RESULT_ODD /* the sign of a */, RESULT_NOT_NEGATIVE, RESULT_OWN };
enum operator_slope { SLOPE_ANY, SLOPE_RISES, SLOPE_FALLS, SLOPE_EVEN /* falls for a < 0, else rises */, SLOPE_OWN };

struct operator_traits {
    uint8_t family, undefined, masks, sign, slope, finite;
    char rounding[12];
    uint16_t calls[2];
};

const char *operator_text(enum op op);
int operator_arguments(enum op op);                              /* 0 for NODE operators */
double operator_apply(enum op op, double a, double b, double c); /* one number at a time */
const struct operator_traits *operator_traits_of(enum op op);    /* zeros for NODE operators */

#endif
