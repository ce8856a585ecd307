/* kernel_registers.h - fused iterations of a CUDA thread whose slots are a local array: serves core/solver.h.
 *
 * An iteration evaluates, decides and steps in one basic block of generated statements whose values stay in registers
 * (thread_round). Rare requests are served by core/solver_run.h, through the slots (thread_use_slots).
 *
 * Fused iterations do not write A and W r to their slots. When a later request needs them, they are recomputed: base, scale, hold
 * and leads are kept, and the same statements give the same bits (thread_retake).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_H
#define HN_CUDA_KERNEL_REGISTERS_H

#include "codegen/cuda/branchless_kernel.h"
#include "core/solver_run.h"
#include "cuda/kernels/sample_io.h"

/* ---- copies in fused iterations, unrolled; those of sample_io.h run once per sample ---- */

enum { THREAD_AT_ONCE = 32 };

SIMD_INLINE void thread_spread(const real *from, uint64_t from_apart, real *to, uint64_t to_apart,
                               const uint32_t count) {
    real block[THREAD_AT_ONCE];
    DEVICE_UNROLL
    for (uint32_t first = 0; first < count; first += THREAD_AT_ONCE) {
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_AT_ONCE; k++)
            if (first + k < count)
                block[k] = from[(first + k) * from_apart];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_AT_ONCE; k++)
            if (first + k < count)
                to[(first + k) * to_apart] = block[k];
    }
}

SIMD_INLINE void thread_copy(const real *from, real *to) {
    thread_spread(from, 1, to, 1, LAYER_OUTPUTS);
}

/* Generated (codegen/cuda/print_iteration.c), once per sample; only their results are stored to slots: row weights at y; c, r and their
 * summary. */
#ifndef DEVICE_GRADIENTS
static GENERATED void thread_weights(real *slots);
static GENERATED void thread_residuals(real *slots);
#endif

/* ---- rare requests ---- */

/* c, J and r at another iterate than y, and A and W r if the weights are those of that iterate. Rows may be outputs: y is replaced
 * meanwhile. Afterwards the residual's summary is that of the other iterate. */
static void thread_evaluate_at(struct thread_state *l, const real *from, bool weighs) {
    struct solver *d = &l->solver;
    real *y = d->point.slots + LAYER_Y, *present = l->before + LAYER_OUTPUTS;
    solver_copy(y, present, LAYER_OUTPUTS);
    solver_copy(from, y, LAYER_OUTPUTS);
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
    if (weighs)
        entry_weigh_all(d->point.slots);
    solver_copy(present, y, LAYER_OUTPUTS);
    l->evaluated = false;
}

/* Recomputes A and W r of the last weighing, before weights change. */
static GENERATED void thread_retake(struct thread_state *l) {
    if (l->weighed)
        return;
    thread_evaluate_at(l, l->solver.point.slots + LAYER_BASE, true);
    l->weighed = true;
}

/* Stores the best iterate to its slots, before the base changes or the iterate is read. */
static GENERATED void thread_settle(struct thread_state *l) {
    DEVICE_TASK(l);
    real *slots = l->solver.point.slots;
    DEVICE_LOCAL(slots);
    if (l->best_is_base)
        thread_copy_once(slots + LAYER_BASE, slots + LAYER_BEST, LAYER_OUTPUTS);
    l->best_is_base = false;
}

SIMD_INLINE bool thread_assumes(const real *slots) {
    bool assumed = true;
    DEVICE_UNROLL_MANY
    for (uint32_t i = 0; i < LAYER_ASSUMED; i++)
        assumed = assumed & (slots[assumed_weight[i].slot] == assumed_weight[i].value);
    return assumed;
}

#ifndef DEVICE_GRADIENTS
/* Row weights at the start of an attempt. */
static GENERATED void thread_rescale(struct thread_state *l) {
    DEVICE_TASK(l);
    real *slots = l->solver.point.slots;
    DEVICE_LOCAL(slots);
    if (l->solver.state.phase == PHASE_START)
        thread_retake(l);
    thread_weights(slots);
    l->assumed = thread_assumes(slots);
}
#endif

/* solver_answer, after its arguments are stored; J is that of the iterate before a step. */
static GENERATED void thread_answer(struct thread_state *l) {
    struct solver *d = &l->solver;
    if (d->state.asks == SAMPLE_ASKS_SLOPE)
        thread_retake(l);
    else if (LAYER_WEIGHTED)
        thread_evaluate_at(l, d->point.slots + LAYER_BASE, false);
    else
        thread_evaluate_at(l, l->is_best ? d->point.slots + LAYER_BEST : l->before, false);
    solver_answer(d);
}

