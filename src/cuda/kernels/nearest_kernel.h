/* nearest_kernel.h - the methods nearest and optimal on a device: one CUDA thread runs the searches of core/solver_search.h for its
 * sample, and the gradients of their solutions. kernel_main.h calls it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_KERNEL_H
#define HN_CUDA_NEAREST_KERNEL_H

#include "core/nearest_layout.h"
#include "core/nearest_state.h"
#include "core/program_run.h"
#include "core/solver_run.h"
#include "cuda/kernels/search_layout.h"
#include "linalg/signed_kernel.h"

#ifdef BLOCK_HELPERS
#include "cuda/kernels/kernels_block.h"
#else
#include "cuda/kernels/kernels_thread.h"
#endif

#include "core/active_set.h"
#include "core/implicit_vjp.h"
#include "core/infeasibility_proof.h"
#include "core/search.h"
#include "cuda/kernels/sample_io.h"

/* ---- memory ---- */

static void thread_search_prepare(const struct program *program, double *memory) {
    const struct policy_program *own = (const struct policy_program *)(const void *)program;
    SHARED_LOOP
    for (size_t i = 0; own && i < own->constant_count; i++)
        *NEAREST_AT(memory, i) = own->constants[i];
}

/* Initialises the workspaces: constants, zero elsewhere. */
static void thread_search_clear(const struct thread_search *s) {
    const struct search_places *places = s->places;
    SHARED_LOOP
    for (size_t i = 0; i < places->near_numbers; i++)
        *NEAREST_AT(s->near, i) = 0;
    thread_search_prepare(places->near.plan.program, s->near);
    thread_search_prepare(places->near.products.program, NEAREST_AT(s->near, places->near.products_at));
    thread_search_prepare(places->near.by_inputs.program, NEAREST_AT(s->near, places->near.inputs_at));
    thread_search_prepare(places->split.plan.program, s->without);
    thread_search_prepare(places->split.products.program, NEAREST_AT(s->without, places->split.products_at));
    thread_search_prepare(places->affine.goal, s->goal);
}

/* Memory of a warp: the workspaces, interleaved, then the rows of each thread. */
static void thread_search_begin(struct thread_state *f, const struct device_call *call, uint64_t thread) {
    const struct search_places *places = call->search;
    struct thread_search *s = &f->search;
    uint64_t lane = thread % GLOBAL_WIDTH, own = places->numbers - places->near_numbers;
    double *all = call->search_memory + (thread - lane) * places->numbers;
    s->places = places;
    s->near = all + lane;
    s->own.raw = all + places->near_numbers * GLOBAL_WIDTH + lane * own;
    s->own.stepped = s->own.raw + LAYER_OUTPUTS;
    s->own.found = s->own.stepped + LAYER_OUTPUTS;
    s->own.multipliers = s->own.found + LAYER_OUTPUTS;
    s->own.stalled_multipliers = s->own.multipliers + LAYER_ROWS;
    s->own.weights = places->weights;
    s->own.optimal = places->optimal != 0;
    s->own.maximizes = places->maximizes != 0;
    s->rows = s->own.stalled_multipliers + LAYER_ROWS;
    s->inputs = s->rows + 3 * LAYER_ROWS;
    s->slope = s->inputs + LAYER_INPUTS;
    s->without = NEAREST_AT(s->near, places->split_at);
    s->goal = NEAREST_AT(s->near, places->goal_at);
    s->affine = NEAREST_AT(s->near, places->affine_at);
    f->solver.search = &s->own;
    thread_search_clear(s);
}

/* c, J and r at this y. */
static GENERATED void thread_search_evaluate(struct thread_state *f, const double *y) {
    struct solver *d = &f->solver;
    point_write(&d->point, d->plan->y, d->plan->outputs, y);
    solver_flag(d, d->plan->summary + SUMMARY_USABLE, true);
    entry_evaluate(d->point.slots);
    entry_residual(d->point.slots);
    solver_numbers(d);
}

/* ---- affine constraints ---- */

static GENERATED bool thread_search_solve_affine(struct thread_state *f) {
    struct thread_search *s = &f->search;
    const struct backend kernels = {};
    const struct affine_memory memory = {s->affine, s->goal, s->slope};
    struct affine_sample sample = search_affine_sample(&f->solver, s->rows);
    return affine_solve(&kernels, &s->places->affine, &memory, f->solver.x, &sample, &s->own.sample);
}

/* The first decision about a sample, evaluated at its raw output; true: it ends with the result of the active-set method. */
static GENERATED bool thread_search_try(struct thread_state *f) {
    struct solver_search *s = &f->search.own;
    struct solver *d = &f->solver;
    solver_numbers(d);
    if (!f->search.places->affine.there || !search_may_try(d))
        return false;
    s->tried = true;
    search_set_aside(d, d->plan->y);
    if (!thread_search_solve_affine(f))
        return false;
    sample_came_in(&d->state, d->options, &d->numbers);
    d->led = SAMPLE_PLAIN;
    if (d->tape)
        solver_record(d);
    thread_search_evaluate(f, s->found);
    s->solved = sample_verdict(&d->state, d->options, &d->numbers, false) == HN_OUTCOME_OK;
    if (!s->solved) /* the sample starts its steps */
        thread_search_evaluate(f, s->stepped);
    return s->solved;
}

/* ---- the searches ---- */

