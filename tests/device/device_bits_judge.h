/* device_bits_judge.h - one model with one method on a device and on the CPU: how many samples were compared, and how many differ.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_BITS_JUDGE_H
#define HN_TESTS_DEVICE_BITS_JUDGE_H

#include "hardnet/layer.h"

struct tally {
    size_t models;    /* with a method each */
    size_t failed;    /* of them: no result */
    size_t compared;  /* samples: runs with their gradients */
    size_t different; /* of them: in a bit of anything */
    size_t outcomes[HN_OUTCOME_COUNT];
};

void tally_add(struct tally *sum, const struct tally *part);
void tally_print(const struct tally *tally, const char *what);

/* Samples at random and one that has a NaN; from the model's own start, too; twice, and in turned order. Says what differs. */
void judge_model(struct tally *tally, const hn_model *model, const char *name, hn_layer_options options, uint64_t seed);

/* The same for a file, below models/ and without its suffix, and for a random problem. */
void judge_file(struct tally *tally, const char *name, hn_layer_options options, uint64_t seed);
void judge_random(struct tally *tally, uint64_t seed);

/* Random problems of these numbers, and before them the models that ship whose name holds a text (NULL: none), with every method, shared
 * between processes, which begin nothing after so many seconds. */
struct tally judge_many(uint64_t first, uint64_t last, const char *models, int workers, double seconds);

#endif
