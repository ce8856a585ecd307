/* kernel_registers.h - one thread of a device and the samples that it takes: what layer/load_samples.c, layer/forward.c and
 * layer/finish_sample.c do for batches, with the decisions and the driver of an emitted file (core/solver.h).
 *
 *     open    x and the raw output come in; what depends on x only is evaluated
 *     round   evaluate, decide, step: one straight line of generated statements whose values stay in registers (thread_round). What
 *             is rare goes through the slots, as everywhere else: thread_listed
 *     close   a fresh evaluation at y, the verdict, the report (kernel_registers_close.h)
 *
 * Where DEVICE_SINGLE is defined numbers are floats, and what comes in is copied; where DEVICE_POLISH is, the sample has been through
 * such a kernel (mixed_precision.h).
 *
 * In straight rounds A and W r never reach their slots. Who asks for them later gets them from where they were taken: base, scale,
 * hold and leads are kept, and the same statements give the same bits (thread_retake).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_H
#define HN_CUDA_KERNEL_REGISTERS_H

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
    struct sample_numbers numbers; /* of the last evaluation */
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

/* ---- the sample comes in ---- */

/* y = the raw output or the start values, unless they or x or the bounds are of no use. */
static void thread_take(struct thread_state *l, const struct device_call *call) {
    struct solver *d = &l->solver;
    real *slots = d->point.slots;
    bool finite = true;
    if (d->raw)
        finite = thread_copy_in(d->raw, slots);
    else
        point_start(&d->point);
    uint32_t x = thread_first_lost(slots + LAYER_X, LAYER_INPUTS), rows = thread_bad_bounds(slots);
    uint32_t raw = finite ? LAYER_OUTPUTS : thread_first_lost(slots + LAYER_Y, LAYER_OUTPUTS);
    if (x < LAYER_INPUTS)
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, x);
    else if (raw < LAYER_OUTPUTS)
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, LAYER_INPUTS + raw);
    else if (rows < LAYER_ROWS)
        thread_fall_back(d, call, HN_OUTCOME_BAD_BOUNDS, rows);
}

