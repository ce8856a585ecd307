/* nearest_layout.h - data of the search for the nearest point: lists and offsets of its numbers, on a CPU and on a device.
 *
 * Offsets (uint32_t) count doubles; a slot is `stride` of them, one per sample of a group.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_NEAREST_LAYOUT_H
#define HN_CORE_NEAREST_LAYOUT_H

#include "autodiff/program_layout.h"
#include "base/arena_memory.h"
#include "base/real.h"
#include "linalg/signed_factor.h"

struct program;

/* ---- the plan: nearest_plan.h ---- */

/* Vectors over rows, in units of the row: c, bounds and J times ROW_UNIT. Some belong to the step and, with a 2, to the second-order
 * correction. */
enum {
    ROW_SLACK_LOWER, /* s of c - s = bl; 1 without a bound */
    ROW_SLACK_UPPER, /* s of c + s = bu */
    ROW_FORCE_LOWER, /* z; 0 without a bound */
    ROW_FORCE_UPPER,
    ROW_MULTIPLIER, /* l: z_lower - z_upper; any sign on an equality */
    ROW_UNIT,       /* scale of the row: a power of two, the inverse of its gradient's size at the start */
    ROW_NORM,       /* norm of the row's gradient there, in these units; 1 if it is 0 */
    ROW_GAP_LOWER,  /* c - bl - s, the equality's c - b */
    ROW_GAP_UPPER,  /* bu - c - s */
    ROW_GAP_LOWER2, /* right-hand side of the second-order correction */
    ROW_GAP_UPPER2,
    ROW_ALONG, /* change along the step */
    ROW_ALONG2,
    ROW_SIDE,   /* while polishing: 1 at the lower bound, -1 at the upper one, 0 if inactive, */
    ROW_POLISH, /* and the multiplier */
    ROW_KEPT,   /* the best multipliers so far */
    ROW_KIND,   /* its bounds: KIND_* */
    ROW_START,  /* violation at the start of the search, in the user's units */
    ROW_HELD,   /* factor on the row's damping: 1, or more for dependent rows */
    ROW_VECTORS
};

/* Values of ROW_KIND: bit 0 for a lower bound, bit 1 for an upper one; both of an equality are one. */
enum { KIND_EQUALITY = 4 };

/* Vectors over outputs. */
enum {
    COLUMN_RAW,
    COLUMN_START, /* start of the search */
    COLUMN_Y,     /* the iterate */
    COLUMN_SLOPE, /* S^2 (y - y_raw) */
    COLUMN_REST,  /* slope - J' l */
    COLUMN_KEPT,  /* the y with the smallest residual so far */
    COLUMN_BEST,  /* goal optimal: the feasible y with the lowest f so far, */
    COLUMN_RAY,   /* and the step that led there */
    COLUMN_VECTORS
};

/* Vectors over unknowns: outputs, then rows. */
enum { UNKNOWN_DIAGONAL, UNKNOWN_RIGHT, UNKNOWN_REST, UNKNOWN_STEP, UNKNOWN_STEP2, UNKNOWN_VECTORS };

/* Numbers of a sample. */
enum {
    NUMBER_UNIT,      /* scale of the objective: a power of two; 1 for a distance */
    NUMBER_CURVATURE, /* unit of curvature of the scaled objective */
    NUMBER_COST,      /* the scaled objective at the iterate */
    NUMBERS
};

struct nearest_plan {
    uint32_t stride;
    bool optimal;     /* the objective is the model's, f; else the distance */
    bool relative;    /* as in hn_layer_options, */
    double tolerance; /* likewise */
    size_t inputs, outputs, rows, entries, curvatures;
    size_t own_outputs, own_rows; /* of the model; the others come from split kinks (autodiff/split.h) */
    size_t kinks;
    struct program *program;
    struct signed_system system;
    struct arena arena;
    uint32_t x, y, sigma, lambda;    /* offsets of leaves */
    uint32_t *value, *lower, *upper; /* offsets, by row */
    size_t *first;                   /* rows + 1: J by rows */
    uint32_t *column, *entry;        /* columns and offsets of J's entries */
    uint32_t *own_value;             /* offsets, by own row: its value without splitting, */
    uint32_t own_cost;               /* and of f likewise */
    uint32_t *lift;                  /* offsets, by additional output: the value of its kink */
    uint32_t *kink;                  /* kinks x 2, offsets: at the kink both numbers are equal */
    uint32_t cost;                   /* offset of f, */
    uint32_t *gradient;              /* and by output of its derivatives; a zero slot if absent */
    uint32_t *curvature;             /* offsets by output of the Hessian's diagonal; a zero slot if absent */
    struct signed_entry *bend;       /* curvatures: all entries of the Hessian, fixed outputs included */
    double *square;                  /* S^2, by output; 0 if the objective is f */
    double largest_square;
    bool *fixed;                               /* fixed outputs */
    uint32_t by_rows, by_columns, by_unknowns; /* first offsets of the vectors above, */
    uint32_t matrix;                           /* and of J in units of its rows, by entries, */
    uint32_t numbers;                          /* and of the numbers of a sample, */
    uint32_t hessian;                          /* and of the Hessian's entries that come from products */
    size_t slots, bytes;                       /* of memory for one thread */
};

