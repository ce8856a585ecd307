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
    struct backend backend;
    hn_layer_options options; /* the method's own numbers filled in */
    size_t inputs, outputs, rows;
    bool weighted; /* A = W J in slots of its own; else A is J */
    bool adaptive; /* steps are accepted or rejected, eps is adapted */
    struct arena arena;
    struct program *program;
    struct place_matrix jacobian, lower_x, upper_x, fixed_x; /* dc/dy; derivatives of bounds and fixed values by x */
    struct places fixed;                                     /* values of fixed outputs, by column */
    struct places bound_rows;                                /* rows that bound an output alone: row number, column */
    uint32_t *start;                                         /* of each output */
    struct places bracket_y, bracket_x, pull_x;              /* of the adjoint; see adjoint.c */
    struct rows_task task;
    struct adjoint_task adjoint;
    struct damped system;
    /* places of the layer's own vectors */
    uint32_t x, y;            /* the program's leaves */
    uint32_t leaf_t, leaf_s;  /* directions of the second-derivative products */
    uint32_t leaf_pull;       /* multipliers of pull_x */
    uint32_t base, best;      /* outputs: where the step starts; the best iterate */
    uint32_t unknown, second; /* of the system: solutions */
    uint32_t right, second_right;
    uint32_t step;     /* outputs */
    uint32_t gradient; /* outputs: A' W r on the outputs' side; p of the adjoint */
    uint32_t work;     /* max(rows, outputs) */
    uint32_t grad_x;   /* inputs */
    uint32_t mask_accept, mask_improved, mask_fresh, mask_last;
    uint32_t largest, step_squares, step_gain;
    size_t slots;
};

/* ---- memory of one thread ---- */

struct lane {
    bool busy;
    bool fresh; /* loaded, not evaluated yet */
    bool last;  /* holds the point to be returned */
    size_t sample, culprit;
    hn_outcome outcome;
    int iteration, steps, best_step;
    int slow;       /* accepted steps in a row that gained next to nothing */
    double before;  /* max |r| of what came in */
    double best;    /* smallest measure of an accepted iterate */
    double squares; /* |W r|^2 at the base */
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
    const hn_batch *batch;
    struct queue *queue;
    double *slots;
    double *row; /* outputs: one sample's y */
    struct lane lane[LANES];
    bool cancelled;
    unsigned rounds;
};

/* Over the caller's memory; false when it is too small. */
bool worker_begin(struct worker *worker, const hn_layer *layer, void *workspace, size_t bytes);

/* The next sample's number; false when there is none. */
bool queue_take(struct queue *queue, size_t count, size_t *sample);

/* Gives samples to free lanes; false when no lane has one. */
bool worker_load(struct worker *worker);

/* Writes what is to be said about the lane's sample, which has just been evaluated where it ends, and frees the lane. */
void finish_sample(struct worker *worker, int lane);

/* The largest |r| of the lane's present iterate and its row; infinite when a value is not finite. */
double lane_violation(const struct worker *worker, int lane, size_t *row);

void worker_run(struct worker *worker);
void worker_gradient(struct worker *worker, const hn_gradient *gradient);

/* ---- the tape: per sample steps, then eps of each step, then y before each step ---- */

size_t tape_stride(const hn_layer *layer); /* in doubles; 0 when it does not fit */
double *tape_of(const hn_layer *layer, const hn_batch *batch, size_t sample);

/* ---- small things ---- */

static inline double *lane_at(const struct worker *worker, uint32_t place, int lane) {
    return worker->slots + place + lane;
}

void mask_set(const struct worker *worker, uint32_t place, int lane, bool value);
bool mask_get(const struct worker *worker, uint32_t place, int lane);
void lane_read(const struct worker *worker, uint32_t place, int lane, size_t count, double *to);
void lane_write(const struct worker *worker, uint32_t place, int lane, size_t count, const double *from);
bool all_finite(const double *values, size_t count, size_t *culprit);

/* Loads x (NaN or not) and runs what depends on x alone; used by both directions. */
void worker_load_inputs(struct worker *worker, int lane, size_t sample);

hn_status check_batch(const hn_layer *layer, const hn_batch *batch, hn_error *error);
hn_status check_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient, hn_error *error);

/* ---- decisions, per lane and round (control.c) ---- */

enum decision {
    GO_ON,      /* step from here */
    REJECT,     /* step again from the base */
    END,        /* here */
    END_BEFORE, /* at the base */
};

/* The first eps of a lane that adapts it. */
void control_begin(struct worker *worker, int lane);

/* What to do with the present iterate, given the summary of its residual. */
enum decision control_decide(struct worker *worker, int lane);

/* After the step was computed. */
enum decision control_stepped(struct worker *worker, int lane);

/* ---- building (create.c and its neighbours) ---- */

hn_status layer_options(hn_layer_options *out, const hn_layer_options *options, hn_error *error);
hn_status layer_compile(hn_layer *layer, const hn_model *model, hn_error *error);

#endif
