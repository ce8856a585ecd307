/* sample_io_adjoint.h - the same as sample_io.h for gradients: what is asked, and where the answers go.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SAMPLE_IO_ADJOINT_H
#define HN_CUDA_SAMPLE_IO_ADJOINT_H

#include "core/solver_run_adjoint.h"
#include "cuda/kernels/sample_io.h"

/* Where an answer goes: to the caller, or to floats of our own (`taken` goes on behind them) that thread_give adds to what is there. */
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

/* False where the tape is too short for the sample's way. */
static bool thread_adjoint_find(struct solver *d, struct solver_back *back, struct solver_tape *tape,
                                const struct device_call *call, uint64_t sample, real *taken) {
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
/* On top of what later steps, in double, have owed: of the raw output there is nothing, it is what came in here. */
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

static void thread_adjoint_end(const struct solver *d, const struct solver_back *back, const struct device_call *call,
                               uint64_t sample, bool whole) {
    bool finite = solver_back_end(d, back);
    bool ok = !call->reports || call->reports[sample].outcome == (int32_t)HN_OUTCOME_OK;
#ifdef DEVICE_SINGLE
    thread_adjoint_give(back, call, sample, finite);
#endif
    if (call->flagged)
        call->flagged[sample] = !(finite && whole && ok) || (call->adds && call->flagged[sample]);
}

#endif
