/* check_parts.h - the state of a model check, and its parts. See hardnet/check.h.
 *
 * The checked functions are f_0 ... f_{m-1} (the bodies of the m rows), the objective if there is one, then the m lower
 * and the m upper bounds. All are evaluated by one evaluator, at CHECK_MOST points side by side (point_table.h); point
 * 0 is the start point. All memory is in one arena. The first failure sets the status; no part runs after it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_PARTS_H
#define HN_CHECK_PARTS_H

#include "base/arena.h"
#include "evaluate/evaluate_parts.h"
#include "hardnet/check.h"

enum { CHECK_MOST = HN_CHECK_POINTS };

/* A sparse matrix by rows; constant: the value of an entry if it is constant, else NaN. */
struct check_matrix {
    size_t rows, columns, count;
    size_t *first; /* rows + 1 */
    uint32_t *column;
    double *constant;
};

struct check {
    hn_check found; /* the result; x and y have CHECK_MOST points */
    hn_check_options options;
    struct arena arena;
    hn_status status;
    hn_error *error;
    const hn_model *model;
    hn_evaluator *evaluator;
    size_t inputs, columns, rows, points;
    size_t functions; /* rows, and the objective if there is one */
    size_t values;    /* functions and both bounds */

    struct check_matrix by_y; /* functions x columns: J, and the gradient as its last row */
    struct check_matrix by_x; /* values x inputs */
    hn_pattern hessian;       /* rows is 0 if it was omitted */

    double *value;       /* points x values */
    double *first;       /* points x nonzeros of by_y */
    double *sensitivity; /* points x nonzeros of by_x */
};

static const double CHECK_ERROR_GOOD = 1e-6; /* a derivative with a smaller error is correct */
static const double CHECK_RATIO_GOOD = 1e6;  /* larger ratios of row gradients mean bad scaling */

/* ---- the parts, in the order in which they run; each sets its fields of the check ---- */

void check_points(struct check *check);   /* x and y */
void check_evaluate(struct check *check); /* values, derivatives, groups, scaling */
void check_differences(struct check *check);
void check_products(struct check *check);
void check_correct(struct check *check);  /* the layer, and its result for the start */
void check_conflict(struct check *check); /* a conflicting set of groups */
void check_rank(struct check *check);     /* at the result */
void check_theorem(struct check *check);  /* constants of the paper's theorem */
void check_findings(struct check *check);

/* ---- helpers ---- */

/* Zeroed memory for count elements and one more; NULL when out of memory. */
void *check_take(struct check *check, size_t count, size_t size);

/* Sets the status to HN_NO_MEMORY. */
void check_starve(struct check *check);

/* Reports the start of a stage to the caller. */
void check_stage(const struct check *check, const char *stage);

/* The name of a function or bound. */
const char *check_name(struct check *check, size_t value);

/* Whether the row is the bounds of an output, and of which one. */
bool check_is_bound(const struct check *check, size_t row, size_t *column);

/* Whether both bounds of the row are the same expression. */
bool check_is_equality(const struct check *check, size_t row);

/* A formatted string in the arena, cut at 300 bytes; "?" when out of memory. */
__attribute__((format(printf, 2, 3))) const char *check_format(struct check *check, const char *format, ...);

/* ---- layers. A unit of work is one operator or multiply-add, about a nanosecond ---- */

static const double CHECK_WORK_PER_NODE = 2000; /* of creating a layer */

/* The cost of a step of the layer. */
static inline double check_step_work(const hn_layer_info *info) {
    return (double)info->operators + (double)info->multiply_adds + 1;
}

/* Creates a layer over the model; if the model's size or kind prevents that, returns NULL and the reason. */
hn_layer *check_make_layer(struct check *check, const hn_layer_options *options, const char **why_not);

/* Runs it on this thread, with a new workspace. */
hn_status check_run_layer(const hn_layer *layer, const hn_batch *batch, hn_error *error);

#endif
