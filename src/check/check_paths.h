/* check_paths.h - the paper's iteration from several points: the iterates, and V along them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_PATHS_H
#define HN_CHECK_PATHS_H

#include "check/check_parts.h"
#include "check/check_probe.h"

enum { PATH_STEPS = 100 };

/* CHECK_MOST paths, from the check's points and the additional ones. */
struct paths {
    struct check *check;
    double *iterate;            /* (PATH_STEPS + 1) x CHECK_MOST x columns */
    int length[CHECK_MOST];     /* iterates of each path: fewer if an evaluation was not finite */
    double *energy, *violation; /* (PATH_STEPS + 1) x CHECK_MOST: V and max |r|, set by visits */
};

hn_status paths_create(struct paths *paths, struct check *check, hn_error *error);

/* Computes all iterates at a damping; why_not is set if no layer can be created. */
hn_status paths_run(struct paths *paths, double eps, const char **why_not, hn_error *error);

const double *paths_iterate(const struct paths *paths, int step, size_t path);

/* Places the probe on the iterates of a step, one sample per path (the last iterate of a shorter path), and stores
 * V. */
void paths_visit(const struct paths *paths, struct probe *probe, int step);

/* The rate at which V decreased, over all steps of all visited paths. */
hn_check_rate paths_rate(const struct paths *paths, double eps);

#endif
