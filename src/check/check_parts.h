/* check_parts.h - the state of a model check, and its parts. See hardnet/check.h.
 *
 * The checked functions are f_0 ... f_{m-1} (the bodies of the m rows), the objective if there is one, then the m lower
 * and the m upper bounds. All are evaluated by one evaluator, at CHECK_MOST points side by side (point_table.h); point
 * 0 is the start point. All memory is in one arena.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_PARTS_H
#define HN_CHECK_PARTS_H

#include "base/arena.h"
#include "check/theorem.h"
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

/* A finding while its names are collected. */
struct finding {
    hn_check_finding found;
    size_t capacity;
    struct finding *next;
};

enum difference_class { BY_ROWS, BY_OBJECTIVE, BY_BOUNDS, DIFFERENCE_CLASSES };

struct check {
    hn_check_options options;
    struct arena arena;
    const hn_model *model;
    hn_evaluator *evaluator;
    size_t inputs, columns, rows;
    size_t functions; /* rows, and the objective if there is one */
    size_t values;    /* functions and both bounds */

    struct check_matrix by_y;     /* functions x columns: J, and the gradient as its last row */
    struct check_matrix by_x;     /* values x inputs */
    hn_pattern jacobian, hessian; /* without the gradient; rows is 0 if it was omitted */
    hn_evaluator_info info;

    size_t points;
    size_t unmet;  /* points whose inputs violate a requirement, because no sample satisfied it */
    double *x, *y; /* CHECK_MOST x inputs, CHECK_MOST x columns; the first ones are the points */
    double *lower; /* bounds of the columns at the start point */
    double *upper;
    double *value;       /* points x values */
    double *first;       /* points x nonzeros of by_y */
    double *sensitivity; /* points x nonzeros of by_x */
    bool middle;         /* the inputs of the start point are the midpoint of their box */

    hn_check_group *groups;
    double *violation;                /* |r_i| at the start point; NaN when not finite */
    double *definition;               /* values of the defined variables at the start point */
    double *row_norm;                 /* |grad f_i| at the start point */
    size_t smallest_row, largest_row; /* by norm, among nonzero ones; `rows` if all are 0 */
    size_t constant_entries;          /* of J */
    hn_check_difference y_check[DIFFERENCE_CLASSES], x_check[DIFFERENCE_CLASSES];
    hn_check_difference product_check, hessian_check;
    hn_check_correction *correction;
    hn_check_conflict *conflict;
    hn_check_rank *rank;
    hn_check_theorem *theorem;
    struct finding *findings, **findings_end;
    bool starved; /* out of memory for a name or a sentence */
};

static const double CHECK_ERROR_GOOD = 1e-6; /* a derivative with a smaller error is correct */
static const double CHECK_RATIO_GOOD = 1e6;  /* larger ratios of row gradients mean bad scaling */

/* ---- the parts, in the order in which they run; each sets its fields of the check ---- */

hn_status check_prepare(struct check *check, hn_error *error);  /* evaluator and patterns */
hn_status check_points(struct check *check, hn_error *error);   /* x and y */
hn_status check_evaluate(struct check *check, hn_error *error); /* values, derivatives, groups, scaling */
hn_status check_differences(struct check *check, hn_error *error);
hn_status check_products(struct check *check, hn_error *error);
hn_status check_correct(struct check *check, hn_error *error);  /* the layer, and its result for the start */
hn_status check_conflict(struct check *check, hn_error *error); /* a conflicting set of groups */
hn_status check_rank(struct check *check, hn_error *error);     /* at the result */
hn_status check_theorem(struct check *check, hn_error *error);  /* constants of the paper's theorem */
hn_status check_findings(struct check *check, hn_error *error);

/* ---- helpers ---- */

/* Reports the start of a stage to the caller. */
void check_stage(const struct check *check, const char *stage);

/* Nonzeros of J, the rows of by_y without the gradient. */
size_t check_jacobian_count(const struct check *check);

/* The name of a function or bound; that of an entry of x or, after those, of y. */
const char *check_name(struct check *check, size_t value);
const char *check_entry(struct check *check, size_t entry);

/* Whether the row is the bounds of an output, and of which one. */
bool check_is_bound(const struct check *check, size_t row, size_t *column);

/* Whether both bounds of the row are the same expression. */
bool check_is_equality(const struct check *check, size_t row);

/* A formatted string in the arena, cut at 300 bytes; when out of memory "?", and sets `starved`. */
__attribute__((format(printf, 2, 3))) const char *check_format(struct check *check, const char *format, ...);

/* Describes the first operation in a function or bound that is not finite at this point; NULL if none is found. */
const char *check_blame(struct check *check, size_t value, size_t point);

/* ---- layers. A unit of work is one operator or multiply-add, about a nanosecond ---- */

static const double CHECK_WORK_PER_NODE = 2000; /* of creating a layer */

/* The cost of a step of the layer. */
static inline double check_step_work(const hn_layer_info *info) {
    return (double)info->operators + (double)info->multiply_adds + 1;
}

/* Creates a layer over the model; if the model's size or kind prevents that, returns NULL and the reason. */
hn_status check_make_layer(hn_layer **out, const char **why_not, struct check *check, const hn_layer_options *options,
                           hn_error *error);

/* Runs it on this thread, with a new workspace. */
hn_status check_run_layer(const hn_layer *layer, const hn_batch *batch, hn_error *error);

/* The model with the rows of some groups only (keep[g] != 0) and all inputs and outputs. */
hn_status relax_model(hn_model **out, const struct check *check, const unsigned char *keep, hn_error *error);

#endif
