/* kernel_main.h - the kernel KERNEL_NAME: a thread takes samples until the batch is exhausted, to correct them or, with
 * DEVICE_GRADIENTS, to compute their gradients. On the host it is a function, and one thread runs all samples.
 *
 *     open      loads a sample
 *     rounds    iterations: DEVICE_REGISTERS fuses evaluation, decision and step (thread_round); else the threads of a warp run
 *               each of the three together
 *     close     evaluates at y, writes verdict, report and results
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_MAIN_H
#define HN_CUDA_KERNEL_MAIN_H

#include "core/solver_run.h"
#include "cuda/kernels/mixed_precision.h"
#include "cuda/kernels/sample_io.h"

#ifdef DEVICE_REGISTERS
#include "cuda/kernels/kernel_registers.h"
#else
SIMD_INLINE void thread_residuals(real *slots) {
    entry_evaluate(slots);
    entry_residual(slots);
}
#endif

/* ---- a sample ---- */

/* Zeros and constants; the other slots of registers are undefined until they are written. */
static void thread_begin(struct thread_state *l, real *slots, real *row) {
    struct solver *d = &l->solver;
    d->plan = &layer_plan;
    d->options = &layer_plan.options;
    d->point.plan = &layer_plan;
    d->point.slots = slots;
    d->point.width = SLOT_STRIDE;
    d->row = row;
#ifdef DEVICE_REGISTERS
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_ZEROS; i++)
        slots[zero_slot[i]] = 0;
#else
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_SLOTS; i++)
        S((size_t)i) = 0;
#endif
    SHARED_LOOP
    for (uint32_t i = 0; i < LAYER_CONSTANTS; i++)
        S((size_t)constant_slot[i]) = simd_of_bits(constant_bits[i]);
#ifdef DEVICE_SYSTEM
    DEVICE_ROLLED
    for (size_t i = 0; i < SYSTEM_CONSTANTS; i++)
        S(i) = hardnet_bytecode.numbers[SYSTEM_FIRST_CONSTANT + i];
#endif
    solver_flag(d, layer_plan.slots + SOLVER_TAKES, true);
}

/* The first sample of a thread has the thread's number, later ones come from the counter. */
static bool thread_next_sample(const struct device_call *call, uint64_t *sample, uint64_t threads, bool first) {
    if (!first && *sample < call->count)
        *sample = threads + DEVICE_TAKE(call->next);
    return *sample < call->count;
}

#ifdef DEVICE_GRADIENTS
typedef struct thread_adjoint task;

SIMD_INLINE struct thread_state *task_thread(task *t) {
    return &t->lane;
}

static GENERATED void task_open(task *t, const struct device_call *call, uint64_t sample) {
    struct thread_state *l = &t->lane;
#ifdef DEVICE_SEARCHES
    thread_search_back_open(t, call, sample);
#else
    t->whole = thread_adjoint_find(t, call, sample);
    solver_back_open(&l->solver, &t->back, &l->tape.head);
#endif
#ifdef DEVICE_REGISTERS
    l->assumed = thread_assumes(l->solver.point.slots);
#endif
}

static GENERATED void task_close(task *t, const struct device_call *call) {
    uint64_t sample = t->lane.sample;
    bool finite = solver_back_end(&t->lane.solver, &t->back);
    bool ok = !call->reports || call->reports[sample].outcome == (int32_t)HN_OUTCOME_OK;
#ifdef DEVICE_SINGLE
    thread_adjoint_give(&t->back, call, sample, finite);
#endif
    if (call->flagged)
        call->flagged[sample] = !(finite && t->whole && ok) || (call->adds && call->flagged[sample]);
}
#else
typedef struct thread_state task;

SIMD_INLINE struct thread_state *task_thread(task *t) {
    return t;
}

static GENERATED void task_open(task *t, const struct device_call *call, uint64_t sample) {
    DEVICE_TASK(t);
    DEVICE_LOCAL(t->solver.point.slots);
    struct solver *d = &t->solver;
    t->sample = sample;
    thread_take_tape(d, &t->tape, call, sample);
#ifdef DEVICE_REGISTERS
    t->weighed = t->is_best = true;
    t->best_is_base = t->pinned = t->evaluated = t->assumed = false;
#endif
    thread_find(d, call, sample);
#ifdef DEVICE_SEARCHES
    search_load(d->search);
#endif
    solver_begin(d);
#ifdef DEVICE_POLISH
    polish_open(t, call);
#else
    if (!d->warm)
        return;
    solver_evaluate(d);
    solver_warm(d);
#endif
}