/* After what depends on x only was evaluated. */
static void thread_place(struct thread_state *l, const struct device_call *call) {
    struct solver *d = &l->solver;
    const struct plan *plan = &layer_plan;
    real *slots = d->point.slots;
    size_t culprit = 0;
    thread_take(l, call);
    if (!point_set_fixed(&d->point) && d->state.phase == PHASE_NEW) {
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    bool starts = d->state.phase == PHASE_NEW && !d->raw;
    if (starts && !point_finite(&d->point, plan->y, plan->outputs, &culprit)) /* a start that x drives away */
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + culprit);
    if (layer_options.usual > 0 && d->state.phase == PHASE_NEW && point_is_start(&d->point))
        sample_is_home(&d->state);
    if (d->state.phase != PHASE_NEW || starts || plan->fixed.slot.count > 0) { /* y is not what came in */
        thread_copy_once(slots + LAYER_Y, slots + LAYER_BEST, LAYER_OUTPUTS);
        if (LAYER_RAW != LAYER_BEST)
            thread_copy_once(slots + LAYER_Y, slots + LAYER_RAW, LAYER_OUTPUTS);
    }
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
}

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
    const struct sample_options o = layer_options;
    sample_open(&d->state, &o);
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_INPUTS; i++)
        d->point.slots[LAYER_X + i] = d->x[i];
    entry_prepare(d->point.slots);
    thread_place(l, call);
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
static GENERATED void thread_listed(struct thread_state *l, bool accepted) {
    struct solver *d = &l->solver;
    l->pinned = false;
    thread_settle(l);
    if (!accepted)
        thread_retake(l);
    if (!l->evaluated)
        thread_evaluate(l);
    l->evaluated = false;
    if (accepted)
        solver_commit_iterate(d);
    l->listed = true;
    if (layer_options.method == HN_METHOD_AUTO && sample_in_elastic(&d->state))
        point_elastic_qp_prepare(&d->point, &d->state);
    solver_move(d);
}
#else
static GENERATED void thread_listed(struct thread_state *l, bool accepted) {
    (void)accepted;
    solver_flag(&l->solver, LAYER_SUMMARY + SUMMARY_USABLE, true);
    solver_take_slots(&l->solver, LAYER_BEST, LAYER_Y);
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

SIMD_INLINE void thread_numbers(struct thread_state *l, real *slots, const struct sample_options *o) {
    struct sample_numbers *n = &l->numbers;
    const real *summary = slots + LAYER_SUMMARY;
    size_t unused;
    n->measure = summary[SUMMARY_WORST];
    n->squares = n->joint = n->violation = n->gain = n->step_squares = n->least_pivot = n->most_pivot = 0;
    n->moved = n->usable = false;
    n->finite = mask_read(summary + SUMMARY_USABLE) && mask_read(summary + SUMMARY_FINITE);
    if (sample_asks_violation(&l->solver.state, o)) {
        solver_evaluate(&l->solver);
        n->violation = point_violation(&l->solver.point, &unused);
    }
    if (!o->weighted)
        return;
    n->moved = mask_read(summary + SUMMARY_MOVED);
    n->squares = summary[SUMMARY_SQUARES];
    n->gain = slots[LAYER_STEP_GAIN];
    n->step_squares = slots[LAYER_STEP_SQUARES];
    if (sample_asks_joint(&l->solver.state, o, n))
        n->joint = point_joint(&l->solver.point);
}

/* Whether the step from an accepted iterate, or again from the base, is one for straight statements, and what it needs. */
SIMD_INLINE enum thread_next thread_prepare(struct thread_state *l, real *slots, const struct sample_options *o,
                                            const struct sample_choice *choice) {
    struct sample *s = &l->solver.state;
    bool ordinary = sample_takes_step(s) && !sample_holds_bounds(s) && !(o->weighted && (s->chooses || !l->assumed)) &&
                    (!LAYER_NEAR || s->stage == SAMPLE_NEAR);
    if (!o->weighted && ordinary) {
        l->is_best = choice->improved;
        if (!choice->improved)
            thread_copy(slots + LAYER_Y, l->before);
        return THREAD_STEPS;
    }
    if (choice->accepted && ordinary) {
        slots[LAYER_HOLD] = sample_hold(s, o, l->numbers.squares);
        mask_write(slots + LAYER_LEADS, s->kind == SAMPLE_LEADING);
        if (!LAYER_SETS_BASE) /* else statements do, where y moves */
            thread_copy(slots + LAYER_Y, slots + LAYER_BASE);
        l->best_is_base = choice->improved;
        l->listed = false;
        return THREAD_STEPS;
    }
    if (choice->improved) {
        thread_copy_once(slots + LAYER_Y, slots + LAYER_BEST, LAYER_OUTPUTS);
        l->best_is_base = false;
    }
    if (ordinary && !l->listed) {
        thread_copy(slots + LAYER_BASE, slots + LAYER_Y);
        l->pinned = false;
        return THREAD_AGAIN;
    }
    thread_listed(l, choice->accepted);
    return THREAD_MOVED;
}

/* solver_record, for a memory that nobody reads before long: what is read again and again stays in the caches. */
SIMD_INLINE void thread_record(const struct thread_state *l, const real *slots, enum sample_step led) {
    const struct solver_tape *tape = &l->tape;
    size_t steps = (size_t)l->solver.state.steps;
    if (steps > 0 && steps <= tape->room) {
        tape->eps[(steps - 1) * tape->width] = l->solver.state.used;
        tape->kind[(steps - 1) * tape->width] = (int32_t)led;
    }
    if (steps >= tape->room)
        return;
    real *to = tape->iterate + steps * LAYER_OUTPUTS * tape->width;
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
    struct sample *s = &l->solver.state;
    thread_numbers(l, slots, o);
    struct sample_choice choice = sample_decide(s, o, &l->numbers, false);
    if (s->asks != SAMPLE_ASKS_NOTHING)
        thread_answer(l);
    if (choice.recorded && l->solver.tape)
        thread_record(l, slots, choice.led);
    if (choice.finished)
        return THREAD_ENDS;
    if (!o->weighted && choice.improved)
        thread_copy(slots + LAYER_Y, slots + LAYER_BEST);
    if (l->best_is_base && !choice.improved)
        thread_settle(l);
    return thread_prepare(l, slots, o, &choice);
}

/* After the step from the base: the rest of solver_step and solver_move. */
SIMD_INLINE void thread_stepped(struct thread_state *l, real *slots, const struct sample_options *o) {
    struct sample *s = &l->solver.state;
    struct sample_numbers n = {0, 0, 0, 0, 0, 0, 0, 0, false, false, false};
    if (o->method == HN_METHOD_AUTO && s->kind == SAMPLE_CLIPPED) {
        solver_clip(&l->solver);
        l->pinned = false;
    }
    n.moved = mask_read(slots + LAYER_SUMMARY + SUMMARY_MOVED);
    n.usable = mask_read(slots + LAYER_SUMMARY + SUMMARY_USABLE);
    n.least_pivot = slots[LAYER_PIVOTS];
    n.most_pivot = slots[LAYER_PIVOTS + 1];
    sample_stepped(s, o, &n);
    if (s->asks != SAMPLE_ASKS_NOTHING)
        thread_answer(l);
    if (s->phase != PHASE_RETURN && s->phase != PHASE_REWIND)
        return;
    mask_write(slots + LAYER_SUMMARY + SUMMARY_USABLE, true);
    if (s->phase == PHASE_REWIND)
        sample_rewound(s);
    l->pinned = false;
    thread_settle(l);
    thread_copy_once(slots + LAYER_BEST, slots + LAYER_Y, LAYER_OUTPUTS);
}

#endif
