/* sample_io.h - one sample of a CUDA thread: its state, its rows of the caller's arrays, its tape, report and gradients. For slots
 * in registers (kernel_registers.h) and in global memory.
 *
 * The caller's numbers are doubles. With DEVICE_SINGLE the kernel computes in floats: inputs are converted to
 * LAYER_TAKEN numbers after d->row. With DEVICE_POLISH the sample comes from such a kernel (mixed_precision.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SAMPLE_IO_H
#define HN_CUDA_SAMPLE_IO_H

#include "core/solver.h"
#include "cuda/kernels/kernel_args.h"

#ifdef DEVICE_GRADIENTS
#include "core/solver_run_adjoint.h"
#endif

#ifdef DEVICE_POLISH
struct polish {
    struct device_report first; /* of the float kernel */
    int begun;                  /* iterations counted before the polish */
    bool kept;                  /* the raw output is feasible: the float steps are discarded */
};
#endif

#ifdef DEVICE_REGISTERS
/* Scheduling of a thread: kernel_main.h. */
struct thread_turn {
    uint64_t sample;  /* its last sample */
    unsigned waited;  /* iterations that all threads of the block have waited since the last refill */
    unsigned working; /* threads of the block that had a sample then */
    bool busy, ended, left;
};
#endif

struct thread_state {
    struct solver solver;
    struct solver_tape tape;
    uint64_t sample; /* its index in the batch */
#ifdef DEVICE_REGISTERS
    struct thread_turn turn;
    bool assumed;      /* row weights are the constants that fused iterations assume */
    bool weighed;      /* the slots contain A and W r of the last weighing */
    bool is_best;      /* the iterate before the step is the best one; else it is in `before` */
    bool best_is_base; /* methods with weights only: the best iterate is the base, and not in its slots yet */
    bool pinned;       /* the copy of y that fused iterations read is up to date */
    bool evaluated;    /* c, J and r at y are in their slots */
    real *before;      /* outputs; methods without weights only */
#else
    unsigned requests; /* of the last decision */
#ifdef DEVICE_SEARCHES
    struct thread_search search;
#endif
#endif
#ifdef DEVICE_POLISH
    struct polish polish;
#endif
};

/* ---- copies in blocks, read before they are written: the compiler must assume that the arrays overlap ---- */

enum { THREAD_FEW = 10 };

/* Rolled: runs once per sample, when fetching instructions costs more than the loop. */
#define THREAD_MOVE_ONCE(name, source, target)                                                                         \
    SIMD_INLINE void name(const source *from, target *to, const uint32_t count) {                                      \
        DEVICE_ROLLED                                                                                                  \
        for (uint32_t first = 0; first < count; first += THREAD_FEW) {                                                 \
            target block[THREAD_FEW];                                                                                  \
            DEVICE_UNROLL                                                                                              \
            for (uint32_t k = 0; k < THREAD_FEW; k++)                                                                  \
                block[k] = first + k < count ? (target)from[first + k] : 0;                                            \
            DEVICE_UNROLL                                                                                              \
            for (uint32_t k = 0; k < THREAD_FEW; k++)                                                                  \
                if (first + k < count)                                                                                 \
                    to[first + k] = block[k];                                                                          \
        }                                                                                                              \
    }
THREAD_MOVE_ONCE(thread_copy_once, real, real)

#ifdef DEVICE_SINGLE
THREAD_MOVE_ONCE(thread_take_in, double, real)

static void thread_give_y(const struct solver *d, double *to) {
    SHARED_LOOP
    for (uint32_t j = 0; j < LAYER_OUTPUTS; j++)
        to[j] = (double)*point_at(&d->point, LAYER_Y + j);
}

/* The caller's numbers in the kernel's precision: a copy in floats, the array itself in doubles. */
static real *thread_in(const double *from, real *to, uint32_t count) {
    if (from)
        thread_take_in(from, to, count);
    return from ? to : 0;
}
#else
static void thread_give_y(const struct solver *d, double *to) {
    point_read(&d->point, LAYER_Y, LAYER_OUTPUTS, to);
}

