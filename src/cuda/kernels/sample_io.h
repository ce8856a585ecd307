/* sample_io.h - what a caller gives a thread of a device, and what it gets back, one sample at a time: rows of numbers, tapes, a
 * fallback, the report. The same for slots of a thread's own (kernel_registers.h) and in the device's memory (kernel_global.h).
 *
 * Numbers of the caller are doubles. Where DEVICE_SINGLE is defined the kernel's own are floats: what comes in is copied to an array of
 * LAYER_TAKEN numbers, `taken`. Where DEVICE_POLISH is, the sample has been through such a kernel (mixed_precision.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SAMPLE_IO_H
#define HN_CUDA_SAMPLE_IO_H

#include "core/solver.h"
#include "cuda/kernels/kernel_args.h"

/* ---- copies: all is read before anything is written, or, for all that a compiler knows, each read must wait for the write before it,
 * which takes as long as memory does ---- */

enum { THREAD_FEW = 10 };

/* A short loop: where code is read once, as long as it takes to read it counts. */
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
#endif

#ifdef DEVICE_SINGLE
static void thread_give_y(const struct solver *d, double *to) {
    SHARED_LOOP
    for (uint32_t j = 0; j < LAYER_OUTPUTS; j++)
        to[j] = (double)*point_at(&d->point, LAYER_Y + j);
}
#else
static void thread_give_y(const struct solver *d, double *to) {
    point_read(&d->point, LAYER_Y, LAYER_OUTPUTS, to);
}
#endif

/* Numbers of the caller as the kernel's own: the very same, or a copy. */
#ifdef DEVICE_SINGLE
static real *thread_in(const double *from, real *to, uint32_t count) {
    if (from)
        thread_take_in(from, to, count);
    return from ? to : 0;
}
#else
SHARED_CONSTANT real *thread_in(const double *from, const real *unused, uint32_t count) {
    (void)unused;
    (void)count;
    return from;
}
#endif

/* ---- where the numbers of a sample are ---- */

SHARED_CONSTANT double *thread_row(const double *rows, bool repeats, uint64_t sample, uint32_t width) {
    return rows ? rows + (repeats ? 0 : sample * width) : rows;
}

/* Numbers of a tape lie side by side with those of the other samples, or one sample's tape behind the other's. */
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

static void thread_find(struct solver *d, const struct device_call *call, uint64_t sample, real *taken) {
    double *warm = call->warm ? call->warm + sample * LAYER_OUTPUTS : 0;
    d->x = thread_in(thread_row(call->x, call->repeats_x != 0, sample, LAYER_INPUTS), taken, LAYER_INPUTS);
    taken += LAYER_TAKEN ? LAYER_INPUTS : 0;
    d->raw = thread_in(thread_row(call->raw, call->repeats_raw != 0, sample, LAYER_OUTPUTS), taken, LAYER_OUTPUTS);
    taken += LAYER_TAKEN ? LAYER_OUTPUTS : 0;
    d->fallback = call->fallback ? thread_in(call->fallback, d->row, LAYER_OUTPUTS) : 0;
    d->warm = LAYER_TAKEN ? (real *)thread_in(warm, taken, LAYER_OUTPUTS) : (real *)(void *)warm;
}

/* ---- the results ---- */

static void thread_report(const struct solver *d, struct device_report *out) {
    const struct sample *s = &d->state;
    struct solver_report own;
    solver_fill_report(d, LAYER_Y, &own);
    out->outcome = (int32_t)own.outcome;
    out->iterations = own.iterations;
    out->steps = own.steps;
    out->unused = LAYER_TAKEN && s->phase == PHASE_FALLBACK; /* read by mixed_precision.h */
    out->violation_before = own.violation_before;
    out->violation = own.violation;
    out->worst = own.worst;
    out->moved = out->distance = own.moved;
    out->damping = own.damping;
    out->culprit = own.culprit;
    out->slope = own.slope;
    out->kkt = out->objective = out->complementarity = out->proof = REAL_INFINITY; /* nearest and optimal, as below */
    out->programmes = out->factorisations = 0;
    out->reason = out->rest = 0;
#ifdef DEVICE_SEARCHES
    struct search_report search;
    search_fill_report(d, LAYER_Y, own.moved, &search);
    out->kkt = search.kkt;
    out->complementarity = search.complementarity;
    out->objective = search.objective;
    out->proof = search.proof;
    out->distance = search.distance;
    out->reason = search.reason;
    out->programmes = search.programmes;
    out->factorisations = search.factorisations;
#endif
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

#ifdef DEVICE_POLISH
/* What a sample brings along from floats. */
struct polish {
    struct device_report first; /* what they have found */
    int begun;                  /* steps that count as done when the polish begins */
    bool kept;                  /* what came in holds: whatever floats did to it is undone */
};
#endif

#endif
