/* prospects.h - estimates the gain of one more refinement step and of more candidates, in one line.
 *
 * Input: inputs and a policy's outputs, of which the first PROSPECTS_MOST ok ones are used. They are run again with one
 * more refinement step, and solved by the method optimal from the outputs and from other starts. The gain of the
 * optimum near the outputs is attributed to refinement, the further gain of another optimum to candidates. Gains are
 * relative to the mean |f|.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_PROSPECTS_H
#define HN_TOOLS_PROSPECTS_H

#include "hardnet/policy.h"

#include <stdio.h>

enum { PROSPECTS_MOST = 100, PROSPECTS_STARTS = 4 };

struct prospects {
    size_t count;                      /* inputs that were looked at; 0: nothing to say */
    size_t solutions;                  /* those of them that were solved: fewer, or none, where that takes long */
    int refine;                        /* the steps that were tried: one more than now */
    double refined_mean, refined_most; /* by how much they lower the objective */
    double other_mean;                 /* by how much the best other optimum is lower */
    size_t others;                     /* inputs where it is more than 1 % of |f| lower */
};

/* Rows of x and y; objectives as minimised. */
struct prospects_task {
    const hn_model *model;
    const hn_network *network;
    hn_policy_options options; /* of the policy; what runs here runs on the CPU */
    size_t count;
    const double *x, *y, *objective;
    const hn_report *reports;
};

hn_status prospects_find(struct prospects *out, const struct prospects_task *task, hn_error *error);

/* One line without its end: "--refine 1 would lower cost by 0.2 % in the mean, 1 % at most; more candidates ..." */
void prospects_print(FILE *stream, const struct prospects *prospects, const hn_model *model);

#endif