/* Stores c, J, r and their summary at y. For an iteration whose assumed weights, and so sum of squares, are wrong. */
static GENERATED void thread_evaluate(struct thread_state *l) {
    real *slots = l->solver.point.slots;
    entry_evaluate(slots);
    entry_residual(slots);
    l->evaluated = true;
}

/* The rest of an iteration, through the slots. Methods without weights only return to the best iterate. */
#if LAYER_WEIGHTED
static GENERATED void thread_use_slots(struct thread_state *l, unsigned requests) {
    l->pinned = false;
    thread_settle(l);
    if (!(requests & SOLVER_COMMIT))
        thread_retake(l);
    if (!l->evaluated)
        thread_evaluate(l);
    l->evaluated = false;
    l->weighed = true;
    solver_serve(&l->solver, requests & ~(unsigned)SOLVER_KEEP);
}
#else
static GENERATED void thread_use_slots(struct thread_state *l, unsigned requests) {
    (void)requests;
    solver_flag(&l->solver, LAYER_SUMMARY + SUMMARY_USABLE, true);
    solver_copy_slots(&l->solver, LAYER_BEST, LAYER_Y);
}
#endif

/* Repeats the step of a fused iteration through the slots, from the same y. */
static GENERATED void thread_step_apart(struct thread_state *l) {
    real *slots = l->solver.point.slots;
    l->pinned = false;
    if (LAYER_SETS_BASE)
        thread_copy_once(slots + LAYER_Y, slots + LAYER_BASE, LAYER_OUTPUTS);
    thread_evaluate(l);
    l->evaluated = false;
#if LAYER_WEIGHTED
    entry_weigh_all(slots);
#endif
    entry_step_begin(slots);
    entry_step_end(slots);
}

/* ---- fused iterations ----
 *
 * slots is the local array, o a copy of the options with compile-time values. */

enum thread_next { THREAD_ENDS, THREAD_STEPS, THREAD_AGAIN, THREAD_MOVED };

SIMD_INLINE struct point thread_point(real *slots) {
    struct point p;
    p.plan = &layer_plan;
    p.slots = slots;
    p.width = 1;
    return p;
}

/* Prepares the step from an accepted iterate, or again from the base, if generated statements can take it. */
SIMD_INLINE enum thread_next thread_prepare(struct thread_state *l, real *slots, const struct sample_options *o,
                                            unsigned requests) {
    struct sample *s = &l->solver.state;
    bool keeps = (requests & SOLVER_KEEP) != 0;
    bool ordinary = sample_takes_step(s) && !sample_holds_bounds(s) && !(o->weighted && (s->chooses || !l->assumed)) &&
                    (!LAYER_NEAR || s->stage == SAMPLE_NEAR);
    if (!o->weighted && ordinary) {
        l->is_best = keeps;
        if (!keeps)
            thread_copy(slots + LAYER_Y, l->before);
        return THREAD_STEPS;
    }
    if ((requests & SOLVER_COMMIT) && ordinary) {
        slots[LAYER_HOLD] = sample_hold(s, o, l->solver.numbers.squares);
        mask_write(slots + LAYER_LEADS, s->kind == SAMPLE_LEADING);
        if (!LAYER_SETS_BASE) /* else generated statements do, when y changes */
            thread_copy(slots + LAYER_Y, slots + LAYER_BASE);
        l->best_is_base = keeps;
        l->weighed = false;
        return THREAD_STEPS;
    }
    if (keeps) {
        thread_copy_once(slots + LAYER_Y, slots + LAYER_BEST, LAYER_OUTPUTS);
        l->best_is_base = false;
    }
    if (ordinary && !l->weighed) {
        thread_copy(slots + LAYER_BASE, slots + LAYER_Y);
        l->pinned = false;
        return THREAD_AGAIN;
    }
    thread_use_slots(l, requests);
    return THREAD_MOVED;
}

/* solver_record with streaming stores: a tape is read much later. */
SIMD_INLINE void thread_record(const struct thread_state *l, const real *slots) {
    const struct solver_tape *tape = &l->tape;
    real *to = solver_record_step(tape, &l->solver.state, l->solver.led, LAYER_OUTPUTS);
    if (!to)
        return;
    DEVICE_UNROLL
    for (uint32_t first = 0; first < LAYER_OUTPUTS; first += THREAD_FEW) {
        real block[THREAD_FEW];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++)
            block[k] = first + k < LAYER_OUTPUTS ? slots[LAYER_Y + first + k] : 0;
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++, to += tape->width)
            if (first + k < LAYER_OUTPUTS)
                DEVICE_STORE_ONCE(to, block[k]);
    }
}

