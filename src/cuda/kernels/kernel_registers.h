/* kernel_registers.h - one CUDA thread and the samples it takes, with their slots in a local array: serves core/solver.h by fused
 * iterations.
 *
 *     open    load a sample
 *     round   evaluate, decide, step: one basic block of generated statements whose values stay in registers (thread_round). Rare
 *             requests are served through the slots, by core/solver_run.h: thread_listed
 *     close   a fresh evaluation at y, the verdict, the report
 *
 * With DEVICE_SINGLE numbers are floats and inputs are copied; with DEVICE_POLISH the sample comes from such a kernel (mixed_precision.h).
 *
 * Fused iterations do not write A and W r to their slots. When a later request needs them, they are recomputed: base, scale, hold and leads
 * are kept, and the same statements give the same bits (thread_retake).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_H
#define HN_CUDA_KERNEL_REGISTERS_H

#include "core/solver_run.h"
#include "cuda/kernels/branchless_math.h"
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

/* What a thread knows of its turns: kernel_main.h. */
struct thread_turn {
    uint64_t sample;  /* the last one that it took */
    unsigned waited;  /* rounds of all threads of the block since some began */
    unsigned working; /* threads of the block that had a sample then */
    bool busy, ended, left;
};

struct thread_state {
    struct solver solver;
    struct solver_tape tape;
    struct thread_turn turn;
    uint64_t sample;   /* its number in the batch */
    bool assumed;      /* weights of rows are those that straight rounds take for granted */
    bool listed;       /* the slots hold A and W r as they were last taken */
    bool is_best;      /* the iterate before the step is the best one; else it is in `before` */
    bool best_is_base; /* methods with weights only: the best iterate is the base, and not in its slots yet */
    bool pinned;       /* what straight rounds read of y beside its slots is up to date */
    bool evaluated;    /* c, J and r at y are in their slots */
    real *before;      /* outputs; methods without weights only */
#ifdef DEVICE_SINGLE
    real *taken; /* LAYER_TAKEN: what comes in, as floats */
#endif
#ifdef DEVICE_POLISH
    struct polish polish;
#endif
};

/* Straight lines of generated statements (print_iteration.h) that run once a sample, and leave nothing but their results in slots: the
 * weights of rows at y, and c, r and their summary there. */
#ifndef DEVICE_GRADIENTS
static GENERATED void thread_weights(real *slots);
static GENERATED void thread_residuals(real *slots);
#endif

/* Where floats are copied to. */
static real *thread_taken(const struct thread_state *l) {
#ifdef DEVICE_SINGLE
    return l->taken;
#else
    (void)l;
    return 0;
#endif
}

/* ---- loading ---- */

#ifdef DEVICE_POLISH
typedef struct thread_state polished;
static void polish_open(polished *l, const struct device_call *call);
static void polish_close(polished *l, const struct device_call *call);
static void polish_report(const polished *l, struct device_report *out);
#endif

static GENERATED void thread_open(struct thread_state *l, const struct device_call *call, uint64_t sample) {
    DEVICE_TASK(l);
    DEVICE_LOCAL(l->solver.point.slots);
    struct solver *d = &l->solver;
    l->sample = sample;
    thread_take_tape(d, &l->tape, call, sample);
    l->listed = true;
    l->is_best = true;
    l->best_is_base = false;
    l->pinned = l->evaluated = false;
    l->assumed = false;
    thread_find(d, call, sample, thread_taken(l));
    solver_begin(d);
#ifdef DEVICE_POLISH
    polish_open(l, call);
#else
    if (!d->warm)
        return;
    solver_evaluate(d);
    solver_warm(d);
#endif
}

/* ---- what is rare ---- */

/* c, J and r at an iterate that is somewhere else than y, and with them A and W r, where weights are those of then. Rows may be
 * outputs themselves: y is there meanwhile. The residual's summary is that of the other iterate afterwards. */
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

/* A and W r as they were last taken, into their slots: before weights change. */
static GENERATED void thread_retake(struct thread_state *l) {
    if (l->listed)
        return;
    thread_evaluate_at(l, l->solver.point.slots + LAYER_BASE, true);
    l->listed = true;
}

