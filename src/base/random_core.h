/* random_core.h - the generator of random.h: states, bits, uniform and normal numbers. random.c is compiled from this
 * file, and it is copied into emitted files; the includer provides simd.h and elementary.h at WIDTH 1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_RANDOM_CORE_H
#define HN_BASE_RANDOM_CORE_H

#include "base/random_state.h"
#include "base/real.h"

#ifndef RANDOM_FUNCTION
#define RANDOM_FUNCTION
#define RANDOM_INNER static
#endif
#ifdef REAL_SINGLE /* of a uniform number: the bits of a significand */
#define RANDOM_BITS 24
#define RANDOM_UNIT REAL(0x1p-24)
#else
#define RANDOM_BITS 53
#define RANDOM_UNIT REAL(0x1p-53)
#endif

RANDOM_INNER uint64_t rotate_left(uint64_t a, int bits) {
    return (a << bits) | (a >> (64 - bits));
}

/* splitmix64: a Weyl sequence through a mixing function. */
RANDOM_INNER uint64_t split_mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

RANDOM_FUNCTION struct random random_start(uint64_t seed, uint64_t stream) {
    struct random random; /* assigned field by field, so that compilers do not emit a call */
    uint64_t mix = split_mix(&stream) ^ seed;
    SHARED_LOOP
    for (int i = 0; i < 4; i++)
        random.state[i] = split_mix(&mix);
    random.spare = 0;
    random.has_spare = 0;
    return random;
}

RANDOM_FUNCTION uint64_t random_bits(struct random *random) {
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

RANDOM_FUNCTION real random_uniform(struct random *random) {
    return (real)(random_bits(random) >> (64 - RANDOM_BITS)) * RANDOM_UNIT;
}

RANDOM_FUNCTION real random_normal(struct random *random) {
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    real radius = simd_sqrt(-2 * elementary_log(1 - random_uniform(random))); /* 1 - u is in (0, 1] */
    real angle = REAL(0x1.921fb54442d18p+2) * random_uniform(random);         /* 2 pi u */
    real sine, cosine;
    elementary_sincos(angle, &sine, &cosine);
    random->spare = radius * sine;
    random->has_spare = 1;
    return radius * cosine;
}

#endif
