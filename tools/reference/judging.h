/* judging.h - options shared by eval and rollout: the reference, and the output of the comparison.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_JUDGING_H
#define HN_TOOLS_JUDGING_H

#include "common/options.h"
#include "hardnet/base.h"

struct judging {
    const char *reference, *report; /* NULL: not requested */
    size_t starts, seed;
    double seconds; /* at most, of processor time, for one solve; 0: no limit */
    bool allow_infeasible;
    bool starts_given, seconds_given;
};

enum { JUDGING_STARTS = 3, JUDGING_MOST_STARTS = 1000, JUDGING_SEED = 1 };

extern const char *const judging_references[]; /* solvers, NULL after the last */

/* Whether the solver is the layer's method optimal; the solver's name; whether it is available. */
bool judging_is_own(const struct judging *judging);
const char *judging_solver(const struct judging *judging);
hn_status judging_find(const struct judging *judging, hn_error *error);

/* Warns about solver options without a solver. */
void judging_warn(const struct judging *judging);

/* SAMPLE is the word for a sample in the help. */
#define JUDGING_OPTIONS(judging, SAMPLE)                                                                               \
    {.name = "reference",                                                                                              \
     .value = "SOLVER",                                                                                                \
     .help = "compare with this solver: ipopt, or optimal, the layer's own method",                                    \
     .text = &(judging).reference,                                                                                     \
     .words = judging_references},                                                                                     \
        {.name = "starts",                                                                                             \
         .value = "K",                                                                                                 \
         .help = "starting points of the solver for every " SAMPLE,                                                    \
         .shown = true,                                                                                                \
         .count = &(judging).starts,                                                                                   \
         .given = &(judging).starts_given,                                                                             \
         .least = 1,                                                                                                   \
         .most = JUDGING_MOST_STARTS},                                                                                 \
        {.name = "reference-seconds",                                                                                  \
         .value = "S",                                                                                                 \
         .help = "processor time limit of the solver for each start; 0: no limit",                                     \
         .shown = true,                                                                                                \
         .real = &(judging).seconds,                                                                                   \
         .given = &(judging).seconds_given},                                                                           \
        {.name = "seed",                                                                                               \
         .value = "S",                                                                                                 \
         .help = "seed of --samples and of the solver's starting points",                                              \
         .shown = true,                                                                                                \
         .count = &(judging).seed},                                                                                    \
        WRITTEN_FILE("report", "FILE", "write all figures and every " SAMPLE ", as JSON", (judging).report), {         \
        .name = "allow-infeasible", .help = "exit 0 even if a " SAMPLE " is not ok",                                   \
        .flag = &(judging).allow_infeasible                                                                            \
    }

#endif
