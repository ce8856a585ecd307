/* print_call_batch.c - a loop of calls in a straight round; see call_batching.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print_parts.h"

void print_call_loop(const struct printer *p) {
    const struct call_loop *calls = p->calls;
    char kind = statements_in_window(p->s, calls->slot) ? 'F' : 'S';
    text_add(p->text, "    simd called[%zu];\n    for (ptrdiff_t k = 0; k < %zu; k++)\n        ",
             calls->count * call_loop_results(calls), calls->count);
    if (call_loop_results(calls) > 1)
        text_add(p->text, "call_sincos(%c_AT(k * (%u * SLOT_STRIDE), %u), called + 2 * k, called + 2 * k + 1);\n", kind,
                 calls->stride, calls->slot);
    else
        text_add(p->text, "called[k] = call_%s(%c_AT(k * (%u * SLOT_STRIDE), %u));\n",
                 operator_text((enum op)calls->function), kind, calls->stride, calls->slot);
}

void print_called(const struct printer *p, size_t i) {
    size_t results = call_loop_results(p->calls), first = (p->calls->place[i] - 1) * results;
    size_t number = i - p->region->first;
    text_add(p->text, "    const simd v%zu = called[%zu];\n", number, first);
    if (results > 1)
        text_add(p->text, "    const simd w%zu = called[%zu];\n", number, first + 1);
}
