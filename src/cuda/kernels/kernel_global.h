/* kernel_global.h - one CUDA thread and the samples it takes, with their slots in global memory: serves core/solver.h as an emitted file
 * does (core/solver_run.h).
 *
 *     open                     load a sample
 *     evaluate, decide, move   an iteration; the threads of a warp run each of the three together
 *     close                    a fresh evaluation at y, the verdict, the report
 *
 * With DEVICE_SINGLE numbers are floats: inputs are copied behind the thread's row, results are converted. With DEVICE_POLISH the sample
 * comes from such a kernel (mixed_precision.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_H
#define HN_CUDA_KERNEL_GLOBAL_H

#include "core/solver_run.h"
#include "cuda/kernels/global_slots.h"
#include "cuda/kernels/sample_io.h"

struct global_state {
    struct solver solver;
    struct solver_tape tape;
    unsigned requests; /* of the last decision */
    uint64_t sample;   /* its number in the batch */
#ifdef DEVICE_POLISH
    struct polish polish;
#endif
#ifdef DEVICE_SEARCHES
    struct thread_search search;
#endif
};

/* The methods nearest and optimal: nearest_kernel.h. */
#ifdef DEVICE_SEARCHES
static GENERATED bool thread_search_try(struct global_state *f);
static GENERATED void thread_search_after(struct global_state *f);
#endif

#ifdef DEVICE_POLISH
typedef struct global_state polished;
static void polish_open(polished *f, const struct device_call *call);
static void polish_close(polished *f, const struct device_call *call);
static void polish_report(const polished *f, struct device_report *out);

/* y = the result of the floats, except for outputs that they did not move. */
static void polish_lead(struct global_state *f, const double *to) {
    real *y = point_at(&f->solver.point, LAYER_Y);
    SHARED_LOOP
    for (size_t j = 0; j < LAYER_OUTPUTS; j += POINT_AT_ONCE) {
        real own[POINT_AT_ONCE], led[POINT_AT_ONCE];
        SHARED_LOOP
        for (size_t k = 0; k < POINT_AT_ONCE; k++) {
            own[k] = y[point_index(j + k, LAYER_OUTPUTS) * SLOT_STRIDE];
            led[k] = to[point_index(j + k, LAYER_OUTPUTS)];
        }
        SHARED_LOOP
        for (size_t k = 0; k < POINT_AT_ONCE && j + k < LAYER_OUTPUTS; k++)
            y[(j + k) * SLOT_STRIDE] = (real)(float)own[k] == led[k] ? own[k] : led[k];
    }
}

static void polish_keep(struct global_state *f) {
    solver_copy_slots(&f->solver, LAYER_Y, LAYER_BEST);
}
#endif

/* Where a kernel of floats copies the caller's numbers. */
SIMD_INLINE real *global_taken(const struct solver *d) {
    return d->row + LAYER_OUTPUTS;
}

static GENERATED void global_open(struct global_state *f, const struct device_call *call, uint64_t sample) {
    struct solver *d = &f->solver;
    f->sample = sample;
    thread_take_tape(d, &f->tape, call, sample);
    thread_find(d, call, sample, global_taken(d));
#ifdef DEVICE_SEARCHES
    search_load(d->search);
#endif
    solver_begin(d);
#ifdef DEVICE_POLISH
    polish_open(f, call);
#else
    if (!d->warm)
        return;
    solver_evaluate(d);
    solver_warm(d);
#endif
}

static GENERATED void global_evaluate(struct global_state *f) {
    solver_evaluate(&f->solver);
}

/* False: the sample has ended. */
static GENERATED bool global_decide(struct global_state *f) {
#ifdef DEVICE_SEARCHES
    if (f->solver.state.phase == PHASE_NEW && thread_search_try(f))
        return false;
#endif
    f->requests = solver_judge(&f->solver);
    return !(f->requests & SOLVER_FINISH);
}

static GENERATED void global_move(struct global_state *f) {
    solver_serve(&f->solver, f->requests);
}

/* Writes y, the report and everything else that the call asks for. */
static GENERATED void global_close(struct global_state *f, const struct device_call *call) {
    struct solver *d = &f->solver;
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
#ifdef DEVICE_POLISH
    polish_close(f, call);
#endif
    d->state.outcome = solver_verdict(d);
#ifdef DEVICE_SEARCHES
    thread_search_after(f);
#endif
    thread_give_results(d, call, f->sample);
#ifdef DEVICE_POLISH
    if (call->reports)
        polish_report(f, call->reports + f->sample);
#endif
}

#endif
