/* reference.h - solves a model with IPOPT, with the exact Jacobian and Hessian of the Lagrangian.
 *
 * In come a finished model, inputs x and a start; out go y, IPOPT's status in words, and what plain evaluation says
 * about y. A reference is built once per model and solves many times. Rows whose body is a bare output become bounds of
 * the variable; fixed outputs hold. A Hessian beyond the model's limit of nodes is left to IPOPT's approximation
 * (limited memory). It never prints and touches no file unless a log is asked for.
 *
 * The build takes reference_ipopt.c, or reference_none.c where IPOPT was not found: then every call fails with
 * HN_UNSUPPORTED and says so, as it does where IPOPT cannot be loaded when it is needed (reference_load.h).
 *
 * Threads: one reference per thread. Debian's MUMPS, behind IPOPT, keeps data that all threads share; calls of
 * reference_solve therefore wait for each other. Take processes where several are to work at once.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_REFERENCE_H
#define HN_TOOLS_REFERENCE_H

#include "hardnet/model.h"

enum reference_goal {
    REFERENCE_OBJECTIVE, /* the model's own; a model without one is solved for any feasible point */
    REFERENCE_FEASIBLE,  /* the constant 0: any feasible point */
    REFERENCE_NEAREST,   /* |y - start|^2 / 2 */
};

struct reference_options {
    enum reference_goal goal;
    double tolerance; /* of the optimality conditions, and on max |r| in the units of the rows */
    int iterations;   /* at most */
    double seconds;   /* at most, of processor time; 0: no limit */
    bool derivatives; /* let IPOPT compare the derivatives with differences at the start; the result is in the log */
    const char *log;  /* IPOPT's log file; NULL: none. The text must outlive the reference */
};

struct reference_result {
    const char *status; /* "solved", "infeasible", ...: a word that lives forever */
    bool solved;        /* by IPOPT's status: optimal, acceptable, or a feasible point of a square system */
    bool late;          /* it was cut at the limit of seconds */
    double objective;   /* of the model at y, with the model's sign; NaN if missing */
    double violation;   /* max |r| at y by plain evaluation; infinite where something is NaN */
    int iterations;
    double seconds; /* of the solve itself, on the wall */
};

struct reference;

/* The model's objective, tolerance 1e-8, 3000 iterations, no limit in time, no log. */
struct reference_options reference_defaults(void);

/* "IPOPT 3.11.9"; NULL when it was not found when this was built. */
const char *reference_name(void);

/* HN_OK if IPOPT can be loaded. reference_create checks, too; this allows an early error. */
hn_status reference_find(hn_error *error);

/* The model must outlive the reference; NULL options are the defaults. */
hn_status reference_create(struct reference **out, const hn_model *model, const struct reference_options *options,
                           hn_error *error);
void reference_destroy(struct reference *reference);

/* x may be NULL when the model has no inputs; start NULL: the model's start values. y (outputs) may be start itself.
 * What IPOPT could not solve is a status in the result, not an error. */
hn_status reference_solve(struct reference *reference, const hn_real *x, const hn_real *start, hn_real *y,
                          struct reference_result *result, hn_error *error);

#endif
