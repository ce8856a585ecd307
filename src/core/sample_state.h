/* sample_state.h - the types of the decisions in sample.h: options of a layer, state of a sample, numbers of an evaluation, and the
 * possible decisions.
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

/* ---- options of a layer ---- */

struct sample_options {
    real damping;   /* eps; auto: eps / |W r|. Unused when lm adapts eps */
    real tolerance; /* on max |r|, or relative to the bounds */
    int32_t method; /* hn_method */
    int32_t iterations;
    bool weighted;     /* steps use row weights and active rows: lm, enforce, auto */
    bool stops;        /* a sample ends when the tolerance is reached: all except paper and hardnet */
    bool pivots;       /* and when a pivot is lost to rounding: hardnet. Other methods omit dependent rows */
    bool adaptive;     /* steps are accepted or rejected, eps is adapted */
    bool relative;     /* the tolerance is relative for bounds above 1 */
    bool outputs_side; /* systems have the dimension of the outputs */
    bool joint_rows;   /* some inequality involves several outputs */
    bool bordered;  /* rows or outputs are excluded from the system; its condition may reach 1 / eps on either side */
    int32_t usual;  /* auto: steps that suffice from the model's start values; 0: unknown */
    int32_t budget; /* step limit: usual times the effort */
    bool blocks;    /* rows lie in sets together (set.h) */
};

#include "core/number.h"

/* ---- operations of the decisions, except + - * / and sqrt ---- */

SAMPLE_FUNCTION bool sample_is_finite(real a) {
    return ROUNDED_DIFFERENCE(a, a) == 0; /* NaN if a is not finite */
}

SAMPLE_FUNCTION real sample_greater(real a, real b) {
    return a < b ? b : a;
}

/* Saturating increment, so that a proof that an emitted file does not overflow needs no iteration limit. */
SAMPLE_FUNCTION int sample_one_more(int count) {
    return count < 2000000000 ? count + 1 : count;
}

/* ---- the state ---- */

/* The state of an elastic QP (point_elastic.h). */
struct elastic {
    real mu;    /* mean of a z */
    real aim;   /* target mu of the current system */
    real left;  /* residual of delta s - J' z = 0, relative to the first */
    real sides; /* finite bounds of inequalities */
    int solves; /* linear systems solved */
};

enum sample_phase {
    PHASE_IDLE,        /* no sample */
    PHASE_NEW,         /* y holds the raw output, not evaluated yet */
    PHASE_START,       /* y holds another point to start from, not evaluated yet */
    PHASE_STEP,        /* y holds the result of a step */
    PHASE_ELASTIC,     /* y holds the base; an elastic QP (point_elastic.h) is being solved there */
    PHASE_ELASTIC_END, /* y is to be reset to the base, for another QP */
    PHASE_REWIND,      /* y is to be reset to the best iterate, to continue there */
    PHASE_RESTART,     /* y is to be set to the start of the next attempt */
    PHASE_RETURN,      /* y is to be set to the returned point */
    PHASE_FALLBACK,    /* the sample is invalid; y holds its fallback */
};

/* auto starts with near-projection steps, falls back to accepted steps within the bounds, then to elastic QPs. The other methods have
 * one stage. */
enum sample_stage { SAMPLE_NEAR, SAMPLE_GLOBAL, SAMPLE_ELASTIC };

/* Kinds of steps. */
enum sample_step {
    SAMPLE_PLAIN,
    SAMPLE_LEADING, /* omits inequalities in several outputs */
    SAMPLE_CLIPPED, /* y is clipped into the bounds of the outputs */
    SAMPLE_SOLVED,  /* solution of an elastic QP */
};

/* best_attempt of a best iterate that is not from an attempt. */
enum {
    SAMPLE_FROM_INPUT = -1,  /* the raw output, before a warm start */
    SAMPLE_FROM_NOWHERE = -2 /* none yet */
};

/* Further information that an outcome depends on; see sample_answer. */
enum sample_question { SAMPLE_ASKS_NOTHING, SAMPLE_ASKS_SLOPE, SAMPLE_ASKS_ENTRIES };

struct sample {
    enum sample_phase phase;
    enum sample_stage stage; /* of auto */
    enum sample_step kind;   /* kind of the last step, then of the next */
    enum sample_question asks;
    hn_outcome outcome;
    bool chooses;    /* eps must be chosen for the current base: sample_choose_eps */
    bool crept;      /* the elastic stage started before the global stage had failed */
    bool stationary; /* an attempt ended at a stationary point, A' W r = 0 */
    bool homed;      /* an attempt started from the model's start values, at step `home` */
    int iteration;   /* steps computed */
    int steps;       /* accepted steps of the attempt */
    int attempt;     /* 0: from y_raw or a warm start; else the number of the restart (restart.h) */
    int best_step;
    int best_attempt;
    int slow;   /* consecutive accepted steps with almost no progress */
    int begun;  /* iteration at which the stage started */
    int waited; /* steps since |W r| was last halved */
    int home;
    real before;  /* max |r| of the raw output */
    real away;    /* measure at the start values, if `homed` */
    real best;    /* smallest measure of an accepted iterate */
    real squares; /* |W r|^2 at the base */
    real halved;  /* |W r|^2 when it was last halved */
    real eps, growth;
    real used;   /* eps of the last step */
    real limit;  /* of eps; elastic stage: an eps that was too small */
    real slope;  /* smallest |A' W r|^2 / (|A|^2 |W r|^2) at the end of an attempt; infinite: not computed */
    int elastic; /* linear systems solved in elastic QPs */
    int strayed; /* first step of the attempt that came from an elastic QP; 0: none */
    struct elastic qp;
};

/* ---- numbers of an evaluation ---- */

struct sample_numbers {
    real measure;      /* max |r|, relative to the bounds if requested */
    real squares;      /* |W r|^2 */
    real joint;        /* its part from inequalities in several outputs; if sample_asks_joint */
    real violation;    /* max |r|; if sample_asks_violation */
    real gain;         /* of the last step: z' W r on the rows' side, s' A' W r on the outputs' side */
    real step_squares; /* |s|^2 */
    real least_pivot, most_pivot;
    bool finite; /* y and every c are finite */
    bool moved;  /* the last step changed y */
    bool usable; /* the last step gave a finite y */
};

/* Decisions about the iterate, as flags. */
struct sample_choice {
    bool accepted;        /* it becomes the base of the next step */
    bool improved;        /* it is the best so far */
    bool recorded;        /* it is written to the tape as number `steps` */
    bool finished;        /* the sample ends here */
    enum sample_step led; /* kind of the step that led to it */
};

enum sample_decision {
    SAMPLE_GO_ON,          /* step from the iterate */
    SAMPLE_REJECT,         /* step from the base again */
    SAMPLE_RETRY,          /* the same with another elastic QP */
    SAMPLE_END,            /* at the iterate */
    SAMPLE_END_BEFORE,     /* at the base */
    SAMPLE_REWIND,         /* continue from the best iterate of this attempt */
    SAMPLE_RESTART,        /* accept, then restart from another point */
    SAMPLE_RESTART_BEFORE, /* the same, without accepting */
};

#endif
