/* driver.h - takes samples from a batch, gives them to an executor, writes results and reports.
 *
 * The only one that knows batches, threads and cancellation. A worker is one thread's part of a call: its executor has `width` seats,
 * each with the state of one sample (core/sample.h). What a sample does is decided there; here vectors are moved accordingly.
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

/* Constant. */
struct hn_layer {
    hn_layer_options options; /* with the method's own numbers filled in */
    hn_layer_options steps;   /* the same, of the method whose steps are taken: auto's for nearest and optimal */
    struct plan *plan;
    char *kernel;                /* the path that options.kernel names; NULL: none */
    struct loaded_kernel loaded; /* what it is a file of */
    struct executor lanes;       /* for batches, */
    struct executor single;      /* and for a single sample */
    struct nearest near_lanes;   /* of the method nearest: what follows the steps, for batches, */
    struct nearest near_single;  /* and for a single sample; */
    struct nearest split_lanes;  /* of optimal: the same without kinks, where the model has any that can be split, */
    struct nearest split_single; /* likewise */
    struct affine affine;        /* what comes before the steps where rows are affine */
    bool maximizes;              /* the model's objective is the larger the better */
    double *weights;             /* what options.weights names; NULL: none */
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
    bool regular;            /* of a gradient: exact */
    bool deferred, searched; /* of the method nearest: auto has ended and the search is to come; it has been */
    bool tried, found;       /* by affine.h: whether; y and multipliers are its answer */
    bool lost;               /* it waits for the proof that there is no answer nearby */
    double least_slope;      /* where the slope was smallest that steps came to a stand at; infinite: nowhere */
    double proof;            /* hn_report.proof */
    bool split;              /* it is certified by the search without kinks */
    enum sample_phase phase; /* while it waits: what the state says again afterwards */
    struct nearest_sample near;
};

/* How often a worker looks at the clock. */
struct pace {
    double looked; /* when it last did */
    int since;     /* rounds since then */
    int every;     /* and when it will again; 0: it has not yet */
};

struct worker {
    const hn_layer *layer;
    const struct executor *executor;
    struct executor helped; /* the same with the worker's crew */
    const struct plan *plan;
    uint32_t width;
    const hn_batch *batch;
    struct queue *queue;
    double *slots;
    double *row;       /* outputs: one sample's y */
    double *near;      /* of the method nearest: memory of the search, */
    double *split;     /* and of the one without kinks, */
    double *near_rows; /* and of every seat raw output, auto's y, the nearest y and the multipliers, */
    double *affine;    /* and of affine.h, */
    double *goal;      /* and of its objective */
    struct lane lane[MAX_LANES];
    bool cancelled;
    bool bounds_known; /* they are the same for all samples, and good */
    bool at_once;      /* all samples take steps of auto's near stage; their iterates have not been taken over yet */
    bool evaluated;    /* the present iterates are already */
    bool fused_auto_lanes;   /* samples are in `stage`, and their own states are older */
    struct fused_auto stage; /* auto's near stage: the samples that are in it together */
    struct pace pace;
};

/* Over the caller's memory, for a batch of so many samples; false when it is too small. Whoever joins the crew (NULL: there is
 * none) helps with a sample. */
bool worker_begin(struct worker *worker, const hn_layer *layer, size_t count, void *workspace, size_t bytes,
                  struct helpers *helpers);

/* What a worker computes in, in a workspace of the layer: a thread that helps may use it, too. */
double *worker_memory(const hn_layer *layer, void *workspace);

/* Whether a sample is large enough for several threads. */
bool layer_shares(const hn_layer *layer);

/* The next sample's number; false when there is none. */
bool queue_take(struct queue *queue, size_t count, size_t *sample);

void worker_run(struct worker *worker);
void worker_gradient(struct worker *worker, const hn_gradient *gradient);

/* ---- parts of worker_run ---- */

/* Gives samples to free seats; false when no seat has one. What came in is not in `best` yet unless there are warm starts. */
bool worker_load(struct worker *worker);

/* Of a cancelled call: whether samples that were not begun can be returned without an evaluation; does that for one, false where it
 * needs one all the same. */
bool worker_can_skip(const struct worker *worker);
bool worker_skip(const struct worker *worker, size_t sample);

/* What came in, into the vector `raw`: few samples ask for it. */
void worker_bring_raw(const struct worker *worker, uint32_t lane);

/* y holds the fallback, which is evaluated like any other point and returned with this outcome. */
void worker_fall_back(struct worker *worker, uint32_t lane, hn_outcome outcome);

/* Samples that have just been evaluated at what came in go to their warm starts; false when none does. */
bool worker_start_warm(struct worker *worker);

/* Sets worker->cancelled where the call is to end; before every round. */
void worker_poll(struct worker *worker);

/* Rounds that may pass before the next look at it, where there are others than those that worker_poll knows of; and how many did. */
int worker_unpolled_iterations(const struct worker *worker);
void worker_count_iterations(struct worker *worker, int rounds);

