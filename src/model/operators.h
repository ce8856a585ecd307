/* operators.h - the one list of operators: X(name, text, arguments, meaning).
 *
 * The meaning is an expression over SIMD vectors a, b, c (base/simd.h, base/elementary.h). It is expanded at WIDTH 1
 * for constant folding and plain evaluation and at the width of each instruction set for programs, so that an operator
 * gives the same bits everywhere. NODE operators have no meaning here: they represent a number, a leaf or a list.
 *
 * min and max propagate a NaN from either side. Conditions are 0 or 1. GUARD is a product that is 0 if its first factor
 * is 0, whatever the second: derivatives use it so that a NaN or an infinity in a branch that is not taken does not
 * propagate.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_OPERATORS_H
#define HN_MODEL_OPERATORS_H

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

#define OPERATOR_ENUMERATE(name, text, arguments, meaning) OP_##name,
enum op { NODE_LIST(OPERATOR_ENUMERATE) OPERATOR_LIST(OPERATOR_ENUMERATE) OP_COUNT };
#undef OPERATOR_ENUMERATE

enum { MOST_ARGUMENTS = 3 };

const char *operator_text(enum op op);
int operator_arguments(enum op op);                              /* 0 for NODE operators */
double operator_apply(enum op op, double a, double b, double c); /* one number at a time */

#endif
