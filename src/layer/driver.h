/* driver.h - loads samples of a batch into an executor, and writes results and reports.
 *
 * Only the driver handles batches, threads and cancellation. A worker is one thread's part of a call: its executor has
 * `width` lanes, each with the solver of one sample (core/solver.h). The solver decides; the driver serves the requests of
 * all lanes together.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LAYER_DRIVER_H
#define HN_LAYER_DRIVER_H

#define SOLVER_SEARCHES
#define SOLVER_REPORT hn_report
#define SOLVER_REASON hn_reason
#include "codegen/kernel/compile.h"
#include "core/solver.h"
#include "core/solver_adjoint.h"
#include "core/solver_search.h"
#include "cpu/executor.h"
#include "hardnet/layer.h"
#include "layer/tape.h"
#include "nearest/affine.h"
#include "nearest/nearest.h"
#include "plan/methods.h"

/* Constant. */
struct hn_layer {
    hn_layer_options options; /* with the method's default numbers filled in */
    hn_layer_options steps;   /* options of the steps: auto for nearest and optimal */
    struct plan *plan;
    char *kernel;            /* a copy of the path options.kernel; NULL: none */
    struct kernel *loaded;   /* the loaded file; NULL: none */
    struct executor lanes;   /* for batches */
    struct executor single;  /* for a single sample */
    struct nearest near[2];  /* nearest, optimal: the search after the steps, for batches and for a single sample */
    struct nearest split[2]; /* optimal: the search with kinks split, if the model has splittable kinks */
    struct affine affine;    /* active-set method tried before the steps if all constraints are affine */
    bool maximizes;          /* the model maximizes its objective */
    double *weights;         /* a copy of options.weights; NULL: none */
};

/* Samples not yet taken, shared by the threads of a call. */
struct queue {
    size_t next;
    double deadline; /* 0: none */
};

struct lane {
    struct solver solver;
    struct solver_search search;
    size_t sample;           /* its index in the batch */
    bool regular;            /* the gradient is exact */
    bool deferred;           /* nearest: auto has ended and the search is pending */
    enum sample_phase phase; /* while deferred: the phase to restore afterwards */
};

/* How often a worker reads the clock. */
struct pace {
    double looked; /* time of the last read */
    int since;     /* iterations since then */
    int every;     /* iterations between reads; 0: not read yet */
};

/* A worker's parts of the caller's workspace. */
struct worker_workspace {
    const hn_layer *layer;
    double *slots;
    double *row;       /* outputs: scratch */
    double *near;      /* nearest: workspace of the search */
    double *split;     /* workspace of the search with kinks split */
    double *near_rows; /* per lane: raw output, auto's y, the nearest y and the multipliers */
    double *affine;    /* workspace of affine.h */
    double *goal;      /* workspace of its objective */
    double *inputs;    /* with shared inputs: those of the sample of each lane, and one gradient */
};

struct worker {
    const hn_layer *layer;
    const struct executor *executor;
    struct executor helped; /* a copy with the worker's helper threads */
    const struct plan *plan;
    uint32_t width;
    const hn_batch *batch;
    struct queue *queue;
    double *slots;
    double *row;
    struct worker_workspace memory;
    bool cancelled;
    bool at_once;            /* all samples take steps of auto's near stage; their iterates are not committed yet */
    bool evaluated;          /* the present iterates have been evaluated */
    bool fused_auto_lanes;   /* samples are in `stage`; their own states are out of date */
    struct fused_auto stage; /* auto's near stage: state of the fused samples */
    struct pace pace;
    struct lane lane[MAX_LANES]; /* `width` of them are initialised */
};

/* A worker in a workspace of the layer for a batch of count samples. */
void worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, struct helpers *helpers);

/* The slots of a worker within a workspace of the layer; helper threads may use them. */
double *worker_memory(const hn_layer *layer, void *workspace);

/* Whether a sample is large enough to share among threads. */
bool layer_shares(const hn_layer *layer);

/* The index of the next sample; false when the batch is exhausted. */
bool queue_take(struct queue *queue, size_t count, size_t *sample);

void worker_run(struct worker *worker);
void worker_gradient(struct worker *worker, const hn_gradient *gradient);

/* ---- parts of worker_run ---- */

/* Loads samples into free lanes; false when all lanes are idle. `best` does not have the start yet, except with warm
 * starts. */
bool worker_load(struct worker *worker);

/* Sets worker->cancelled if the call must end; called before every iteration. */
void worker_poll(struct worker *worker);

/* The number of iterations allowed before the next poll, beyond those that worker_poll counts; and the number that did
 * run. */
