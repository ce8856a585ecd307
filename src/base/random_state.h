/* random_state.h - the state of a random generator (random.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_RANDOM_STATE_H
#define HN_BASE_RANDOM_STATE_H

#include "base/real.h"

struct random {
    uint64_t state[4];
    real spare; /* the second normal number of a pair */
    int has_spare;
};

#endif