/* ---- products with the Hessian: nearest_products.h ---- */

struct product_entry {
    uint32_t row, entry; /* in the result, and in the pattern */
};

struct nearest_products {
    struct program *program; /* NULL: no products */
    uint32_t stride;
    size_t bytes, outputs, rows, inputs;
    uint32_t x, y, sigma, lambda, t; /* offsets of leaves */
    uint32_t *result;                /* offsets, by output; the program's zero slot if absent */
    size_t *first;                   /* outputs + 1: the lower triangle by rows, */
    uint32_t *column;                /* with the diagonal; columns ascending */
    size_t groups;
    size_t *group_first; /* groups + 1: columns of each group */
    uint32_t *member;    /* columns */
    size_t *entry_first; /* groups + 1: their entries */
    struct product_entry *entries;
    bool objective;
    struct arena arena;
};

/* Offsets in the plan's memory: inputs of the products, and the first entry that they write. */
struct product_places {
    double *memory;
    uint32_t x, y, sigma, lambda, entries;
};

/* ---- derivatives with respect to inputs ---- */

struct nearest_inputs {
    struct program *program;      /* NULL: the model has no inputs */
    size_t bytes;                 /* of its slots */
    uint32_t x, y, sigma, lambda; /* offsets of leaves */
    struct matrix_places rows;    /* dc/dx: rows x inputs */
    struct matrix_places bends;   /* d/dx of sum_i lambda_i dc_i/dy: outputs x inputs */
    struct arena arena;
};

/* ---- the search ---- */

struct nearest_parts {
    struct nearest_plan plan;         /* plan.stride samples per group */
    struct nearest_products products; /* of the Hessian, if the plan's program does not compute it */
    struct nearest_inputs by_inputs;
    size_t products_at, inputs_at; /* offset of their memory */
};

/* ---- the active-set method: affine.h, active_set.h ---- */

struct affine {
    bool there; /* the constraints are affine, and the plan is small enough */
    size_t outputs, rows, equalities, inequalities;
    uint32_t *equality, *inequality; /* their rows; redundant equalities are in neither */
    bool full;                       /* H has off-diagonal entries */
    double *weight, *inverse;        /* outputs: a diagonal H, and 1 / H; 1 and 1 for a full H; 0 for fixed outputs */
    double *hessian, *solved;        /* outputs x outputs: a full H and its inverse; zeros for fixed outputs */
    struct program *goal;            /* of the model's objective: f and its derivatives, g; NULL: the distance */
    size_t goal_inputs;              /* that f depends on, or 0 */
    uint32_t goal_x, goal_y, goal_cost, *goal_slope; /* offsets */
    size_t *first;                                   /* rows + 1: J by rows, without fixed outputs */
    uint32_t *column;
    double *number;
    bool *dense;      /* rows with consecutive columns */
    double *gauge;    /* rows: the largest entry of each, at most 1; multipliers are large in units of it */
    double *columns;  /* outputs x rows: J by columns, */
    double *reach;    /* and H^-1 J' */
    double *solver;   /* equalities x equalities: the inverse of their part of M, */
    double *coupling; /* equalities x inequalities: M between them, */
    double *answer;   /* inequalities x equalities: response of the equalities' multipliers to those of inequalities, */
    double *schur;    /* inequalities x inequalities: the Schur complement of M, */
    double *unit;     /* and 1 / sqrt of its diagonal; 0 if that is lost to rounding */
    size_t most;      /* capacity: rows active at once */
    size_t numbers;   /* of memory for one thread */
    struct arena arena;
};

struct affine_sample {
    const double *start;                 /* outputs: the y of the evaluation of c, d = 0 */
    const double *slope;                 /* outputs: g; NULL: 0 */
    const double *value, *lower, *upper; /* rows: c, bl and bu there */
    double *y, *multipliers;             /* outputs, rows: results */
    double kkt;                          /* out: the residual of nearest_newton.h; infinite: no solution */
    int rounds, changes;                 /* out: changes of the active set */
};

struct affine_memory {
    double *own, *goal; /* workspaces of the method and of the goal's program */
    double *slope;      /* outputs */
};

#endif
