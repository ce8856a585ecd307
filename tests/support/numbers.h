/* numbers.h - random numbers and small networks for tests; those who ask free them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_NUMBERS_H
#define HN_TESTS_SUPPORT_NUMBERS_H

#include "base/random.h"
#include "hardnet/network.h"
#include "support/check.h"

/* Normally distributed; the next of a generator, or the first of a stream. */
double *normal_numbers(struct random *random, size_t count);
double *normal_numbers_of(uint64_t seed, uint64_t stream, size_t count);

/* A network with these options, which should be good. */
hn_network *network_with(hn_network_options options);

#endif
