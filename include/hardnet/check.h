/* hardnet/check.h - diagnoses a model before it is used; the results of `hardnet check` as data.
 *
 * Unstable: a minor version may change this header.
 *
 * A few points are chosen: the start (the model's start values, inputs at the midpoint of their box) and others, with
 * inputs sampled from the box. At these points the rows are evaluated and every derivative is compared with a finite
 * difference. The start is corrected by the layer. If that fails, a set of groups that seem to have no common feasible
 * point is searched. At the end of the correction the rank of the active rows is computed, and along the paper's
 * iteration the constants of its theorem are estimated. Findings list probable problems. Effort is limited by counted
 * operations, not by time: the same model and options give the same result on every machine.
 *
 *     hn_check *check;
 *     hn_model_check(&check, model, NULL, &error);
 *     for (size_t i = 0; i < check->findings; i++) puts(check->finding[i].text);
 *     hn_check_destroy(check);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_CHECK_H
#define HARDNET_CHECK_H

#include "hardnet/evaluate.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_CHECK_POINTS = 8, HN_CHECK_DEPENDENT_NAMED = 8 };

/* Start from hn_check_defaults(). */
typedef struct hn_check_options {
    size_t size;          /* sizeof(hn_check_options) */
    size_t points;        /* 1 to HN_CHECK_POINTS; 4 by default */
    uint64_t seed;        /* for sampling; 1 by default */
    bool sample_start;    /* sample the inputs of the start point too */
    const hn_real *x;     /* x_rows x inputs, or NULL: inputs of the points, the start first; the rest are sampled */
    size_t x_rows;        /* rows beyond HN_CHECK_POINTS are ignored */
    int threads;          /* 0: one per core */
    size_t hessian_nodes; /* limit on the nodes of the Hessian; beyond it only products with it are checked. 0: in
                           * proportion to the model */
    void (*progress)(void *context, const char *stage, size_t done, size_t total); /* or NULL. total 0: a stage begins;
                                                                                    * else `done` of `total` are
                                                                                    * completed */
    void *progress_context;
} hn_check_options;

/* ---- the parts of a result. Points are numbered from 0, the start; rows, outputs and groups as in the model. A part
 * with a reason in why_not was skipped. Strings and lists belong to the result ---- */

/* At the start point. */
typedef struct hn_check_group {
    size_t equalities, one_sided, two_sided; /* rows */
    bool output_bounds;                      /* the bounds of a family of outputs */
    hn_real mean, max;                       /* |r| of the rows with finite values */
    size_t worst, not_finite;                /* row; rows */
} hn_check_group;

/* Derivatives that are compared with finite differences. */
typedef enum hn_check_derivative {
    HN_CHECK_JACOBIAN_Y,
    HN_CHECK_GRADIENT_Y,
    HN_CHECK_JACOBIAN_X,
    HN_CHECK_BOUNDS_X,
    HN_CHECK_GRADIENT_X,
    HN_CHECK_HESSIAN_PRODUCT,
    HN_CHECK_HESSIAN,
    HN_CHECK_DERIVATIVES
} hn_check_derivative;

/* The largest error. */
typedef struct hn_check_difference {
    size_t checked;    /* entries (at each point), or sums of entries */
    size_t not_finite; /* skipped: a value or a derivative is not finite */
    size_t kinks;      /* skipped: the function has a corner or a jump there */
    hn_real error;     /* relative; correct below 1e-6. The other fields are its position */
    size_t point, row; /* row: of the model, then the objective if there is one, then the lower and the upper bounds */
    size_t column;     /* input or output */
    size_t together;   /* columns perturbed together, if more than 1 */
    hn_real derivative, difference;
} hn_check_difference;

/* The start, corrected by auto, at the inputs of every point. */
typedef struct hn_check_correction {
    const char *why_not;
    hn_layer_options options;
    hn_layer_info info;
    size_t count, ok;      /* starts: one for every point, or a single one without inputs */
    hn_report *reports;    /* count */
    hn_real *y, *residual; /* count x outputs, count x rows */
    int own_iterations;    /* default of the method; options.iterations is smaller if that would take too long */
    size_t failed;         /* the first that is not ok; count if all are ok */
} hn_check_correction;

typedef struct hn_check_violated {
    size_t row;
    hn_real violation;
} hn_check_violated;

