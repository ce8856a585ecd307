/* restart.h - start points of the attempts of auto. A point depends only on the sample's data and the number of the
 * attempt.
 *
 *     0               y_raw, or a warm start
 *     1, 27           y_raw; its steps are not clipped
 *     2, 25, 26       y_raw, clipped to the bounds; 25 follows 0
 *     3               the model's start values, clipped
 *     4, 6, 8 ...     uniform between the bounds if both are finite, else as below
 *     5, 7, 9 ...     y_raw + sigma u_j z_j with z normal, u_j a power of two, at most max(1, |y_raw_j|), clipped
 *     28, 29          the model's start values, not clipped, if they are known to succeed; they precede 25
 *
 * sigma grows from restart to restart. The random numbers of restart k are the first of stream k of the seed: for each
 * output a uniform one, then a normal one. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_RESTART_H
#define HN_CORE_RESTART_H

#include "base/real.h"
#include "core/sample_state.h"

enum {
    RESTART_UNCLIPPED = 1,
    RESTART_FROM_START = 3,
    RESTART_PERTURBED = 4, /* and the following ones */
    RESTART_LAST = 24,
    RESTART_UNDAMPED, /* the bold attempts: undamped before the restarts, */
    RESTART_DAMPED,   /* damped after them */
    RESTART_LONG,
    RESTART_HOME,       /* near, */
    RESTART_HOME_AGAIN, /* and lm's steps */
    RESTART_SEED = 20260419
};

/* The data that the start of one output depends on. Missing bounds are infinite. */
struct restart_output {
    real raw, start;
    real lower, upper;
    real uniform, normal; /* random numbers */
};

SAMPLE_FUNCTION real restart_spread(int attempt) {
    int turn = (attempt - RESTART_PERTURBED) / 2 % 4; /* 1/16, 1/4, 1, 4 */
    if (attempt < RESTART_PERTURBED || attempt > RESTART_LAST)
        return 0;
    return turn == 0 ? REAL(0.0625) : turn == 1 ? REAL(0.25) : turn == 2 ? 1 : 4;
}

SAMPLE_FUNCTION bool restart_is_uniform(int attempt) {
    return attempt >= RESTART_PERTURBED && attempt <= RESTART_LAST && attempt % 2 == 0;
}

SAMPLE_FUNCTION bool restart_is_bold(int attempt) {
    return attempt == RESTART_UNDAMPED || attempt == RESTART_DAMPED;
}

SAMPLE_FUNCTION bool restart_is_home(int attempt) {
    return attempt == RESTART_HOME || attempt == RESTART_HOME_AGAIN;
}

/* Whether an attempt ignores the bounds of outputs, at its start and in its steps. */
SAMPLE_FUNCTION bool restart_is_unclipped(int attempt) {
    return attempt == RESTART_UNCLIPPED || attempt == RESTART_LONG || restart_is_home(attempt);
}

SAMPLE_FUNCTION bool restart_between(int attempt, const struct restart_output *o) {
    return restart_is_uniform(attempt) && sample_is_finite(o->lower) && sample_is_finite(o->upper) &&
           sample_is_finite(o->upper - o->lower);
}

/* The start value of the output. */
SAMPLE_FUNCTION real restart_point(int attempt, const struct restart_output *o) {
    real size = o->raw < 0 ? -o->raw : o->raw, y;
    if (restart_between(attempt, o))
        y = o->lower + (o->upper - o->lower) * o->uniform;
    else if (attempt == RESTART_FROM_START || restart_is_home(attempt))
        y = o->start;
    else
        y = o->raw + restart_spread(attempt) * number_power_of_two(sample_greater(1, size)) * o->normal;
    if (restart_is_unclipped(attempt))
        return y;
    if (y < o->lower)
        y = o->lower;
    return y > o->upper ? o->upper : y;
}

/* Derivatives of the start y of an attempt. */
struct restart_shares {
    real raw, start, lower, upper;
};

SAMPLE_FUNCTION struct restart_shares restart_follows(int attempt, const struct restart_output *o, real y) {
    struct restart_shares shares = {0, 0, 0, 0};
    bool low = y == o->lower && sample_is_finite(y), high = y == o->upper && sample_is_finite(y);
    if (restart_between(attempt, o)) {
        shares.upper = o->uniform;
        shares.lower = 1 - o->uniform;
    } else if ((low || high) && !restart_is_unclipped(attempt)) {
        shares.upper = high ? 1 : 0;
        shares.lower = high ? 0 : 1;
    } else if (attempt == RESTART_FROM_START || restart_is_home(attempt))
        shares.start = 1;
    else
        shares.raw = 1;
    return shares;
}

#endif
