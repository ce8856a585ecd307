/* driver.h - takes samples from a batch, gives them to an executor, writes results and reports.
 *
 * Only the driver handles batches, threads and cancellation. A worker is one thread's part of a call: its executor has
 * `width` lanes, each with the state of one sample (core/sample.h). Decisions are made there; the driver moves vectors
 * accordingly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LAYER_DRIVER_H
#define HN_LAYER_DRIVER_H

#include "codegen/kernel/compile.h"
#include "core/point.h"
#include "cpu/executor.h"
#include "hardnet/layer.h"
#include "layer/tape.h"
#include "nearest/affine.h"
#include "nearest/nearest.h"
#include "plan/methods.h"

/* Constant. */
struct hn_layer {
    hn_layer_options options; /* with the method's own numbers filled in */
    hn_layer_options steps;   /* options of the method that steps: auto for nearest and optimal */
    struct plan *plan;
    char *kernel;                /* the path that options.kernel names; NULL: none */
    struct loaded_kernel loaded; /* the loaded file */
    struct executor lanes;       /* for batches */
    struct executor single;      /* for a single sample */
    struct nearest near_lanes;   /* nearest, optimal: the search after the steps, for batches */
    struct nearest near_single;  /* the same for a single sample */
    struct nearest split_lanes;  /* optimal: the search with kinks split, if the model has splittable kinks */
    struct nearest split_single; /* the same for a single sample */
    struct affine affine;        /* active-set method tried before the steps if all constraints are affine */
    bool maximizes;              /* the model maximizes its objective */
    double *weights;             /* a copy of options.weights; NULL: none */
};

/* Samples not yet taken, shared by the threads of a call. */
struct queue {
    size_t next;
    double deadline; /* 0: none */
};

struct lane {
    struct sample state;
    size_t sample; /* its number in the batch */
    size_t culprit;
    bool regular;            /* the gradient is exact */
    bool deferred, searched; /* nearest: auto has ended and the search is pending; the search has run */
    bool tried, found;       /* affine.h was tried; y and multipliers are its solution */
    bool lost;               /* waits for a certificate of local infeasibility */
    double least_slope;      /* smallest slope at which steps stalled; infinite: none did */
    double proof;            /* hn_report.proof */
    bool split;              /* certified by the search with kinks split */
    enum sample_phase phase; /* while deferred: the phase to restore afterwards */
    struct nearest_sample near;
};

/* How often a worker reads the clock. */
struct pace {
    double looked; /* time of the last read */
    int since;     /* iterations since then */
    int every;     /* iterations between reads; 0: not read yet */
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
    double *row;       /* outputs: one sample's y */
    double *near;      /* nearest: workspace of the search */
    double *split;     /* workspace of the search with kinks split */
    double *near_rows; /* per lane: raw output, auto's y, the nearest y and the multipliers */
    double *affine;    /* workspace of affine.h */
    double *goal;      /* workspace of its objective */
    struct lane lane[MAX_LANES];
    bool cancelled;
    bool bounds_known;       /* the bounds are constant and valid */
    bool at_once;            /* all samples take steps of auto's near stage; their iterates are not committed yet */
    bool evaluated;          /* the present iterates are evaluated */
    bool fused_auto_lanes;   /* samples are in `stage`; their own states are out of date */
    struct fused_auto stage; /* auto's near stage: state of the fused samples */
    struct pace pace;
};

/* A worker in the caller's memory for a batch of count samples; false when the memory is too small. Threads that join
 * `helpers` (NULL: none) work on its samples. */
bool worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, size_t bytes,
                  struct helpers *helpers);

/* The slots of a worker within a workspace of the layer; helper threads may use them. */
double *worker_memory(const hn_layer *layer, void *workspace);

/* Whether a sample is large enough to share among threads. */
bool layer_shares(const hn_layer *layer);

/* The next sample's number; false when the batch is exhausted. */
bool queue_take(struct queue *queue, size_t count, size_t *sample);

void worker_run(struct worker *worker);
void worker_gradient(struct worker *worker, const hn_gradient *gradient);

/* ---- parts of worker_run ---- */

/* Loads samples into free lanes; false when all lanes are idle. `best` does not have the start yet, except with warm
 * starts. */
bool worker_load(struct worker *worker);

/* Cancelled call: whether samples that were not started can be returned without an evaluation; does so for one sample,
 * false if that one needs an evaluation. */
bool worker_can_skip(const struct worker *worker);
bool worker_skip(const struct worker *worker, size_t sample);

/* Copies the input y into the vector `raw`; few samples need it. */
void worker_bring_raw(const struct worker *worker, uint32_t lane);

/* Puts the fallback into y; it is evaluated like any other point and returned with this outcome. */
void worker_fall_back(struct worker *worker, uint32_t lane, hn_outcome outcome);

/* Moves samples just evaluated at the input y to their warm starts; false when no sample moved. */
bool worker_start_warm(struct worker *worker);

/* Sets worker->cancelled if the call must end; called before every iteration. */
void worker_poll(struct worker *worker);

/* Iterations that may run before the next poll, beyond those that worker_poll counts; and how many did run. */
int worker_unpolled_iterations(const struct worker *worker);
void worker_count_iterations(struct worker *worker, int rounds);

/* Fused iterations of auto's near stage, if all samples are in it. False: decide them one by one; see
 * worker->evaluated. */
bool worker_fused_auto(struct worker *worker);

