/* barrier.h - a quadratic program over lanes, solved by an interior-point method: the data of its kernels.
 *
 *     minimise g'd + d'Hd/2    subject to  bl <= c + J d <= bu,        H diagonal and positive
 *
 * In columns scaled by H^-1/2, with slacks s and forces z on both sides of a row (s z = mu), every iteration solves the
 * layer's own system (J J' + W) dy = ..., W = 1/(z/s summed over the sides), nearly 0 on equalities; twice at once, for the
 * step to mu = 0 and for its change with mu. All residuals shrink by the same factor, 1 - length of the step. Method: Mehrotra,
 * "On the implementation of a primal-dual interior point method", 1992, without its second-order term; the driver is
 * core/refine_qp.h. Offsets are those of damped_system.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_BARRIER_H
#define HN_CORE_BARRIER_H

#include "linalg/damped_factor.h"

#ifndef FREESTANDING
#include "hardnet/base.h"
#endif

/* Slots of the state, from `summary` on. */
enum {
    BARRIER_ENERGY, /* |H^-1/2 g|^2 */
    BARRIER_SIDES,  /* finite bounds of inequalities */
    BARRIER_GAP,    /* mu: the mean of s z */
    BARRIER_LEFT,   /* residuals, relative to the first ones */
    BARRIER_DONE,   /* mask: converged */
    BARRIER_SUMMARY
};

/* Vectors over rows, one slot each. */
enum {
    BARRIER_VALUE,       /* c + J d */
    BARRIER_SLACK_LOWER, /* s; 1 without a bound */
    BARRIER_SLACK_UPPER,
    BARRIER_FORCE_LOWER, /* z; 0 without a bound. On an equality the multiplier, of any sign */
    BARRIER_FORCE_UPPER,
    BARRIER_INVERSE_LOWER, /* 1/s; 0 without a bound */
    BARRIER_INVERSE_UPPER,
    BARRIER_FADE_LOWER, /* 1/(s z); 0 without a bound */
    BARRIER_FADE_UPPER,
    BARRIER_TIGHT,  /* W of an equality */
    BARRIER_RIGHT,  /* right-hand sides, two vectors */
    BARRIER_RIGHT2, /* its change with mu */
    BARRIER_DUAL,   /* dy, two vectors */
    BARRIER_DUAL2,
    BARRIER_CHANGE, /* J dd, two vectors */
    BARRIER_CHANGE2,
    BARRIER_ROWS
};

/* Vectors over columns, one slot each. */
enum {
    BARRIER_CURVATURE, /* H, an input; infinite: the column is fixed */
    BARRIER_SCALE,     /* H^-1/2 */
    BARRIER_SLOPE,     /* H^-1/2 g */
    BARRIER_STEP,      /* d, scaled */
    BARRIER_REST,      /* g + H d - J' y, scaled */
    BARRIER_ALONG,     /* dd, two vectors */
    BARRIER_ALONG2,
    BARRIER_COLUMNS
};

struct barrier_task {
    size_t rows, columns;
    const uint32_t *value, *lower, *upper; /* of each row: offsets of c, bl, bu */
    const size_t *first;                   /* rows + 1: entries of each row */
    const uint32_t *column, *entry;        /* of J: columns, and offsets of the numbers */
    const uint32_t *gradient;              /* offsets of g */
    uint32_t matrix, shift;                /* of the system: J H^-1/2, and W */
    uint32_t by_rows, by_columns, summary; /* first offsets of the vectors above, and of the summary */
};

/* ---- a step of refinement (refine_qp.h), as plain data; offsets count doubles ---- */

struct program;

struct refine_places {
    struct barrier_task task;
    struct damped system;
    const struct program *program;
    size_t inputs;
    uint32_t x, y, sigma, lambda; /* offsets of leaves */
    uint32_t own;                 /* offset of f's own curvature, one slot per output */
    const uint32_t *curvature;    /* offsets by output; a zero slot if there is no entry */
    const bool *fixed;            /* fixed outputs */
};

#endif