int worker_unpolled_iterations(const struct worker *worker);
void worker_count_iterations(struct worker *worker, int rounds);

/* Fused iterations of auto's near stage, if all samples are in it. False: decide them one by one; see
 * worker->evaluated. */
bool worker_fused_auto(struct worker *worker);

/* Fused iterations without a stopping test, if no lane needs a decision in the next ones. */
void worker_fused_fixed(struct worker *worker);

/* Writes the report of the lane's sample, just evaluated at its final point in the slots y, and frees the lane. */
void worker_finish(struct worker *worker, uint32_t lane, uint32_t y);

/* ---- the method nearest: samples finished by auto are deferred, then searched together ---- */

/* Defers the lane's sample, which was evaluated at the y in these slots. */
void worker_defer_search(struct worker *worker, uint32_t lane, uint32_t y);

/* A callback that polls the flag and the clock and returns whether the call must end. */
struct nearest_watch worker_cancellation(struct worker *worker);

/* Affine constraints: tries the active-set method on the lane's new sample, just evaluated at its input. True: the
 * sample is deferred and needs no steps. */
bool worker_try_active_set(struct worker *worker, uint32_t lane);

/* Searches for all deferred samples and finishes them; false when none is deferred. Called when no lane is busy. */
bool worker_search(struct worker *worker);

/* For the lanes with a certified sample (search.searched), with x loaded: gradients into the plan's vectors,
 * lane.regular. */
void worker_pull_nearest(struct worker *worker, const hn_gradient *gradient);

/* Numbers per lane in near_rows: raw output, auto's y, the nearest y and the multipliers, twice, or the
 * gradients. */
static inline size_t worker_near_numbers(const struct plan *plan) {
    return 3 * (size_t)plan->outputs + 2 * (size_t)plan->rows + plan->inputs;
}

/* The search with as many lanes as the executor. */
static inline const struct nearest *worker_nearest(const struct worker *worker) {
    return &worker->layer->near[worker->width == 1];
}

/* With kinks split; parts.plan.program is NULL if the model has no splittable kinks. */
static inline const struct nearest *worker_split(const struct worker *worker) {
    return &worker->layer->split[worker->width == 1];
}

/* ---- helpers ---- */

static inline struct sample *worker_state(struct worker *worker, uint32_t lane) {
    return &worker->lane[lane].solver.state;
}

static inline bool lane_is_idle(const struct lane *lane) {
    return lane->solver.state.phase == PHASE_IDLE;
}

/* The lane's numbers in near_rows; its search points into them. */
static inline double *worker_near_row(const struct worker *worker, uint32_t lane) {
    return worker->memory.near_rows + lane * worker_near_numbers(worker->plan);
}

static inline struct tape worker_tape(const struct worker *worker, uint32_t lane) {
    return tape_of(worker->plan, worker->batch->tape, worker->lane[lane].sample);
}

/* Flags and numbers per lane that select the rows of a step. */
struct row_masks {
    bool leads[MAX_LANES], holds[MAX_LANES];
    double hold[MAX_LANES];
};

/* After an evaluation, for the accepted lanes. */
struct executor_rows worker_rows(const struct worker *worker, const bool *accepted, struct row_masks *masks);

/* Whether this input is number `next` of the shared ones. */
static inline bool batch_shares(const hn_batch *batch, size_t next, size_t input) {
    return next < batch->shared_count && input == (batch->shared_inputs ? batch->shared_inputs[next] : next);
}

/* A row of memory.inputs: per lane; the gradient is the row after those of the lanes. */
static inline double *worker_inputs(const struct worker *worker, uint32_t row) {
    return worker->memory.inputs + (size_t)row * worker->plan->inputs;
}

/* All inputs of the lane's sample, or NULL for a model without inputs; a row of y_raw, or NULL. */
const double *batch_inputs(const struct worker *worker, uint32_t lane);
const double *batch_raw(const struct worker *worker, size_t sample);

/* Reports have the caller's stride and size. */
void report_write(const hn_batch *batch, size_t sample, const hn_report *report);
hn_outcome report_outcome(const hn_batch *batch, size_t sample);

/* Options, checks and the plan, with the instruction set chosen; layer_release frees it, also when incomplete. */
hn_status layer_plan(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error);
void layer_release(hn_layer *layer);
/* Sets the step budget; the rest of the layer must be complete. */
hn_status layer_probe(hn_layer *layer, const hn_model *model, hn_error *error);

hn_status layer_options(hn_layer_options *out, const hn_layer_options *options, hn_error *error);

#endif
