/* nearest_plan.h - what the search for the nearest point evaluates and solves, made once from a model.
 *
 *     minimise |S (y - y_raw)|^2 / 2   subject to  bl <= c(y) <= bu
 *
 * In comes a model; out go one program (c, bl, bu, J, the Hessian of sum_i lambda_i c_i), the system of its optimality conditions
 *
 *     [ H + delta   J' ] [ d  ]
 *     [ J          -W  ] [ -l ],      H = S^2 - sum_i l_i Hess c_i,
 *
 * and the offsets of everything in a thread's memory. Outputs that are fixed stand in no entry of the system. A plan is constant and
 * never sees a sample. Offsets count doubles; a slot is `stride` of them, one per sample that goes side by side.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_PLAN_H
#define HN_NEAREST_PLAN_H

#include "base/arena.h"
#include "hardnet/model.h"
#include "nearest/nearest_products.h"
#include "sparse/signed_system.h"

/* Vectors over rows, all in units of the row: of c, the bounds and J times ROW_UNIT. A step is there twice: as it was solved for, and with a correction of second order. */
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
    ROW_GAP_LOWER2, /* and those that the second step answers */
    ROW_GAP_UPPER2,
    ROW_ALONG, /* how the row moves along the step */
    ROW_ALONG2,
    ROW_SIDE,   /* while polishing: 1 on its lower bound, -1 on its upper one, 0 on neither, */
    ROW_POLISH, /* and the multiplier */
    ROW_KEPT,   /* the best multipliers so far */
    ROW_KIND,   /* which bounds it has: KIND_* */
    ROW_START,  /* violation where the search began, in the user's units */
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
    COLUMN_KEPT,  /* the best y so far */
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
    bool optimal; /* the objective is the model's, f; else the distance */
    size_t inputs, outputs, rows, entries, curvatures;
    struct program *program;
    struct signed_system system;
    struct arena arena;
    uint32_t x, y, sigma, lambda;    /* offsets of leaves */
    uint32_t *value, *lower, *upper; /* offsets, by row */
    size_t *first;                   /* rows + 1: J by rows */
    uint32_t *column, *entry;        /* columns and offsets of J's entries */
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

/* What is to be made small. */
struct nearest_goal {
    bool optimal;          /* the model's objective, which it has; else the distance, */
    const double *weights; /* S, one per output; NULL: all 1 */
    bool by_products;      /* the Hessian's entries are known to be too many for the program */
};

/* products: where the entries of the Hessian come from; NULL: they are in the program, and HN_LIMIT says that they are too
 * many for that. */
hn_status nearest_plan_create(struct nearest_plan *plan, const hn_model *model, const struct nearest_goal *goal,
                              const struct nearest_products *products, uint32_t stride, hn_error *error);
void nearest_plan_release(struct nearest_plan *plan);

/* Constants and zeros into memory of plan->bytes, 64-byte aligned. */
void nearest_plan_prepare(const struct nearest_plan *plan, double *memory);

/* ---- one sample's numbers ---- */

/* The sample in a lane: its slots, and its vectors over rows and outputs, which only plain C sees: those of a sample lie together, and of
 * these all that belongs to one row, or output. */
struct nearest_view {
    const struct nearest_plan *plan;
    double *at, *rows, *columns;
};

static inline struct nearest_view nearest_view_of(const struct nearest_plan *plan, double *memory, size_t lane) {
    return (struct nearest_view){plan, memory + lane, memory + plan->by_rows + lane * ROW_VECTORS * plan->rows,
                                 memory + plan->by_columns + lane * COLUMN_VECTORS * plan->outputs};
}

static inline double *view_row(const struct nearest_view *v, size_t which, size_t i) {
    return v->rows + i * ROW_VECTORS + which;
}

static inline double *view_column(const struct nearest_view *v, size_t which, size_t j) {
    return v->columns + j * COLUMN_VECTORS + which;
}

static inline double *view_unknown(const struct nearest_view *v, size_t which, size_t i) {
    return v->at + v->plan->by_unknowns + (which * (v->plan->outputs + v->plan->rows) + i) * v->plan->stride;
}

static inline double *view_number(const struct nearest_view *v, size_t which) {
    return v->at + v->plan->numbers + which * v->plan->stride;
}

#endif
