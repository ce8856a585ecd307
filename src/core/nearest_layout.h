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
    ROW_SLACK_LOWER, /* s: of c - s = bl; 1 where there is no such bound */
    ROW_SLACK_UPPER, /* of c + s = bu */
    ROW_FORCE_LOWER, /* z; 0 where there is no such bound */
    ROW_FORCE_UPPER,
    ROW_MULTIPLIER, /* l: z_lower - z_upper; of an equality of any sign */
    ROW_UNIT,       /* what the row is multiplied by: a power of two, the inverse of its gradient's size at the start */
    ROW_NORM,       /* of the row's gradient there, in these units; 1 where that is 0 */
    ROW_GAP_LOWER,  /* c - bl - s, the equality's c - b */
    ROW_GAP_UPPER,  /* bu - c - s */
    ROW_GAP_LOWER2, /* right-hand side of the second step */
    ROW_GAP_UPPER2,
    ROW_ALONG, /* change along the step */
    ROW_ALONG2,
    ROW_SIDE,   /* while polishing: 1 on its lower bound, -1 on its upper one, 0 on neither, */
    ROW_POLISH, /* and the multiplier */
    ROW_KEPT,   /* the best multipliers so far */
    ROW_KIND,   /* which bounds it has: KIND_* */
    ROW_START,  /* violation where the search began, in the user's units */
    ROW_HELD,   /* factor on the row's damping: 1, or more where rows depend on each other */
    ROW_VECTORS
};

/* Values of ROW_KIND: bit 0 for a lower bound, bit 1 for an upper one; both of an equality are one. */
enum { KIND_EQUALITY = 4 };

/* Vectors over outputs. */
enum {
    COLUMN_RAW,
    COLUMN_START, /* where the search began */
    COLUMN_Y,     /* the iterate */
    COLUMN_SLOPE, /* S^2 (y - y_raw) */
    COLUMN_REST,  /* slope - J' l */
    COLUMN_KEPT,  /* the best y so far, by its residual */
    COLUMN_BEST,  /* of f: the y that satisfies the rows and has the lowest f so far, */
    COLUMN_RAY,   /* and the step that led there */
    COLUMN_VECTORS
};

/* Vectors over unknowns: outputs, then rows. */
enum { UNKNOWN_DIAGONAL, UNKNOWN_RIGHT, UNKNOWN_REST, UNKNOWN_STEP, UNKNOWN_STEP2, UNKNOWN_VECTORS };

/* Numbers of a sample. */
enum {
    NUMBER_UNIT,      /* what the objective is multiplied by: a power of two; 1 for a distance */
    NUMBER_CURVATURE, /* what counts as one unit of curvature of the objective, in that unit */
    NUMBER_COST,      /* the objective at the iterate, in that unit */
    NUMBERS
};

struct nearest_plan {
    uint32_t stride;
    bool optimal;     /* the objective is the model's, f; else the distance */
    bool relative;    /* as in hn_layer_options, */
    double tolerance; /* likewise */
    size_t inputs, outputs, rows, entries, curvatures;
    size_t own_outputs, own_rows; /* those of the model; the others come from kinks that are split (autodiff/split.h) */
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
    uint32_t *lift;                  /* offsets, by output that is not the model's: the value of its kink */
    uint32_t *kink;                  /* kinks x 2, offsets: there is a kink where both numbers are equal */
    uint32_t cost;                   /* offset of f, */
    uint32_t *gradient;              /* and by output of its derivatives; a slot of zeros where there is none */
    uint32_t *curvature;       /* offsets by output of the Hessian's diagonal; a slot of zeros where there is none */
    struct signed_entry *bend; /* curvatures: all entries of the Hessian, of fixed outputs, too */
    double *square;            /* S^2, by output; 0 where the objective is f */
    double largest_square;
    bool *fixed;                               /* outputs that do not move */
    uint32_t by_rows, by_columns, by_unknowns; /* first offsets of the vectors above, */
    uint32_t matrix;                           /* and of J in units of its rows, by entries, */
    uint32_t numbers;                          /* and of what a sample has once, */
    uint32_t hessian;                          /* and of the Hessian's entries that come from products */
    size_t slots, bytes;                       /* of memory for one thread */
};

/* ---- products with the Hessian: nearest_products.h ---- */

struct product_entry {
    uint32_t row, entry; /* of the result, and in the pattern */
};

struct nearest_products {
    struct program *program; /* NULL: there is none */
    uint32_t stride;
    size_t bytes, outputs, rows, inputs;
    uint32_t x, y, sigma, lambda, t; /* offsets of leaves */
    uint32_t *result;                /* offsets, by output; the program's zero slot where there is none */
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

/* Where the plan has what the products need, and the first of the entries that are written; offsets in its memory. */
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

/* ---- all of it ---- */

struct nearest_parts {
    struct nearest_plan plan;         /* plan.stride samples per group */
    struct nearest_products products; /* of the Hessian, where the plan's program does not have it */
    struct nearest_inputs by_inputs;
    size_t products_at, inputs_at; /* where their memory begins */
};

/* ---- the active-set method: affine.h, active_set.h ---- */

struct affine {
    bool there; /* the plan is of this kind, and not too large */
    size_t outputs, rows, equalities, inequalities;
    uint32_t *equality, *inequality; /* their rows; equalities that follow from others are in neither */
    bool full;                       /* H is not diagonal */
    double *weight, *inverse; /* outputs: a diagonal H, and 1 / H; 1 and 1 of a full one; 0 where an output is fixed */
    double *hessian, *solved; /* outputs x outputs: a full H and its inverse; zeros where an output is fixed */
    struct program *goal;     /* of the model's objective: f and its derivatives, g; NULL: the distance */
    size_t goal_inputs;       /* that f depends on, or 0 */
    uint32_t goal_x, goal_y, goal_cost, *goal_slope; /* offsets */
    size_t *first;                                   /* rows + 1: J by rows, without outputs that are fixed */
    uint32_t *column;
    double *number;
    bool *dense;      /* rows whose columns follow each other */
    double *gauge;    /* rows: the largest entry of each, at most 1; multipliers are large in units of it */
    double *columns;  /* outputs x rows: J by columns, */
    double *reach;    /* and H^-1 J' */
    double *solver;   /* equalities x equalities: the inverse of their part of M, */
    double *coupling; /* equalities x inequalities: M between them, */
    double *answer;   /* inequalities x equalities: how multipliers of equalities answer those of inequalities, */
    double *schur;    /* inequalities x inequalities: the Schur complement of M, */
    double *unit;     /* and 1 / the root of its diagonal; 0 where that is lost */
    size_t most;      /* rows that are active at once */
    size_t numbers;   /* of memory for one thread */
    struct arena arena;
};

struct affine_sample {
    const double *start;                 /* outputs: y where c was evaluated, d = 0 */
    const double *slope;                 /* outputs: g; NULL: 0 */
    const double *value, *lower, *upper; /* rows: c, bl and bu there */
    double *y, *multipliers;             /* outputs, rows: out */
    double kkt;                          /* out: the residual as in nearest_newton.h; infinite: there is no answer */
    int rounds, changes;                 /* out: of the active set */
};

#endif
