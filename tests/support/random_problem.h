/* random_problem.h - random models built through the public API, with points to start from: the same seed, the same
 * problem.
 *
 * Bodies are affine, quadratic, products, and sin, exp, log, sqrt, tanh and quotients of outputs and inputs; rows are
 * equalities, two-sided or one-sided; some outputs have bounds; some bounds depend on x. A problem that is feasible is
 * so by construction: a point is drawn first, and every bound is laid around the body's value there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_RANDOM_PROBLEM_H
#define HN_TESTS_SUPPORT_RANDOM_PROBLEM_H

#include "hardnet/model.h"

enum problem_kind {
    PROBLEM_FEASIBLE,
    PROBLEM_INFEASIBLE, /* two parallel rows that contradict, disjoint balls, y^2 <= -1, exp <= -1/2, sin = 2 */
    PROBLEM_DEGENERATE, /* feasible; rows twice, multiples of one row, rows of zeros, more rows than outputs */
    PROBLEM_SCALED,     /* feasible; rows times 10^-150 .. 10^150, outputs in other units */
    PROBLEM_KINDS
};

struct random_problem_options {
    enum problem_kind kind;
    size_t outputs, rows;   /* rows without those of bounds of outputs; 0: at random, up to 12 and 20 */
    bool interior;          /* inequalities hold with room at the solution */
    bool objective;         /* smooth, bounded below, not convex, with inputs in it; to be minimised */
    bool bounds_are_inputs; /* each bound is an entry of x, both sides of an equality the same; outputs have none */
};

/* The problem's own numbers; those of the infeasible kind have no solution. */
struct random_problem {
    hn_model *model;
    size_t inputs, outputs, rows;
    double *x;                         /* inputs */
    double *solution;                  /* outputs: meets every row at x, up to rounding */
    double *raw;                       /* outputs: somewhere else */
    size_t *lower_input, *upper_input; /* rows, when bounds are inputs; SIZE_MAX: none */
};

void random_problem_create(struct random_problem *out, struct random_problem_options options, uint64_t seed,
                           uint64_t stream);
void random_problem_release(struct random_problem *problem);

/* max |r| at (x, y) by plain evaluation of the rows, and whose it is (may be NULL); infinite when a value is NaN. With
 * relative each |r| is divided by max(1, |its bound|). */
double judged_violation(const hn_model *model, const double *x, const double *y, bool relative, size_t *row);

/* r of every row at (x, y) by plain evaluation: c - bu above, c - bl below, 0 between; a NaN lies above and below. */
void judged_residual(const hn_model *model, const double *x, const double *y, double *r);

#endif