static GENERATED void task_close(task *t, const struct device_call *call) {
    DEVICE_TASK(t);
    DEVICE_LOCAL(t->solver.point.slots);
    struct solver *d = &t->solver;
    thread_residuals(d->point.slots);
#ifdef DEVICE_POLISH
    polish_close(t, call);
#endif
#ifdef DEVICE_REGISTERS
    const struct sample_options o = layer_options;
    if (sample_asks_stationarity(&d->state, &o, &d->numbers) > 0) /* it reads J */
        entry_evaluate(d->point.slots);
#endif
    d->state.outcome = solver_verdict(d);
#ifdef DEVICE_SEARCHES
    thread_search_after(t);
#endif
    thread_give_results(d, call, t->sample);
#ifdef DEVICE_POLISH
    if (call->reports)
        polish_report(t, call->reports + t->sample);
#endif
}
#endif

/* ---- register kernels ----
 *
 * The threads of a block iterate together: an iteration of lm or auto is about as long as the instruction cache of a
 * multiprocessor, and separate warps would each fetch it again. A thread whose sample has ended waits, because close
 * and open are long and access the slots. The block refills when the waiting iterations of its threads add up to the
 * cost of both, which are then at most half of the run time. */
#ifdef DEVICE_REGISTERS
/* False if the sample has ended. */
SIMD_INLINE bool task_round(task *t, real *slots) {
#ifdef DEVICE_GRADIENTS
    const struct sample *s = &t->lane.solver.state;
    if (s->steps > 0)
        thread_adjoint_round(t, slots);
    return s->steps > 0;
#elif defined(DEVICE_POLISH) && !LAYER_WEIGHTED
    (void)t;
    (void)slots;
    return false; /* paper and hardnet take no steps in double */
#else
    return thread_round(t, slots);
#endif
}

/* Idle threads close their samples and take new ones; a thread that gets none is finished. */
SIMD_INLINE void task_refill(task *t, struct thread_turn *turn, const struct device_call *call, uint64_t threads) {
    if (turn->ended)
        task_close(t, call);
    turn->ended = false;
    turn->left = turn->left && thread_next_sample(call, &turn->sample, threads, turn->working == 0);
    turn->busy = turn->left;
    if (turn->busy)
        task_open(t, call, turn->sample);
}

/* The turn is read in each iteration, so it is in shared memory if the task is. */
SIMD_INLINE void tasks_run(const struct device_call *call, task *t, real *slots, uint64_t thread, uint64_t threads) {
#ifdef TASK_NEAR
    struct thread_turn *const turn = &task_thread(t)->turn;
#else
    struct thread_turn own, *const turn = &own;
#endif
    turn->sample = thread;
    turn->waited = turn->working = 0;
    turn->busy = turn->ended = false;
    turn->left = true;
    SHARED_LOOP
    for (;;) {
        unsigned going = BLOCK_COUNT(turn->busy);
        turn->waited += turn->working - going;
        if (going == 0 || turn->waited >= THREAD_PATIENCE * BLOCK_WARPS) {
            if (!turn->busy)
                task_refill(t, turn, call, threads);
            turn->waited = 0;
            turn->working = BLOCK_COUNT(turn->busy);
            if (turn->working == 0)
                return;
        }
        if (turn->busy && !task_round(t, slots)) {
            turn->busy = false;
            turn->ended = true;
        }
    }
}

#ifdef DEVICE_HOST
/* The slots are filled with a number that exposes reads of uninitialised slots. */
extern "C" void KERNEL_NAME(const struct device_call *call) {
    static thread_local real slots[LAYER_SLOTS], row[LAYER_OUTPUTS + LAYER_TAKEN], before[2 * LAYER_OUTPUTS];
    task t;
    for (size_t i = 0; i < LAYER_SLOTS; i++)
        slots[i] = (real)-7e11;
    task_thread(&t)->before = before;
    thread_begin(task_thread(&t), slots, row);
    tasks_run(call, &t, slots, 0, 1);
}
#else
extern "C" __global__ void __launch_bounds__(256, 1) KERNEL_NAME(const struct device_call call) {
    real slots[LAYER_SLOTS], row[LAYER_OUTPUTS + LAYER_TAKEN], before[2 * LAYER_OUTPUTS];
#ifdef TASK_NEAR
    static_assert(sizeof(task) <= NEAR_TASK * sizeof(double), "a task fits its shared memory");
    task &t = *(task *)(void *)(NEAR_OF_WARP + threadIdx.x % 32 * NEAR_TASK);
#else
    task t;
#endif
    task_thread(&t)->before = before;
    thread_begin(task_thread(&t), slots, row);
    tasks_run(&call, &t, slots, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, gridDim.x * (uint64_t)blockDim.x);
}
#endif

