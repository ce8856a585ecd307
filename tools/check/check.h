/* check.h - what `hardnet check` finds out about a model, and the parts that find it out.
 *
 * The functions looked at are f_0 ... f_{m-1} (the bodies of the m rows), the objective if there is one, then the m lower and
 * the m upper bounds. All are evaluated at a few points side by side, one lane each; point 0 is the start point. Everything
 * allocated lives in one arena, and nothing here prints except check_report.c, check_lists.c,
 * check_layer_report.c and check_pattern.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CHECK_H
#define HN_TOOLS_CHECK_H

#include "base/arena.h"
#include "base/lanes.h"
#include "common/options.h"
#include "common/progress.h"
#include "derivatives/derivatives.h"
#include "program/program.h"

struct check_options {
    struct common_options common;
    struct text_list files;
    bool all, pattern, seeded;
    size_t points, seed;
    const char *x, *json, *picture;
};

/* The largest disagreement between a derivative and differences. */
struct disagreement {
    size_t checked;    /* entries (at each point), or sums of entries */
    size_t not_finite; /* left out: a value or a derivative is not finite */
    size_t kinks;      /* left out: the function has a corner or a jump there */
    double error;      /* relative; the rest describes where */
    size_t point, row, column;
    size_t together; /* columns that were moved together, when it is more than 1 */
    double derivative, difference;
};

/* Per group, at the start point. */
struct group_state {
    size_t equalities, one_sided, two_sided;
    bool bounds; /* the bounds of a family of columns */
    double mean, max;
    size_t worst;      /* row */
    size_t not_finite; /* rows */
};

/* Something that deserves a look. */
struct finding {
    const char *kind; /* a word for programs */
    const char *text; /* a sentence for people, without the names */
    bool warning;
    size_t count, capacity;
    const char **names; /* rows, columns or inputs that it is about */
    struct finding *next;
};

enum difference_class { BY_ROWS, BY_OBJECTIVE, BY_BOUNDS, DIFFERENCE_CLASSES };

struct check {
    const struct check_options *options;
    struct arena arena;
    struct progress progress;
    double begun;
    const hn_model *model;
    struct problem problem;
    size_t inputs, columns, rows;
    size_t functions; /* rows, and one for the objective */
    size_t values;    /* functions and both bounds */

    uint32_t *nodes;           /* of the functions and bounds: values of them */
    struct node_matrix by_y;   /* functions x columns: J, and the gradient as its last row */
    struct node_matrix by_x;   /* values x inputs */
    struct node_matrix second; /* one row: (sum_i v_i Hess f_i) t */
    struct node_matrix hessian;
    struct program *value_program, *first_program, *second_program;
    struct program *hessian_program; /* NULL: the Hessian exceeds --max-nodes */

    size_t points;
    size_t unmet;  /* points whose inputs break a requirement, because no sample met it */
    double *x, *y; /* LANES x inputs, LANES x columns; the first ones are the points */
    double *lower; /* bounds of the columns at the start point */
    double *upper;
    double *value;       /* points x values */
    double *jacobian;    /* points x nonzeros of by_y */
    double *sensitivity; /* points x nonzeros of by_x */
    bool middle;         /* the inputs of the start point are the middle of their box */

    struct group_state *groups;
    double *violation;                /* |r_i| at the start point; NaN when not finite */
    double *definition;               /* values of the defined variables at the start point */
    double *row_norm;                 /* |grad f_i| at the start point */
    size_t smallest_row, largest_row; /* by norm, among those that are not 0; rows when there are none */
    size_t constant_entries;          /* of J */
    struct disagreement y_check[DIFFERENCE_CLASSES], x_check[DIFFERENCE_CLASSES];
    struct disagreement product_check, hessian_check;
    struct correction *correction; /* check_layer.h has these four; NULL: there was no occasion */
    struct conflict *conflict;
    struct rank_report *rank;
    struct theorem_report *theorem;
    struct finding *findings, **findings_end;
    int name_width; /* of the report's first column */
    bool starved;   /* memory was out for a name or a sentence */
};

static const double CHECK_ERROR_GOOD = 1e-6; /* a derivative that agrees better than this is right */
static const double CHECK_RATIO_GOOD = 1e6;  /* row gradients further apart than this are badly scaled */

/* ---- the parts, in the order in which they run; each fills its part of the check ---- */

hn_status check_prepare(struct check *check, hn_error *error);  /* derivatives and programs */
hn_status check_points(struct check *check, hn_error *error);   /* x and y */
hn_status check_evaluate(struct check *check, hn_error *error); /* values, derivatives, groups, scaling */
hn_status check_differences(struct check *check, hn_error *error);
hn_status check_products(struct check *check, hn_error *error);
hn_status check_correct(struct check *check, hn_error *error);  /* the layer, and what it makes of the start */
hn_status check_conflict(struct check *check, hn_error *error); /* what stands in its way */
hn_status check_rank(struct check *check, hn_error *error);     /* at its result */
hn_status check_theorem(struct check *check, hn_error *error);  /* constants of the paper's theorem */
hn_status check_findings(struct check *check, hn_error *error);

void check_report(struct check *check);
void check_print_pattern(struct check *check);
hn_status check_write_picture(struct check *check, const char *path, hn_error *error);
hn_status check_write_json(struct check *check, const char *path, hn_error *error);
void check_release(struct check *check);

/* ---- helpers ---- */

/* A program over this problem: x in phase 0, y in phase 1, everything else in phase 2. */
hn_status check_compile(struct program **out, const struct check *check, const uint32_t *outputs, size_t count,
                        hn_error *error);

/* Nonzeros of J, the rows of by_y without the gradient. */
size_t check_jacobian_count(const struct check *check);
size_t check_gradient_count(const struct check *check);

/* The name of a function or bound, safe to print; that of an entry of x or, after those, of y. */
const char *check_name(struct check *check, size_t value);
const char *check_entry(struct check *check, size_t entry);

/* Whether the row is the bounds of an output, and of which. */
bool check_is_bound(const struct check *check, size_t row, size_t *column);

/* A name with control characters replaced, so that a model cannot play with the terminal. */
const char *check_safe(struct check *check, const char *name);

/* A text in the arena, cut at 300 bytes; "?", and the check is starved, when memory is out. */
__attribute__((format(printf, 2, 3))) const char *check_format(struct check *check, const char *format, ...);

/* In words, the operation in the node's expression that is the first not to be finite at this point; NULL if it cannot be
 * found. */
const char *check_blame(struct check *check, uint32_t node, size_t point);

#endif