/* Fused iterations without a stopping test, if no lane needs a decision in the next ones. */
void worker_fused_fixed(struct worker *worker);

/* Writes the report of the lane's sample, just evaluated at its final point in slot y, and frees the lane. */
void worker_finish(struct worker *worker, uint32_t lane, const struct sample_numbers *numbers, uint32_t y);

/* ---- the method nearest: samples finished by auto are deferred, then searched together ---- */

/* Defers the lane's sample; it was evaluated at the y of this slot. */
void worker_defer_search(struct worker *worker, uint32_t lane, uint32_t y);

/* Records the last accepted iterate, where steps stalled with this slope, if the slope is the smallest so far. */
void worker_record_stationary(struct worker *worker, uint32_t lane, const struct sample_slope *slope);

/* A callback that polls the flag and the clock and returns whether the call must end. */
struct nearest_watch worker_cancellation(struct worker *worker);

/* Affine constraints: tries the active-set method on the lane's sample, just evaluated at its input. true: it is
 * deferred and needs no steps. */
bool worker_try_active_set(struct worker *worker, uint32_t lane, const struct sample_numbers *numbers);

/* Searches for all deferred samples and finishes them; false when none is deferred. Called when no lane is busy. */
bool worker_search(struct worker *worker);

/* For the lanes with a certified sample (lane.searched), with x loaded: gradients into the plan's vectors,
 * lane.regular. */
void worker_pull_nearest(struct worker *worker, const hn_gradient *gradient);

/* For deferred, locally infeasible samples: the multipliers that certify it, and the point at which they do. */
void worker_find_certificate(struct worker *worker);

/* Numbers per lane in worker.near_rows: raw output, auto's y, the nearest y and the multipliers, twice, or the
 * gradients. */
static inline size_t worker_near_numbers(const struct plan *plan) {
    return 3 * (size_t)plan->outputs + 2 * (size_t)plan->rows + plan->inputs;
}

enum { ROW_RAW, ROW_AUTO, ROW_NEAREST, ROW_MULTIPLIERS };

static inline double *worker_near_row(const struct worker *worker, uint32_t lane, size_t which) {
    return worker->near_rows + lane * worker_near_numbers(worker->plan) + which * worker->plan->outputs;
}

/* The search with as many lanes as the executor. */
static inline const struct nearest *worker_nearest(const struct worker *worker) {
    return worker->width > 1 ? &worker->layer->near_lanes : &worker->layer->near_single;
}

/* With kinks split; parts.plan.program is NULL if the model has no splittable kinks. */
static inline const struct nearest *worker_split(const struct worker *worker) {
    return worker->width > 1 ? &worker->layer->split_lanes : &worker->layer->split_single;
}

/* The outcome of the point at which the lane's sample was just evaluated. */
hn_outcome worker_verdict(const struct worker *worker, uint32_t lane, const struct sample_numbers *numbers);

/* ---- helpers ---- */

static inline struct point worker_point(const struct worker *worker, uint32_t lane) {
    return (struct point){worker->plan, worker->slots + lane, worker->width};
}

/* The summary of an evaluation for the lane's sample, with its tolerance. */
static inline struct sample_numbers worker_numbers(const struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct sample *s = &worker->lane[lane].state;
    const struct point p = worker_point(worker, lane);
    const double *summary = point_at(&p, plan->summary);
    struct sample_numbers n = {.measure = summary[SUMMARY_WORST * p.width]};
    size_t unused;
    n.finite = point_mask(&p, plan->summary + SUMMARY_USABLE) && point_mask(&p, plan->summary + SUMMARY_FINITE);
    if (sample_asks_violation(s, &plan->options))
        n.violation = point_violation(&p, &unused);
    if (!plan->options.weighted)
        return n;
    n.moved = point_mask(&p, plan->summary + SUMMARY_MOVED);
    n.squares = summary[SUMMARY_SQUARES * p.width];
    n.gain = *point_at(&p, plan->step_gain);
    n.step_squares = *point_at(&p, plan->step_squares);
    if (sample_asks_joint(s, &plan->options, &n))
        n.joint = point_joint(&p);
    return n;
}

/* The summary of a step. */
static inline struct sample_numbers worker_step_numbers(const struct worker *worker, uint32_t lane) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    struct sample_numbers n = {.moved = point_mask(&p, plan->summary + SUMMARY_MOVED),
                               .usable = point_mask(&p, plan->summary + SUMMARY_USABLE)};
    n.least_pivot = *point_at(&p, plan->system.pivot_range);
    n.most_pivot = *point_at(&p, plan->system.pivot_range + 1);
    return n;
}

static inline struct tape worker_tape(const struct worker *worker, uint32_t lane) {
    return tape_of(worker->plan, worker->batch->tape, worker->lane[lane].sample);
}

/* Rows of the batch; NULL if missing. */
const double *batch_inputs(const struct worker *worker, size_t sample);
const double *batch_raw(const struct worker *worker, size_t sample);

bool all_finite(const double *values, size_t count, size_t *culprit);

/* |a - b|_2 of finite numbers. */
double vector_distance(const double *a, const double *b, size_t count);

/* Checks the caller's structs and copies them into full ones. */
hn_status take_batch(const hn_layer *layer, const hn_batch *given, hn_batch *batch, hn_error *error);
hn_status take_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *given, hn_gradient *gradient,
                        hn_error *error);

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
