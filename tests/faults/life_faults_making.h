/* life_faults_making.h - lives of what is made once and then runs without memory: layers, evaluators, checks of models.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_LIFE_FAULTS_MAKING_H
#define HN_TESTS_LIFE_FAULTS_MAKING_H

#include "base/digest.h"
#include "hardnet/base.h"

typedef hn_status living(struct digest *digest, hn_error *error);

struct life {
    const char *name;
    living *live;
    size_t least_allocations, least_calls;
    int threads; /* that it starts */
    bool strict; /* every allocation fails in turn, and each failure ends the life */
};

extern const struct life making_lives[];
extern const size_t making_life_count;

/* The models of these lives: before the first and after the last. */
void making_lives_begin(void);
void making_lives_end(void);

#endif