/* A search from `found`, which receives the result. */
static void thread_search_look(struct thread_state *f, const struct nearest_parts *parts, double *memory,
                               struct nearest_sample *sample) {
    struct solver_search *s = &f->search.own;
    const struct backend kernels = {};
    sample->x = f->solver.x;
    sample->raw = s->raw;
    sample->y = s->found;
    sample->multipliers = s->multipliers;
    search_run(&kernels, parts, memory, sample, 1, 0);
}

static void thread_search_run(struct thread_state *f) {
    struct thread_search *s = &f->search;
    solver_copy(s->own.stepped, s->own.found, LAYER_OUTPUTS);
    thread_search_look(f, &s->places->near, s->near, &s->own.sample);
    if (s->places->split.plan.program && search_may_split(&s->own)) {
        struct nearest_sample second = {};
        thread_search_look(f, &s->places->split, s->without, &second);
        search_take_split(&s->own, &second);
    }
}

/* A certificate of local infeasibility at y: its residual. */
static double thread_search_prove_at(struct thread_state *f, const double *y, double *multipliers) {
    const struct backend kernels = {};
    struct nearest_proof proof = {f->solver.x, y, multipliers, 0};
    proof_run(&kernels, &f->search.places->near, f->search.near, &proof, 1, 0);
    return proof.rest;
}

static void thread_search_prove(struct thread_state *f) {
    struct solver_search *s = &f->search.own;
    double rest = thread_search_prove_at(f, s->stepped, s->multipliers), other = REAL_INFINITY;
    if (search_tries_stalled(s, LAYER_OUTPUTS, rest))
        other = thread_search_prove_at(f, s->found, s->stalled_multipliers);
    search_choose_proof(s, LAYER_OUTPUTS, rest, other);
}

/* After the verdict on auto's y; afterwards y, its evaluation and the verdict are those of the result. */
static GENERATED void thread_search_after(struct thread_state *f) {
    struct solver_search *s = &f->search.own;
    struct solver *d = &f->solver;
    s->lost = d->state.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (!s->lost && d->state.outcome != HN_OUTCOME_OK)
        return;
    s->searched = true;
    if (s->solved)
        return;
    search_set_aside(d, d->plan->y);
    if (s->lost)
        thread_search_prove(f);
    else
        thread_search_run(f);
    thread_search_evaluate(f, s->lost ? s->stepped : s->found);
    if (!s->lost && sample_verdict(&d->state, d->options, &d->numbers, false) != HN_OUTCOME_OK) {
        search_withdraw(s, LAYER_ROWS);
        thread_search_evaluate(f, s->stepped);
    }
    d->state.outcome = solver_verdict(d);
}

/* ---- gradients: for a certified sample those of the solution, for others those of auto's steps (same as
 * layer/search.c and layer/backward.c) ---- */

#ifdef DEVICE_GRADIENTS
static double *thread_search_part(double *all, uint64_t sample, size_t width) {
    return all ? all + sample * width : 0;
}

/* Writes the gradients with respect to the inputs of a solution to their slots; false: not unique, or no gradient. */
static GENERATED bool thread_search_pull(struct thread_state *f, const struct device_call *call,
                                         const double *multipliers) {
    const struct plan *plan = f->solver.plan;
    const struct thread_search *s = &f->search;
    const struct point *p = &f->solver.point;
    const struct backend kernels = {};
    struct nearest_pull pull;
    pull.x = f->solver.x;
    pull.y = call->y + f->sample * LAYER_OUTPUTS;
    pull.multipliers = multipliers;
    pull.grad_y = call->grad_y + f->sample * LAYER_OUTPUTS;
    pull.grad_multipliers = call->grad_multipliers ? call->grad_multipliers + f->sample * LAYER_ROWS : 0;
    pull.gradient = s->own.raw;
    pull.grad_x = s->inputs;
    pull.grad_lower = s->own.multipliers;
    pull.grad_upper = s->own.stalled_multipliers;
    pull.grad_weights = thread_search_part(call->grad_weights, f->sample, LAYER_OUTPUTS);
    pull.regular = false;
    pull_run(&kernels, &s->places->near, s->near, &pull, 1);
    point_write(p, plan->gradient, LAYER_OUTPUTS, pull.gradient);
    point_write(p, plan->grad_x, LAYER_INPUTS, pull.grad_x);
    point_write(p, plan->grad_lower, LAYER_ROWS, pull.grad_lower);
    point_write(p, plan->grad_upper, LAYER_ROWS, pull.grad_upper);
    return pull.regular;
}

/* whole: the gradient is that of a regular solution. */
static void thread_search_back_open(struct thread_adjoint *b, const struct device_call *call, uint64_t sample) {
    struct thread_state *f = &b->lane;
    const double *numbers = call->tape_numbers + sample * (LAYER_ROWS + 1);
    bool certified = numbers[0] == TAPE_CERTIFIED, elsewhere = numbers[0] == TAPE_ELSEWHERE;
    thread_adjoint_find(b, call, sample);
    if (certified || elsewhere)
        f->tape.head.steps = f->tape.head.attempt = 0;
    if (elsewhere)
        f->tape.head.way = TAPE_TOO_LONG;
    solver_back_open(&f->solver, &b->back, &f->tape.head);
    b->back.grad_weights = thread_search_part(call->grad_weights, sample, LAYER_OUTPUTS);
    point_zero(b->back.grad_weights, LAYER_OUTPUTS);
    b->whole = certified && thread_search_pull(f, call, numbers + 1);
}
#endif

#endif