/* Groups for which no common feasible point was found, which is not a proof of infeasibility. */
typedef struct hn_check_conflict {
    const char *why_not;
    size_t point, count, *groups;
    bool minimal;    /* without any one of them the rest can be corrected */
    bool smallest;   /* all smaller sets of groups were examined; none is in conflict */
    size_t solves;   /* relaxed models that were tried */
    size_t violated; /* rows of these groups that remain violated, the worst first */
    hn_check_violated *rows;
} hn_check_conflict;

typedef struct hn_check_dependent {
    size_t row;
    size_t total, count; /* a linear combination of so many other rows, of which these are named; 0: the gradient is
                          * 0 */
    size_t others[HN_CHECK_DEPENDENT_NAMED];
} hn_check_dependent;

/* Of the active rows at the result of the first start. */
typedef struct hn_check_rank {
    const char *why_not;
    size_t active, rank;
    hn_real largest, smallest; /* estimates of singular values */
    size_t dependents;
    hn_check_dependent *dependent;
} hn_check_rank;

/* V_{k+1} / V_k along the paper's iteration. */
typedef struct hn_check_rate {
    hn_real eps;
    size_t steps;        /* 0: nothing to measure */
    hn_real mean, worst; /* geometric mean, largest */
} hn_check_rate;

/* The paper's theorem (docs/method.md): L and G are lower bounds, mu is an upper bound. */
typedef struct hn_check_theorem {
    const char *why_not;
    size_t points, pairs; /* iterates and pairs of points that were evaluated */
    hn_real L, mu, G;
    size_t mu_point, mu_step; /* position of the minimum */
    hn_real eps, k, rate;     /* the eps that maximises k, and the factor for V per step that the theorem guarantees */
    hn_real paper_rate;       /* the factor at the paper's eps; 1: no decrease */
    hn_check_rate at_best, at_paper;
} hn_check_theorem;

typedef struct hn_check_finding {
    hn_severity severity;  /* HN_SEVERITY_NOTE or HN_SEVERITY_WARNING */
    const char *kind;      /* an identifier for programs */
    const char *text;      /* a sentence for people, without the subjects */
    size_t count;          /* at least 1 */
    const char **subjects; /* affected rows, outputs, inputs or groups, with remarks in parentheses */
} hn_check_finding;

/* ---- the result: read-only, for one thread at a time. The model must outlive it ---- */

typedef struct hn_check {
    size_t inputs, outputs, rows;
    size_t points, unmet; /* points whose inputs violate a requirement, because no sample satisfied it */
    bool middle;          /* the inputs of the start point are the midpoint of their box */
    hn_real *x, *y;       /* points x inputs, points x outputs */
    /* at the start point */
    hn_real *lower, *upper;                     /* outputs: their bounds */
    hn_real objective;                          /* minimised; NaN without an objective */
    hn_real *row_value, *row_lower, *row_upper; /* rows */
    hn_real *violation, *row_norm;              /* rows: |r_i|, NaN if not finite; |grad c_i| with respect to y */
    size_t smallest_row, largest_row;           /* by norm, among nonzero ones; `rows` if all are 0 */
    hn_real *definition;                        /* the model's definitions */
    hn_check_group *group;                      /* the model's groups */
    /* derivatives */
    hn_pattern jacobian; /* dc/dy */
    size_t jacobian_constant, jacobian_x_nonzeros, bounds_x_nonzeros, gradient_nonzeros, hessian_nonzeros;
    bool hessian_left_out;
    size_t value_instructions, first_instructions, hessian_instructions;
    hn_check_difference difference[HN_CHECK_DERIVATIVES];
    /* NULL if not applicable */
    hn_check_correction *correction;
    hn_check_conflict *conflict;
    hn_check_rank *rank;
    hn_check_theorem *theorem;
    size_t findings;
    hn_check_finding *finding;
} hn_check;

hn_status hn_check_get_defaults(hn_check_options *out, hn_error *error);
static inline hn_check_options hn_check_defaults(void) {
    hn_check_options options;
    options.size = sizeof options;
    hn_check_get_defaults(&options, NULL);
    return options;
}

hn_status hn_model_check(hn_check **out, const hn_model *model, const hn_check_options *options, hn_error *error);
void hn_check_destroy(hn_check *check);

#ifdef __cplusplus
}
#endif

#endif
