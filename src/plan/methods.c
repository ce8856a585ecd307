/* methods.c - the table of methods.h.
 *
 * SPDX-License-Identifier: MIT */
#include "plan/methods.h"

#define METHOD_NUMBER(id, ...) METHOD_##id,
#define METHOD_CHECK(id, ...)  _Static_assert((int)METHOD_##id == (int)HN_METHOD_##id, "the lists differ");
#define METHOD_ENTRY(id, iterations, damping, eps, rows, ends, goes_on)                                                \
    {iterations, damping, EPS_##eps, ROWS_##rows, ENDS_##ends, GOES_ON_##goes_on},

enum { METHOD_LIST(METHOD_NUMBER) METHODS };
METHOD_LIST(METHOD_CHECK)
_Static_assert((int)METHODS == (int)HN_METHOD_COUNT, "a method has no line in methods.h");

const struct method *method_of(hn_method method) {
    static const struct method methods[HN_METHOD_COUNT] = {METHOD_LIST(METHOD_ENTRY)};
    return &methods[method];
}
