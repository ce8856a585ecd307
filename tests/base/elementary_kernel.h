/* elementary_kernel.h - the body of elementary_width1 ... elementary_width8; see elementary_widths.h.
 *
 * A file defines WIDTH and KERNEL_NAME and includes this.
 *
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/elementary_widths.h"

SIMD_INLINE simd elementary_sine_of_both(simd a) {
    simd sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return sine;
}

SIMD_INLINE simd elementary_cosine_of_both(simd a) {
    simd sine, cosine;
    elementary_sincos(a, &sine, &cosine);
    return cosine;
}

#define elementary_sqrt simd_sqrt

static void evaluate(int number, const double *at_a, const double *at_b, double *result) {
    simd a, b, value;
    memcpy(&a, at_a, sizeof a);
    memcpy(&b, at_b, sizeof b);
    switch (number) {
#define ELEMENTARY_OF_ONE(name, draw)                                                                                  \
    case NUMBER_##name:                                                                                                \
        value = elementary_##name(a);                                                                                  \
        break;
#define ELEMENTARY_OF_TWO(name, draw)                                                                                  \
    case NUMBER_##name:                                                                                                \
        value = elementary_##name(a, b);                                                                               \
        break;
        ELEMENTARY_FUNCTIONS(ELEMENTARY_OF_ONE)
        FUNCTIONS_OF_TWO(ELEMENTARY_OF_TWO)
    default:
        value = simd_all(0.0);
    }
    memcpy(result, &value, sizeof value);
}

void KERNEL_NAME(int number, int count, const double *a, const double *b, double *results) {
    for (int i = 0; i < count; i += WIDTH)
        evaluate(number, a + i, b + i, results + i);
}