SHARED_CONSTANT real *thread_in(const double *from, const real *unused, uint32_t count) {
    (void)unused;
    (void)count;
    return from;
}
#endif

/* ---- rows and tapes ---- */

SHARED_CONSTANT double *thread_row(const double *rows, bool repeats, uint64_t sample, uint32_t width) {
    return rows ? rows + (repeats ? 0 : sample * width) : rows;
}

/* The tapes of all samples are interleaved (tape_width samples), or consecutive (tape_width 1). */
static void thread_take_tape(struct solver *d, struct solver_tape *tape, const struct device_call *call,
                             uint64_t sample) {
    uint64_t apart = call->tape_width == 1 ? call->tape_room : 1;
    d->tape = call->heads ? tape : 0;
    if (!call->heads)
        return;
    tape->eps = call->tape_eps + sample * apart;
    tape->kind = call->tape_kind + sample * apart;
    tape->iterate = call->tape_y + sample * (call->tape_width == 1 ? apart * LAYER_OUTPUTS : apart);
    tape->room = call->tape_room;
    tape->width = call->tape_width;
}

static void thread_find(struct solver *d, const struct device_call *call, uint64_t sample) {
    double *warm = call->warm ? call->warm + sample * LAYER_OUTPUTS : 0;
    real *taken = d->row + LAYER_OUTPUTS;
    d->x = thread_in(thread_row(call->x, call->repeats_x != 0, sample, LAYER_INPUTS), taken, LAYER_INPUTS);
    taken += LAYER_TAKEN ? LAYER_INPUTS : 0;
    d->raw = thread_in(thread_row(call->raw, call->repeats_raw != 0, sample, LAYER_OUTPUTS), taken, LAYER_OUTPUTS);
    taken += LAYER_TAKEN ? LAYER_OUTPUTS : 0;
    d->fallback = call->fallback ? thread_in(call->fallback, d->row, LAYER_OUTPUTS) : 0;
    d->warm = LAYER_TAKEN ? (real *)thread_in(warm, taken, LAYER_OUTPUTS) : (real *)(void *)warm;
}

/* ---- results ---- */

static void thread_report(const struct solver *d, struct device_report *out) {
    struct device_report own; /* in registers */
    solver_fill_report(d, LAYER_Y, &own);
    own.unused = LAYER_TAKEN && d->state.phase == PHASE_FALLBACK; /* read by mixed_precision.h */
    own.distance = own.moved;
    own.kkt = own.objective = own.complementarity = own.proof = REAL_INFINITY; /* nearest, optimal: set below */
    own.programmes = own.factorisations = 0;
    own.reason = own.rest = 0;
#ifdef DEVICE_SEARCHES
    search_fill_report(d, LAYER_Y, &own);
#endif
    *out = own;
}

/* The results of a sample with a verdict, y last. */
static void thread_give_results(const struct solver *d, const struct device_call *call, uint64_t sample) {
    const struct plan *plan = &layer_plan;
    if (d->tape)
        call->heads[sample] = tape_head_of(&d->state, d->tape->room);
#ifdef DEVICE_SEARCHES
    if (call->tape_numbers)
        search_write_tape(d, call->tape_numbers + sample * (LAYER_ROWS + 1));
    if (call->multipliers)
        search_write_multipliers(d, call->multipliers + sample * LAYER_ROWS);
    if (call->proof_y)
        search_write_proof_point(d, LAYER_Y, call->proof_y + sample * LAYER_OUTPUTS);
#endif
    SHARED_LOOP
    for (uint32_t i = 0; call->residual && i < plan->rows; i++)
        call->residual[sample * plan->rows + i] = point_number(*point_at(&d->point, plan->residual + i));
    if (call->reports)
        thread_report(d, call->reports + sample);
    if (!LAYER_TAKEN)
        solver_keep_warm(d, LAYER_Y);
    thread_give_y(d, call->y + sample * LAYER_OUTPUTS);
}