/* After an evaluation: ends the sample, prepares the step from here (or again from the base), or completes the
 * iteration. */
SIMD_INLINE enum thread_next thread_decide(struct thread_state *l, real *slots, const struct sample_options *o) {
    struct solver *d = &l->solver;
    struct sample *s = &d->state;
    const struct point p = thread_point(slots);
    if (sample_asks_violation(s, o))
        solver_evaluate(d); /* it reads c from its slots */
    solver_read_numbers(&p, s, o, &d->numbers);
    const unsigned requests = solver_choose(s, o, &d->numbers, false, &d->led);
    if (s->asks != SAMPLE_ASKS_NOTHING)
        thread_answer(l);
    if ((requests & SOLVER_RECORD) && d->tape)
        thread_record(l, slots);
    if (requests & SOLVER_FINISH)
        return THREAD_ENDS;
    if (!o->weighted && (requests & SOLVER_KEEP))
        thread_copy(slots + LAYER_Y, slots + LAYER_BEST);
    if (l->best_is_base && !(requests & SOLVER_KEEP))
        thread_settle(l);
    return thread_prepare(l, slots, o, requests);
}

/* After the step from the base. */
SIMD_INLINE void thread_stepped(struct thread_state *l, real *slots, const struct sample_options *o) {
    struct sample *s = &l->solver.state;
    const struct point p = thread_point(slots);
    if (o->method == HN_METHOD_AUTO && s->kind == SAMPLE_CLIPPED) {
        solver_clip(&l->solver);
        l->pinned = false;
    }
    solver_count_step(&p, s, o);
    if (s->asks != SAMPLE_ASKS_NOTHING)
        thread_answer(l);
    if (!solver_goes_back(&p, s))
        return;
    l->pinned = false;
    thread_settle(l);
    thread_copy_once(slots + LAYER_BEST, slots + LAYER_Y, LAYER_OUTPUTS);
}

/* ---- gradients: steps that neither clip nor have active bounds are generated (thread_adjoint_round), others use the slots ---- */

#ifdef DEVICE_GRADIENTS
/* A step through the slots. */
static GENERATED void thread_adjoint_slots(struct thread_adjoint *b) {
    solver_back_step(&b->lane.solver);
}

/* The same for a step that a fused iteration began. */
static void thread_adjoint_apart(struct thread_adjoint *b) {
    b->lane.solver.state.steps++;
    thread_adjoint_slots(b);
}

/* The previous step; false if it was taken through the slots. */
SIMD_INLINE bool thread_adjoint_begin(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct solver_tape *tape = &b->lane.tape;
    struct sample *s = &b->lane.solver.state;
    size_t step = (size_t)(s->steps - 1);
    const real *from = tape->iterate + step * LAYER_OUTPUTS * tape->width;
    const real eps = tape->eps[step * tape->width];
    const int32_t kind = tape->kind[step * tape->width];
    thread_spread(from, tape->width, slots + LAYER_Y, 1, LAYER_OUTPUTS); /* all loads before the first use */
    solver_back_to(s, eps, kind);
    if (o->weighted && (s->kind == SAMPLE_CLIPPED || !b->lane.assumed)) {
        thread_adjoint_slots(b);
        return false;
    }
    s->steps--;
    return true;
}

/* After the residual: the inputs of the row weights. */
SIMD_INLINE void thread_adjoint_weigh(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.solver.state;
    slots[LAYER_HOLD] = sample_hold(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    mask_write(slots + LAYER_LEADS, s->kind == SAMPLE_LEADING);
    slots[LAYER_EPS] = s->eps;
}

/* After the solves: the gradient through eps; see solver_eps_slope. */
SIMD_INLINE void thread_adjoint_damp(struct thread_adjoint *b, real *slots, const struct sample_options *o) {
    const struct sample *s = &b->lane.solver.state;
    real slope = sample_eps_slope(s, o, slots[LAYER_SUMMARY + SUMMARY_SQUARES]);
    slope = slope != 0 && o->outputs_side ? slope / s->eps : slope;
    slots[LAYER_DAMPED] = slope != 0 ? slots[LAYER_DAMPED] * slope : 0;
}
#endif

#endif