/* ---- kernels over slots in global memory ----
 *
 * A thread whose sample has ended waits until several have (GLOBAL_REFILL), or all. */
#else
#ifdef DEVICE_GRADIENTS
SIMD_INLINE bool task_begin(task *t) {
    return t->lane.solver.state.steps > 0;
}

SIMD_INLINE bool task_decide(task *t) {
    (void)t;
    return true;
}

static GENERATED void task_step(task *t) {
    solver_back_step(&t->lane.solver);
}
#else
static GENERATED void task_evaluate(task *t) {
    solver_evaluate(&t->solver);
}

/* False if the sample has ended; the same for task_decide and task_round. Paper and hardnet take no steps in double
 * after floats. */
SIMD_INLINE bool task_begin(task *t) {
#if defined(DEVICE_POLISH) && !LAYER_WEIGHTED
    (void)t;
    return false;
#else
    task_evaluate(t);
    return true;
#endif
}

static GENERATED bool task_decide(task *t) {
#ifdef DEVICE_SEARCHES
    if (t->solver.state.phase == PHASE_NEW && thread_search_try(t))
        return false;
#endif
    t->requests = solver_judge(&t->solver);
    return !(t->requests & SOLVER_FINISH);
}

static GENERATED void task_step(task *t) {
    solver_serve(&t->solver, t->requests);
}
#endif

SIMD_INLINE void tasks_run(const struct device_call *call, task *t, uint64_t thread, uint64_t threads) {
    uint64_t sample = thread;
    bool busy = false, ended = false, left = true;
    for (bool first = true;; first = false) {
        unsigned waiting = WARP_VOTE(!busy && (ended || left)), going = WARP_VOTE(busy);
        if (!busy && (going == 0 || WARP_COUNT(waiting) >= GLOBAL_REFILL)) {
            if (ended)
                task_close(t, call);
            ended = false;
            busy = left = left && thread_next_sample(call, &sample, threads, first);
            if (busy)
                task_open(t, call, sample);
        }
        if (WARP_VOTE(busy) == 0)
            return;
        bool goes_on = busy && task_begin(t);
        if (WARP_VOTE(goes_on) != 0)
            goes_on = goes_on && task_decide(t);
        if (WARP_VOTE(goes_on) != 0 && goes_on)
            task_step(t);
        ended = ended || (busy && !goes_on);
        busy = goes_on;
    }
}

#ifndef BLOCK_BOUNDS /* threads per block, and resident blocks per multiprocessor */
#define BLOCK_BOUNDS GLOBAL_WIDTH
#endif

#ifdef DEVICE_HOST
extern "C" void KERNEL_NAME(const struct device_call *call) {
    task t;
    thread_begin(task_thread(&t), call->global_slots, call->global_rows);
#ifdef DEVICE_SEARCHES
    thread_search_begin(task_thread(&t), call, 0);
#endif
    tasks_run(call, &t, 0, 1);
}
#else
extern "C" __global__ void __launch_bounds__(BLOCK_BOUNDS) KERNEL_NAME(const struct device_call call) {
#ifdef BLOCK_HELPERS
    if (!block_begin())
        return;
#endif
    uint64_t thread = blockIdx.x * (uint64_t)GLOBAL_WIDTH + threadIdx.x;
    task t;
    thread_begin(task_thread(&t), call.global_slots + blockIdx.x * (uint64_t)LAYER_SLOTS * GLOBAL_WIDTH + threadIdx.x,
                 call.global_rows + thread * (LAYER_OUTPUTS + LAYER_TAKEN));
#ifdef DEVICE_SEARCHES
    thread_search_begin(task_thread(&t), &call, thread);
#endif
    tasks_run(&call, &t, thread, gridDim.x * (uint64_t)GLOBAL_WIDTH);
#ifdef BLOCK_HELPERS
    block_end();
#endif
}
#endif
#endif

#endif
