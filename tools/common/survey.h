/* survey.h - what a model is like over the range of its inputs, before anything is trained on it.
 *
 * In go a finished model and a number of inputs to sample (or rows of x). Out come the share of them for which a
 * feasible output is found from the start values, what that costs, where in the box it fails, the share with several
 * optima, and the scale of the outputs. It takes a few seconds at most, counted in operations: what is not decided by
 * then is counted as such. Nothing in it decides a result.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_SURVEY_H
#define HN_TOOLS_SURVEY_H

#include "common/json_writer.h"
#include "hardnet/layer.h"

enum { SURVEY_SAMPLES = 200, SURVEY_MOST = 1000000, SURVEY_CONDITIONS = 2 };

struct survey_options {
    size_t count;    /* inputs to look at */
    const double *x; /* NULL: sampled from the box; else rows of x ... */
    size_t rows;     /* ... and how many; the first ones are taken */
    size_t seed;
    int threads;
    double work; /* operations at most: of the corrections, and of the search for optima */
    const int *cancel;
};

/* One side of one input. */
struct survey_condition {
    size_t input;
    bool above; /* x >= at, else x <= at */
    double at;
};

struct survey {
    size_t inputs, outputs;
    size_t count, ok,
        undecided; /* inputs; with a feasible output; never begun: the others took all the work there is */
    double median_steps, most_steps;
    double seconds; /* per input, on all threads */
    size_t optimised,
        several;    /* inputs with certified optima from at least two starts; and those with different ones */
    bool too_large; /* optima were not looked for: a few inputs alone would take too long */
    double least_scale, most_scale;   /* mean |y| of an output over the inputs ... */
    size_t least_output, most_output; /* ... and which ones these are; NaN without an ok input */
    size_t conditions;                /* that an input meets where it fails most; 0: no such place */
    struct survey_condition condition[SURVEY_CONDITIONS];
    size_t inside, inside_bad; /* inputs that meet them, and those of them that fail */
    size_t slow_group;         /* that stays violated for long where corrections are slow; SIZE_MAX: none */
};

struct survey_options survey_defaults(void);

hn_status survey_run(struct survey *survey, const hn_model *model, const struct survey_options *options,
                     hn_error *error);

/* Inputs that were decided, and the share of them without a feasible output. */
size_t survey_decided(const struct survey *survey);
double survey_bad_share(const struct survey *survey);

struct survey_words {
    char text[800];
};

/* How many inputs have no feasible output, and where they are. */
struct survey_words survey_sentence(const struct survey *survey, const hn_model *model);

/* That as a warning where the share is 2 % or more; lines of a report; and an object of JSON. */
void survey_warn(const struct survey *survey, const hn_model *model);
void survey_print(const struct survey *survey, const hn_model *model, int width);
void survey_write(struct json *json, const struct survey *survey, const hn_model *model);

/* ---- corrections that take many steps: survey_slow.c ---- */

/* So many steps, in the median. */
bool survey_is_slow(double steps);

/* The group that stays violated, into the survey. x: rows. */
hn_status survey_find_slow(struct survey *survey, const hn_model *model, const double *x, hn_error *error);

/* What may be to blame: rows, units, norms. */
struct survey_words survey_slow_sentence(const struct survey *survey, const hn_model *model);

/* ---- the place: survey_region.c ---- */

/* Splits the inputs by one of them, and the worse side once more, so that the inputs that fail are told from the others
 * best. x: rows. */
void survey_find_place(struct survey *survey, const double *x, const hn_report *reports);

#endif
