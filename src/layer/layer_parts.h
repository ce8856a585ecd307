/* layer_parts.h - what a layer is made of, and what its two directions share.
 *
 * In comes a finished model; out go one program (values, derivatives, second-derivative products), one linear system and a map
 * of a worker's memory, all over LANES samples. A layer is constant; what changes while it runs is in a worker, in the
 * caller's memory.
 *
 * A worker's slots: first the program's, then the layer's own vectors, then the system's storage. Every uint32_t here that is
 * called a place is an offset into them, in doubles.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LAYER_LAYER_PARTS_H
#define HN_LAYER_LAYER_PARTS_H

#include "backends/backend.h"
#include "base/arena.h"
#include "derivatives/derivatives.h"
#include "hardnet/layer.h"

#include <string.h>

/* A list of values with the number of the entry that each belongs to: one row of derivatives, or rows to columns. */
struct places {
    size_t count;
    uint32_t *place;
    uint32_t *offset; /* of the entry in a vector, in doubles */
};

/* A sparse matrix of values. */
struct place_matrix {
    size_t rows;
    size_t *first;
    uint32_t *column, *place;
};

struct hn_layer {
    struct backend backend, single; /* of LANES samples, of one */
    hn_layer_options options;       /* the method's own numbers filled in */
    size_t inputs, outputs, rows;
    bool weighted; /* A = W J in slots of its own; else A is J */
    bool adaptive; /* steps are accepted or rejected, eps is adapted */
    struct arena arena;
    struct program *program;
    struct place_matrix jacobian, lower_x, upper_x, fixed_x; /* dc/dy; derivatives of bounds and fixed values by x */
    struct places fixed;                                     /* values of fixed outputs, by column */
    struct places bound_rows;                                /* rows that bound an output alone: row number, column */
    struct clip_task clip;                                   /* one of these per output that has any */
    uint32_t *joint; /* rows in several outputs, no equalities by their form: what a hold below 0 can leave out */
    size_t joint_count;
    uint32_t *start;                            /* of each output */
    struct places bracket_y, bracket_x, pull_x; /* of the adjoint; see adjoint.c */
    struct rows_task task;
    struct adjoint_task adjoint;
    struct damped system;
    /* places of the layer's own vectors */
    uint32_t x, y;            /* the program's leaves */
    uint32_t leaf_t, leaf_s;  /* directions of the second-derivative products */
    uint32_t base, best, raw; /* outputs: where the step starts; the best iterate; what came in (auto) */
    uint32_t unknown;         /* of the system: its solution */
    uint32_t right;           /* W r */
    uint32_t step;            /* outputs */
    uint32_t gradient;        /* outputs: A' W r on the outputs' side; p of the adjoint */
    uint32_t work;            /* max(rows, outputs) */
    uint32_t grad_x;          /* inputs */
    uint32_t mask_accept, mask_improved, mask_fresh, mask_last, mask_clip, mask_hold;
    uint32_t largest, step_squares, step_gain;
    size_t slots;
    size_t tape_steps, tape_stride; /* room for so many steps; doubles per sample, 0 when that does not fit */
};

/* ---- memory of one thread ---- */

/* auto begins near the projection and falls back on accepted steps inside the bounds; the other methods have one stage. */
enum stage { STAGE_NEAR, STAGE_GLOBAL };

/* Numbers of auto's attempts; 0 is the one from y_raw, or from a warm start. */
enum {
    CAME_IN = -1, /* none: y_raw ahead of a warm start */
    UNCLIPPED_ATTEMPT = 1,
    MOST_RESTARTS = 24,
    BOLD_ATTEMPTS = 2, /* after the restarts */
    LONG_ATTEMPT = MOST_RESTARTS + BOLD_ATTEMPTS + 1
};

