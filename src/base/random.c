/* random.c - see random.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#define WIDTH 1
#include "base/elementary.h"

#include <math.h>

static uint64_t rotate_left(uint64_t a, int bits) {
    return (a << bits) | (a >> (64 - bits));
}

/* splitmix64: a Weyl sequence through a mixing function. */
static uint64_t split_mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct random random_start(uint64_t seed, uint64_t stream) {
    struct random random = {.has_spare = 0};
    uint64_t mix = split_mix(&stream) ^ seed;
    for (int i = 0; i < 4; i++)
        random.state[i] = split_mix(&mix);
    return random;
}

uint64_t random_bits(struct random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double random_uniform(struct random *random) {
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double random_between(struct random *random, double a, double b) {
    return a + (b - a) * random_uniform(random);
}

uint64_t random_below(struct random *random, uint64_t count) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % count, bits; /* a multiple of count: every residue equally often */
    do {
        bits = random_bits(random);
    } while (bits >= limit);
    return bits % count;
}

double random_normal(struct random *random) {
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    double radius = wide_sqrt(-2 * elementary_log(1 - random_uniform(random))); /* 1 - u is in (0, 1] */
    double angle = 0x1.921fb54442d18p+2 * random_uniform(random);               /* 2 pi u */
    double sine, cosine;
    elementary_sincos(angle, &sine, &cosine);
    random->spare = radius * sine;
    random->has_spare = 1;
    return radius * cosine;
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
