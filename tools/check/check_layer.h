/* check_layer.h - what `hardnet check` finds out by running the layer: whether the start can be corrected, what stands in the way
 * if not, the rank at the result, and the constants of the paper's theorem.
 *
 * Effort is bounded by counting work, not by a clock, so that a report does not depend on the machine. A unit of work is one
 * operator or multiply-add, a nanosecond or so.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CHECK_LAYER_H
#define HN_TOOLS_CHECK_LAYER_H

#include "check/check.h"
#include "check/theorem.h"
#include "hardnet/layer.h"

static const double CHECK_WORK_PER_NODE = 2000; /* of making a layer */

/* ---- the start, corrected by auto ---- */

struct correction {
    const char *why_not; /* no layer could be made; else NULL, and the rest is there */
    hn_layer_options options;
    hn_layer_info info;
    size_t count, ok;     /* starts: one at the inputs of every point, or a single one without inputs */
    hn_report *reports;   /* count */
    double *y, *residual; /* count x columns, count x rows: the results */
    int own_iterations;   /* of the method; options.iterations is smaller where that would take too long */
    size_t failed;        /* the first that is not ok; count when all are */
};

/* ---- groups for which no common point was found: `groups` in ascending order ---- */

struct violated_row {
    size_t row;
    double violation;
};

struct conflict {
    const char *why_not; /* not searched for; else NULL */
    size_t point, count, *groups;
    bool minimal;    /* without any one of them the rest can be corrected */
    bool smallest;   /* and no smaller set of groups was found, though all were looked at */
    size_t solves;   /* relaxed models that were tried */
    size_t violated; /* of these groups alone: rows that stay violated, the worst first */
    struct violated_row *rows;
};

/* ---- rank of the active rows at the result of the first start ---- */

enum { DEPENDENT_NAMED = 8 };

struct dependent {
    size_t row;
    size_t total, count; /* a combination of so many others, of which these are named; 0: its gradient is 0 */
    size_t others[DEPENDENT_NAMED];
};

struct rank_report {
    const char *why_not; /* not computed; else NULL */
    size_t active, rank;
    double largest, smallest; /* estimates of singular values */
    size_t dependents;
    struct dependent *dependent;
};

/* ---- the theorem ---- */

/* V_{k+1} / V_k on the paper's iteration. */
struct measured_rate {
    double eps;
    size_t steps;       /* 0: nothing to measure */
    double mean, worst; /* geometric mean, largest */
};

struct theorem_report {
    const char *why_not; /* not estimated; else NULL */
    size_t points, pairs;
    struct theorem_constants constants;
    size_t mu_point, mu_step; /* where mu was found */
    double eps, k, rate;      /* the eps that maximises k */
    struct measured_rate at_best, at_paper;
};

/* What a step of the layer costs. */
static inline double check_step_work(const hn_layer_info *info) {
    return (double)info->operators + (double)info->multiply_adds + 1;
}

/* A layer over the model, or why there is none: NULL and a sentence, when the reason lies in the model's size or kind. */
hn_status check_make_layer(hn_layer **out, const char **why_not, struct check *check, const hn_layer_options *options,
                           hn_error *error);

/* Runs it on this thread, with a workspace of its own. */
hn_status check_run_layer(const hn_layer *layer, const hn_batch *batch, hn_error *error);

/* The model with the rows of some groups alone (keep[g] != 0), inputs and outputs as they are. */
hn_status relax_model(hn_model **out, const struct check *check, const unsigned char *keep, hn_error *error);

/* "depends on a, b and 2 more" */
const char *rank_describe(struct check *check, const struct dependent *d);

void report_layer(struct check *check);
void report_correction(struct check *check);
void report_rank(struct check *check);
void report_theorem(struct check *check);

struct json;
void check_layer_json(struct json *json, struct check *check);

#endif
