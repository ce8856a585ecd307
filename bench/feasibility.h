/* feasibility.h - the parts of the feasibility benchmark.
 *
 * feasibility.c runs folders of models, feasibility_suite.c the published comparisons; feasibility_models.c finds, reads and samples
 * models, feasibility_contest.c lets every contender correct the same samples and judges what comes out, feasibility_table.c prints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_FEASIBILITY_H
#define HN_BENCH_FEASIBILITY_H

#include "hardnet/layer.h"

#include <stdio.h>

enum contender {
    PAPER,    /* every row, eps 0.3, 500 steps */
    SNARENET, /* every row, eps 0.01, 100 steps */
    LM,
    AUTO,
    IPOPT, /* min |y - start|^2 / 2 under the constraints */
    CONTENDERS
};

extern const char *const contender_names[CONTENDERS];

enum { FOUND_FALSE = 3 }; /* exit status: a layer reported ok and was not */

/* What the command line asks for. */
struct wishes {
    size_t starts; /* 0: one, and INSTANCES of a model with inputs */
    uint64_t seed;
    double seconds;   /* for one sample; then it is given up */
    double tolerance; /* on max |r| */
    bool relax_integrality;
    bool layers_alone;    /* no IPOPT */
    const char *json;     /* NULL: none */
    const char *failures; /* a folder for the samples on which auto is not ok; NULL: none */
};

/* ---- models and samples (feasibility_models.c) ---- */

struct paths {
    char **items;
    size_t count, capacity;
};

/* Adds a file, or every .mod in a folder and those below it, in order of their names; false: it cannot be read. */
bool paths_add(struct paths *paths, const char *path);
void paths_release(struct paths *paths);

/* Reads FILE.mod, and FILE.dat where that exists and FILE.mod does not name it itself. */
hn_status read_model(hn_model **out, const char *path, const struct wishes *wishes, hn_error *error);

enum start {
    START_OWN,    /* the model's start values */
    START_RANDOM, /* uniform between the bounds of each output; where one is missing normal around the start value */
};

/* Rows of x and of starts, side by side. */
struct samples {
    size_t count, inputs, outputs;
    double *x, *y;
};

hn_status samples_create(struct samples *samples, const hn_model *model, size_t count, hn_error *error);
void samples_release(struct samples *samples);

/* Draws sample number k, the same whatever was drawn before. */
hn_status samples_draw(struct samples *samples, const hn_model *model, size_t k, enum start start, uint64_t seed,
                       hn_error *error);

/* ---- the contest (feasibility_contest.c) ---- */

/* What a contender made of one sample. The violation is what plain evaluation finds at its y: no code of the layer. */
struct attempt {
    const char *status;
    bool says_ok;
    int steps;
    double violation, moved, seconds;
};

struct contest {
    const hn_model *model;
    const struct samples *samples;
    const struct wishes *wishes;
    bool together;                        /* all samples in one call; else each alone, the better time of a few */
    struct attempt *attempts[CONTENDERS]; /* one per sample; NULL: the contender could not take part */
    hn_error errors[CONTENDERS];          /* why not */
};

void contest_run(struct contest *contest);
void contest_release(struct contest *contest);

/* Writes the samples on which auto is not ok to .npy files in the folder of the wishes, and prints how to run them again. */
void contest_save_failures(const struct contest *contest, const char *path);

bool attempt_is_ok(const struct attempt *attempt, double tolerance);       /* it says so and it is so */
bool attempt_is_false_ok(const struct attempt *attempt, double tolerance); /* it says so and it is not */

/* ---- tables (feasibility_table.c) ---- */

/* All attempts of a contender so far. */
struct score {
    size_t models, samples, ok, false_ok;
    size_t alone; /* ok where auto is not */
    double seconds;
    double *steps; /* of those that are ok */
    size_t capacity;
};

void scores_add(struct score scores[CONTENDERS], const struct contest *contest);
void scores_print(const struct score scores[CONTENDERS], size_t read, size_t models);
void scores_release(struct score scores[CONTENDERS]);

void table_head(void);
void table_line(const char *path, const struct contest *contest);

/* The middle of the numbers, which are sorted by this; NaN when there are none. */
double median(double *numbers, size_t count);

/* ---- the published comparisons (feasibility_suite.c) ---- */

/* PAL S1 to S6, the warp and FSNet's problems from this folder; the exit status: 0, FOUND_FALSE, or 1 when one cannot be run. */
int suite_run(const char *folder, const struct wishes *wishes);

/* ---- common ---- */

/* Zeros, and never NULL: without memory the program ends. */
void *reserve(size_t count, size_t size);

/* The list from array_grow with room for this many; released with base_release. */
void *reserve_more(void *list, size_t *capacity, size_t needed, size_t size);

#endif