/* The best iterate, into its slots: before the base changes, or somebody reads it. */
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
/* The weights of rows, where an attempt begins. */
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

/* solver_answer, with what it reads in its slots; J is that of the iterate before a step. */
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

/* c, J, r and their summary at y into their slots. In a straight round, for whom weights are not those that it takes for granted: its sum
 * of squares is wrong then. */
static GENERATED void thread_evaluate(struct thread_state *l) {
    real *slots = l->solver.point.slots;
    entry_evaluate(slots);
    entry_residual(slots);
    l->evaluated = true;
}

/* The rest of a round through the slots. Methods without weights only return to the best iterate like that. */
#if LAYER_WEIGHTED
static GENERATED void thread_listed(struct thread_state *l, unsigned requests) {
    l->pinned = false;
    thread_settle(l);
    if (!(requests & SOLVER_COMMIT))
        thread_retake(l);
    if (!l->evaluated)
        thread_evaluate(l);
    l->evaluated = false;
    l->listed = true;
    solver_serve(&l->solver, requests & ~(unsigned)SOLVER_KEEP);
}
#else
static GENERATED void thread_listed(struct thread_state *l, unsigned requests) {
    (void)requests;
    solver_flag(&l->solver, LAYER_SUMMARY + SUMMARY_USABLE, true);
    solver_copy_slots(&l->solver, LAYER_BEST, LAYER_Y);
}
#endif

/* The step of a straight round through the slots, from the y that it began at. */
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

/* ---- the straight round ----
 *
 * slots is the thread's own array, o a copy of the options whose values the compiler knows. */

enum thread_next { THREAD_ENDS, THREAD_STEPS, THREAD_AGAIN, THREAD_MOVED };

/* The sample's slots as this array. */
SIMD_INLINE struct point thread_point(real *slots) {
    struct point p;
    p.plan = &layer_plan;
    p.slots = slots;
    p.width = 1;
    return p;
}

/* Whether the step from an accepted iterate, or again from the base, is one for straight statements, and what it needs. */
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
        if (!LAYER_SETS_BASE) /* else statements do, where y moves */
            thread_copy(slots + LAYER_Y, slots + LAYER_BASE);
        l->best_is_base = keeps;
        l->listed = false;
        return THREAD_STEPS;
    }
    if (keeps) {
        thread_copy_once(slots + LAYER_Y, slots + LAYER_BEST, LAYER_OUTPUTS);
        l->best_is_base = false;
    }
    if (ordinary && !l->listed) {
        thread_copy(slots + LAYER_BASE, slots + LAYER_Y);
        l->pinned = false;
        return THREAD_AGAIN;
    }
    thread_listed(l, requests);
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

/* What comes after an evaluation: the end, the step from here (or again from the base), or the round is complete. */
SIMD_INLINE enum thread_next thread_decide(struct thread_state *l, real *slots, const struct sample_options *o) {
    struct solver *d = &l->solver;
    struct sample *s = &d->state;
    const struct point p = thread_point(slots);
    if (sample_asks_violation(s, o))
        solver_evaluate(d); /* it reads c in its slots */
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

/* ---- the end ---- */

#ifndef DEVICE_GRADIENTS
/* Writes y, the report and everything else that the call asks for. */
static GENERATED void thread_close(struct thread_state *l, const struct device_call *call) {
    DEVICE_TASK(l);
    DEVICE_LOCAL(l->solver.point.slots);
    struct solver *d = &l->solver;
    const struct sample_options o = layer_options;
    thread_residuals(d->point.slots);
#ifdef DEVICE_POLISH
    polish_close(l, call);
#endif
    if (sample_asks_stationarity(&d->state, &o, &d->numbers) > 0) /* it reads J */
        entry_evaluate(d->point.slots);
    d->state.outcome = solver_verdict(d);
    thread_give_results(d, call, l->sample);
#ifdef DEVICE_POLISH
    if (call->reports)
        polish_report(l, call->reports + l->sample);
#endif
}
#endif

#endif
