/* random.h - a small random generator with streams; the same numbers on every machine.
 *
 * xoshiro256++ of Blackman and Vigna (2019), seeded by four outputs of splitmix64 (Steele, Lea, Flood 2014) that starts
 * from a mix of seed and stream. Different streams of one seed are unrelated sequences. Uniform numbers have 53 bits;
 * normal numbers come from Box and Muller's transform with the logarithm, sine and cosine of elementary.h, so that
 * their bits are the same everywhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_RANDOM_H
#define HN_BASE_RANDOM_H

#include "base/random_state.h"

struct random random_start(uint64_t seed, uint64_t stream);
uint64_t random_bits(struct random *random);
double random_uniform(struct random *random); /* in [0, 1) */
double random_between(struct random *random, double a, double b);
uint64_t random_below(struct random *random, uint64_t count); /* in 0 .. count-1, without bias; count > 0 */
double random_normal(struct random *random);

/* Uniform in a finite range; if a side is infinite, normal around the finite side, or around 0. */
double random_in_box(struct random *random, double lower, double upper);

/* The middle of a finite range; else 0, clamped to the range. */
double random_box_middle(double lower, double upper);

#endif