/* ---- gradients ---- */

#ifdef DEVICE_GRADIENTS
struct thread_adjoint {
    struct thread_state lane;
    struct solver_back back;
    bool whole; /* the tape has all steps of the sample */
};

/* The destination of a gradient: the caller's array, or floats (*taken moves past them) that thread_give adds to it. */
#ifdef DEVICE_SINGLE
static real *thread_part(const double *all, real **taken, uint64_t sample, uint32_t width) {
    real *part = *taken;
    (void)sample;
    *taken += width;
    return all ? part : 0;
}

static void thread_give(const struct device_call *call, double *all, const real *part, uint64_t sample,
                        uint32_t width) {
    SHARED_LOOP
    for (uint32_t i = 0; all && i < width; i++)
        all[sample * width + i] = (call->adds ? all[sample * width + i] : 0) + (double)part[i];
}

static void thread_clear(double *all, uint64_t sample, uint32_t width) {
    SHARED_LOOP
    for (uint32_t i = 0; all && i < width; i++)
        all[sample * width + i] = 0;
}
#else
static double *thread_part(double *all, real **taken, uint64_t sample, uint32_t width) {
    (void)taken;
    return all ? all + sample * width : all;
}
#endif

/* False if the tape is too short for the sample's steps. */
static bool thread_adjoint_find(struct thread_adjoint *b, const struct device_call *call, uint64_t sample) {
    struct solver_back *back = &b->back;
    struct solver *d = &b->lane.solver;
    struct solver_tape *tape = &b->lane.tape;
    real *taken = d->row + LAYER_OUTPUTS;
    b->lane.sample = sample;
    thread_take_tape(d, tape, call, sample);
    tape->head = tape_head_read(&call->heads[sample], call->tape_room);
    d->x = thread_in(thread_row(call->x, call->repeats_x != 0, sample, LAYER_INPUTS), taken, LAYER_INPUTS);
    taken += LAYER_TAKEN ? LAYER_INPUTS : 0;
    back->grad_y = thread_in(thread_row(call->grad_y, false, sample, LAYER_OUTPUTS), taken, LAYER_OUTPUTS);
    taken += LAYER_TAKEN ? LAYER_OUTPUTS : 0;
    back->grad_raw = thread_part(call->grad_raw, &taken, sample, LAYER_OUTPUTS);
    back->grad_x = thread_part(call->grad_x, &taken, sample, LAYER_INPUTS);
    back->grad_lower = thread_part(call->grad_lower, &taken, sample, LAYER_ROWS);
    back->grad_upper = thread_part(call->grad_upper, &taken, sample, LAYER_ROWS);
    back->grad_weights = 0;
    back->from_start = !call->raw;
    return tape->head.way != TAPE_TOO_LONG;
}

#ifdef DEVICE_SINGLE
/* Adds to the gradients of the later double steps, except that with respect to the raw output: it was the input here
 * and is replaced. */
static void thread_adjoint_give(const struct solver_back *back, const struct device_call *call, uint64_t sample,
                                bool finite) {
    thread_clear(call->grad_raw, sample, LAYER_OUTPUTS);
    if (!finite) {
        thread_clear(call->grad_x, sample, LAYER_INPUTS);
        thread_clear(call->grad_lower, sample, LAYER_ROWS);
        thread_clear(call->grad_upper, sample, LAYER_ROWS);
        return;
    }
    thread_give(call, call->grad_raw, back->grad_raw, sample, LAYER_OUTPUTS);
    thread_give(call, call->grad_x, back->grad_x, sample, LAYER_INPUTS);
    thread_give(call, call->grad_lower, back->grad_lower, sample, LAYER_ROWS);
    thread_give(call, call->grad_upper, back->grad_upper, sample, LAYER_ROWS);
}
#endif
#endif

#endif