struct lane {
    bool busy;
    bool fresh;      /* loaded or restarted, not evaluated yet */
    bool last;       /* holds the point to be returned */
    bool stationary; /* an attempt ended where A' W r vanishes */
    bool unusable;   /* nothing can be done with the sample: it returns its fallback */
    bool restarts;   /* is to begin anew */
    bool rewinds;    /* holds the best iterate again, to go on from there */
    bool clipped;    /* the last step was clipped into the bounds */
    bool leads;      /* the step from here leaves joint inequalities out (auto) */
    size_t sample, culprit;
    hn_outcome outcome;
    int iteration;    /* steps computed */
    int steps;        /* accepted ones since the attempt began */
    int attempt;      /* 0: from y_raw; else the number of the restart */
    int best_step;    /* accepted ones that led to the best iterate, */
    int best_attempt; /* in this attempt; CAME_IN: none did, it is what came in, ahead of a warm start */
    int slow;         /* accepted steps in a row that gained next to nothing */
    enum stage stage; /* of auto */
    int begun;        /* iteration at which the stage began */
    int waited;       /* steps since |W r| was last halved */
    double before;    /* max |r| of what came in */
    double best;      /* smallest measure of an accepted iterate */
    double squares;   /* |W r|^2 at the base */
    double halved;    /* |W r|^2 when it was last halved */
    double eps, growth;
    double used;  /* eps of the last step */
    double limit; /* of eps */
};

/* Samples not yet taken, shared by the threads of a call. */
struct queue {
    size_t next;
    double deadline; /* 0: none */
};

struct worker {
    const hn_layer *layer;
    struct backend backend;
    int lanes;  /* samples side by side: LANES, or 1 for a sample that comes alone */
    int narrow; /* places are divided by 2^narrow: LANES / lanes */
    const hn_batch *batch;
    struct queue *queue;
    double *slots;
    double *row; /* outputs: one sample's y */
    struct lane lane[LANES];
    bool cancelled;
    bool bounds; /* gradients of bounds are wanted */
    unsigned rounds;
};

/* Over the caller's memory, for a batch of so many samples; false when it is too small. */
bool worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, size_t bytes);

/* The next sample's number; false when there is none. */
bool queue_take(struct queue *queue, size_t count, size_t *sample);

/* Gives samples to free lanes; false when no lane has one. */
bool worker_load(struct worker *worker);

/* Lanes that have just been evaluated at what came in go to their warm starts; false when none does. What came in remains the best
 * iterate until there is a better one: nothing worse is returned. */
bool worker_start_warm(struct worker *worker);

/* Writes what is to be said about the lane's sample, which has just been evaluated where it ends, and frees the lane. */
void finish_sample(struct worker *worker, int lane);

/* The largest |r| of the lane's present iterate and its row; infinite when a value is not finite. */
double lane_violation(const struct worker *worker, int lane, size_t *row);

void worker_run(struct worker *worker);
void worker_gradient(struct worker *worker, const hn_gradient *gradient);

/* ---- the tape: per sample steps and attempt, then eps of each step (negative where the step was clipped into the bounds), then y
 * before each step; of the attempt that led to the result alone ---- */

enum { ATTEMPT_STEPS = 150 }; /* of auto; accepted ones, but for the long attempt */
enum { TAPE_STEPS, TAPE_ATTEMPT, TAPE_HEAD };
enum { TAPE_UNUSABLE = -1, TAPE_TOO_SHORT = -2 }; /* attempts: a fallback, or a way longer than the tape; no gradient */

void tape_plan(hn_layer *layer);
void tape_prefetch(const struct worker *worker, int lane, int step, bool write);

/* The caller's memory may begin anywhere. */
static inline double *tape_of(const hn_layer *layer, const hn_batch *batch, size_t sample) {
    uintptr_t begin = ((uintptr_t)batch->tape + sizeof(double) - 1) & ~(uintptr_t)(sizeof(double) - 1);
    return (double *)begin + sample * layer->tape_stride; // NOLINT(performance-no-int-to-ptr)
}

/* ---- small things ---- */

/* The lane's number at a place; the next slot's is worker->lanes further on. */
static inline double *lane_at(const struct worker *worker, uint32_t place, int lane) {
    return worker->slots + (place >> worker->narrow) + lane;
}

static inline void mask_set(const struct worker *worker, uint32_t place, int lane, bool value) {
    int64_t bits = -(int64_t)value;
    memcpy(lane_at(worker, place, lane), &bits, sizeof bits);
}

