/* bits.h - what a library computes, written down bit by bit, so that two libraries can be compared.
 *
 * One program, compiled once against each of two trees through the public headers only: models from files and from a random
 * generator of its own go in, a file of records comes out. scripts/same-bits --against builds both and compares their files.
 *
 *     bits_random.c    models and samples from a seed, through the calls of hardnet/model.h
 *     bits_models.c    models and samples from model files
 *     bits_run.c       every method and every way to call it
 *     bits_record.c    the file of records
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_BITS_H
#define HN_TESTS_BITS_H

#include "hardnet/hardnet.h"

#include <stdio.h>

/* ---- random numbers: splitmix64 (Steele, Lea, Flood 2014), so that no tree's own generator is needed ---- */

struct dice {
    uint64_t state;
};

struct dice bits_dice_start(uint64_t seed, uint64_t stream);
uint64_t bits_dice_below(struct dice *dice, uint64_t count);
double bits_dice_between(struct dice *dice, double lower, double upper);
double bits_dice_normal(struct dice *dice); /* a sum of twelve uniform numbers: no elementary function in it */

/* ---- a model with its samples ---- */

struct problem {
    const char *name;
    hn_model *model;
    size_t inputs, outputs, rows;
    size_t count;  /* samples */
    double *x;     /* count x inputs */
    double *y_raw; /* count x outputs */
    unsigned turn; /* which of the rarer calls are made: all of them for ALL_TURNS */
};

enum { ALL_TURNS = ~0u };

void *bits_reserve(size_t count, size_t bytes); /* zeros; ends the program when there is no memory */
void bits_problem_begin(struct problem *problem, const char *name, hn_model *model, size_t count);
void bits_problem_release(struct problem *problem);

/* Raw outputs around the start values at every sample's x, and samples that cannot be used. */
void bits_problem_draw(struct problem *problem, struct dice *dice);

/* Every .mod file below the folder; returns how many there were. */
size_t bits_run_files(FILE *out, const char *folder, uint64_t seed);

/* The random problem of that number: feasible, infeasible, degenerate, badly scaled, undefined in places. */
void bits_random_problem_make(struct problem *problem, char *name, size_t name_bytes, uint64_t seed, uint64_t number);

/* ---- records: a key and named lists of 64-bit words ---- */

struct record {
    unsigned char *bytes;
    size_t length, capacity;
};

void bits_record_begin(struct record *record);
void bits_record_reals(struct record *record, const char *name, size_t count,
                       const double *values); /* every NaN alike */
void bits_record_words(struct record *record, const char *name, size_t count, const uint64_t *values);
void bits_record_write(const struct record *record, FILE *out, const char *key);

/* ---- everything that is compared for one problem ---- */

void bits_run_problem(FILE *out, const struct problem *problem);

#endif
