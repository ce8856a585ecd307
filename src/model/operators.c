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

double operator_apply(enum op op, double a, double b, double c) {
    switch (op) {
        OPERATOR_LIST(APPLY)
    default:
        return a;
    }
}
