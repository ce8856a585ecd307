/* device_bits_judge.h - one model with one method on a device and on the CPU: how many samples were compared, and how many differ.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_BITS_JUDGE_H
#define HN_TESTS_DEVICE_BITS_JUDGE_H

#include "hardnet/layer.h"

struct tally {
    size_t models;    /* with a method each */
    size_t failed;    /* of them: no result */
    size_t cut;       /* of them: time was over */
    size_t compared;  /* samples: runs with their gradients */
    size_t different; /* of them: in a bit of anything */
    size_t outcomes[HN_OUTCOME_COUNT];
};

void tally_add(struct tally *sum, const struct tally *part);
void tally_print(const struct tally *tally, const char *what);

/* Samples at random (96; 8 of a model whose samples take long) and one that has a NaN; from the model's own start, too; twice, and in turned order. Says what differs. tally: NULL
 * where only the kernels are to be made, for the cache. */
void judge_model(struct tally *tally, const hn_model *model, const char *name, hn_layer_options options, uint64_t seed);

/* The same for a file, below models/ and without its suffix, and for a random problem, which has a method; only: a text that its name must be in, or
 * NULL. */
void judge_file(struct tally *tally, const char *name, hn_layer_options options, uint64_t seed);
void judge_random(struct tally *tally, uint64_t seed, const char *only);

/* Random problems of these numbers, and before them models that ship, with every method, large ones first, shared between processes. */
struct many {
    uint64_t first, last;
    const char *models;  /* those whose name holds this text, or of "-text" does not; NULL: none */
    const char *methods; /* only those whose names are in this text; NULL: every one */
    int workers;         /* processes that compile */
    int threads;         /* of one more process, which judges what they have compiled */
    double seconds;      /* nothing is begun afterwards */
};
struct tally judge_many(const struct many *many,
                        uint64_t *begun); /* begun: the random problem after the last one that was */

#endif