/* Rounds of auto's near stage, where all samples are in it. False: they are to be decided one by one; see worker->evaluated. */
bool worker_fused_auto(struct worker *worker);

/* Rounds in which nothing is decided, where the next ones are such for all seats. */
void worker_fused_fixed(struct worker *worker);

/* Writes what is reported about the seat's sample, which has just been evaluated where it ends, and frees the seat. y: the slot of that
 * point. */
void worker_finish(struct worker *worker, uint32_t lane, const struct sample_numbers *numbers, uint32_t y);

/* ---- the method nearest: samples that auto has ended with wait until the search takes all of them at once ---- */

/* The seat's sample waits; it was evaluated at the y of this slot. */
void worker_defer_search(struct worker *worker, uint32_t lane, uint32_t y);

/* Keeps the last accepted iterate, where steps have come to a stand with this slope, if that is the smallest so far. */
void worker_record_stationary(struct worker *worker, uint32_t lane, const struct sample_slope *slope);

/* Says whether the call is to end, by a look at the flag and the clock each time. */
struct nearest_watch worker_cancellation(struct worker *worker);

/* Where rows are affine: tries to answer for the seat's sample, which has just been evaluated at what came in. true: it waits, and needs no
 * steps. */
bool worker_try_active_set(struct worker *worker, uint32_t lane, const struct sample_numbers *numbers);

/* Searches for all that wait and finishes them; false when none does. Called when no seat is busy. */
bool worker_search(struct worker *worker);

/* Of the seats whose sample is certified (seat.searched), where x is loaded: gradients into the plan's vectors, seat.regular. */
void worker_pull_nearest(struct worker *worker, const hn_gradient *gradient);

/* Of those that wait and are locally infeasible: the weights that prove it, and the point where they do. */
void worker_find_certificate(struct worker *worker);

/* Numbers of a seat in worker.near_rows: raw output, auto's y, the nearest y and the multipliers, twice, or what the gradient has. */
static inline size_t worker_near_numbers(const struct plan *plan) {
    return 3 * (size_t)plan->outputs + 2 * (size_t)plan->rows + plan->inputs;
}

enum { ROW_RAW, ROW_AUTO, ROW_NEAREST, ROW_MULTIPLIERS };

static inline double *worker_near_row(const struct worker *worker, uint32_t lane, size_t which) {
    return worker->near_rows + lane * worker_near_numbers(worker->plan) + which * worker->plan->outputs;
}

/* Whether the method goes on from where auto ends, and proves what it finds. */
static inline bool method_searches(hn_method method) {
    return method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL;
}

/* As wide as the executor: tiles have one seat, too. */
static inline const struct nearest *worker_nearest(const struct worker *worker) {
    return worker->width > 1 ? &worker->layer->near_lanes : &worker->layer->near_single;
}

/* Without kinks; parts.plan.program is NULL where there are none that can be split. */
static inline const struct nearest *worker_split(const struct worker *worker) {
    return worker->width > 1 ? &worker->layer->split_lanes : &worker->layer->split_single;
}

/* The outcome of what the seat's sample was just evaluated at. */
hn_outcome worker_verdict(const struct worker *worker, uint32_t lane, const struct sample_numbers *numbers);

/* ---- small things ---- */

static inline struct point worker_point(const struct worker *worker, uint32_t lane) {
    return (struct point){worker->plan, worker->slots + lane, worker->width};
}

/* What an evaluation left for the seat's sample, with what it asks for. */
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

/* What a step left. */
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

/* Rows of the batch; NULL where there is none. */
const double *batch_inputs(const struct worker *worker, size_t sample);
const double *batch_raw(const struct worker *worker, size_t sample);

bool all_finite(const double *values, size_t count, size_t *culprit);

/* |a - b| of finite numbers. */
double vector_distance(const double *a, const double *b, size_t count);

/* The caller's structs, checked, in full ones of ours. */
hn_status take_batch(const hn_layer *layer, const hn_batch *given, hn_batch *batch, hn_error *error);
hn_status take_gradient(const hn_layer *layer, const hn_batch *batch, const hn_gradient *given, hn_gradient *gradient,
                        hn_error *error);

/* Reports have the stride, and the size, that the caller gives. */
void report_write(const hn_batch *batch, size_t sample, const hn_report *report);
hn_outcome report_outcome(const hn_batch *batch, size_t sample);

/* Options, checks and the plan, with the instruction set chosen; layer_release undoes it, and accepts what is made in part. */
hn_status layer_plan(hn_layer *layer, const hn_model *model, const hn_layer_options *options, hn_error *error);
void layer_release(hn_layer *layer);
/* Sets the budget of the layer's samples; the rest of the layer is complete. */
hn_status layer_probe(hn_layer *layer, const hn_model *model, hn_error *error);

hn_status layer_options(hn_layer_options *out, const hn_layer_options *options, hn_error *error);

#endif
