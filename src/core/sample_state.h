/* sample_state.h - what a sample is: its state, what is decided for a whole layer, what an executor leaves after each evaluation, and what can
 * be decided. The decisions themselves are in sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_STATE_H
#define HN_CORE_SAMPLE_STATE_H

#include "base/real.h"

#ifndef FREESTANDING
#include "hardnet/layer.h"
#endif

#ifndef SAMPLE_FUNCTION
#define SAMPLE_FUNCTION static inline
#endif
#ifndef SAMPLE_CONSTANT
#define SAMPLE_CONSTANT static const
#endif

/* ---- what is decided for a whole layer ---- */

struct sample_options {
    real damping;   /* eps, or eps / |W r| of auto; not used where eps is adapted by lm */
    real tolerance; /* on max |r|, or on its ratio to the bounds */
    int32_t method; /* hn_method */
    int32_t iterations;
    bool weighted;     /* only some rows count in a step, each with a weight: lm, enforce and auto */
    bool stops;        /* a sample ends where the tolerance is reached: all but paper and hardnet */
    bool pivots;       /* and where a pivot is lost in rounding: hardnet. Others leave out rows that depend on others */
    bool adaptive;     /* steps are accepted or rejected, eps is adapted */
    bool relative;     /* the tolerance is relative to bounds above 1 */
    bool outputs_side; /* systems are solved in the dimension of the outputs */
    bool joint_rows;   /* there are inequalities in several outputs */
    bool bordered;     /* rows or outputs are kept out of the system: it may be as bad as 1 / eps on either side */
    int32_t usual;     /* of auto: steps that are enough from the model's start values; 0: that is not known */
    int32_t budget;    /* those times the effort: a sample is given up after as many */
};

#include "core/compute.h"
#include "core/elastic.h"

/* ---- the state ---- */

enum sample_phase {
    PHASE_IDLE,        /* no sample */
    PHASE_NEW,         /* y holds what came in, not evaluated yet */
    PHASE_START,       /* y holds another point to start from, not evaluated yet */
    PHASE_STEP,        /* y holds what a step led to */
    PHASE_ELASTIC,     /* y holds the base, and an elastic programme (elastic.h) goes on from there */
    PHASE_ELASTIC_END, /* y is to hold the base again, for another programme */
    PHASE_REWIND,      /* y is to hold the best iterate again, to go on from there */
    PHASE_RESTART,     /* y is to hold the start of the next attempt */
    PHASE_RETURN,      /* y is to hold the point that is returned */
    PHASE_FALLBACK,    /* nothing can be done with the sample: y holds its fallback */
};

/* auto begins near the projection and falls back on accepted steps inside the bounds, then on programmes; the other methods have one
 * stage. */
enum sample_stage { SAMPLE_NEAR, SAMPLE_GLOBAL, SAMPLE_ELASTIC };

/* Kinds of steps. */
enum sample_step {
    SAMPLE_PLAIN,
    SAMPLE_LEADING, /* leaves inequalities in several outputs out */
    SAMPLE_CLIPPED, /* y is clipped into the bounds of the outputs */
    SAMPLE_SOLVED,  /* an elastic programme's */
};

/* Where the best iterate comes from. */
enum sample_origin {
    SAMPLE_FROM_NOWHERE, /* there is none yet */
    SAMPLE_FROM_INPUT,   /* what came in, ahead of a warm start */
    SAMPLE_FROM_ATTEMPT, /* step number best_step of attempt number best_attempt */
};

/* What an outcome still depends on; see sample_answer. */
enum sample_question { SAMPLE_ASKS_NOTHING, SAMPLE_ASKS_SLOPE, SAMPLE_ASKS_ENTRIES };

struct sample {
    enum sample_phase phase;
    enum sample_stage stage; /* of auto */
    enum sample_step kind;   /* of the last step, and of the next */
    enum sample_origin origin;
    enum sample_question asks;
    hn_outcome outcome;
    bool chooses;    /* eps is to be chosen for the present base: sample_choose_eps */
    bool crept;      /* the elastic stage came before the global one had failed */
    bool stationary; /* some attempt ended where A' W r vanishes */
    bool homed;      /* an attempt has begun at the model's start values: with step `home` */
    int iteration;   /* steps computed */
    int steps;       /* accepted ones since the attempt began */
    int attempt;     /* 0: from y_raw or from a warm start; else the number of the restart (restart.h) */
    int best_step;
    int best_attempt;
    int slow;   /* accepted steps in a row that gained next to nothing */
    int begun;  /* iteration at which the stage began */
    int waited; /* steps since |W r| was last halved */
    int home;
    real before;  /* max |r| of what came in */
    real away;    /* measure at the start values, where `homed` */
    real best;    /* smallest measure of an accepted iterate */
    real squares; /* |W r|^2 at the base */
    real halved;  /* |W r|^2 when it was last halved */
    real eps, growth;
    real used;   /* eps of the last step */
    real limit;  /* of eps; of programmes: one that was too small */
    real slope;  /* the smallest |A' W r|^2 / (|A|^2 |W r|^2) where an attempt ended; infinite: none was asked for */
    int elastic; /* steps computed by programmes */
    int strayed; /* the first step of the attempt that a programme led to; 0: none did */
    struct elastic programme;
};

/* ---- what an executor leaves ---- */

struct sample_numbers {
    real measure;      /* max |r|, relative to the bounds if so asked */
    real squares;      /* |W r|^2 */
    real joint;        /* part of it: inequalities in several outputs; where sample_asks_joint */
    real violation;    /* max |r|; where sample_asks_violation */
    real gain;         /* of the last step: z' W r on the rows' side, s' A' W r on the outputs' side */
    real step_squares; /* |s|^2 */
    real least_pivot, most_pivot;
    bool finite; /* y and every c are finite */
    bool moved;  /* the last step changed y */
    bool usable; /* the last step led to a finite y */
};

/* What is to be done with the iterate. */
struct sample_choice {
    bool accepted;        /* it becomes the base of the next step */
    bool improved;        /* and is the best so far */
    bool recorded;        /* and goes onto the tape as number `steps` */
    bool finished;        /* the sample ends here */
    enum sample_step led; /* the kind of the step that led here */
};

enum sample_decision {
    SAMPLE_GO_ON,          /* step from here */
    SAMPLE_REJECT,         /* step again from the base */
    SAMPLE_RETRY,          /* the same, by another programme */
    SAMPLE_END,            /* here */
    SAMPLE_END_BEFORE,     /* at the base */
    SAMPLE_REWIND,         /* go on from the best iterate of this attempt */
    SAMPLE_RESTART,        /* accept, then begin anew from another point */
    SAMPLE_RESTART_BEFORE, /* the same, without accepting */
};

#endif
