/* damped_trial.h - random damped systems: a pattern, numbers for every lane, right-hand sides.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_DAMPED_TRIAL_H
#define HN_TESTS_SUPPORT_DAMPED_TRIAL_H

#include "base/lanes.h"
#include "base/random.h"
#include "linalg/damped_system.h"

/* A random system: A by rows with numbers for every lane, and where they lie. */
struct trial {
    size_t rows, columns, entries;
    size_t order; /* unknowns, but for added ones */
    size_t *first;
    uint32_t *column, *offset;
    double *fixed; /* NaN where it is not */
    double *value; /* entries x LANES */
    struct damped system;
    struct damped one; /* the same over slots of one number */
    size_t slot_count; /* of LANES numbers each */
    double *slots;
    uint32_t shift, shift_uniform;
    struct damped_sides sides;
};

struct recipe {
    size_t rows, columns;
    double density;    /* of entries */
    double shift;      /* largest; the smallest is a thousandth of it */
    double known;      /* share of entries that are known in advance; more than 0 only with a fixed shift */
    bool fixed_shift;  /* the same shift everywhere, known in advance */
    bool outputs_side; /* may be chosen */
    bool degenerate;   /* rows of zeros, and rows twice */
    bool may_border;   /* columns may be kept out, */
    bool undamped;     /* with regard to shifts of 0 */
    size_t damped;     /* of these so many rows, the first ones, have none */
};

struct trial trial_of(const struct recipe *recipe, struct random *random);
void trial_release(struct trial *trial);

/* The same for a pattern that is there already: rows, columns, entries, first, column. */
void trial_complete(struct trial *trial, const struct recipe *recipe, struct random *random);

/* Parts of trial_of, for patterns of another make: numbers of A, and later shifts and right-hand sides. */
void trial_draw_values(struct trial *trial, const struct recipe *recipe, struct random *random);
void trial_draw_vectors(struct trial *trial, const struct recipe *recipe, struct random *random);

/* The system over slots of one number; its streams, scaled, are those over lanes. */
void trial_make_one(struct trial *trial, struct damped_request request);

/* ---- the judge: 128-bit arithmetic, or 80-bit where the compiler has no other ---- */

enum { JUDGE_SMALL = 40 }; /* of systems with more unknowns two lanes are judged, else all */

/* |b - H z| / (|M| |M'| |z| + E |z| + |b|) of one lane, norms of the largest entry. */
double judge_backward_error(const struct trial *trial, size_t lane, const double *b, const double *z);

/* The largest |z - y| over the largest |y|, y the solution of one lane by a full Cholesky factor in the judge's arithmetic. */
double judge_forward_error(const struct trial *trial, size_t lane, const double *b, const double *z);

/* Solves by every backend and by the kernels for one sample, which must give the same bits: the largest backward error over lanes
 * and sides, in units of n 2^-53. */
double judge_trial(struct trial *trial, int sides);

#endif
