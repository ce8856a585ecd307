/* runner.h - a program, a backend and a set of slots: numbers in by leaf, numbers out by output, LANES samples at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_RUNNER_H
#define HN_TOOLS_RUNNER_H

#include "backends/backend.h"

struct runner {
    const struct program *program;
    struct backend backend;
    double *slots;
    void *block;
};

hn_status runner_create(struct runner *runner, const struct program *program, hn_error *error);
void runner_release(struct runner *runner);

/* The LANES numbers of a leaf or of a result. */
double *runner_leaf(const struct runner *runner, enum space space, size_t index);
const double *runner_output(const struct runner *runner, size_t output);

/* The same row of leaves in all lanes, or in one. */
void runner_fill(const struct runner *runner, enum space space, const double *values);
void runner_fill_lane(const struct runner *runner, enum space space, const double *values, size_t lane);

/* Runs the phases from this one on. */
void runner_run(const struct runner *runner, int first_phase);

#endif
