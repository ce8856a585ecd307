/* stored_bits_problems.h - small problems of every kind: shapes of systems, random rows, models that creep, have no solution or are
 * undefined in places.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_CONFORMANCE_STORED_BITS_PROBLEMS_H
#define HN_TESTS_CONFORMANCE_STORED_BITS_PROBLEMS_H

#include "hardnet/model.h"

enum { STORED_PROBLEMS = 59 };

struct stored_problem {
    char name[64];
    hn_model *model;
    double *x;   /* inputs where there is a solution, or NULL */
    double size; /* of raw outputs, about */
};

void stored_problem_create(struct stored_problem *out, size_t number);
void stored_problem_release(struct stored_problem *problem);

#endif
