/* operators.c - the list of operators.h at WIDTH 1.
 *
 * SPDX-License-Identifier: MIT */
#include "model/operators.h"

#define WIDTH 1
#include "base/elementary.h"

#define TEXT(name, text, arguments, meaning)      text,
#define ARGUMENTS(name, text, arguments, meaning) arguments,
#define APPLY(name, text, arguments, meaning)                                                                          \
    case OP_##name:                                                                                                    \
        return meaning;

const char *operator_text(enum op op) {
    static const char texts[][12] = {NODE_LIST(TEXT) OPERATOR_LIST(TEXT)};
    return texts[op];
}

int operator_arguments(enum op op) {
    static const signed char counts[] = {NODE_LIST(ARGUMENTS) OPERATOR_LIST(ARGUMENTS)};
    return counts[op];
}

#define TRAITS(name, family, undefined, masks, sign, slope, finite, rounding, in_double, in_float)                     \
    [OP_##name] = {FAMILY_##family, UNDEFINED_##undefined, MASKS_##masks, RESULT_##sign, SLOPE_##slope, finite,        \
                   #rounding,       {in_double, in_float}},
#define TRAIT_NUMBER(name, ...) TRAIT_##name,
enum { TRAITS_BEFORE = OP_ADD - 1, OPERATOR_TRAITS(TRAIT_NUMBER) TRAITS_END };
#define TRAIT_CHECK(name, ...) _Static_assert((int)TRAIT_##name == (int)OP_##name, "operators and traits differ");
OPERATOR_TRAITS(TRAIT_CHECK)
_Static_assert((int)TRAITS_END == (int)OP_COUNT, "an operator has no traits");

const struct operator_traits *operator_traits_of(enum op op) {
    static const struct operator_traits traits[OP_COUNT] = {OPERATOR_TRAITS(TRAITS)};
    return &traits[op];
}

double operator_apply(enum op op, double a, double b, double c) {
    switch (op) {
        OPERATOR_LIST(APPLY)
    default:
        return a;
    }
}
