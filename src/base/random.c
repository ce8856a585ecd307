/* random.c - see random.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#define WIDTH 1
#include "base/elementary.h"
#include "base/random_core.h"

#include <math.h>

double random_between(struct random *random, double a, double b) {
    return a + (b - a) * random_uniform(random);
}

uint64_t random_below(struct random *random, uint64_t count) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % count, bits; /* a multiple of count: every residue is equally likely */
    do {
        bits = random_bits(random);
    } while (bits >= limit);
    return bits % count;
}

double random_in_box(struct random *random, double lower, double upper) {
    if (isfinite(lower) && isfinite(upper))
        return random_between(random, lower, upper);
    double normal = random_normal(random);
    if (isfinite(lower))
        return lower + fabs(normal);
    return isfinite(upper) ? upper - fabs(normal) : normal;
}

double random_box_middle(double lower, double upper) {
    if (isfinite(lower) && isfinite(upper))
        return lower + 0.5 * (upper - lower);
    return 0 < lower ? lower : 0 > upper ? upper : 0;
}
