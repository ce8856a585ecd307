/* elastic.h - the programme of auto's elastic stage: what is decided between its linear systems.
 *
 * At an iterate with values c and Jacobian J the stage takes the step s that minimises
 *
 *     delta |s|^2 / 2 + |t|^2 / 2    subject to    bl - t <= c + J S s <= bu + t        (rows weighed by W, columns by S)
 *
 * by a primal-dual interior-point method. A side of a row has a slack a > 0 and a force z > 0 with a z = mu; its t is z. So
 * the distance to the bound is a - z: slack and force determine each other, and no further unknown is needed. On an equality
 * t is the residual itself. mu falls to 0. The vectors belong to core/point_elastic.h, the linear systems are those of an
 * ordinary step: rows count with sqrt(z / (a + z)), which goes to 1 where a bound is met and to 0 elsewhere. Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ELASTIC_H
#define HN_CORE_ELASTIC_H

#include "base/real.h"

/* The state of a programme. */
struct elastic {
    real mu;    /* mean of a z */
    real aim;   /* mu that the present system leads to */
    real left;  /* what is left of the first residual of delta s - J' z = 0 */
    real sides; /* finite bounds of inequalities */
    int solves; /* linear systems solved */
};

/* Sums that a step of the programme leaves. */
struct elastic_sums {
    real gap;    /* sum of a z */
    real loss;   /* the largest share of a slack or a force that a step of length 1 takes away */
    real energy; /* delta |s|^2 + |t|^2 */
};

SAMPLE_CONSTANT real ELASTIC_FIRST_AIM = REAL(0.1);  /* of mu, */
SAMPLE_CONSTANT real ELASTIC_LEAST_AIM = REAL(0.02); /* and later */
SAMPLE_CONSTANT real ELASTIC_KEEP = REAL(0.99);      /* the most that a step takes of a slack or a force */
SAMPLE_CONSTANT real ELASTIC_GAP =
    REAL(0.1); /* of the energy, at the end: a better step than that is not worth its systems */
SAMPLE_CONSTANT real ELASTIC_LEFT = REAL(1e-4); /* of the residual, at the end */
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

/* How far a step goes. */
SAMPLE_FUNCTION real elastic_length(const struct elastic_sums *sums) {
    return sums->loss > ELASTIC_KEEP ? ELASTIC_KEEP / sums->loss : 1;
}

/* After a step of this length; true at the end. The shorter it was the less is aimed at next. */
SAMPLE_FUNCTION bool elastic_advance(struct elastic *e, real length, const struct elastic_sums *sums) {
    e->mu = sums->gap / sample_greater(e->sides, 1);
    e->aim = e->mu * sample_greater(ELASTIC_LEAST_AIM, REAL(0.5) * (1 - length));
    e->left *= 1 - length;
    e->solves++;
    bool settled = sums->gap <= ELASTIC_GAP * sums->energy && e->left <= ELASTIC_LEFT;
    return settled || e->solves >= ELASTIC_MOST_SOLVES;
}

#endif
