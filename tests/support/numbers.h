/* numbers.h - random numbers and small networks for tests; those who ask free them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_NUMBERS_H
#define HN_TESTS_SUPPORT_NUMBERS_H

#include "base/random.h"
#include "hardnet/train.h"
#include "support/check.h"

/* Normally distributed; the next of a generator, or the first of a stream. */
double *normal_numbers(struct random *random, size_t count);
double *normal_numbers_of(uint64_t seed, uint64_t stream, size_t count);

/* A network with these options, which should be good. */
hn_network *network_with(hn_network_options options);

/* Destroy a trainer, or a policy, with the network and the model that it was made of. */
void trainer_release(hn_trainer *trainer, hn_network *network, hn_model *model);
void policy_release(hn_policy *policy, hn_network *network, hn_model *model);

#endif
