/* draws.h - random values that are a function of a key, with the same bits on every machine.
 *
 * Input: a 64-bit key; output: a sequence of values of the usual distributions. There is no other state and no clock:
 * the same key always generates the same values.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_DRAWS_H
#define HN_AMPL_DRAWS_H

#include <stddef.h>
#include <stdint.h>

struct ampl_random {
    uint64_t key, count; /* words drawn so far */
};

/* Mixes another word, or a string, into a key. */
uint64_t ampl_random_key(uint64_t key, uint64_t word);
uint64_t ampl_random_key_text(uint64_t key, const char *text, size_t length);

uint64_t ampl_random_word(struct ampl_random *random);
double ampl_random_uniform(struct ampl_random *random); /* in [0, 1): multiples of 2^-53 */
double ampl_random_normal(struct ampl_random *random);  /* mean 0, variance 1 */
double ampl_random_exponential(struct ampl_random *random);
double ampl_random_cauchy(struct ampl_random *random);
double ampl_random_gamma(struct ampl_random *random, double shape);          /* shape > 0, scale 1 */
double ampl_random_beta(struct ampl_random *random, double a, double b);     /* a, b > 0 */
double ampl_random_poisson(struct ampl_random *random, double mean);         /* 0 <= mean <= AMPL_MOST_MEAN */
double ampl_random_binomial(struct ampl_random *random, double n, double p); /* n trials */

#define AMPL_MOST_MEAN 1e15 /* integers of this size are exact */

#endif