static inline bool mask_get(const struct worker *worker, uint32_t place, int lane) {
    int64_t bits;
    memcpy(&bits, lane_at(worker, place, lane), sizeof bits);
    return bits != 0;
}

void lane_read(const struct worker *worker, uint32_t place, int lane, size_t count, double *to);
void lane_write(const struct worker *worker, uint32_t place, int lane, size_t count, const double *from);
bool all_finite(const double *values, size_t count, size_t *culprit);

/* Fixed outputs take their values. */
void set_fixed(const struct worker *worker, int lane);

/* In restarts whose steps are clipped, outputs that lie on a bound stay there unless A' W r leads back inside: they are held
 * (Bertsekas 1982). After weighing; clips says which lanes' steps are clipped; the step's slots serve as scratch. */
void worker_hold_bounds(const struct worker *worker, const bool *clips);

/* Loads x (NaN or not) and runs what depends on x alone; used by both directions. */
void worker_load_inputs(struct worker *worker, int lane, size_t sample);

/* The caller's structs, checked, in full ones of ours. */
hn_status take_batch(const hn_layer *layer, const hn_batch *given, hn_batch *batch, hn_error *error);
hn_status take_gradient(const hn_batch *batch, const hn_gradient *given, hn_gradient *gradient, hn_error *error);

/* Reports have the stride, and the size, that the caller gives. */
void report_write(const hn_batch *batch, size_t sample, const hn_report *report);
hn_outcome report_outcome(const hn_batch *batch, size_t sample);

/* ---- decisions, per lane and round (control.c) ---- */

enum decision {
    GO_ON,          /* step from here */
    REJECT,         /* step again from the base */
    END,            /* here */
    END_BEFORE,     /* at the base */
    REWIND,         /* go on from the best iterate of this attempt */
    RESTART,        /* accept, then begin anew from a perturbed point */
    RESTART_BEFORE, /* the same, without accepting */
};

/* The first eps of a lane that adapts it. */
void control_begin(struct worker *worker, int lane);

/* Notes the violation of the present iterate as that of what came in. */
void control_came_in(struct worker *worker, int lane);

/* What to do with the present iterate, given the summary of its residual. */
enum decision control_decide(struct worker *worker, int lane);

/* After the step was computed. */
enum decision control_stepped(struct worker *worker, int lane);

/* Whether the step from here is clipped into the bounds of the outputs. */
bool control_clips(const hn_layer *layer, const struct lane *lane);

/* Whether the first step of an attempt, from the present iterate, leaves joint inequalities out. */
bool control_leads(const struct worker *worker, int lane);

/* How close to a bound a satisfied row is held at the present iterate; below 0: lane->leads. */
double control_hold(const struct worker *worker, int lane, enum stage stage);

/* d(eps) / d|W r| / |W r| at the present iterate. */
double control_slope(const struct worker *worker, int lane, enum stage stage);

/* lm's judgement of an iterate that a step led to. */
enum decision control_judge(struct worker *worker, int lane, double squares);
enum decision control_refuse(struct worker *worker, int lane);

/* What it means that no step helps at the base: locally infeasible where A' W r vanishes, else stalled. */
hn_outcome control_stuck(const struct worker *worker, int lane);
enum decision control_auto(struct worker *worker, int lane, double measure, bool finite);
double power_of_two(double value); /* the one next below */

/* ---- restarts (restart.c) ---- */

/* Whether an attempt takes no notice of the bounds of outputs, where it begins and in its steps. */
bool restart_unclipped(int attempt);

/* Where attempt number lane->attempt begins, into the lane's y. */
void restart_place(const struct worker *worker, int lane);

/* The gradient of that place: from y to y_raw and the bounds. */
void restart_pull(const struct worker *worker, int lane, int attempt);

/* ---- building (create.c and its neighbours) ---- */

hn_status layer_options(hn_layer_options *out, const hn_layer_options *options, hn_error *error);
hn_status layer_compile(hn_layer *layer, const hn_model *model, hn_error *error);

#endif
