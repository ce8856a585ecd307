/* elastic.h - the QP of auto's elastic stage: decisions between its linear systems.
 *
 * At an iterate with values c and Jacobian J the stage takes the step s that minimises
 *
 *     delta |s|^2 / 2 + |t|^2 / 2    subject to    bl - t <= c + J S s <= bu + t        (rows weighted by W, columns by S)
 *
 * by a primal-dual interior-point method. Each side of a row has a slack a > 0 and a multiplier z > 0 with a z = mu and t = z. The
 * distance to the bound is a - z, so slack and multiplier determine each other without further unknowns. On an equality t is the
 * residual. mu decreases to 0. core/point_elastic.h has the vectors. The linear systems are those of an ordinary step with row weights
 * sqrt(z / (a + z)), which tend to 1 on active bounds and to 0 elsewhere. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ELASTIC_H
#define HN_CORE_ELASTIC_H

#include "base/real.h"
#include "core/compute.h"

/* The state of a QP. */
struct elastic {
    real mu;    /* mean of a z */
    real aim;   /* target mu of the current system */
    real left;  /* residual of delta s - J' z = 0, relative to the first */
    real sides; /* finite bounds of inequalities */
    int solves; /* linear systems solved */
};

/* Sums of a step of the QP. */
struct elastic_sums {
    real gap;    /* sum of a z */
    real loss;   /* largest relative decrease of a slack or multiplier in a step of length 1 */
    real energy; /* delta |s|^2 + |t|^2 */
};

SAMPLE_CONSTANT real ELASTIC_FIRST_AIM = REAL(0.1);  /* of mu, */
SAMPLE_CONSTANT real ELASTIC_LEAST_AIM = REAL(0.02); /* and later */
SAMPLE_CONSTANT real ELASTIC_KEEP = REAL(0.99);      /* fraction to the boundary */
SAMPLE_CONSTANT real ELASTIC_GAP = REAL(0.1);   /* times the energy: gap at which the QP is solved accurately enough */
SAMPLE_CONSTANT real ELASTIC_LEFT = REAL(1e-4); /* relative residual at the end */
SAMPLE_CONSTANT real ELASTIC_LEAST_WEIGHT = REAL(1e-30);
SAMPLE_CONSTANT real ELASTIC_WIDEST = REAL(0x1p30); /* scale of a column */
enum { ELASTIC_MOST_SOLVES = 40 };

SAMPLE_FUNCTION void elastic_open(struct elastic *e, real squares, real sides) {
    e->sides = sides;
    e->mu = squares / sample_greater(sides, 1);
    e->aim = ELASTIC_FIRST_AIM * e->mu;
    e->left = 1;
    e->solves = 0;
}

/* The step length. */
SAMPLE_FUNCTION real elastic_length(const struct elastic_sums *sums) {
    return sums->loss > ELASTIC_KEEP ? ELASTIC_KEEP / sums->loss : 1;
}

/* After a step of this length; true at the end. Sets the next target: closer to mu after short steps. */
SAMPLE_FUNCTION bool elastic_advance(struct elastic *e, real length, const struct elastic_sums *sums) {
    e->mu = sums->gap / sample_greater(e->sides, 1);
    e->aim = e->mu * sample_greater(ELASTIC_LEAST_AIM, REAL(0.5) * (1 - length));
    e->left *= 1 - length;
    e->solves++;
    bool settled = sums->gap <= ELASTIC_GAP * sums->energy && e->left <= ELASTIC_LEFT;
    return settled || e->solves >= ELASTIC_MOST_SOLVES;
}

#endif
